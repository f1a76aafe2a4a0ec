"""Tests of the command on a terminal: colours and progress bars. usage: terminal_test.py PROGRAM [unittest options]

Each test that needs a terminal makes a pseudo-terminal, so the tests run in a pipe too."""
import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
import unittest

PROGRAM = sys.argv.pop(1)
MATRIX = "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 4\n2 2 5\n"
ESCAPE = "\x1b["


def environment(**changes):
    """The caller's environment with an ordinary terminal and without variables about colours."""
    result = {**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8", "GPUSUPERNODAL_BACKEND": "host"}
    result.pop("NO_COLOR", None)
    result.update(changes)
    return result


class Result:
    def __init__(self, code, terminal, output, errors):
        self.code, self.terminal, self.output, self.errors = code, terminal, output, errors


def run(*arguments, on_terminal=("stdout", "stderr"), columns=80, feed=None, **variables):
    """Runs the command with these streams on a pseudo-terminal and the others in pipes."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    streams = {name: follower if name in on_terminal else subprocess.PIPE for name in ("stdout", "stderr")}
    process = subprocess.Popen([PROGRAM, *arguments], stdin=subprocess.DEVNULL, env=environment(**variables), **streams)
    os.close(follower)
    seen = []

    def read_terminal():
        while True:
            try:
                part = os.read(leader, 65536)
            except OSError:  # The last program on the terminal has ended.
                return
            if not part:
                return
            seen.append(part)

    reader = threading.Thread(target=read_terminal)
    reader.start()
    if feed:
        feed(process)
    output, errors = process.communicate(timeout=120)
    reader.join()
    os.close(leader)
    return Result(process.returncode, b"".join(seen).decode("utf-8"), (output or b"").decode("utf-8"),
                  (errors or b"").decode("utf-8"))


def plain(text):
    """Text without control sequences, as a user reads it."""
    return re.sub(r"\x1b\[[0-9;]*[mK]", "", text).replace("\r\n", "\n")


class Colours(unittest.TestCase):
    def test_labels_are_coloured_on_a_terminal_and_the_words_are_those_of_a_pipe(self):
        terminal = run("info")
        pipe = run("info", on_terminal=())
        self.assertIn(ESCAPE + "1mgpusupernodal", terminal.terminal)
        self.assertEqual(plain(terminal.terminal), pipe.output)
        self.assertNotIn("\x1b", pipe.output)

    def test_each_stream_decides_for_itself(self):
        error = run("solve", "/nonexistent.mtx", on_terminal=("stderr",))
        self.assertIn(ESCAPE + "1;31mgpusupernodal:" + ESCAPE + "0m /nonexistent.mtx", error.terminal)
        report = run("solve", "lap2d:4", on_terminal=("stderr",))
        self.assertNotIn("\x1b", report.output)
        self.assertEqual(report.terminal, "")
        error = run("solve", "/nonexistent.mtx", on_terminal=("stdout",))
        self.assertNotIn("\x1b", error.errors)

    def test_doctor_marks_what_is_missing(self):
        text = run("doctor", GPUSUPERNODAL_COST_MODEL="/nonexistent.json").terminal
        self.assertIn(ESCAPE + "32mok", text)
        self.assertRegex(text, r"\x1b\[33mmissing\x1b\[0m  \x1b\[1mcost figures")

    def test_no_color_and_a_dumb_terminal_have_none(self):
        for variables in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            self.assertNotIn("\x1b", run("info", **variables).terminal, variables)
        self.assertIn("\x1b", run("info", NO_COLOR="").terminal, "an empty NO_COLOR is as good as none")

    def test_the_option_is_stronger_than_terminal_and_variable(self):
        for arguments in (("info", "--color", "never"), ("--color", "never", "info"), ("info", "--color=never")):
            self.assertNotIn("\x1b", run(*arguments).terminal, arguments)
        for arguments in (("info", "--color", "always"), ("--color=always", "info")):
            self.assertIn("\x1b", run(*arguments, on_terminal=(), NO_COLOR="1").output, arguments)
        # Errors of the command line are coloured too, though nothing has been parsed.
        self.assertIn("\x1b", run("frobnicate", "--color", "always", on_terminal=()).errors)
        self.assertNotIn("\x1b", run("frobnicate", "--color", "never").terminal)

    def test_json_and_files_are_never_coloured(self):
        for subcommand in (["solve", "lap2d:4"], ["analyze", "lap2d:4"], ["bench", "lap2d:4", "--repeat", "1"], ["info"],
                           ["doctor"], ["solve", "/nonexistent.mtx"]):
            result = run(*subcommand, "--json", "--color", "always", on_terminal=("stdout",))
            self.assertNotIn("\x1b", result.terminal, subcommand)
            self.assertNotIn("\x1b", result.errors, subcommand)
            json.loads(result.terminal)
        with tempfile.TemporaryDirectory() as folder:
            names = {option: f"{folder}/{option}" for option in ("-o", "--trace", "--plot-pattern", "--plot-tree", "--plot-trace")}
            words = [word for pair in names.items() for word in pair]
            self.assertEqual(run("solve", "lap2d:4", "--color", "always", *words).code, 0)
            for name in names.values():
                with open(name, encoding="utf-8") as file:
                    self.assertNotIn("\x1b", file.read(), name)
        self.assertNotIn("\x1b", run("completion", "bash", "--color", "always").terminal)

    def test_a_wrong_value_gets_the_nearest_name(self):
        result = run("info", "--color", "alwais", on_terminal=())
        self.assertEqual(result.code, 2)
        self.assertIn("--color: there is no 'alwais'; did you mean 'always'?", result.errors)


class Progress(unittest.TestCase):
    def run_with_slow_file(self, *options, seconds=1.9, **how):
        """Solves a matrix from a FIFO that delivers it after `seconds`: the phase 'read' takes that long everywhere."""
        with tempfile.TemporaryDirectory() as folder:
            fifo = f"{folder}/slow.mtx"
            os.mkfifo(fifo)

            def feed(_):
                with open(fifo, "w", encoding="ascii") as file:
                    time.sleep(seconds)
                    file.write(MATRIX)
            return run("solve", fifo, *options, feed=feed, **how)

    def test_a_long_phase_is_shown_and_erased(self):
        result = self.run_with_slow_file()
        self.assertEqual(result.code, 0)
        self.assertRegex(result.terminal, r"\r\x1b\[Kread, [12] s")
        before, after = result.terminal.rsplit("\r\x1b[K", 1)
        self.assertIn("read, ", before)
        self.assertNotIn("read, ", after)
        self.assertIn("n = 2", after, "the report follows the erased line")

    def test_nothing_without_a_terminal_with_json_or_when_refused(self):
        self.assertEqual(self.run_with_slow_file(on_terminal=("stdout",)).errors, "")
        self.assertEqual(self.run_with_slow_file("--json", on_terminal=("stderr",)).terminal, "")
        self.assertEqual(self.run_with_slow_file("--progress", "never", on_terminal=("stderr",)).terminal, "")
        self.assertEqual(self.run_with_slow_file(on_terminal=("stderr",), TERM="dumb").terminal, "")

    def test_a_short_phase_shows_nothing(self):
        self.assertEqual(run("solve", "lap2d:10", on_terminal=("stderr",)).terminal, "")

    def long_run(self, *options, columns=80, **variables):
        """A solve whose factorization takes some seconds on one core; the terminal's text, or a skipped test."""
        result = run("solve", "lap3d:36", "--ordering", "natural", "--threads", "1", *options, on_terminal=("stderr",),
                     columns=columns, **variables)
        if result.code == 4:
            self.skipTest("the machine has too little memory")
        self.assertEqual(result.code, 0, result.terminal)
        taken = re.search(r"factorize +([\d.]+) s ", result.output)
        if not taken or float(taken.group(1)) < 1.6:
            self.skipTest("this machine is too fast for a bar")
        return result.terminal

    def test_a_factorization_has_a_bar_that_grows(self):
        text = self.long_run()
        percentages = [int(p) for p in re.findall(r"factorize  [█░]{24} +(\d+) %, \d+ s", text)]
        self.assertTrue(percentages, text)
        self.assertEqual(percentages, sorted(percentages))
        self.assertLessEqual(percentages[-1], 100)
        for bar, percent in re.findall(r"([█░]{24}) +(\d+) %", text):
            self.assertAlmostEqual(bar.count("█") / 24, int(percent) / 100, delta=1 / 24 + 0.01)

    def test_a_narrow_terminal_without_utf8_gets_short_lines_of_ascii(self):
        text = self.long_run(columns=24, LC_ALL="C")
        self.assertTrue(text.isascii(), text)
        lines = [line for line in text.split("\r\x1b[K") if line]
        self.assertTrue(lines)
        self.assertLess(max(map(len, lines)), 24)


if __name__ == "__main__":
    unittest.main()
