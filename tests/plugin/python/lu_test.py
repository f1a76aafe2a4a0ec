"""Tests gpusupernodal.lu and LU beside scipy.sparse.linalg.splu. Exits 77 without SciPy."""
import copy
import pickle
import sys
import unittest

try:
    import numpy
    import scipy.sparse
    import scipy.sparse.linalg
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)
import gpusupernodal

N = 120


def general(n=N, seed=0, zero_diagonal=False):
    """A random matrix without symmetry: about 4 entries per row, and a cycle of larger ones on or beside the diagonal."""
    random = numpy.random.default_rng(seed)
    a = scipy.sparse.random(n, n, density=4.0 / n, random_state=seed, format="lil")
    a.setdiag(0.0 if zero_diagonal else 3.0 + random.random(n))
    if zero_diagonal:
        for i in range(n):
            a[i, (i + 1) % n] = 3.0 + random.random()
    a = a.tocsc()
    a.eliminate_zeros()
    return a


A = general()
X = numpy.random.default_rng(3).standard_normal((N, 4))


def backward_error(a, x, b):
    return abs(b - a @ x).max() / (abs(a).sum(axis=1).max() * abs(x).max() + abs(b).max())


def bound(n=N, dtype=float):
    """What solves with replaced pivots have to reach (docs/lu.md), and what others stay below."""
    return 100.0 * numpy.sqrt(n) * numpy.finfo(dtype).eps


class Solves(unittest.TestCase):
    def expect_solved(self, a, expected=numpy.float64, **keywords):
        factor = gpusupernodal.lu(a, **keywords)
        for matrix, trans in ((A, "N"), (A.T, "T"), (A.T, "H")):
            for x in (X, X[:, 0]):
                found = factor.solve(matrix @ x, trans=trans)
                self.assertEqual((found.dtype, found.shape), (expected, x.shape))
                self.assertLessEqual(backward_error(matrix, found, matrix @ x), bound(dtype=expected))
        return factor

    def test_schedule_by_columns(self):
        for zero_diagonal in (False, True):
            a = general(seed=4, zero_diagonal=zero_diagonal)
            try:
                factor = gpusupernodal.lu(a, lu_schedule="columns")
            except Exception as error:
                if "this build has no LU by columns" in str(error):
                    self.skipTest(str(error))
                raise
            self.assertEqual(factor._solver.report("analyze.lu_schedule"), "columns")
            b = a @ X
            self.assertLessEqual(backward_error(a, factor(b), b), bound())
            self.assertLessEqual(backward_error(a.T, factor.solve(a.T @ X, trans="T"), a.T @ X), bound())
            twice = factor.refactorize(a * 2.0)
            self.assertLessEqual(backward_error(a * 2.0, twice(b), b), bound())
        with self.assertRaises(TypeError):
            gpusupernodal.cholesky(scipy.sparse.identity(3, format="csc"), lu_schedule="columns")

    def test_schedule_on_dense_storage(self):
        for dtype in (numpy.float32, numpy.float64, numpy.complex64, numpy.complex128):
            a = general(seed=4, zero_diagonal=True).astype(dtype)
            factor = gpusupernodal.lu(a, lu_schedule="dense")
            self.assertEqual(factor._solver.report("analyze.lu_schedule"), "dense")
            b = (a @ X).astype(dtype)
            self.assertLessEqual(backward_error(a, factor(b), b), bound(dtype=dtype))
            twice = factor.refactorize(a * dtype(2))
            self.assertLessEqual(backward_error(a * dtype(2), twice(b), b), bound(dtype=dtype))

    def test_every_format(self):
        for form in ("csc", "csr", "coo", "lil", "bsr", "dok"):
            self.expect_solved(A.asformat(form))
        for array in ("csc_array", "csr_array", "coo_array"):
            if hasattr(scipy.sparse, array):
                self.expect_solved(getattr(scipy.sparse, array)(A))

    def test_types_of_values_and_indices(self):
        self.expect_solved(A.astype(numpy.float32), numpy.float32)
        self.expect_solved(A, numpy.float32, dtype=numpy.float32)
        wide = A.copy()
        wide.indptr, wide.indices = wide.indptr.astype(numpy.int64), wide.indices.astype(numpy.int64)
        self.expect_solved(wide)
        self.assertEqual(gpusupernodal.lu(scipy.sparse.csc_matrix([[0, 1], [2, 3]])).dtype, numpy.float64)

    def test_splu_gives_the_same(self):
        for seed in range(20):
            for zero_diagonal in (False, True):
                a = general(60, seed, zero_diagonal)
                theirs, ours = scipy.sparse.linalg.splu(a), gpusupernodal.lu(a)
                b = numpy.random.default_rng(seed).standard_normal(60)
                for trans in "NT":
                    x = theirs.solve(b, trans)
                    # Forward errors of both are below their backward errors times the condition number.
                    near = bound(60) * numpy.linalg.cond(a.toarray(), numpy.inf) * abs(x).max() * 2.0
                    self.assertLessEqual(abs(ours.solve(b, trans) - x).max(), near, (seed, zero_diagonal, trans))
                self.assertEqual(theirs.shape, ours.shape)
                self.assertAlmostEqual(ours.logdet(), numpy.linalg.slogdet(a.toarray())[1], delta=1e-9)

    def test_out_and_call(self):
        factor = gpusupernodal.lu(A)
        b = numpy.asfortranarray(A @ X)
        self.assertIs(factor.solve(b, out=b), b)
        self.assertLessEqual(backward_error(A, b, A @ X), bound())
        # In place, columns are solved one by one, so the last bits may differ.
        self.assertLessEqual(backward_error(A, factor(A @ X), A @ X), bound())
        self.assertRaisesRegex(ValueError, "trans is 'X'", factor.solve, b, "X")

    def test_linear_operator_and_gmres(self):
        operator = gpusupernodal.lu(A, dtype=numpy.float32).aslinearoperator()
        self.assertLess(abs(operator @ (A @ X) - X).max(), 1e-3)
        self.assertLess(abs(operator.H @ (A.T @ X[:, 0]) - X[:, 0]).max(), 1e-3)
        x, failed = scipy.sparse.linalg.gmres(A, A @ X[:, 0], M=operator, atol=0.0)
        self.assertEqual(failed, 0)
        self.assertLess(abs(x - X[:, 0]).max(), 1e-3)


class Refactorizations(unittest.TestCase):
    def test_new_values(self):
        factor = gpusupernodal.lu(A)
        scaled = A.copy()
        scaled.data = scaled.data * numpy.random.default_rng(5).uniform(0.9, 1.1, scaled.nnz)
        for new in (scaled, scaled.data, scaled.tocsr()):
            self.assertIs(factor.refactorize(new), factor)
            for matrix, trans in ((scaled, "N"), (scaled.T, "T")):
                self.assertLessEqual(backward_error(matrix, factor.solve(matrix @ X, trans), matrix @ X), bound())
        self.assertRaises(gpusupernodal.Error, factor.refactorize, A.data[1:])
        self.assertRaises(gpusupernodal.Error, factor.refactorize, A + scipy.sparse.eye(N, k=7))
        self.assertRaisesRegex(TypeError, "complex", factor.refactorize, A.data * 1j)

    def test_replaced_pivots_are_counted_and_solves_verified(self):
        a = scipy.sparse.csc_matrix([[0.0, 1.0], [2.0, 1.0]])
        factor = gpusupernodal.lu(a, matching="none")
        self.assertEqual((factor.status, factor.perturbed_pivots), ("success", 1))
        self.assertGreater(factor.growth, 0.0)
        b = numpy.array([1.0, 2.0])
        self.assertLessEqual(backward_error(a, factor(b), b), bound(2))
        self.assertGreater(factor.report()["solve.refinement_steps"], 0)
        matched = gpusupernodal.lu(a)
        self.assertEqual(matched.perturbed_pivots, 0)
        self.assertRaisesRegex(gpusupernodal.Error, "pivots of A itself", factor.logdet)
        self.assertAlmostEqual(matched.logdet(), numpy.log(2.0), delta=1e-14)


class Failures(unittest.TestCase):
    def test_singular_matrices(self):
        rows = numpy.arange(1.0, 10.0).reshape(3, 3)
        for a in (rows, numpy.ones((4, 4)), numpy.zeros((2, 2)), numpy.diag([1.0, 0.0])):
            with self.assertRaisesRegex(gpusupernodal.SingularMatrix, "A is singular up to rounding") as caught:
                gpusupernodal.lu(scipy.sparse.csc_matrix(a))
            self.assertIsInstance(caught.exception, numpy.linalg.LinAlgError)
            self.assertIsInstance(caught.exception, gpusupernodal.FactorizationFailed)
            self.assertEqual(caught.exception.code, 10)
            self.assertTrue(0 <= caught.exception.column < len(a))
            self.assertLess(abs(caught.exception.pivot), 1e-14)
            copied = pickle.loads(pickle.dumps(caught.exception))
            self.assertEqual((type(copied), str(copied), copied.column), (gpusupernodal.SingularMatrix, str(caught.exception),
                                                                         caught.exception.column))

    def test_a_failure_leaves_a_usable_object(self):
        factor = gpusupernodal.lu(A)
        broken = A.copy()
        broken.data[broken.indices == 17] = 0.0
        self.assertRaises(gpusupernodal.SingularMatrix, factor.refactorize, broken)
        self.assertEqual(factor.status, "singular")
        self.assertRaisesRegex(gpusupernodal.Error, "A is singular", factor, X)
        self.assertIn("singular", repr(factor))
        factor.refactorize(A)
        self.assertEqual(factor.status, "success")
        self.assertLessEqual(backward_error(A, factor(A @ X), A @ X), bound())

    def test_unstable_pivots_ask_for_another_analysis(self):
        """The large entries move from the diagonal to beside it, so that half of the pivots are replaced."""
        def matrix(diagonal, beside):
            a = scipy.sparse.random(N, N, density=4.0 / N, random_state=1, format="lil")
            for i in range(N):
                a[i, i], a[i, (i + 1) % N] = diagonal, beside
            return a.tocsc()
        factor, new = gpusupernodal.lu(matrix(5.0, 1.0), repivot="report"), matrix(1e-300, 5.0)
        with self.assertRaisesRegex(gpusupernodal.UnstableFactorization, "analyze the matrix with these values") as caught:
            factor.refactorize(new)
        self.assertEqual((factor.status, caught.exception.code), ("unstable", 11))
        self.assertIsInstance(caught.exception, numpy.linalg.LinAlgError)
        self.assertGreater(factor.perturbed_pivots, 0)
        itself = gpusupernodal.lu(matrix(5.0, 1.0))
        itself.refactorize(new)
        self.assertEqual((itself.status, itself.perturbed_pivots), ("success", 0))
        b = new @ numpy.ones(N)
        self.assertLessEqual(backward_error(new, itself(b), b), bound())
        again = gpusupernodal.lu(new)
        sign, logarithm = numpy.linalg.slogdet(new.toarray())
        self.assertEqual(again.slogdet()[0], sign)
        self.assertAlmostEqual(again.slogdet()[1], logarithm, delta=N * bound())
        self.assertEqual(again.perturbed_pivots, 0)
        self.assertLessEqual(backward_error(new, again(new @ X), new @ X), bound())

    def test_values_that_are_not_finite(self):
        broken = A.copy()
        broken.data[5] = numpy.nan
        with self.assertRaisesRegex(gpusupernodal.FactorizationFailed, "has the value nan in row") as caught:
            gpusupernodal.lu(broken)
        self.assertNotIsInstance(caught.exception, gpusupernodal.NotPositiveDefinite)
        self.assertEqual(caught.exception.column, int(numpy.searchsorted(A.indptr, 5, side="right")) - 1)
        symmetric = scipy.sparse.csc_matrix([[numpy.nan, 0.0], [0.0, 1.0]])
        self.assertRaises(gpusupernodal.NotPositiveDefinite, gpusupernodal.cholesky, symmetric)


class Refusals(unittest.TestCase):
    def test_matrices(self):
        self.assertRaisesRegex(TypeError, "dense ndarray", gpusupernodal.lu, A.toarray())
        self.assertRaisesRegex(TypeError, "complex", gpusupernodal.lu, A.astype(complex), dtype=float)
        self.assertRaises(TypeError, gpusupernodal.lu, A, dtype=numpy.int64)
        self.assertRaisesRegex(ValueError, "not square", gpusupernodal.lu, A[:, 1:])
        self.assertRaisesRegex(gpusupernodal.Error, "LU with equal bits .* runs on the host only", gpusupernodal.lu, A,
                               backend="cuda", deterministic=True)

    def test_keywords(self):
        for function in (gpusupernodal.cholesky, gpusupernodal.analyze, gpusupernodal.lu):
            for form in ("lu", "llt"):
                self.assertRaisesRegex(TypeError, r"takes no 'form'; cholesky\(A\)", function, A, form=form)
        for keyword in ({"matching": "none"}, {"perturbation": 1e-8}):
            self.assertRaisesRegex(TypeError, r"an option of lu\(A\)", gpusupernodal.cholesky, A, **keyword)
        self.assertRaisesRegex(TypeError, "did you mean 'matching'", gpusupernodal.lu, A, matchin="none")
        self.assertRaises(TypeError, gpusupernodal.lu, A, part="lower")
        self.assertRaises(TypeError, gpusupernodal.lu, A, shift=1.0)
        self.assertRaisesRegex(gpusupernodal.Error, "product, none", gpusupernodal.lu, A, matching="sum")
        options = gpusupernodal.lu(A, matching="none", perturbation=1e-9, refinement_max_steps=2).options()
        self.assertEqual((options["form"], options["matching"], options["perturbation"]), ("lu", "none", "1e-09"))
        self.assertEqual(gpusupernodal.cholesky(A + A.T + 20 * scipy.sparse.eye(N)).options()["form"], "llt")

    def test_factors_and_copies(self):
        factor = gpusupernodal.lu(A)
        for call in (factor.L, factor.U):
            self.assertRaisesRegex(NotImplementedError, "cannot be extracted", call)
        for copied in (copy.copy, copy.deepcopy, pickle.dumps):
            self.assertRaisesRegex(TypeError, r"an LU can be neither copied nor pickled; make a new one with lu\(A\)", copied, factor)
        self.assertEqual(sorted(factor.perm), list(range(N)))
        self.assertEqual(factor.backend, "host")
        self.assertIn("gpusupernodal.LU of order 120 in float64", repr(factor))
        self.assertGreaterEqual(factor.nnz, A.nnz)

    def test_an_order_of_the_callers(self):
        order = numpy.random.default_rng(1).permutation(N)
        for keywords in ({"permutation": order}, {"last_rows": [[5, 6], [0]]}):
            factor = gpusupernodal.lu(A, **keywords)
            self.assertLessEqual(backward_error(A, factor(A @ X), A @ X), bound())
        self.assertEqual(factor.perm[-1], 0)
        self.assertEqual(set(factor.perm[-3:-1]), {5, 6})


unittest.main()
