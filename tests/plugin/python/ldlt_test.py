"""Tests gpusupernodal.ldlt and LDLT beside numpy.linalg. Exits 77 without SciPy."""
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

N = 150


def indefinite(n=N, seed=0):
    """A random symmetric matrix with about 5 entries per row, whose diagonal has both signs and zeros."""
    a = scipy.sparse.random(n, n, density=2.0 / n, random_state=seed, format="csc")
    a = a + a.T + scipy.sparse.diags(numpy.resize([3.0, -2.0, 0.0], n)) + scipy.sparse.diags([1.0, 1.0], [-1, 1], shape=(n, n))
    return a.tocsc()


A = indefinite()
X = numpy.random.default_rng(3).standard_normal((N, 4))


def backward_error(a, x, b):
    return abs(b - a @ x).max() / (abs(a).sum(axis=1).max() * abs(x).max() + abs(b).max())


class Solves(unittest.TestCase):
    def expect_solved(self, factor, matrix, dtype=numpy.float64):
        bound = 100.0 * numpy.sqrt(N) * numpy.finfo(dtype).eps
        for x in (X, X[:, 0]):
            found = factor(matrix @ x)
            self.assertEqual((found.dtype, found.shape), (dtype, x.shape))
            self.assertLessEqual(backward_error(matrix, found, matrix @ x), bound)

    def test_every_part_and_format(self):
        for part, half in (("full", A), ("lower", scipy.sparse.tril(A)), ("upper", scipy.sparse.triu(A))):
            for form in ("csc", "csr", "coo"):
                self.expect_solved(gpusupernodal.ldlt(half.asformat(form), part=part), A)
        self.expect_solved(gpusupernodal.ldlt(A, dtype=numpy.float32), A, numpy.float32)

    def test_inertia_is_that_of_the_eigenvalues(self):
        for shift in (0.0, 0.7, -1.3):
            values = numpy.linalg.eigvalsh(A.toarray() + shift * numpy.eye(N))
            factor = gpusupernodal.ldlt(A, shift=shift)
            self.assertEqual(factor.inertia, (int((values > 0).sum()), int((values < 0).sum()), 0))
            self.assertIsInstance(factor.inertia_exact, bool)
            self.assertEqual(factor.refactorize(A, shift=shift).inertia, factor.inertia)

    def test_logdet_and_report(self):
        shifted = A + 0.1 * scipy.sparse.identity(N)
        factor = gpusupernodal.ldlt(shifted)
        if factor.perturbed_pivots == 0:
            self.assertAlmostEqual(factor.logdet(), numpy.linalg.slogdet(shifted.toarray())[1], 8)
        self.assertGreater(factor.growth, 0.0)
        self.assertEqual(factor.report()["factor.form"], "ldlt")
        self.assertEqual(factor.status, "success")

    def test_eigenvalues_by_shift_and_invert(self):
        factor = gpusupernodal.ldlt(A, shift=-0.5)
        found = scipy.sparse.linalg.eigsh(A, k=3, sigma=0.5, OPinv=factor.aslinearoperator(), return_eigenvectors=False)
        values = numpy.linalg.eigvalsh(A.toarray())
        nearest = values[numpy.argsort(abs(values - 0.5))[:3]]
        numpy.testing.assert_allclose(numpy.sort(found), numpy.sort(nearest), atol=1e-9)


class Refusals(unittest.TestCase):
    def test_singular(self):
        with self.assertRaises(gpusupernodal.SingularMatrix):
            gpusupernodal.ldlt(scipy.sparse.csc_matrix([[1.0, -1.0], [-1.0, 1.0]]))

    def test_options(self):
        with self.assertRaises(TypeError):
            gpusupernodal.ldlt(A, matching="none")
        with self.assertRaises(TypeError):
            gpusupernodal.cholesky(A, perturbation=1e-8)
        gpusupernodal.ldlt(A, perturbation=1e-8)
        with self.assertRaises(gpusupernodal.Error):
            gpusupernodal.ldlt(A, backend="cuda")

    def test_definite_matrices_are_solved_too(self):
        definite = A @ A + scipy.sparse.identity(N)
        factor = gpusupernodal.ldlt(definite.tocsc())
        self.assertEqual((factor.inertia, factor.inertia_exact), ((N, 0, 0), True))


if __name__ == "__main__":
    unittest.main()
