"""Tests that each check of the pages detects a broken input."""
import json
import sys
import tempfile
import unittest
from pathlib import Path

import command_line
import markdown
from console import check_console
from errors import bare
from figures import pages
from links import MOST_LINES, broken_links, too_long
from messages import raised_in, without_comments
from options import fields_of
from references import keys_in
from snippets import program


def page(text):
    folder = tempfile.mkdtemp()
    path = Path(folder) / "page.md"
    path.write_text(text, encoding="utf-8")
    return path


class Markdown(unittest.TestCase):
    def parsed(self, text):
        markdown.ROOT, kept = Path(tempfile.gettempdir()).resolve(), markdown.ROOT
        try:
            return markdown.parse(page(text).resolve())
        finally:
            markdown.ROOT = kept

    def test_block_without_language(self):
        self.assertIn("language", self.parsed("```\nls\n```\n").errors[0])

    def test_unknown_marker(self):
        self.assertIn("not known", self.parsed("<!-- not run: lazy -->\n```sh\nls\n```\n").errors[0])

    def test_marker_without_a_block(self):
        self.assertIn("before no block", self.parsed("<!-- not run: gpu -->\ntext\n").errors[0])

    def test_known_marker(self):
        document = self.parsed("<!-- not run: gpu -->\n```sh\nls\n```\n")
        self.assertEqual((document.errors, document.blocks[0].not_run), ([], "gpu"))

    def test_indented_block(self):
        self.assertEqual(self.parsed("1. x\n   ```sh\n   ls \\\n     -l\n   ```\n").blocks[0].text, "ls \\\n  -l\n")

    def test_unclosed_block(self):
        self.assertIn("does not end", self.parsed("```sh\nls\n").errors[0])

    def test_anchors(self):
        self.assertEqual(list(self.parsed("# A `b`, c!\n## A b c\n").anchors()), ["a-b-c", "a-b-c-1"])

    def test_tables(self):
        rows = list(markdown.table_rows(["| a | b |", "|---|---|", "| `x\\|y` | 2 |"]))
        self.assertEqual(rows, [["`x|y`", "2"]])


class Links(unittest.TestCase):
    def broken(self, text):
        readme = markdown.parse(markdown.ROOT / "README.md")
        readme.prose = [(1, text)]
        return list(broken_links(readme, {}))

    def test_missing_file(self):
        self.assertIn("does not exist", self.broken("[x](docs/nothing.md)")[0])

    def test_missing_anchor(self):
        self.assertIn("no heading", self.broken("[x](docs/install.md#nothing)")[0])

    def test_good_links(self):
        self.assertEqual(self.broken("[x](docs/errors.md#memory) [y](https://example.org) `[z](nothing)`"), [])

    def test_long_pages(self):
        readme = markdown.parse(markdown.ROOT / "README.md")
        readme.lines = [""] * (MOST_LINES - 1)
        self.assertEqual(list(too_long(readme)), [])
        readme.lines.append("")
        self.assertIn(f"{MOST_LINES} lines", next(too_long(readme)))


class Messages(unittest.TestCase):
    def raised(self, source):
        return [text for texts, _ in raised_in("x.cpp", without_comments(source)) for text in texts or []]

    def test_format_fields_become_ellipses(self):
        self.assertEqual(self.raised('fail<E>("row {} is {:.3g}; " "bad", r, v);'), ["row … is …; bad"])
        self.assertEqual(self.raised('throw X(fmt::format("{0}: ({1}, {0})", a), 1);'), ["…: (…, …)"])
        self.assertEqual(self.raised('reader.fail_at(1, "it ends, early");'), ["it ends, early"])

    def test_concatenated_and_conditional_sentences(self):
        self.assertEqual(self.raised('throw X(std::string(call) + " failed: " + why(code));'), ["… failed: …"])
        self.assertEqual(self.raised('throw X(bad ? "it is bad" : "it is {}");'), ["it is bad", "it is …"])

    def test_comments_are_ignored(self):
        self.assertEqual(self.raised('// fail<E>("old sentence")\n/* throw X("old sentence"); */'), [])

    def test_comparison_ignores_values_at_the_ends(self):
        self.assertEqual(bare("…: cannot be opened: …."), ": cannot be opened:")


class Figures(unittest.TestCase):
    """Tests with a result file of two rows, the second from another run."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.results = Path(folder.name)
        about = {"machine": "A machine", "date": "2000-01-01", "commit": "c0ffee0", "command": "measure",
                 "other_rows": "¹: another run"}
        table = {"about": about, "columns": ["matrix", "ms", "before ms"], "rows": [["a", "2.5", "5.0"], ["b ¹", "4.0", "6.0"]]}
        (self.results / "some.json").write_text(json.dumps({"times": table}), encoding="utf-8")

    def page(self, view, text=""):
        return f"It takes <!-- figure: some.json {view} -->{text}<!-- end -->.\n"

    def filled(self, view):
        text = pages.filled(self.page(view), self.results)
        self.assertEqual(list(pages.disagreements(text, self.results)), [])
        return text.split("-->", 1)[1].split("<!--")[0]

    def wrong(self, text):
        return [what for _, what in pages.disagreements(text, self.results)]

    def test_values_of_every_view(self):
        self.assertEqual(self.filled("cell times ms matrix=a"), "2.5")
        self.assertEqual(self.filled("extreme times most 1 ms"), "4.0")
        self.assertEqual(self.filled("extreme times least 0 ms 'ms>=3'"), "4")
        self.assertEqual(self.filled("ratio times least 2 'before ms' ms"), "1.50")
        self.assertEqual(self.filled("difference times most 1 'before ms' ms"), "2.5")
        self.assertEqual(self.filled("about times"), "A machine; 2000-01-01, commit c0ffee0, `measure`")

    def test_table_names_rows_of_another_run(self):
        self.assertEqual(self.filled("table times matrix ms"),
                         "\n| matrix | ms |\n|---|---|\n| a | 2.5 |\n| b ¹ | 4.0 |\n\n¹: another run.\n")

    def test_relative_table(self):
        self.assertEqual(self.filled("relative times 'before ms' ms"), "\n| matrix | ms |\n|---|---|\n| a | 0.50 |\n| b ¹ | 0.67 |\n")

    def test_wrong_figure_is_reported(self):
        self.assertIn("\"2.6\" is not what some.json says: \"2.5\"", self.wrong(self.page("cell times ms matrix=a", "2.6"))[0])

    def test_marker_without_a_value(self):
        for view in ("cell times ms matrix=c", "cell times seconds matrix=a", "cell nothing ms", "guess times ms"):
            self.assertIn("has no value", self.wrong(self.page(view, "2.5"))[0], view)

    def test_marker_at_the_start_of_a_line(self):
        text = pages.filled("It takes\n" + self.page("cell times ms matrix=a")[len("It takes "):], self.results)
        self.assertIn("begins the line", self.wrong(text)[0])

    def test_figures_need_a_marker(self):
        for words in ("takes 3.5 ms", "reads 1.2 to 3.4 TB/s", "2 to 3.5 times as fast", "on 2026-11-22", "at commit 01234ab", "5 µs"):
            self.assertIn("is in no marker", [what for _, what in pages.unmarked(f"It {words}.\n")][0], words)
        for words in ("16 columns", "`3.5 ms`", "up to 30 µs<!-- not measured -->", self.page("about times", "1 ms"),
                      "\n```text\n3.5 ms\n```\n"):
            self.assertEqual(list(pages.unmarked(f"It {words}.\n")), [], words)


class Others(unittest.TestCase):
    def test_options_of_help_and_page_are_compared(self):
        self.assertEqual(command_line.options_in_help("Options:\n  -h,--help   Print\n  --a-b N   x\n  text --c\n"),
                         {"-h", "--help", "--a-b"})
        self.assertEqual(command_line.options_in_page(["| x | |", "|---|---|", "| `-b FILE`, `--c` | `--no` |"]), {"-b", "--c"})
        self.assertEqual(list(command_line.difference("x", {"a", "b"}, {"b"})), ["docs/command-line.md: x a of the program is missing"])
        self.assertEqual(list(command_line.difference("x", {"b"}, {"a", "b"})), ["docs/command-line.md: x a is not the program's"])

    def test_fields_of_a_struct(self):
        self.assertEqual(fields_of("struct O {\n  int a = 1;  ///< x; y\n  B b;\n  std::function<bool(const P&)> c;\n};\n", "O"),
                         {"a", "b", "c"})

    def test_keys_of_references(self):
        self.assertEqual(list(keys_in("[AG89, CDHR08] and [Higham02 §15.3], not m[Ab12] or [AB12](x)")),
                         ["AG89", "CDHR08", "Higham02"])


class Console(unittest.TestCase):
    def check(self, text):
        import subprocess

        def run(script):
            done = subprocess.run(["bash", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            return done.returncode, done.stdout
        return check_console(text, run)

    def test_equal_but_for_numbers(self):
        self.assertEqual(self.check("$ echo took 3.2 ms\ntook 12 µs\n$ printf 'a\\nb\\nc\\n'\na\n…\nc\n"), "")

    def test_other_words(self):
        self.assertIn("expected", self.check("$ echo one\ntwo\n"))

    def test_missing_line(self):
        self.assertIn("expected", self.check("$ echo one\none\ntwo\n"))

    def test_exit_status(self):
        self.assertIn("exit status 3", self.check("$ (exit 3)\n"))
        self.assertEqual(self.check("$ (exit 3)\n$ echo $?\n3\n"), "")
        self.assertEqual(self.check("$ (exit 3)\n$ echo $?\n3\n$ echo again\nagain\n"), "")


class Snippets(unittest.TestCase):
    def test_frames(self):
        block = markdown.Block(markdown.ROOT / "README.md", 7, "cpp", "#include <map>\nint y = 1;\n")
        whole = markdown.Block(markdown.ROOT / "README.md", 9, "cpp", "int main() { return 0; }\n")
        text = program([block, whole], "frame.hpp")
        self.assertIn("#include <map>\n", text)
        self.assertIn("CORE_FRAME;\n  {\n#line 8 \"README.md\"\n\nint y = 1;", text)
        self.assertIn("namespace snippet_1 {", text)


if __name__ == "__main__":
    sys.exit(not unittest.main(exit=False).result.wasSuccessful())
