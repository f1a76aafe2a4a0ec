"""Tests the completion scripts in the shells that they are for. usage: shells_test.py PROGRAM [unittest options]

Exits 77 if none of bash, zsh and fish is there; the tests of an absent shell are skipped."""
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = sys.argv.pop(1)
if not any(map(shutil.which, ("bash", "zsh", "fish"))):
    print("skipped: there is no shell with completion")
    sys.exit(77)

# What is typed before the tabulator key, and what the line is then: None if it stays as it is.
LINES = {
    "so": "solve", "--co": "--color", "solve --backe": "solve --backend", "solve --backend h": "solve --backend host",
    "analyze --ordering nat": "analyze --ordering natural", "analyze --plot-p": "analyze --plot-pattern",
    "info --js": "info --json", "bench --progress n": "bench --progress never", "completion f": "completion fish",
    "solve mat": "solve matrix.mtx", "bench matrix.mtx mat": "bench matrix.mtx matrix.mtx",
    "solve --plot-tree mat": "solve --plot-tree matrix.mtx", "solve --ordering-seed mat": None, "doctor mat": None,
    "completion mat": None, "solve --nothing": None}

ZSH_SETUP = """
PS1= TERM=dumb fpath=({folder} $fpath)
autoload -Uz compinit && compinit -D -u
gpusupernodal() {{ print -r -- "[$*]" }}
print READY
"""
# The line editor runs in a terminal of its own; the function in place of the command prints what it was called with.
ZSH_DRIVER = """
zmodload zsh/zpty
zpty terminal zsh -f -i
zpty -w terminal "source {folder}/setup"
zpty -r -m terminal text '*READY*'
for line in "$@"; do
  zpty -w terminal "gpusupernodal $line"$'\\t'
  zpty -r -m terminal text '*\\[*\\]*' && print -r -- "${{${{text##*\\[}}%%\\]*}}"
done
"""


class Completion(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        (self.folder / "matrix.mtx").touch()

    def script(self, shell, name):
        text = subprocess.run([PROGRAM, "completion", shell], capture_output=True, text=True, check=True).stdout
        (self.folder / name).write_text(text, encoding="utf-8")
        return self.folder / name

    def output(self, *command):
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=100, stdin=subprocess.DEVNULL)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh(self):
        self.script("zsh", "_gpusupernodal")
        (self.folder / "setup").write_text(ZSH_SETUP.format(folder=self.folder), encoding="utf-8")
        lines = self.output("zsh", "-f", "-c", ZSH_DRIVER.format(folder=self.folder), "zsh", *LINES).splitlines()
        self.assertEqual([line.rstrip() for line in lines], [after or before for before, after in LINES.items()])

    def offered(self, path, line):
        """The words that fish offers for the last one."""
        found = self.output("fish", "--no-config", "-c", f"source {path}; complete -C 'gpusupernodal {line}'")
        return [word.split("\t")[0] for word in found.splitlines()]

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish(self):
        path = self.script("fish", "gpusupernodal.fish")
        for before, after in LINES.items():
            with self.subTest(before):
                self.assertEqual(self.offered(path, before), [after.split()[-1]] if after else [])
        self.assertEqual(self.offered(path, "solve --backend "), ["auto", "cuda", "host"])
        self.assertEqual(self.offered(path, "completion "), ["bash", "fish", "zsh"])
        self.assertEqual(self.offered(path, ""), ["analyze", "batch", "bench", "completion", "doctor", "info", "multiply", "report", "solve", "tune"])

    @unittest.skipUnless(shutil.which("bash"), "bash is not installed")
    def test_bash(self):
        path = self.script("bash", "completion.bash")
        for before, after in LINES.items():
            with self.subTest(before):
                found = self.output("bash", "-c", f". {path}; COMP_WORDS=(gpusupernodal {before}); "
                                    "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _gpusupernodal; printf '%s\\n' \"${COMPREPLY[@]}\"")
                self.assertEqual(found.split(), [after.split()[-1]] if after else [])


unittest.main()
