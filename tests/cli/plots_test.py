"""Tests of the command's pictures: well-formed, small, and nothing overlaps. usage: plots_test.py PROGRAM [unittest options]"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

PROGRAM = sys.argv.pop(1)
SVG = "{http://www.w3.org/2000/svg}"
LARGEST = 1_500_000  # Bytes that the headers of cli/plot promise.
ENVIRONMENT = {**os.environ, "GPUSUPERNODAL_BACKEND": "host"}


def command(*arguments, code=0):
    result = subprocess.run([PROGRAM, *arguments], env=ENVIRONMENT, capture_output=True, text=True)
    assert result.returncode == code, (arguments, result.returncode, result.stderr)
    return result


class TextBox:
    """Where a text stands, with the widths of a wide sans-serif font."""

    def __init__(self, element, sizes):
        self.text = element.text
        size = sizes.get(element.get("class"), 12.0)
        width, height = 0.56 * size * len(self.text), size
        if element.get("transform"):
            x, y = map(float, re.match(r"translate\(([\d.]+) ([\d.]+)\) rotate\(-90\)", element.get("transform")).groups())
            self.left, self.right, self.top, self.bottom = x - height, x, y - width / 2, y + width / 2
            return
        x, y = float(element.get("x")), float(element.get("y"))
        left = {None: 0.0, "start": 0.0, "middle": -0.5, "end": -1.0}[element.get("text-anchor")]
        self.left, self.right, self.top, self.bottom = x + left * width, x + (left + 1.0) * width, y - 0.8 * size, y + 0.2 * size

    def overlaps(self, other):
        return self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom


class Picture:
    def __init__(self, path):
        self.bytes = os.path.getsize(path)
        with open(path, encoding="utf-8") as file:
            self.source = file.read()
        self.root = ElementTree.fromstring(self.source)
        self.width, self.height = float(self.root.get("width")), float(self.root.get("height"))
        self.texts = [TextBox(element, {"title": 16.0}) for element in self.root.iter(f"{SVG}text")]

    def words(self):
        return [text.text for text in self.texts]

    def classes(self):
        return {name for element in self.root.iter() for name in (element.get("class") or "").split()}


class Pictures(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, name):
        return f"{self.folder.name}/{name}"

    def all_three(self, *arguments):
        names = {kind: self.file(f"{kind}.svg") for kind in ("pattern", "tree", "trace")}
        options = [word for kind, name in names.items() for word in (f"--plot-{kind}", name)]
        command("solve", *arguments, *options)
        return {kind: Picture(name) for kind, name in names.items()}

    def check(self, picture, name):
        self.assertLess(picture.bytes, LARGEST, name)
        style = picture.root.find(f"{SVG}style").text
        light, dark = style.split("@media(prefers-color-scheme:dark)")
        for kind in picture.classes() - {"cells", "lane", "part", "title", "box", "frame"}:
            self.assertIn(f".{kind}{{", light, f"{name}: {kind} has no light colour")
            self.assertIn(f".{kind}{{", dark, f"{name}: {kind} has no dark colour")
        self.assertNotIn("href", picture.source, f"{name}: nothing is loaded from elsewhere")
        for k, text in enumerate(picture.texts):
            self.assertGreaterEqual(text.left, 0.0, f"{name}: '{text.text}' leaves the page")
            self.assertGreaterEqual(text.top, 0.0, f"{name}: '{text.text}' leaves the page")
            self.assertLessEqual(text.right, picture.width, f"{name}: '{text.text}' leaves the page")
            self.assertLessEqual(text.bottom, picture.height, f"{name}: '{text.text}' leaves the page")
            for other in picture.texts[:k]:
                self.assertFalse(text.overlaps(other), f"{name}: '{text.text}' and '{other.text}' overlap")

    def test_of_small_large_and_tall_problems(self):
        for arguments in (["lap2d:1"], ["lap2d:5"], ["lap3d:24"], ["shell:30"], ["elas:10"], ["lap2d:120", "--ordering", "amd"],
                          ["lap2d:40", "--ordering", "natural", "--merging", "none"], ["lap3d:12", "--threads", "1"]):
            for kind, picture in self.all_three(*arguments).items():
                self.check(picture, f"{kind} of {' '.join(arguments)}")

    def test_the_pattern_of_a_small_matrix_has_its_entries(self):
        path = self.file("a.mtx")
        with open(path, "w", encoding="ascii") as file:
            file.write("%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 4\n2 2 4\n3 1 1\n3 3 4\n")
        command("analyze", path, "--plot-pattern", self.file("a.svg"))
        picture = Picture(self.file("a.svg"))
        drawn = [element for element in picture.root.iter(f"{SVG}path")]
        self.assertEqual(len(drawn), 1)
        self.assertEqual(drawn[0].get("d"), "M0 0.5h1M2 0.5h1M1 1.5h1M0 2.5h1M2 2.5h1")
        self.assertIn("scale(160 160)", drawn[0].get("transform"))
        self.assertIn("n = 3, 5 nonzeros", picture.words())
        self.assertIn("Pattern of a", picture.words())

    def test_solve_also_draws_the_elimination_order(self):
        path = self.file("order.txt")
        with open(path, "w", encoding="ascii") as file:
            file.write("".join(f"{row}\n" for row in range(9, 0, -1)))
        matrix = self.file("arrow.mtx")  # The first row is full; the order eliminates it last.
        with open(matrix, "w", encoding="ascii") as file:
            entries = [f"{k} {k} 20\n" for k in range(1, 10)] + [f"{k} 1 1\n" for k in range(2, 10)]
            file.write(f"%%MatrixMarket matrix coordinate real symmetric\n9 9 {len(entries)}\n" + "".join(entries))
        command("solve", matrix, "--permutation", path, "--plot-pattern", self.file("p.svg"))
        picture = Picture(self.file("p.svg"))
        given, eliminated = (element.get("d") for element in picture.root.iter(f"{SVG}path"))
        self.assertTrue(given.startswith("M0 0.5h9"), given)
        self.assertTrue(eliminated.endswith("M0 8.5h9"), eliminated)

    def test_cells_of_a_large_matrix_count_its_entries(self):
        command("analyze", "lap2d:60", "--plot-pattern", self.file("p.svg"))
        picture = Picture(self.file("p.svg"))
        self.assertIn("n = 3,600, 17,760 nonzeros; a cell is 15 × 15", picture.words())
        ranges = [word for word in picture.words() if re.fullmatch(r"[\d,]+( to [\d,]+)? entr(y|ies)", word)]
        self.assertEqual(ranges[-1].split(" to ")[-1], "43 entries")  # 15 + 2·14 in a cell within one line of the grid.

    def test_the_tree_has_a_box_for_each_large_supernode(self):
        path = self.file("tree.svg")
        report = json.loads(command("analyze", "lap2d:5", "--merging", "none", "--json", "--plot-tree", path).stdout)
        picture = Picture(path)
        boxes = [e for e in picture.root.iter(f"{SVG}rect") if (e.get("class") or "").startswith("box")]
        self.assertEqual(len(boxes), report["supernodes"])
        # Their areas in columns: heights add up to n, because each column belongs to one supernode.
        depth = max(float(box.get("y")) + float(box.get("height")) for box in boxes) - 92.0
        self.assertAlmostEqual(depth, 440.0, places=1)
        self.assertIn(f"{report['supernodes']} supernodes;", " ".join(picture.words()))

    def test_the_time_line_has_calls_and_threads(self):
        words = self.all_three("lap3d:20", "--threads", "1")["trace"].words()
        for word in ("calls", "factorize", "host threads", "worker 0", "leaf subtrees"):
            self.assertIn(word, words)
        self.assertTrue({"seconds", "milliseconds", "microseconds"} & set(words))

    def test_names_are_escaped_and_cut_off(self):
        path = self.file("a<b>&" + "x" * 150 + "\u00e9.mtx")
        with open(path, "w", encoding="ascii") as file:
            file.write("%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 4\n")
        for kind, picture in self.all_three(path).items():
            self.check(picture, kind)
            self.assertTrue(picture.words()[0].endswith("…"), picture.words()[0])
            self.assertIn("a<b>&xxx", picture.words()[0])

    def test_a_dash_writes_the_picture_alone_to_stdout(self):
        for arguments in (["analyze", "--plot-tree"], ["analyze", "--plot-pattern"], ["solve", "--plot-trace"]):
            output = command(arguments[0], "lap2d:4", arguments[1], "-").stdout
            self.assertEqual(ElementTree.fromstring(output).tag, f"{SVG}svg")

    def test_files_that_cannot_be_written_are_named(self):
        result = command("analyze", "lap2d:4", "--plot-tree", "/nonexistent/t.svg", code=2)
        self.assertEqual(result.stderr, "gpusupernodal: /nonexistent/t.svg: cannot be written: No such file or directory.\n")
        result = command("analyze", "lap2d:4", "--plot-tree", "", code=2)
        self.assertIn("the name of the file is empty.", result.stderr)
        result = command("analyze", "lap2d:4", "--plot", "x.svg", code=2)
        self.assertEqual(result.stderr, "gpusupernodal: there is no option '--plot'; there are --plot-pattern, --plot-tree.\n")


if __name__ == "__main__":
    unittest.main()
