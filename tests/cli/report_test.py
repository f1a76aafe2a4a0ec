"""Tests of `gpusupernodal report` without a browser. usage: report_test.py PROGRAM [unittest options]"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.path.abspath(sys.argv.pop(1))
BUILD = Path(PROGRAM).parents[1]  # Has the header that lists what the build has.
ENVIRONMENT = {**os.environ, "GPUSUPERNODAL_BACKEND": "host"}
QUICK = ("--seconds", "2")


def command(*arguments, code=0):
    result = subprocess.run([PROGRAM, *arguments], env=ENVIRONMENT, capture_output=True, text=True)
    assert result.returncode == code, (arguments, result.returncode, result.stderr)
    return result


def figures(*arguments):
    return json.loads(command("report", *arguments, "--json").stdout)


def embedded(page):
    """The figures that a page has."""
    return json.loads(re.search(r'<script id="figures" type="application/json">(.*?)</script>', page, re.S).group(1))


def matrix_market(kind, order, entries):
    lines = [f"%%MatrixMarket matrix coordinate {kind}", f"{order} {order} {len(entries)}"]
    return "\n".join(lines + [" ".join(map(str, entry)) for entry in entries]) + "\n"


class Report(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, name, text=None):
        path = f"{self.folder.name}/{name}"
        if text is not None:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return path

    def read(self, name):
        with open(self.file(name), encoding="utf-8") as file:
            return file.read()

    def test_every_part_of_a_definite_matrix(self):
        result = command("report", "lap2d:25", *QUICK, "-o", self.file("r.html"))
        self.assertIn("symmetric positive definite", result.stdout)
        page = self.read("r.html")
        report = embedded(page)
        for part in ("pattern", "analysis", "orderings", "direct", "spectrum", "formats", "convergence", "roofline"):
            self.assertTrue(report[part]["complete"], f"{part}: {report[part]}")
        self.assertEqual(report["matrix"], {"name": "lap2d:25", "n": 625, "nnz": 3025, "symmetric": True,
                                            "kind": "symmetric positive definite", "form": "llt"})
        self.assertEqual(len(report["pattern"]["given"]), 200 * 200)
        self.assertEqual(len(report["pattern"]["eliminated"]), 200 * 200)
        levels = report["analysis"]["tree"]["levels"]
        self.assertEqual(sum(level["columns"] for level in levels), 625)
        self.assertAlmostEqual(sum(level["flops"] for level in levels), report["analysis"]["stored_flops"], delta=1.0)
        self.assertLess(report["direct"]["backward_error"], 1e-13)
        self.assertGreater(report["roofline"]["measured"]["flops_per_second"], 0.0)
        self.assertGreater(report["roofline"]["measured"]["bytes_per_second"], 0.0)
        self.assertTrue(any(c["measured_seconds"] > 0 for c in report["formats"]["candidates"]))
        self.assertIn("<title>lap2d:25 – gpusupernodal report</title>", page)
        self.assertLessEqual(set(re.findall(r"@[A-Z]+@", page)), {"@FACTORIZATIONS@"}, "all marks of the template are filled in")

    def test_the_spectrum_is_that_of_the_grid(self):
        from math import cos, pi
        spectrum = figures("lap2d:12", *QUICK)["spectrum"]
        # The diagonal is 4, so the eigenvalues are those of the grid divided by 4.
        self.assertAlmostEqual(spectrum["smallest"], 1.0 - cos(pi / 13), delta=1e-6)
        self.assertAlmostEqual(spectrum["largest"], 1.0 + cos(pi / 13), delta=1e-6)

    def test_runs_of_conjugate_gradients_reach_the_tolerance(self):
        report = figures("lap3d:8", *QUICK, "--tolerance", "1e-7")
        self.assertEqual(report["convergence"]["tolerance"], 1e-7)
        runs = {run["preconditioner"]: run for run in report["convergence"]["runs"]}
        self.assertEqual(list(runs), ["jacobi", "fsai", "factor, single", "block_jacobi", "ic0", "ssor_ai", "none"])
        for name in ("jacobi", "fsai", "factor, single", "block_jacobi", "ic0", "none"):
            run = runs[name]
            self.assertTrue(run["complete"], run)
            self.assertEqual(run["residuals"][0], [0, 1.0])
            self.assertEqual(run["residuals"][-1][0], run["iterations"])
            self.assertLessEqual(run["residuals"][-1][1], 1e-7)
        self.assertLess(runs["factor, single"]["iterations"], runs["fsai"]["iterations"])
        self.assertEqual({m["method"] for m in report["methods"]}, {"direct", "mixed", "pcg"})

    def test_a_run_that_takes_too_long_is_stopped(self):
        n = 100000  # As many iterations, which take longer than a fifth of the limit.
        chain = [(i, i, 2) for i in range(1, n + 1)] + [(i + 1, i, -1) for i in range(1, n)]
        # More seconds than in the other tests: the parts before take seconds on a busy machine, and nothing may end there.
        report = figures(self.file("chain.mtx", matrix_market("real symmetric", n, chain)), "--seconds", "10")
        run = report["convergence"]["runs"][0]
        self.assertEqual((run["preconditioner"], run["complete"], run["status"]), ("jacobi", False, "max_iterations"))
        # A fifth of the limit, or what is left of the half that runs may take.
        self.assertRegex(run["note"], "^stopped after [0-9.]+ s$")
        self.assertLessEqual(float(run["note"].split()[2]), 2.0)
        self.assertGreater(run["iterations"], 0)
        self.assertEqual(run["residuals"][0], [0, 1.0])
        self.assertEqual(run["residuals"][-1][0], run["iterations"])
        self.assertNotIn("jacobi", {m["preconditioner"] for m in report["methods"] if m["method"] == "pcg"})

    def test_choices_are_the_cheapest_methods(self):
        report = figures("lap3d:8", *QUICK)
        for choice in report["choices"]:
            solves = choice["solves"]
            totals = [m["analyze_seconds"] + m["first_seconds"] + solves * m["solve_seconds"] +
                      (solves - 1) * m["again_seconds"] * choice["new_values"] for m in report["methods"]]
            self.assertAlmostEqual(choice["seconds"], min(totals), delta=1e-12)
        self.assertEqual(len(report["choices"]), 10)

    def test_the_command_to_paste_works(self):
        path = self.file("a matrix.mtx", matrix_market("real symmetric", 2, [(1, 1, 4), (2, 2, 4), (2, 1, 1)]))
        for method in figures(path, *QUICK)["methods"]:
            text = method["paste"]["command"].replace("@FACTORIZATIONS@", "3")
            self.assertTrue(text.startswith("gpusupernodal solve "), text)
            result = subprocess.run(text.replace("gpusupernodal", f"'{PROGRAM}'", 1), shell=True, env=ENVIRONMENT, capture_output=True)
            self.assertEqual(result.returncode, 0, (text, result.stderr))

    def test_the_code_to_paste_compiles(self):
        compiler, headers = shutil.which("c++"), "/usr/include/eigen3"
        if compiler is None or not os.path.isdir(headers):
            self.skipTest("there is no compiler, or Eigen is elsewhere")
        saddle = self.file("saddle.mtx", matrix_market("real symmetric", 2, [(1, 1, 1), (2, 1, 2), (2, 2, 1)]))
        methods = [m for spec in ("lap2d:6", "convdiff:6", saddle) for m in figures(spec, *QUICK)["methods"]]
        self.assertGreaterEqual(len(methods), 6)
        includes, functions = {"#include <vector>"}, []
        for language, arguments in (("cpp", "const gpusupernodal::MatrixView<double>& A, const gpusupernodal::DenseView<const double>& b, "
                                            "const gpusupernodal::DenseView<double>& x"),
                                    ("eigen", "const Eigen::SparseMatrix<double>& A, const Eigen::VectorXd& b, Eigen::VectorXd& x")):
            for method in methods:
                lines = method["paste"][language].replace("@FACTORIZATIONS@", "7").splitlines()
                includes |= {line for line in lines if line.startswith("#include")}
                body = "\n".join(line for line in lines if not line.startswith("#include"))
                functions.append(f"void {language}{len(functions)}({arguments}) {{\n{body}\n}}")
        source = self.file("pastes.cpp", "\n".join(sorted(includes) + functions) + "\n")
        folders = [f"-I{ROOT}/solver/include", f"-I{BUILD}/gpusupernodal-include", f"-I{ROOT}/plugin/eigen/include", f"-isystem{headers}"]
        result = subprocess.run([compiler, "-std=c++17", "-fsyntax-only", *folders, source], capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        for method in methods:
            compile(method["paste"]["python"].replace("@FACTORIZATIONS@", "7"), "paste", "exec")

    def test_an_indefinite_matrix_takes_ldlt(self):
        path = self.file("saddle.mtx", matrix_market("real symmetric", 3, [(1, 1, 2), (2, 2, 2), (3, 1, 1), (3, 2, 1), (3, 3, -1)]))
        report = figures(path, *QUICK)
        self.assertEqual(report["matrix"]["form"], "ldlt")
        self.assertEqual(report["matrix"]["kind"], "symmetric indefinite: 2 positive, 1 negative, 0 zero eigenvalues")
        self.assertIn("LDLᵀ takes its place", report["direct"]["note"])
        self.assertFalse(report["convergence"]["complete"])
        self.assertIn("left out", report["convergence"]["note"])
        self.assertEqual([m["method"] for m in report["methods"]], ["direct"])
        self.assertLess(report["spectrum"]["smallest"], 0.0)
        self.assertIsNone(report["spectrum"]["condition"])
        report = figures(path, *QUICK, "--form", "llt")
        self.assertFalse(report["direct"]["complete"])
        self.assertIn("not positive definite", report["direct"]["note"])
        self.assertEqual((report["methods"], report["choices"]), ([], []))
        self.assertTrue(report["formats"]["complete"])

    def test_a_general_matrix_takes_lu(self):
        for spec in ("convdiff:9", self.file("g.mtx", matrix_market("real general", 2, [(1, 1, 4), (2, 1, 3), (2, 2, 5)]))):
            report = figures(spec, *QUICK)
            self.assertEqual((report["matrix"]["form"], report["matrix"]["kind"]), ("lu", "general"))
            self.assertTrue(report["direct"]["complete"], report["direct"])
            self.assertIn("left out", report["convergence"]["note"])
            self.assertIn("symmetric", report["spectrum"]["note"])
            self.assertIn("--form lu", report["methods"][0]["paste"]["command"])

    def test_the_end_of_the_time_is_said_in_every_part(self):
        result = command("report", "lap2d:20", "--seconds", "1e-9", "-o", self.file("r.html"))
        self.assertIn("--seconds", result.stdout)
        report = embedded(self.read("r.html"))
        for part in ("pattern", "analysis", "direct", "formats", "convergence"):
            self.assertFalse(report[part]["complete"])
            self.assertTrue(report[part]["note"], part)

    def test_a_right_hand_side_of_a_file(self):
        b = self.file("b.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n2\n")
        a = self.file("a.mtx", matrix_market("real symmetric", 2, [(1, 1, 4), (2, 2, 5)]))
        self.assertTrue(figures(a, *QUICK, "-b", b)["direct"]["complete"])
        two = self.file("two.mtx", "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n")
        self.assertIn("one right-hand side", command("report", a, "-b", two, "--json", code=2).stderr)

    def test_the_smallest_matrices(self):
        self.assertTrue(figures("lap2d:1", *QUICK)["direct"]["complete"])

    def test_output_and_json(self):
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder.name)
        command("report", "lap2d:5", *QUICK, "--json")
        self.assertEqual(os.listdir("."), [], "--json alone writes no page")
        report = json.loads(command("report", "lap2d:5", *QUICK, "--json", "-o", "both.html").stdout)
        self.assertEqual(embedded(self.read("both.html")), report)
        command("report", "lap2d:5", *QUICK)
        self.assertEqual(sorted(os.listdir(".")), ["both.html", "report.html"])
        self.assertTrue(command("report", "lap2d:5", *QUICK, "-o", "-").stdout.startswith("<!DOCTYPE html>"))

    def test_names_cannot_end_the_script(self):
        path = self.file("x<!--<script> \u2028'\"&@FIGURES@@TITLE@<b/script>.mtx", matrix_market("real symmetric", 1, [(1, 1, 4)]))
        command("report", path, *QUICK, "-o", self.file("r.html"))
        page = self.read("r.html")
        data = re.search(r'type="application/json">(.*)', page).group(1)
        self.assertNotRegex(data[:data.index("</script>")], "[<>&\u2028]")
        self.assertEqual(embedded(page)["methods"][0]["paste"]["command"].count("</script>"), 0)
        self.assertEqual(embedded(page)["matrix"]["name"], "script>")
        self.assertIn("<b/script>", embedded(page)["methods"][0]["paste"]["command"])

    def test_errors(self):
        general = self.file("g.mtx", matrix_market("real general", 2, [(1, 1, 4), (2, 1, 3), (2, 2, 5)]))
        hermitian = self.file("c.mtx", matrix_market("complex hermitian", 1, [(1, 1, 4, 0)]))
        for arguments, sentence in (
                (("nothing.mtx",), "nothing.mtx: cannot be opened"), (("lap3f:4",), "did you mean 'lap3d:4'?"),
                (("lap2d:4", "--seconds", "0"), "--seconds must be positive."),
                (("lap2d:4", "--tolerance", "1"), "--tolerance must be between 0 and 1."),
                (("lap2d:4", "--form", "llu"), "llt"), (("lap2d:4", "--threads", "-1"), "threads"),
                ((general, "--form", "llt"), "is not symmetric"), ((hermitian,), "has complex numbers"),
                (("lap2d:4", *QUICK, "-o", "/nonexistent/r.html"), "/nonexistent/r.html: cannot be written")):
            result = command("report", *arguments, code=2)
            self.assertIn(sentence, result.stderr)
            if "-o" not in arguments:
                self.assertEqual(json.loads(command("report", *arguments, "--json", code=2).stdout)["kind"], "bad_input")

    def test_a_backend_that_is_missing(self):
        if any(b["name"] == "cuda" and b["available"] for b in json.loads(command("info", "--json").stdout)["backends"]):
            self.skipTest("there is a device")
        refused = command("report", "lap2d:6", *QUICK, "--backend", "cuda", code=5)
        self.assertIn("cuda", refused.stderr.lower())

    def test_an_empty_matrix_has_no_methods(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "empty.mtx")
            with open(path, "w") as file:
                file.write("%%MatrixMarket matrix coordinate real symmetric\n0 0 0\n")
            report = figures(path, *QUICK)
            self.assertEqual(report["methods"], [])
            self.assertEqual(report["matrix"]["kind"], "empty")

    def test_a_page_that_cannot_be_written_is_refused(self):
        self.assertIn("/nonexistent/r.html", command("report", "lap2d:4", "-o", "/nonexistent/r.html", code=2).stderr)
        self.assertIn("no.mtx", command("report", "no.mtx", "-o", "/nonexistent/r.html", code=2).stderr)
        self.assertIn("stdout", command("report", "lap2d:4", "--json", "-o", "-", code=2).stderr)


if __name__ == "__main__":
    unittest.main()
