"""Tests bench/compare/analyses.py (analyses by number of threads) with programs that return fake measurements."""
import json
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "bench/compare/analyses.py"
sys.path.insert(0, str(SCRIPT.parent))
import result_tables  # noqa: E402

# lap2d:N takes N/100 s on one thread, scales perfectly, and has 100 N entries of L; METIS has twice as many and crashes
# on lap2d:7.
FAKE = """#!{python}
import json, sys
matrix, options = sys.argv[1], sys.argv[2:]
size = int(matrix.split(":")[1])
def say(**line):
    print(json.dumps(dict(matrix=matrix, **line)))
def after(name):
    return options[options.index(name) + 1].split(",")
say(n=size * size, nnz_a=3 * size * size, pattern_bytes=16 * size * size)
if "--no-analyze" not in options:
    for t in map(int, after("--threads")):
        say(threads=t, analyze=size / 100 / t, ordering=size / 200 / t, nnz_l=100 * size, flops=1e3 * size, method="amd",
            peak_bytes=132 * size * size, plan_bytes=100 * size * size, same=True, steps=[])
if "--no-others" not in options:
    for other in after("--others"):
        if size == 7 and other == "METIS":
            sys.exit("out of luck")
        say(other=other, seconds=size / 50, nnz_l=200 * size, flops=2e3 * size)
if "--orders" in options:
    say(order_threads=int(after("--orders")[0]), seconds=size / 100, nnz_l=100 * size, flops=1e3 * size, same=True)
"""

PEER = """#!{python}
import json
for event in ({{"event": "begin", "phase": "analyze"}},
              {{"event": "end", "phase": "analyze", "seconds": [0.25, 0.5], "capped": False}},
              {{"event": "fields", "nnz_l": 300}}, {{"event": "done"}}):
    print(json.dumps(event), flush=True)
"""


class Analyses(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.here = Path(folder.name)
        self.write_program("bench_analyses", FAKE)
        self.out, self.tables = self.here / "analyses.json", self.here / "tables.json"

    def write_program(self, name, text):
        program = self.here / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(text.format(python=sys.executable))
        program.chmod(0o755)

    def call(self, *arguments):
        done = subprocess.run([sys.executable, str(SCRIPT), *map(str, arguments)], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def run_it(self, *matrices):
        said = self.call("run", "--programs", self.here, "--out", self.out, "--threads", "1,2,4", "--at-once", 3, "--commit",
                         "c0ffee", *matrices)
        return said, json.loads(self.out.read_text())

    def report(self, *arguments):
        """The tables as pages show them."""
        self.call("report", self.out, "--results", self.here / "none.json", "--out", self.tables, "--plots", self.here / "plots",
                  *arguments)
        results = result_tables.load(self.tables)
        return "\n".join(f"{result_tables.whole(results, name)}\n{result_tables.about(results, name)}" for name in results) + "\n"

    def test_measures_every_matrix_with_every_method(self):
        self.write_program("peers/peer_cudss", PEER)
        said, data = self.run_it("lap2d:10", "lap2d:20")
        self.assertIn("mkl_pardiso: its program is not there", said)
        for size in (10, 20):
            matrix = data["matrices"][f"lap2d:{size}"]
            self.assertEqual({t: r["analyze"] for t, r in matrix["threads"].items()},
                             {"4": size / 400, "2": size / 200, "1": size / 100})
            self.assertEqual(sorted(matrix["others"]), ["AMD", "METIS", "Scotch", "cudss"])
            self.assertEqual(matrix["others"]["cudss"], {"seconds": 0.25, "nnz_l": 300, "flops": None})

    def test_report_has_tables_and_plots(self):
        self.run_it("lap2d:10", "lap2d:20")
        text = self.report()
        self.assertIn("| lap2d:20 | 0.200 | 0.100 | 0.0500 | 0.0250 | amd | 0.400 | 0.400 | 0.400 |", text)
        self.assertIn("| geometric mean |  |  |  | 0.500 | 0.500 | 1.000 | 1.000 | 1.000 | 1.000 | – | – |", text)
        self.assertIn("| lap2d:20 | 4 | 0.0 | 0.0 | 0.1 | 2.00 |", text)
        plots = sorted(path.name for path in (self.here / "plots").iterdir())
        self.assertEqual(plots, ["analysis-fill.svg", "analysis-speed-up.svg"])
        for name in plots:
            ElementTree.parse(self.here / "plots" / name)

    def test_other_orderings_may_come_from_an_earlier_run(self):
        self.run_it("lap2d:10")
        earlier = self.here / "earlier.json"
        earlier.write_text(self.out.read_text())
        self.run_it("lap2d:10", "--ours-only")
        self.assertIn("| lap2d:10 | 0.100 | 0.0500 | 0.0250 | 0.0125 | amd |\n", self.report())
        text = self.report("--others-of", earlier)
        self.assertIn("| lap2d:10 | 0.100 | 0.0500 | 0.0250 | 0.0125 | amd | 0.200 ² | 0.200 ² | 0.200 ² |", text)
        self.assertIn("² of the run of ", text)
        self.assertIn("commit c0ffee", text)

    def test_orderings_only(self):
        said = self.call("orders", "--programs", self.here, "--others", "METIS,AMD", "lap2d:10", "lap2d:30")
        self.assertIn("| lap2d:30 | 900 | 0.600 | 6.000e+04 | 0.600 | 6.000e+04 | 0.300 | 3.000e+04 | 0.500 | 0.500 | 2.000 |", said)
        self.assertIn("| geometric mean |  |  |  |  |  |  |  | 0.500 | 0.500 | 2.000 |", said)

    def test_failed_runs_are_omitted(self):
        said, data = self.run_it("lap2d:7", "lap2d:10", "nowhere")
        self.assertIn("lap2d:7: out of luck", said)
        self.assertIn("nowhere: there is no such file", said)
        self.assertNotIn("METIS", data["matrices"]["lap2d:7"]["others"])
        self.assertIn("| lap2d:7 | 0.0700 | 0.0350 | 0.0175 | 0.0088 | amd | – | 0.140 | 0.140 |", self.report())


if __name__ == "__main__":
    unittest.main()
