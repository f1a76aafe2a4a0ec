"""Tests the comparison (bench/compare) with fake solver programs."""
import json
import math
import re
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMPARE = ROOT / "bench/compare"
sys.path[:0] = [str(COMPARE), str(COMPARE.parent)]
import collect  # noqa: E402
import fit  # noqa: E402
import page  # noqa: E402
import pages  # noqa: E402
import plots  # noqa: E402
import svg  # noqa: E402
import tables  # noqa: E402
from peers import CURVES  # noqa: E402
from results import Results  # noqa: E402

# A fake program whose behaviour depends on the matrix: lap2d:N takes N/1000 s per call; N = 999 never ends its
# refactorization, N = 998 crashes in it.
FAKE = """#!{python}
import json, sys, time
name, matrix = sys.argv[0].rsplit("peer_", 1)[1], sys.argv[1:][2]
mode = sys.argv[2]
size = int(matrix.split(":")[1])
with open({log!r}, "a") as log:
    log.write(f"{{name}}/{{mode}}/{{matrix}} ")
def say(**event):
    print(json.dumps(event), flush=True)
cost = {{"default": 2.0, "tree": 3.0}}.get(mode, 1.0)
say(event="fields", n=size * size, flops=float(size) ** 3, nnz_l=10 * size * size, version="1", settings=mode, memory=1e6, peer=name)
for phase in ("load", "analyze", "factorize", "refactorize", "solve1", "solve16"):
    say(event="begin", phase=phase)
    if phase == "refactorize" and name == "cudss":
        if size == 999:
            time.sleep(60)
        if size == 998:
            sys.exit("out of luck")
    say(event="end", phase=phase, seconds=[cost * 1e-6 * size ** 3] * 3, capped=False)
say(event="fields", backward_error_solve1=1e-16, equal_bits=True)
say(event="done")
"""


class Comparison(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.here = Path(self.folder.name)
        self.log, self.out = self.here / "log", self.here / "results.json"
        for name in ("gpusupernodal", "cudss"):
            program = self.here / f"peer_{name}"
            program.write_text(FAKE.format(python=sys.executable, log=str(self.log)))
            program.chmod(0o755)

    def run_it(self, *arguments):
        done = subprocess.run([sys.executable, str(COMPARE / "compare.py"), "run", "--programs", str(self.here), "--out", str(self.out),
                               "--commit", "c0ffee", *arguments], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def results(self):
        return Results(self.out)

    def started(self):
        return self.log.read_text().split()

    def test_peers_run_alternately(self):
        self.run_it("--rounds", "2", "lap2d:10,lap2d:20=gpusupernodal,cudss")
        ours, theirs = "gpusupernodal/cuda/lap2d:", "cudss/default/lap2d:"
        self.assertEqual(self.started(), [peer + size for size in ("10", "20") for _ in range(2) for peer in (ours, theirs)])
        self.assertEqual(len(self.results().find("lap2d:10", "cudss")["phases"]["solve1"]["seconds"]), 6)

    def test_modes_of_a_program_are_separate_peers(self):
        self.run_it("lap2d:10=gpusupernodal,cudss,cudss-tree")
        times = [collect.milliseconds(self.results().find("lap2d:10", peer), "refactorize") for peer in ("gpusupernodal", "cudss", "cudss-tree")]
        for time_, expected in zip(times, (1.0, 2.0, 3.0)):
            self.assertAlmostEqual(time_, expected)

    def test_phase_over_the_cap_is_stopped_and_larger_problems_are_skipped(self):
        begin = time.monotonic()
        self.run_it("--cap", "1", "lap2d:999,lap2d:1200=gpusupernodal,cudss")
        self.assertLess(time.monotonic() - begin, 20)
        record = self.results().find("lap2d:999", "cudss")
        self.assertEqual(record["phases"]["refactorize"], {"seconds": [], "capped": True, "longer_than": 1.0})
        self.assertEqual(tables.cell(record, "refactorize"), "> 1000*")
        self.assertTrue(record["phases"]["factorize"]["seconds"], "what was measured before is kept")
        self.assertIn("lap2d:999", self.results().find("lap2d:1200", "cudss")["skipped"])
        self.assertNotIn("cudss/default/lap2d:1200", self.started())

    def test_crashed_program_keeps_its_results_and_the_reason(self):
        self.run_it("lap2d:998=cudss")
        record = self.results().find("lap2d:998", "cudss")
        self.assertIn("in refactorize: out of luck", record["failed"])
        self.assertIn("factorize", record["phases"])
        self.assertNotIn("refactorize", record["phases"])

    def test_run_can_be_split(self):
        self.run_it("--only", "cudss", "lap2d:10,lap2d:20=gpusupernodal,cudss")
        self.assertEqual(len(self.started()), 2)
        self.assertIn("left for another run: lap2d:10 gpusupernodal", self.run_it(
            "--budget", "0", "--skip-measured", "lap2d:10,lap2d:20=gpusupernodal,cudss"))
        self.run_it("--skip-measured", "lap2d:10,lap2d:20=gpusupernodal,cudss")
        self.assertEqual(len(self.started()), 4)
        self.assertEqual(len(self.results().find("lap2d:10", "cudss")["phases"]["solve1"]["seconds"]), 3)

    def test_merged_results_replace_older_ones(self):
        old, new = Results(), Results()
        for results, value in ((old, 1.0), (new, 2.0)):
            results.add({"problem": "a", "peer": "cudss", "phases": {"solve1": {"seconds": [value], "capped": False}}})
        old.add({"problem": "b", "peer": "cudss", "phases": {}})
        new.data["date"] = "2000-01-01"
        old.merge(new)
        self.assertEqual(len(old.data["records"]), 2)
        self.assertEqual(collect.milliseconds(old.find("a", "cudss"), "solve1"), 2000.0)
        self.assertEqual(old.data["date"], "2000-01-01")

    def test_merge_continues_a_result_file(self):
        self.run_it("lap2d:10=cudss")
        earlier = self.here / "earlier.json"
        self.out.rename(earlier)
        self.run_it("--merge", str(earlier), "--skip-measured", "lap2d:10,lap2d:20=cudss")
        self.assertEqual(len(self.started()), 2)
        self.assertEqual(len(self.results().data["records"]), 2)

    def test_unknown_peers_and_missing_files(self):
        done = subprocess.run([sys.executable, str(COMPARE / "compare.py"), "run", "--programs", "x", "--out", str(self.out), "a=unknown"],
                              capture_output=True, text=True, check=False)
        self.assertIn("there is no peer unknown", done.stderr)
        self.run_it("no_such_matrix=cudss")
        self.assertEqual(self.results().find("no_such_matrix", "cudss")["failed"], "there is no such file")

    def test_report_has_tables_and_plots(self):
        curves = ",".join(CURVES["lap2d"][:5])
        self.run_it(f"{curves}=gpusupernodal,cudss", "lap2d:1000=cudss-tree,cudss-deterministic")
        plots = self.here / "plots"
        page.write(self.results(), self.here / "performance.json", plots)
        text = self.page()
        self.assertIn("commit c0ffee", text)
        self.check_tables(text)
        self.assertIn("| lap2d | refactorize | 1.50 | 1.50 |", text, "1e-6 N³ seconds are n^1.5")
        for name in ("phases", "floor", "curves", "profile"):
            drawing = (plots / f"{name}.svg").read_text()
            ElementTree.fromstring(drawing)
            self.assertNotIn("nan", drawing)
        words = "".join(ElementTree.fromstring((plots / "curves.svg").read_text()).itertext())
        for word in ("cuDSS: n^1.50", "refactorize, ms", "n, lap2d", "not measured"):
            self.assertIn(word, words)

    def page(self):
        """The pages about performance with the figures of these results; sentences about large matrices contain none."""
        text = "".join((ROOT / "docs" / name).read_text() for name in ("performance.md", "performance-more.md"))
        return pages.filled(re.sub(r"<!-- figure: performance.json (solve|factor)_rate .*?<!-- end -->", "", text), self.here)

    def check_tables(self, text):
        """Checks that all rows of a table have as many cells as its header."""
        width = None
        for line in text.splitlines():
            if not line.startswith("|"):
                width = None
                continue
            width = width or line.count("|")
            self.assertEqual(line.count("|"), width, line)

    def test_report_without_results(self):
        page.write(Results(), self.here / "performance.json", self.here / "plots")
        self.check_tables(self.page())
        for name in ("phases", "floor", "curves", "profile"):
            ElementTree.fromstring((self.here / "plots" / f"{name}.svg").read_text())


class Charts(unittest.TestCase):
    def test_value_outside_an_axis_is_refused(self):
        for log in (True, False):
            axis = svg.Axis(1.0, 10.0, 0, 100, log)
            self.assertAlmostEqual(axis.at(10.0), 100.0)
            for value in (0.5, 10.05):
                with self.assertRaisesRegex(ValueError, f"{value:g} is outside the axis from 1 to 10"):
                    axis.at(value)

    def test_profile_ends_above_the_largest_ratio(self):
        self.assertEqual(plots.ratio_ticks(1.0), [1, 2])
        self.assertEqual(plots.ratio_ticks(10.05), [1, 2, 3, 5, 10, 20])
        self.assertEqual(plots.ratio_ticks(30.0), [1, 2, 3, 5, 10, 20, 30])

    def test_labels_of_a_short_axis_do_not_overlap(self):
        chart = svg.Chart(300, 100, "")
        chart.vertical_grid(svg.Axis(1.0, 1e5, 0, 150, True), 0, 50, "")
        labels = [float(x) for part in chart.parts for x in re.findall(r"<text class='ink' x='([\d.]+)' y='68.0'", part)]
        self.assertEqual(len(labels), 3)
        self.assertTrue(all(b - a >= svg.LABEL_WIDTH for a, b in zip(labels, labels[1:])))

    def test_every_colour_has_a_dark_variant(self):
        self.assertEqual(len(svg.COLORS), len(svg.DARK_COLORS))
        for color in svg.COLORS:
            self.assertIn(f"[fill='{color}']", svg.style())
            self.assertIn(f"[stroke='{color}']", svg.style())


class Slopes(unittest.TestCase):
    def test_fit_finds_the_exponent(self):
        exponent, factor = fit.slope([(x, 3.0 * x ** 1.7) for x in (10, 100, 1000)])
        self.assertAlmostEqual(exponent, 1.7)
        self.assertAlmostEqual(math.log(factor), math.log(3.0))
        self.assertIsNone(fit.slope([(10, 1.0)]))

    def test_fit_ignores_small_sizes_and_capped_points(self):
        records = []
        for k, name in enumerate(CURVES["lap3d"]):
            size = int(name.split(":")[1])
            seconds = 1e-9 * size ** 6 if k >= 4 else 1.0
            records.append({"problem": name, "peer": "cudss", "n": size ** 3,
                            "phases": {"refactorize": {"seconds": [seconds], "capped": k == 7}}})
        results = Results()
        results.data["records"] = records
        good, capped = tables.curve_points(results, "lap3d", "cudss", "refactorize")
        self.assertEqual((len(good), len(capped)), (7, 1))
        self.assertAlmostEqual(fit.slope(fit.large_half(good)[-3:])[0], 2.0)


class Events(unittest.TestCase):
    def test_stored_permutation_counts_its_ordering_time(self):
        record = {"phases": {"analyze": {"seconds": [0.1], "capped": False}}, "analyze_with_ordering": 2.5}
        self.assertEqual(collect.milliseconds(record, "analyze"), 2500.0)

    def test_rounds_are_joined(self):
        one = {"phases": {"solve1": {"seconds": [1.0], "capped": False}}, "equal_bits": False}
        two = json.loads(json.dumps(one)) | {"equal_bits": True}
        joined = collect.join(one, two)
        self.assertEqual(joined["phases"]["solve1"]["seconds"], [1.0, 1.0])
        self.assertFalse(joined["equal_bits"])


if __name__ == "__main__":
    unittest.main()
