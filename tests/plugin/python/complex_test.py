"""Tests cholesky and lu of complex matrices. Exits 77 without SciPy."""
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

N = 144
TYPES = (numpy.complex64, numpy.complex128)


def numbers(*shape, seed=0):
    random = numpy.random.default_rng(seed)
    return random.standard_normal(shape) + 1j * random.standard_normal(shape)


def laplacian():
    one = scipy.sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(12, 12))
    return scipy.sparse.csc_matrix(scipy.sparse.kronsum(one, one))


def hermitian():
    """A Laplacian with random phases: its eigenvalues are those of the Laplacian."""
    phases = scipy.sparse.diags(numpy.exp(3j * numpy.random.default_rng(1).random(N)))
    return scipy.sparse.csc_matrix(phases @ laplacian() @ phases.conj())


def helmholtz():
    """Complex symmetric: a shifted Laplacian with damping."""
    return scipy.sparse.csc_matrix(laplacian() - (0.7 - 0.2j) * scipy.sparse.identity(N))


def general():
    a = scipy.sparse.random(N, N, density=4.0 / N, random_state=3, format="csc", dtype=complex)
    return scipy.sparse.csc_matrix(a + scipy.sparse.diags(4.0 * numpy.exp(2j * numpy.arange(N))))


def backward_error(a, x, b):
    return abs(b - a @ x).max() / (abs(a).sum(axis=1).max() * abs(x).max() + abs(b).max())


def bound(dtype):
    return 100.0 * numpy.sqrt(N) * numpy.finfo(dtype).eps


class Complex(unittest.TestCase):
    def expect_solved(self, factor, a):
        for b in (numbers(N, 3, seed=5), numbers(N, seed=6), numpy.ones(N)):
            for matrix, trans in ((a, "N"), (a.T, "T"), (a.conj().T, "H")):
                x = factor.solve(b, trans=trans)
                self.assertEqual((x.dtype, x.shape), (factor.dtype, b.shape))
                self.assertLessEqual(backward_error(matrix, x, b), bound(factor.dtype), trans)

    def test_cholesky_in_every_storage(self):
        a = hermitian()
        for dtype in TYPES:
            for form in ("csc", "csr", "coo"):
                self.expect_solved(gpusupernodal.cholesky(a.asformat(form).astype(dtype)), a)
            for part, half in (("lower", scipy.sparse.tril), ("upper", scipy.sparse.triu)):
                for form in ("csc", "csr"):
                    self.expect_solved(gpusupernodal.cholesky(half(a, format=form).astype(dtype), part=part), a)

    def test_factor_of_a_hermitian_matrix(self):
        a = hermitian()
        factor = gpusupernodal.cholesky(a)
        self.assertEqual(factor.dtype, numpy.complex128)
        l, perm = factor.L(), factor.perm
        self.assertLessEqual(abs(l @ l.T.conj() - a[perm][:, perm]).max(), N * numpy.finfo(float).eps * abs(a).max())
        self.assertAlmostEqual(factor.logdet(), numpy.linalg.slogdet(laplacian().toarray())[1], delta=1e-9)
        factor.refactorize(2.0 * a)
        self.expect_solved(factor, 2.0 * a)
        self.assertEqual(factor.backend, "host")

    def test_lu(self):
        for a in (general(), helmholtz()):
            for dtype in TYPES:
                factor = gpusupernodal.lu(a.astype(dtype))
                self.expect_solved(factor, a)
                self.assertEqual(factor.perturbed_pivots, 0)
            self.assertAlmostEqual(gpusupernodal.lu(a).logdet(), numpy.linalg.slogdet(a.toarray())[1], delta=1e-9)

    def test_ldlt(self):
        """Hermitian with known inertia, and complex symmetric."""
        shifted = hermitian() - 3.3 * scipy.sparse.identity(N)
        eigenvalues = numpy.linalg.eigvalsh(laplacian().toarray()) - 3.3
        for dtype in TYPES:
            factor = gpusupernodal.ldlt(shifted.astype(dtype))
            self.expect_solved(factor, shifted)
            self.assertEqual(factor.inertia, ((eigenvalues > 0).sum(), (eigenvalues < 0).sum(), 0))
            factor = gpusupernodal.ldlt(helmholtz().astype(dtype), symmetry="symmetric")
            self.expect_solved(factor, helmholtz())
            self.assertEqual(factor.inertia, (0, 0, 0))
            self.assertFalse(factor.inertia_exact)
            self.expect_solved(factor.refactorize(helmholtz().conj().astype(dtype)), helmholtz().conj())
        for a, symmetry in ((shifted, "hermitian"), (helmholtz(), "symmetric")):
            factor = gpusupernodal.ldlt(a, symmetry=symmetry)
            b = numbers(N, seed=2)
            self.assertLessEqual(backward_error(a.conj().T, factor.aslinearoperator().H @ b, b), bound(float))
            sign, logarithm = numpy.linalg.slogdet(a.toarray())
            self.assertAlmostEqual(factor.logdet(), logarithm, delta=1e-9)
            self.assertAlmostEqual(factor.slogdet()[0], sign, delta=1e-9)

    def test_splu_gives_the_same(self):
        a = general()
        theirs, ours, b = scipy.sparse.linalg.splu(a), gpusupernodal.lu(a), numbers(N, seed=8)
        for trans in "NTH":
            x = theirs.solve(b, trans)
            near = bound(float) * numpy.linalg.cond(a.toarray(), numpy.inf) * abs(x).max() * 2.0
            self.assertLessEqual(abs(ours.solve(b, trans) - x).max(), near, trans)

    def test_linear_operator(self):
        a = general()
        operator = gpusupernodal.lu(a).aslinearoperator()
        b = numbers(N, seed=2)
        self.assertEqual(operator.dtype, numpy.complex128)
        self.assertLessEqual(backward_error(a, operator @ b, b), bound(float))
        self.assertLessEqual(backward_error(a.conj().T, operator.H @ b, b), bound(float))
        x, failed = scipy.sparse.linalg.gmres(a, b, M=gpusupernodal.lu(a.astype(numpy.complex64)).aslinearoperator(), atol=0.0)
        self.assertEqual(failed, 0)

    def test_tiny_pivots(self):
        a = scipy.sparse.csc_matrix([[1e-16j, 1.0], [1j, 2.0]])
        b = numpy.array([1.0 + 1j, 2.0])
        for matching in ("auto", "none"):
            factor = gpusupernodal.lu(a, matching=matching)
            self.assertEqual(factor.perturbed_pivots, int(matching == "none"))
            self.assertLessEqual(backward_error(a, factor(b), b), bound(float))

    def test_a_real_matrix_in_a_complex_solver(self):
        a = laplacian()
        self.expect_solved(gpusupernodal.cholesky(a, dtype=numpy.complex128), a)
        self.assertEqual(gpusupernodal.cholesky(a).dtype, numpy.float64)
        self.assertRaisesRegex(TypeError, "b has complex entries", gpusupernodal.cholesky(a), numbers(N))

    def test_refusals(self):
        self.assertRaisesRegex(gpusupernodal.Error, "set the option form to lu", gpusupernodal.cholesky, helmholtz())
        self.assertRaisesRegex(gpusupernodal.Error, "symmetry to symmetric", gpusupernodal.ldlt, helmholtz())
        self.assertRaisesRegex(TypeError, "ldlt", gpusupernodal.cholesky, hermitian(), symmetry="symmetric")
        self.assertRaisesRegex(gpusupernodal.Error, "LU by columns of complex matrices runs on the host only",
                               gpusupernodal.lu, general(), lu_schedule="columns", backend="cuda")
        self.assertRaises(gpusupernodal.NotPositiveDefinite, gpusupernodal.cholesky, -1.0 * hermitian())
        singular = scipy.sparse.csc_matrix([[1.0 + 1j, 2j], [2.0 + 2j, 4j]])
        self.assertRaises(gpusupernodal.SingularMatrix, gpusupernodal.lu, singular)


unittest.main()
