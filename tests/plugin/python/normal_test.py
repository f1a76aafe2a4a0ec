"""Tests gpusupernodal.NormalEquations beside SciPy's products. Exits 77 without SciPy."""
import copy
import sys
import unittest

try:
    import numpy
    import scipy.sparse
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)
import gpusupernodal


def constraints(m=40, n=100, seed=1):
    """Rows of a linear program with slacks, so that A·D·Aᵀ is positive definite."""
    return scipy.sparse.hstack([scipy.sparse.random(m, n - m, 0.08, random_state=seed), scipy.sparse.identity(m)], format="csr")


def weights(n, seed=2):
    return 10.0 ** numpy.random.default_rng(seed).uniform(-2.0, 2.0, n)


class Normal(unittest.TestCase):
    def expect(self, lower, a, d, shift, dtype):
        """Each entry sums n products: c·n·eps with c = 4, relative to the sum of magnitudes."""
        expected = (a @ scipy.sparse.diags(d) @ a.T + shift * scipy.sparse.identity(a.shape[0])).toarray()
        size = (abs(a) @ scipy.sparse.diags(abs(d)) @ abs(a).T + abs(shift) * scipy.sparse.identity(a.shape[0])).toarray()
        self.assertEqual(lower.dtype, numpy.dtype(dtype))
        self.assertEqual(scipy.sparse.triu(lower, 1).nnz, 0)
        bound = 4.0 * a.shape[1] * numpy.finfo(dtype).eps
        self.assertTrue((abs(lower.toarray() - numpy.tril(expected)) <= bound * numpy.tril(size)).all())

    def expect_solution(self, factor, a, d, shift, x, b):
        m = (a @ scipy.sparse.diags(d) @ a.T + shift * scipy.sparse.identity(a.shape[0])).toarray()
        largest = abs(m).sum(axis=1).max() * abs(x).max() + abs(b).max()
        bound = 10.0 * a.shape[1] * numpy.finfo(factor.dtype).eps  # c·n·eps, relative to ‖M‖ ‖x‖ + ‖b‖.
        self.assertLessEqual(abs(m @ x - b).max(), bound * largest)

    def test_compute_and_factorize_in_every_format_and_type(self):
        a, d = constraints(), weights(100)
        for stored in (a, a.tocsc(), a.tocoo()):
            for dtype in (numpy.float32, numpy.float64):
                normal = gpusupernodal.NormalEquations(stored, dtype=dtype, backend="host", threads=2)
                self.assertEqual(normal.shape, (40, 40))
                kept = numpy.asarray(d, dtype).astype(float)
                near = stored.astype(dtype).astype(float).tocsr()
                for shift in (0.0, 0.25):
                    self.expect(normal.compute(kept, shift), near, kept, shift, dtype)
                    factor, b = normal.factorize(kept, shift), numpy.ones(40, dtype)
                    self.expect_solution(factor, near, kept, shift, factor(b).astype(float), b)

    def test_one_factor_is_renewed(self):
        a = constraints()
        normal = gpusupernodal.NormalEquations(a, backend="host", ordering="amd")
        b = numpy.arange(40.0)
        first = None
        for seed in range(4):
            d = weights(100, seed)
            factor = normal.factorize(d)
            first = first or factor
            self.assertIs(factor, first)
            self.assertEqual(factor.options()["ordering"], "amd")
            self.expect_solution(factor, a, d, 0.0, factor(b), b)
            again = gpusupernodal.cholesky(normal.compute(d), part="lower", backend="host", ordering="amd")
            self.assertAlmostEqual(factor.logdet(), again.logdet(), places=10)

    def test_update_takes_matrices_and_arrays(self):
        a, d = constraints(), weights(100)
        normal = gpusupernodal.NormalEquations(a, backend="host")
        normal.update(2.0 * a)
        self.expect(normal.compute(d), 2.0 * a, d, 0.0, numpy.float64)
        normal.update(-3.0 * a.data)
        self.expect(normal.compute(d), -3.0 * a, d, 0.0, numpy.float64)
        with self.assertRaisesRegex(ValueError, "another pattern"):
            normal.update(constraints(seed=9))
        with self.assertRaisesRegex(ValueError, "has 40 rows and 103 columns"):
            normal.update(scipy.sparse.csr_matrix((a.data, a.indices, a.indptr), shape=(40, 103)))
        with self.assertRaisesRegex(gpusupernodal.Error, "3 numbers were given for A"):
            normal.update(numpy.ones(3))
        with self.assertRaisesRegex(ValueError, "pass a sparse matrix instead"):
            gpusupernodal.NormalEquations(a.tocoo(), backend="host").update(a.data)

    def test_an_interior_point_loop_converges(self):
        """The linear program of docs/interior-point.md."""
        random = numpy.random.default_rng(1)
        a = constraints(60, 150)
        b, c = a @ numpy.ones(150), 1.0 + random.random(150)
        x, y, z = numpy.ones(150), numpy.zeros(60), c.copy()
        normal = gpusupernodal.NormalEquations(a, backend="host")
        tolerance = 1e-9
        for _ in range(60):
            mu, primal, dual = x @ z / 150, b - a @ x, c - a.T @ y - z
            if max(mu, abs(primal).max(), abs(dual).max()) < tolerance:
                break
            theta, centre = x / z, 0.1 * mu / x - z
            dy = normal.factorize(theta)(primal + a @ (theta * (dual - centre)))
            dx = theta * (a.T @ dy - dual + centre)
            dz = centre - dx / theta
            step, dual_step = (min(1.0, 0.99 / max((-dv / v).max(), 1e-300)) for v, dv in ((x, dx), (z, dz)))
            x, y, z = x + step * dx, y + dual_step * dy, z + dual_step * dz
        # c·x − b·y = z·x + dual·x − y·primal
        self.assertLess(abs(c @ x - b @ y), tolerance * (150 + abs(x).sum() + abs(y).sum()))
        self.assertGreater(x.min(), 0.0)

    def test_empty_rows_need_a_shift(self):
        a = scipy.sparse.csr_matrix((3, 4))
        normal = gpusupernodal.NormalEquations(a, backend="host")
        with self.assertRaises(gpusupernodal.NotPositiveDefinite):
            normal.factorize(numpy.ones(4))
        numpy.testing.assert_array_equal(normal.factorize(numpy.ones(4), shift=4.0)(numpy.full(3, 8.0)), numpy.full(3, 2.0))
        self.assertEqual(gpusupernodal.NormalEquations(scipy.sparse.csr_matrix((0, 5)), backend="host").shape, (0, 0))

    def test_mistakes(self):
        a, d = constraints(), weights(100)
        normal = gpusupernodal.NormalEquations(a, backend="host")
        with self.assertRaisesRegex(gpusupernodal.Error, "99 numbers were given for the diagonal of D, but the analyzed patterns need 100"):
            normal.factorize(d[1:])
        with self.assertRaisesRegex(ValueError, "one dimension is needed"):
            normal.compute(d.reshape(2, 50))
        with self.assertRaisesRegex(TypeError, "complex entries"):
            normal.compute(1j * d)
        with self.assertRaisesRegex(TypeError, "a real number is needed"):
            normal.compute(d, shift="much")
        with self.assertRaisesRegex(TypeError, "no option 'orderng'; did you mean 'ordering'"):
            gpusupernodal.NormalEquations(a, orderng="amd")
        with self.assertRaisesRegex(TypeError, "takes no 'form'"):
            gpusupernodal.NormalEquations(a, form="lu")
        with self.assertRaisesRegex(TypeError, "none of float32, float64"):
            gpusupernodal.NormalEquations(a, dtype=numpy.complex128)
        with self.assertRaisesRegex(TypeError, "sparse matrix of SciPy"):
            gpusupernodal.NormalEquations(a.toarray())
        with self.assertRaisesRegex(TypeError, "neither copied nor pickled"):
            copy.copy(normal)
        self.assertEqual(normal.report()["backend"], "host")
        self.assertEqual(normal.report()["rows"], 40.0)
        self.assertIn("order 40", repr(normal))
        self.expect(normal.compute(d), a, d, 0.0, numpy.float64)


unittest.main()
