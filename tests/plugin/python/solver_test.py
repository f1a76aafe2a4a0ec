"""Tests gpusupernodal.Solver with many forms of matrices and right-hand sides. Exits 77 without SciPy."""
import sys
import unittest

try:
    import numpy
    import scipy.sparse
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)
import gpusupernodal

N = 40
A = scipy.sparse.csc_matrix(scipy.sparse.diags([-1.0, 4.0, -1.0], [-5, 0, 5], shape=(N, N)))
X = numpy.linspace(1.0, 2.0, 3 * N).reshape(N, 3)


class Forms(unittest.TestCase):
    def expect_solution(self, a, part=gpusupernodal.FULL, dtype=numpy.float64, b=None):
        """The condition number of A is below 3: forward errors of 4·n·eps·condition."""
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
    """solve(b, out=x): arrays are used in place, without copies."""

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
        for wrong in (numpy.empty((N, 3)), numpy.empty((N, 3), dtype=numpy.float32, order="F"), [[0.0] * 3] * N):
            self.assertRaises(TypeError, self.solver.solve, self.b, out=wrong)

    def test_columns_that_overlap(self):
        """Column strides that are 0 or shorter than a column: columns overlap."""
        places = numpy.full(4 * N, 7.0)
        strided = numpy.lib.stride_tricks.as_strided
        for distance in (0, 8, 8 * (N - 1), -8 * N):
            overlapping = strided(places[N:], (N, 3), (8, distance))
            self.assertRaisesRegex(TypeError, "do not overlap", self.solver.solve, self.b, out=overlapping)
            self.assertRaisesRegex(TypeError, "do not overlap", self.solver.solve, overlapping, out=self.b.copy(order="F"))
        self.assertTrue((places == 7.0).all())
        repeated = numpy.broadcast_to(self.b[:, :1], (N, 3))
        self.assertRaisesRegex(TypeError, "b has strides", self.solver.solve, repeated, out=numpy.empty((N, 3), order="F"))
        self.assertLessEqual(abs(self.solver.solve(repeated) - X[:, :1]).max(), self.bound)  # Copied, as is every other b.

    def test_entries_between_the_places_of_numbers(self):
        raw = numpy.zeros(8 * (3 * N + 1), dtype=numpy.uint8)
        shifted = raw[4:4 + 24 * N].view(numpy.float64).reshape((N, 3), order="F")
        for wrong in (shifted, numpy.lib.stride_tricks.as_strided(raw.view(numpy.float64), (N, 2), (8, 8 * N + 4))):
            self.assertRaisesRegex(TypeError, "aligned", self.solver.solve, self.b[:, :wrong.shape[1]], out=wrong)
        self.assertFalse(raw.any())

    def test_one_row(self):
        solver = gpusupernodal.Solver(backend="host")
        solver.compute(scipy.sparse.csc_matrix([[4.0]]))
        b, out = numpy.array([[4.0, 8.0, 12.0]]), numpy.zeros((1, 6))
        solver.solve(b, out=out[:, ::2])
        self.assertEqual(out.tolist(), [[1.0, 0.0, 2.0, 0.0, 3.0, 0.0]])
        self.assertRaises(TypeError, solver.solve, numpy.broadcast_to([[4.0]], (1, 3)), out=out[:, ::2])


class Trials(unittest.TestCase):
    """Arrays with random strides: each is refused and unchanged, or solved, and nothing outside it is written."""

    @staticmethod
    def view(random, raw, columns):
        """A view of N × columns numbers in `raw`."""
        inner = int(random.choice([8, 8, 8, 8, 16, -8, 0, 4]))
        outer = int(random.choice([8 * N, 8 * N, 8 * N + 8, 8 * N + 16, 0, 8, -8 * N, 8 * N + 4, 8 * N - 8]))
        steps = [min(0, inner * (N - 1)) + min(0, outer * (columns - 1)), max(0, inner * (N - 1)) + max(0, outer * (columns - 1))]
        start = -steps[0] + int(random.choice([0, 0, 8, 16, 4]))
        assert start + steps[1] + 8 <= raw.size
        return numpy.ndarray((N, columns), float, raw, start, (inner, outer))

    def test_strides(self):
        random = numpy.random.default_rng(7)
        solver = gpusupernodal.Solver(backend="host", threads=1)
        solver.compute(A)
        bound, solved = 4 * N * numpy.finfo(float).eps * 3 * 2, 0
        for trial in range(400):
            columns = int(random.integers(1, 4))
            left, right = (numpy.full(8 * (6 * N + 24), 0, dtype=numpy.uint8) for _ in range(2))
            b, out = self.view(random, right, columns), self.view(random, left, columns)
            b[...] = numpy.arange(1.0, N + 1)[:, None]
            given, before = b.copy(), left.copy()
            try:
                solver.solve(b, out=out)
            except TypeError:
                self.assertTrue((left == before).all(), f"trial {trial}: refused, and written")
                continue
            solved += 1
            self.assertLessEqual(abs(A @ out - given).max(), bound * 6 * N, f"trial {trial}")
            out[...] = 0.0
            self.assertFalse(left.any(), f"trial {trial}: written beside the columns")
        self.assertGreater(solved, 20)


class Lossy(unittest.TestCase):
    """Values that a conversion would change are refused."""

    def test_complex(self):
        solver = gpusupernodal.Solver(backend="host")
        self.assertRaisesRegex(TypeError, "the matrix has complex", solver.compute, A.astype(complex))
        solver.compute(A)
        self.assertRaisesRegex(TypeError, "the matrix has complex", solver.factorize, A.astype(numpy.complex64))
        for b in (numpy.ones(N) * 1j, numpy.ones((N, 2), dtype=complex, order="F"), [1j] * N):
            self.assertRaisesRegex(TypeError, "b has complex", solver.solve, b)
        x = numpy.empty(N)
        self.assertRaises(TypeError, solver.solve, numpy.ones(N, dtype=complex), out=x)
        self.assertRaises(TypeError, solver.solve, numpy.ones(N), out=numpy.empty(N, dtype=complex))

    def test_row_numbers(self):
        solver = gpusupernodal.Solver()
        for wrong in (numpy.arange(N) + 0.5, numpy.ones(N, dtype=bool), ["1"] * N):
            self.assertRaisesRegex(TypeError, "integers", solver.set_permutation, wrong)
            self.assertRaisesRegex(TypeError, "integers", solver.set_last_rows, wrong)
        solver.set_last_rows([], [1, 2])


class Strided(unittest.TestCase):
    """SciPy keeps a matrix's arrays as they are, even with gaps."""

    def test_arrays_of_the_matrix(self):
        def gaps(array):
            return numpy.stack([array, array], axis=1)[:, 0]
        for form in (A, A.tocsr()):
            apart = form.copy()
            apart.data, apart.indices, apart.indptr = gaps(form.data), gaps(form.indices), gaps(form.indptr)
            solver = gpusupernodal.Solver(backend="host")
            solver.compute(apart)
            self.assertLessEqual(abs(solver.solve(A @ X) - X).max(), 4 * N * numpy.finfo(float).eps * 3 * 2)

    def test_arrays_that_are_too_short(self):
        for name in ("data", "indices", "indptr"):
            short = A.copy()
            short.has_canonical_format = True
            setattr(short, name, getattr(short, name)[:-1])
            self.assertRaisesRegex(ValueError, "damaged", gpusupernodal.Solver().compute, short)


class Calls(unittest.TestCase):
    def test_errors(self):
        solver = gpusupernodal.Solver(backend="host")
        self.assertRaisesRegex(gpusupernodal.Error, "there is no option 'colour'", solver.set_option, "colour", "red")
        self.assertRaisesRegex(gpusupernodal.Error, "before analyze", solver.factorize, A)
        for out in (None, numpy.empty(N)):
            self.assertRaisesRegex(gpusupernodal.Error, "solve was called before analyze", solver.solve, numpy.ones(N), out=out)
        self.assertRaisesRegex(gpusupernodal.Error, "before analyze", solver.old_of_new)
        solver.analyze(A)
        self.assertRaisesRegex(gpusupernodal.Error, "solve was called before factorize", solver.solve, numpy.ones(N))
        self.assertRaises(ValueError, solver.compute, A[:, :3])
        self.assertRaises(TypeError, gpusupernodal.Solver, numpy.longdouble)
        self.assertRaisesRegex(TypeError, "a sparse matrix", solver.compute, A.toarray())
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
