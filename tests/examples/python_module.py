"""examples/python/gpusupernodal.py over forms of matrices and right-hand sides. Ends with 77 where SciPy is not installed."""
import sys
import unittest
from pathlib import Path

try:
    import numpy
    import scipy.sparse
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples/python"))
import gpusupernodal

N = 40
A = scipy.sparse.csc_matrix(scipy.sparse.diags([-1.0, 4.0, -1.0], [-5, 0, 5], shape=(N, N)))
X = numpy.linspace(1.0, 2.0, 3 * N).reshape(N, 3)


class Forms(unittest.TestCase):
    def expect_solution(self, a, part=gpusupernodal.FULL, dtype=numpy.float64, b=None):
        """The condition of A is below 3: forward errors of 4·n·eps·condition."""
        solver = gpusupernodal.Solver(dtype=dtype, backend="host")
        solver.compute(a, part)
        x = solver.solve(A @ X if b is None else b)
        self.assertEqual(x.dtype, dtype)
        bound = 4 * N * numpy.finfo(dtype).eps * 3 * 2
        self.assertLessEqual(abs(x - (X if x.ndim == 2 else X[:, 0])).max(), bound)

    def test_orders_indices_and_halves(self):
        for form in (A, A.tocsr(), A.tocoo(), scipy.sparse.lil_matrix(A)):
            self.expect_solution(form)
        wide = A.copy()
        wide.indptr, wide.indices = wide.indptr.astype(numpy.int64), wide.indices.astype(numpy.int64)
        self.expect_solution(wide)
        for form in ("csc", "csr"):
            self.expect_solution(scipy.sparse.tril(A, format=form), gpusupernodal.LOWER)
            self.expect_solution(scipy.sparse.triu(A, format=form), gpusupernodal.UPPER)

    def test_precisions_and_duplicates(self):
        self.expect_solution(A, dtype=numpy.float32)
        self.expect_solution(A.astype(numpy.float32))
        doubled = scipy.sparse.coo_matrix((numpy.tile(A.tocoo().data / 2, 2), (numpy.tile(A.tocoo().row, 2),
                                                                              numpy.tile(A.tocoo().col, 2))), (N, N))
        self.expect_solution(doubled)

    def test_right_hand_sides(self):
        b = A @ X
        for form in (b[:, 0], b[:, 0].tolist(), numpy.ascontiguousarray(b), numpy.asfortranarray(b), numpy.repeat(b, 2, 1)[:, ::2]):
            self.expect_solution(A, b=form)
        solver = gpusupernodal.Solver()
        solver.compute(A)
        self.assertEqual(solver.solve(numpy.empty((N, 0))).shape, (N, 0))
        for wrong in (b[1:], b.reshape(N, 3, 1), numpy.float64(1.0)):
            self.assertRaises(ValueError, solver.solve, wrong)


class Into(unittest.TestCase):
    """solve(b, out=x): arrays are taken as they lie."""

    def setUp(self):
        self.solver = gpusupernodal.Solver(backend="host")
        self.solver.compute(A)
        self.b = numpy.asfortranarray(A @ X)
        self.bound = 4 * N * numpy.finfo(float).eps * 3 * 2

    def test_places(self):
        wide = numpy.zeros((N + 3, 3), order="F")
        for b, out in ((self.b, wide[:N]), (self.b.copy(order="F"), None), (self.b[:, :1], numpy.empty((N, 1))),
                       (self.b[:, 0], numpy.empty(N))):
            out = b if out is None else out
            self.assertIs(self.solver.solve(b, out=out), out)
            self.assertLessEqual(abs(out - X[:, :1] if out.shape == (N, 1) else out - (X if out.ndim == 2 else X[:, 0])).max(),
                                 self.bound)
        self.assertEqual(abs(wide[N:]).max(), 0.0)

    def test_refusals(self):
        fixed = self.b.copy(order="F")
        fixed.flags.writeable = False
        self.solver.solve(fixed, out=self.b)
        for wrong in (numpy.empty((N, 2), order="F"), numpy.empty((N - 1, 3), order="F"), fixed):
            self.assertRaises(ValueError, self.solver.solve, self.b, out=wrong)
        for wrong in (numpy.empty((N, 3)), numpy.empty((N, 3), dtype=numpy.float32, order="F")):
            self.assertRaises(TypeError, self.solver.solve, self.b, out=wrong)


class Calls(unittest.TestCase):
    def test_errors(self):
        solver = gpusupernodal.Solver(backend="host")
        self.assertRaisesRegex(gpusupernodal.Error, "there is no option 'colour'", solver.set_option, "colour", "red")
        self.assertRaisesRegex(gpusupernodal.Error, "before analyze", solver.factorize, A)
        self.assertRaises(ValueError, solver.compute, A[:, :3])
        self.assertRaises(TypeError, gpusupernodal.Solver, numpy.complex128)
        self.assertRaises(gpusupernodal.NotPositiveDefinite, solver.compute, -A)
        spoilt = A.copy()
        spoilt[0, 0] = numpy.nan
        with self.assertRaisesRegex(gpusupernodal.NotPositiveDefinite, "row 0, column 0") as caught:
            solver.compute(spoilt)
        self.assertEqual(caught.exception.code, 2)
        solver.compute(A)

    def test_options_reports_and_order(self):
        solver = gpusupernodal.Solver(ordering="natural", deterministic=True, backend="host")
        self.assertEqual(solver.options()["deterministic"], "true")
        solver.set_permutation(range(N - 1, -1, -1))
        solver.compute(A)
        self.assertEqual(sorted(solver.old_of_new()), list(range(N)))
        reports = solver.reports()
        self.assertEqual((reports["analyze.n"], reports["analyze.ordering"], reports["factor.status"]), (N, "user", "success"))
        sign, log_determinant = numpy.linalg.slogdet(A.toarray())
        self.assertAlmostEqual(solver.log_determinant(), sign * log_determinant, delta=N * N * numpy.finfo(float).eps * 10)
        solver.set_shift(1.0)
        solver.factorize(A)
        self.assertEqual(solver.report("factor.shift"), 1.0)
        self.assertIn(".", gpusupernodal.version())


unittest.main()
