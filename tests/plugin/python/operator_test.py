"""Tests gpusupernodal.Operator beside SciPy's products. Exits 77 without SciPy."""
import copy
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

FORMATS = ("auto", "coo", "csr", "ell", "hyb", "sell")


def rectangular(rows=60, columns=90, seed=1):
    return scipy.sparse.random(rows, columns, density=0.1, random_state=seed, format="csr")


def tolerance(a, dtype):
    """c·n·eps for entries below 1 and vectors below 4."""
    return 8.0 * a.shape[1] * numpy.finfo(dtype).eps


class Products(unittest.TestCase):
    def expect(self, result, expected, a, dtype):
        self.assertEqual(result.dtype, numpy.dtype(dtype))
        self.assertEqual(result.shape, expected.shape)
        self.assertLessEqual(abs(result - expected).max(), tolerance(a, dtype))

    def test_every_format_multiplies_vectors_and_matrices(self):
        random = numpy.random.default_rng(0)
        for a in (rectangular(), rectangular().tocsc(), rectangular().tocoo()):
            for dtype in (numpy.float32, numpy.float64):
                for format in FORMATS:
                    op = gpusupernodal.Operator(a, dtype=dtype, backend="host", format=format)
                    for shape in ((), (1,), (5,)):
                        x = random.random((90, *shape)).astype(dtype)
                        y = random.random((60, *shape)).astype(dtype)
                        self.expect(op @ x, a @ x.astype(float), a, dtype)
                        self.expect(op.T @ y, a.T @ y.astype(float), a, dtype)
                        self.expect(op.T.T @ x, a @ x.astype(float), a, dtype)

    def test_a_half_stands_for_the_symmetric_matrix(self):
        a = scipy.sparse.diags([1.0, 4.0, 1.0], [-3, 0, 3], shape=(50, 50)).tocsr()
        x = numpy.arange(50.0)
        for part, half in (("lower", scipy.sparse.tril(a)), ("upper", scipy.sparse.triu(a))):
            op = gpusupernodal.Operator(half, part=part, backend="host")
            numpy.testing.assert_allclose(op @ x, a @ x, atol=1e-12)
            numpy.testing.assert_allclose(op.T @ x, a @ x, atol=1e-12)

    def test_update_takes_matrices_and_arrays(self):
        a, x = rectangular(), numpy.ones(90)
        op = gpusupernodal.Operator(a, backend="host")
        op.update(2.0 * a)
        numpy.testing.assert_allclose(op @ x, 2.0 * (a @ x))
        op.update(-a.data)
        numpy.testing.assert_allclose(op @ x, -(a @ x))
        numpy.testing.assert_allclose(op.T @ numpy.ones(60), -(a.T @ numpy.ones(60)))

    def test_update_refuses_a_matrix_that_was_sorted_in_place(self):
        """Sorting changes the order of the values, and the operator knows the first order only."""
        a = scipy.sparse.csr_matrix((numpy.array([1.0, 2.0, 3.0]), numpy.array([2, 0, 1]), numpy.array([0, 2, 3, 3])), shape=(3, 3))
        op = gpusupernodal.Operator(a)
        a.sort_indices()
        with self.assertRaisesRegex(ValueError, "another pattern"):
            op.update(a)
        self.assertTrue((op @ numpy.array([1.0, 10.0, 100.0]) == numpy.array([102.0, 30.0, 0.0])).all())

    def test_scipy_takes_it_for_a_linear_operator(self):
        a = scipy.sparse.diags([-1.0, 4.0, -1.0], [-1, 0, 1], shape=(200, 200)).tocsr()
        op = gpusupernodal.Operator(a, backend="host")
        linear = scipy.sparse.linalg.aslinearoperator(op)
        x = numpy.arange(200.0)
        numpy.testing.assert_allclose(linear.matvec(x), a @ x)
        numpy.testing.assert_allclose(linear.rmatvec(x), a.T @ x)
        solution, code = scipy.sparse.linalg.cg(op, a @ x)
        self.assertEqual(code, 0)
        self.assertLess(abs(solution - x).max(), 1e-2)

    def test_report_names_format_and_sizes(self):
        a = rectangular()
        report = gpusupernodal.Operator(a, backend="host", format="csr").report()
        self.assertEqual((report["format"], report["rows"], report["columns"], report["entries"]), ("csr", 60, 90, a.nnz))
        self.assertIn("csr", repr(gpusupernodal.Operator(a, backend="host", format="csr")))


class Mistakes(unittest.TestCase):
    def test_sentences(self):
        a = rectangular()
        op = gpusupernodal.Operator(a, backend="host", transposed=False)
        with self.assertRaisesRegex(ValueError, "needs 90 rows"):
            op @ numpy.ones(60)
        with self.assertRaisesRegex(gpusupernodal.Error, "transposed"):
            op.T @ numpy.ones(60)
        with self.assertRaisesRegex(gpusupernodal.Error, "values were given"):
            op.update(numpy.ones(3))
        with self.assertRaisesRegex(ValueError, "another pattern"):
            op.update(rectangular(seed=2))
        with self.assertRaisesRegex(gpusupernodal.Error, "no option 'ordering'"):
            gpusupernodal.Operator(a, ordering="amd")
        with self.assertRaisesRegex(gpusupernodal.Error, "format"):
            gpusupernodal.Operator(a, backend="host", format="dia")
        with self.assertRaises(TypeError):
            gpusupernodal.Operator(a, dtype=numpy.complex128)
        with self.assertRaises(TypeError):
            gpusupernodal.Operator(numpy.ones((3, 3)))
        with self.assertRaises(TypeError):
            copy.copy(op)
        converted = gpusupernodal.Operator(a.tocoo(), backend="host")
        with self.assertRaisesRegex(ValueError, "converted"):
            converted.update(a.data)


if __name__ == "__main__":
    unittest.main()
