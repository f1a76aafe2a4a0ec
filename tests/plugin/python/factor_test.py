"""Tests gpusupernodal.cholesky and Factor. Exits 77 without SciPy."""
import doctest
import importlib
import pkgutil
import sys
import threading
import unittest

try:
    import numpy
    import scipy.sparse
    import scipy.sparse.linalg
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)
import gpusupernodal

EPS = numpy.finfo(float).eps


def laplacian(m):
    """The 5-point Laplacian of an m × m grid; its condition number is below m²."""
    line = scipy.sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(m, m))
    identity = scipy.sparse.identity(m)
    return scipy.sparse.csc_matrix(scipy.sparse.kron(line, identity) + scipy.sparse.kron(identity, line))


A = laplacian(12)
N = A.shape[0]
X = numpy.random.default_rng(3).standard_normal((N, 4))


def backward_error(a, x, b):
    return abs(b - a @ x).max() / (abs(a).sum(axis=1).max() * abs(x).max() + abs(b).max())


class Doctests(unittest.TestCase):
    def test_every_module(self):
        attempted = 0
        modules = [module.name for module in pkgutil.iter_modules(gpusupernodal.__path__)]
        for name in ("", *(f".{module}" for module in modules if module != "libgpusupernodal")):
            result = doctest.testmod(importlib.import_module("gpusupernodal" + name))
            self.assertEqual(result.failed, 0, name)
            attempted += result.attempted
        self.assertGreater(attempted, 50)


class Matrices(unittest.TestCase):
    def expect_solved(self, a, expected=numpy.float64, **keywords):
        factor = gpusupernodal.cholesky(a, backend="host", **keywords)
        x = factor(A @ X)
        self.assertEqual(x.dtype, expected)
        self.assertLessEqual(backward_error(A, x, A @ X), 4 * N * numpy.finfo(expected).eps)
        return factor

    def test_every_format(self):
        for form in ("csc", "csr", "coo", "lil", "dia", "bsr", "dok"):
            self.expect_solved(A.asformat(form))
        for array in ("csc_array", "csr_array", "coo_array"):
            if hasattr(scipy.sparse, array):
                self.expect_solved(getattr(scipy.sparse, array)(A))

    def test_duplicates_are_summed(self):
        c = A.tocoo()
        self.expect_solved(scipy.sparse.coo_matrix((numpy.repeat(c.data / 2, 2), (numpy.repeat(c.row, 2), numpy.repeat(c.col, 2))), (N, N)))

    def test_types_of_values_and_indices(self):
        self.expect_solved(A.astype(numpy.float32), numpy.float32)
        self.expect_solved(A.astype(numpy.int64))
        self.expect_solved(A, numpy.float32, dtype=numpy.float32)
        wide = A.copy()
        wide.indptr, wide.indices = wide.indptr.astype(numpy.int64), wide.indices.astype(numpy.int64)
        self.expect_solved(wide)

    def test_halves(self):
        for form in ("csc", "csr"):
            self.expect_solved(scipy.sparse.tril(A, format=form), part="lower")
            self.expect_solved(scipy.sparse.triu(A, format=form), part="upper")
            self.assertRaisesRegex(ValueError, "part='lower'", gpusupernodal.cholesky, scipy.sparse.tril(A, format=form))
            self.assertRaisesRegex(ValueError, "part='upper'", gpusupernodal.cholesky, scipy.sparse.triu(A, format=form))
        self.assertRaisesRegex(ValueError, "'full', 'lower' or 'upper'", gpusupernodal.cholesky, A, part="left")
        unsymmetric = A.tolil()
        unsymmetric[0, N - 1] = 1.0
        self.assertRaisesRegex(ValueError, "cannot be symmetric", gpusupernodal.cholesky, unsymmetric)
        self.expect_solved(unsymmetric, check=False)

    def test_refusals(self):
        self.assertRaisesRegex(TypeError, "dense ndarray", gpusupernodal.cholesky, A.toarray())
        self.assertRaisesRegex(TypeError, "not list", gpusupernodal.cholesky, [[1.0]])
        self.assertRaisesRegex(TypeError, "complex", gpusupernodal.cholesky, A.astype(complex), dtype=float)
        self.assertRaisesRegex(ValueError, "not square", gpusupernodal.cholesky, A[:, 1:])
        self.assertRaisesRegex(TypeError, "did you mean 'ordering'", gpusupernodal.cholesky, A, orderng="amd")
        self.assertRaisesRegex(TypeError, "did you mean 'shift'", gpusupernodal.analyze, A, shif=1.0)
        self.assertRaisesRegex(TypeError, "the options are", gpusupernodal.cholesky, A, zzzzz=1)
        self.assertRaisesRegex(gpusupernodal.Error, "ordering", gpusupernodal.cholesky, A, ordering="nested")
        self.assertRaisesRegex(TypeError, "float16 is none of float32", gpusupernodal.cholesky, A, dtype=numpy.float16)


class Factors(unittest.TestCase):
    def setUp(self):
        self.factor = gpusupernodal.cholesky(A, backend="host")

    def test_factor_and_permutation(self):
        l, perm = self.factor.L(), self.factor.perm
        self.assertTrue(scipy.sparse.isspmatrix_csc(l) and l.has_sorted_indices)
        self.assertEqual(sorted(perm), list(range(N)))
        self.assertLessEqual(abs((l @ l.T - A[perm][:, perm])).max(), N * EPS * abs(A).max())
        self.assertEqual(scipy.sparse.triu(l, 1).nnz, 0)
        self.assertLessEqual(self.factor.nnz, l.nnz)

    def test_determinant_condition_and_reports(self):
        self.assertAlmostEqual(self.factor.logdet(), numpy.linalg.slogdet(A.toarray())[1], delta=1e-10)
        self.assertAlmostEqual(self.factor.det() / numpy.linalg.det(A.toarray()), 1.0, delta=1e-9)
        true = 1.0 / numpy.linalg.cond(A.toarray(), 1)
        self.assertTrue(true * 0.99 <= self.factor.rcond(A) <= 10.0 * true)
        self.assertEqual(self.factor.report()["analyze.n"], N)
        self.assertEqual(self.factor.backend, "host")
        self.assertEqual(self.factor.options()["backend"], "host")
        self.assertIn("order 144 in float64", repr(self.factor))

    def test_parts_of_a_solve(self):
        b = A @ X
        p = self.factor.apply_P(b)
        self.assertTrue((p == b[self.factor.perm]).all())
        self.assertTrue((self.factor.apply_Pt(p) == b).all())
        x = self.factor.apply_Pt(self.factor.solve_Lt(self.factor.solve_L(p)))
        self.assertLessEqual(backward_error(A, x, b), 4 * N * EPS)

    def test_refactorize(self):
        b = A @ X
        for new in (3.0 * A, (3.0 * A).data):
            self.assertIs(self.factor.refactorize(new), self.factor)
            self.assertLessEqual(backward_error(3.0 * A, self.factor(b), b), 4 * N * EPS)
        self.factor.refactorize(A, shift=1.0)
        self.assertLessEqual(backward_error(A + scipy.sparse.identity(N), self.factor(b), b), 4 * N * EPS)
        self.assertRaises(gpusupernodal.Error, self.factor.refactorize, A.data[1:])
        self.assertRaises(gpusupernodal.Error, self.factor.refactorize, A + scipy.sparse.eye(N, k=3) + scipy.sparse.eye(N, k=-3))
        self.assertRaisesRegex(TypeError, "complex", self.factor.refactorize, A.data * 1j)

    def test_a_refactorize_that_fails_leaves_the_shift(self):
        b, shifted = A @ X, A + scipy.sparse.identity(N)
        self.factor.refactorize(A, shift=1.0)
        nothing = A[:1, :1]
        for new, shift, error in ((-5.0 * A, 2.0, gpusupernodal.NotPositiveDefinite), (nothing, 2.0, gpusupernodal.Error),
                                  (A.data[1:], 2.0, gpusupernodal.Error), (A.data * 1j, 2.0, TypeError),
                                  (A, float("nan"), gpusupernodal.Error), (A, "two", Exception)):
            self.assertRaises(error, self.factor.refactorize, new, shift=shift)
            self.factor.refactorize(A)
            self.assertLessEqual(backward_error(shifted, self.factor(b), b), 4 * N * EPS)
        factor = gpusupernodal.cholesky(A, backend="host", shift=1.0)
        self.assertRaises(gpusupernodal.NotPositiveDefinite, factor.refactorize, A, shift=-100.0)
        self.assertLessEqual(backward_error(shifted, factor.refactorize(A)(b), b), 4 * N * EPS)

    def test_arrays_of_values_need_the_callers_order(self):
        b = A @ X
        unsorted = A.tocsc(copy=True)
        for j in range(N):
            span = slice(unsorted.indptr[j], unsorted.indptr[j + 1])
            unsorted.indices[span], unsorted.data[span] = unsorted.indices[span][::-1].copy(), unsorted.data[span][::-1].copy()
        unsorted.has_sorted_indices = False
        factor = gpusupernodal.cholesky(unsorted)
        self.assertLessEqual(backward_error(2.0 * A, factor.refactorize(2.0 * unsorted.data)(b), b), 4 * N * EPS)
        for converted in (A.tocoo(), A.tolil()):
            factor = gpusupernodal.cholesky(converted)
            self.assertRaisesRegex(ValueError, "pass a sparse matrix", factor.refactorize, A.data)
            self.assertLessEqual(backward_error(2.0 * A, factor.refactorize(2.0 * converted)(b), b), 4 * N * EPS)

    def test_a_failure_names_the_column_and_leaves_a_usable_object(self):
        broken = A.copy()
        broken[7, 7] = -5.0
        with self.assertRaises(numpy.linalg.LinAlgError) as caught:
            self.factor.refactorize(broken)
        self.assertIsInstance(caught.exception, gpusupernodal.NotPositiveDefinite)
        self.assertEqual(caught.exception.code, 1)
        self.assertTrue(0 <= caught.exception.column < N)
        self.assertLess(caught.exception.pivot, 0.0)
        self.assertRaises(gpusupernodal.Error, self.factor, X)
        self.factor.refactorize(A)
        self.assertLessEqual(backward_error(A, self.factor(A @ X), A @ X), 4 * N * EPS)
        with self.assertRaises(gpusupernodal.NotPositiveDefinite) as caught:
            gpusupernodal.cholesky(scipy.sparse.csc_matrix(numpy.diag([1.0, 2.0, -3.0])), ordering="natural")
        self.assertEqual((caught.exception.column, caught.exception.pivot), (2, -3.0))

    def test_analyze_first(self):
        factor = gpusupernodal.analyze(A, backend="host")
        self.assertRaisesRegex(gpusupernodal.Error, "before factorize", factor, X[:, 0])
        factor.refactorize(A)
        self.assertLessEqual(backward_error(A, factor(A @ X), A @ X), 4 * N * EPS)

    def test_permutation_and_last_rows(self):
        order = numpy.random.default_rng(1).permutation(N)
        self.assertEqual(sorted(gpusupernodal.cholesky(A, permutation=order).perm), list(range(N)))
        last = gpusupernodal.cholesky(A, last_rows=[[5, 6], [0]]).perm
        self.assertEqual(last[-1], 0)
        self.assertEqual(set(last[-3:-1]), {5, 6})
        self.assertRaises(TypeError, gpusupernodal.cholesky, A, permutation=order + 0.5)

    def test_options_by_keyword(self):
        factor = gpusupernodal.cholesky(A, ordering="amd", refinement_max_steps=2, threads=1, deterministic=True)
        options = factor.options()
        self.assertEqual((options["ordering"], options["refinement.max_steps"], options["deterministic"]), ("amd", "2", "true"))

    def test_threads_have_factors_of_their_own(self):
        errors = []

        def work(scale):
            factor = gpusupernodal.cholesky(scale * A, threads=1)
            for _ in range(5):
                errors.append(backward_error(scale * A, factor(A @ X), A @ X))
        threads = [threading.Thread(target=work, args=(1.0 + k,)) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(errors), 20)
        self.assertLessEqual(max(errors), 4 * N * EPS)


class Iterations(unittest.TestCase):
    def test_preconditioner_of_scipys_cg(self):
        b = A @ X[:, 0]
        near = gpusupernodal.cholesky(A + 0.1 * scipy.sparse.identity(N), dtype=numpy.float32)
        for m in (near, near.aslinearoperator()):
            steps = []
            x, failed = scipy.sparse.linalg.cg(A, b, M=m, atol=0.0, callback=lambda _: steps.append(1))
            self.assertEqual(failed, 0)
            self.assertLess(len(steps), 30)
            self.assertLess(abs(A @ x - b).max(), 1e-3 * abs(b).max())

    def test_linear_operator_is_the_inverse(self):
        operator = gpusupernodal.cholesky(A).aslinearoperator()
        self.assertEqual(operator.shape, (N, N))
        self.assertLessEqual(abs(operator @ (A @ X) - X).max(), 1e-11)
        self.assertLessEqual(abs(operator.H @ (A @ X[:, 0]) - X[:, 0]).max(), 1e-11)


class Peers(unittest.TestCase):
    def test_scikit_sparse(self):
        """The calls that both packages have give the same results."""
        try:
            from sksparse.cholmod import cholesky
        except ImportError:
            self.skipTest("scikit-sparse is not installed")
        theirs, ours = cholesky(A), gpusupernodal.cholesky(A)
        b = A @ X
        self.assertLessEqual(abs(theirs(b) - ours(b)).max(), 1e-11)
        self.assertAlmostEqual(theirs.logdet(), ours.logdet(), delta=1e-10)
        self.assertEqual(theirs.L().shape, ours.L().shape)
        l, p = theirs.L(), theirs.P()
        self.assertLessEqual(abs(l @ l.T - A[p][:, p]).max(), 1e-12)
        self.assertEqual(sorted(p), sorted(ours.perm))
        self.assertTrue((theirs.apply_Pt(theirs.apply_P(b)) == ours.apply_Pt(ours.apply_P(b))).all())


unittest.main()
