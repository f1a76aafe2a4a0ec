"""Tests factorizations, products and conjugate gradients of complex matrices. Exits 77 without SciPy."""
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


class Operators(unittest.TestCase):
    def expect_products(self, op, a):
        n, eps = a.shape[1], numpy.finfo(op.dtype).eps
        for x in (numbers(n, 3, seed=5), numbers(n, seed=6), numpy.ones(n)):
            x = x.astype(op.dtype)
            sizes = 4.0 * n * eps * (abs(a) @ abs(x))
            self.assertTrue((abs(op @ x - a @ x) <= sizes).all())

    def test_products_of_a_its_transpose_and_its_adjoint(self):
        a = scipy.sparse.random(40, 60, density=0.1, random_state=2, format="csr", dtype=complex)
        for dtype in TYPES:
            op = gpusupernodal.Operator(a, dtype=dtype)
            self.assertEqual((op.dtype, op.report()["backend"]), (dtype, "host"))
            for product, matrix in ((op, a), (op.T, a.T), (op.H, a.conj().T)):
                self.expect_products(product, matrix)
            x = numbers(60, seed=1).astype(dtype)
            numpy.testing.assert_array_equal(op.rmatvec(op @ x), op.H @ (op @ x))
            numpy.testing.assert_array_equal(op.T.rmatvec(x), (op @ x.conj()).conj())
            self.assertIs(op.H.H, op)
            with self.assertRaisesRegex(TypeError, "conjugate of a complex operator"):
                op.H.T
            with self.assertRaisesRegex(TypeError, "products of sparse matrices need real ones"):
                op @ a.T

    def test_halves(self):
        for a, symmetry in ((hermitian(), "hermitian"), (helmholtz(), "symmetric")):
            for part, half in (("lower", scipy.sparse.tril(a, format="csr")), ("upper", scipy.sparse.triu(a, format="csc"))):
                op = gpusupernodal.Operator(half, part=part, symmetry=symmetry)
                for product, matrix in ((op, a), (op.T, a.T), (op.H, a.conj().T)):
                    self.expect_products(product, matrix)
        with self.assertRaisesRegex(gpusupernodal.Error, "diagonal of a Hermitian matrix is real"):
            gpusupernodal.Operator(scipy.sparse.tril(helmholtz(), format="csr"), part="lower")

    def test_duplicates_and_new_values(self):
        a = hermitian().tocoo()
        twice = scipy.sparse.coo_matrix((numpy.tile(a.data, 2), (numpy.tile(a.row, 2), numpy.tile(a.col, 2))), a.shape)
        op = gpusupernodal.Operator(twice)
        self.expect_products(op, 2.0 * a.tocsr())
        op.update(3.0 * twice)
        self.expect_products(op, 6.0 * a.tocsr())


class ConjugateGradients(unittest.TestCase):
    def test_every_preconditioner(self):
        a, b = hermitian(), numbers(N, 2, seed=5)
        for dtype in TYPES:
            rtol = 1e-4 if dtype == numpy.complex64 else 1e-10
            for preconditioner in ("auto", "none", "jacobi", "block_jacobi", "ssor_ai", "fsai", "ic0", "factor"):
                x, info = gpusupernodal.pcg(a.astype(dtype), b.astype(dtype), M=preconditioner, rtol=rtol)
                self.assertEqual((info, x.dtype), (0, dtype))
                self.assertTrue((numpy.linalg.norm(b - a @ x, axis=0) <= 2.0 * rtol * numpy.linalg.norm(b, axis=0)).all())

    def test_functions_and_breakdown(self):
        a, b = hermitian(), numbers(N, seed=6)
        x, info = gpusupernodal.pcg(scipy.sparse.linalg.aslinearoperator(a), b, M=lambda r: r / 4.0)
        self.assertEqual(info, 0)
        self.assertLessEqual(numpy.linalg.norm(b - a @ x), 1.01e-10 * numpy.linalg.norm(b))
        self.assertEqual(gpusupernodal.pcg(lambda v: 1j * v, b)[1], -1)
        with self.assertRaisesRegex(gpusupernodal.Error, "diagonal entry of row 0"):
            gpusupernodal.pcg(helmholtz(), b)


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
