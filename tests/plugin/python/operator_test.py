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

    def test_many_columns_equal_single_products(self):
        """By rows and by columns; each column has the bits of its own product."""
        random = numpy.random.default_rng(5)
        a = rectangular()
        symmetric = scipy.sparse.diags([1.0, 4.0, 1.0], [-3, 0, 3], shape=(50, 50)).tocsr()
        operators = [gpusupernodal.Operator(a, backend="host"), gpusupernodal.Operator(a.tocsc(), backend="host").T,
                     gpusupernodal.Operator(scipy.sparse.tril(symmetric), part="lower", backend="host")]
        for op in operators:
            for columns in (2, 3, 16, 17, 64, 100, 256):
                x = random.random((op.shape[1], columns))
                alone = numpy.stack([op @ x[:, c] for c in range(columns)], axis=1)
                for order in ("C", "F"):
                    numpy.testing.assert_array_equal(op @ numpy.asarray(x, order=order), alone)

    def test_a_half_stands_for_the_symmetric_matrix(self):
        a = scipy.sparse.diags([1.0, 4.0, 1.0], [-3, 0, 3], shape=(50, 50)).tocsr()
        x = numpy.arange(50.0)
        for part, half in (("lower", scipy.sparse.tril(a)), ("upper", scipy.sparse.triu(a))):
            op = gpusupernodal.Operator(half, part=part, backend="host")
            numpy.testing.assert_allclose(op @ x, a @ x, atol=1e-12)
            numpy.testing.assert_allclose(op.T @ x, a @ x, atol=1e-12)

    def test_triples_of_a_place_are_summed(self):
        random = numpy.random.default_rng(3)
        rows, columns = random.integers(0, 20, 300), random.integers(0, 30, 300)
        values = random.integers(-8, 8, 300).astype(float)
        a = scipy.sparse.coo_matrix((values, (rows, columns)), shape=(20, 30))
        x, y = random.integers(-8, 8, 30).astype(float), random.integers(-8, 8, 20).astype(float)
        for dtype in (numpy.float32, numpy.float64):  # Small integers: every sum is exact.
            op = gpusupernodal.Operator(a, backend="host", dtype=dtype)
            for new in (values, 2.0 * values, -values):
                op.update(new)
                b = scipy.sparse.coo_matrix((new, (rows, columns)), shape=(20, 30))
                numpy.testing.assert_array_equal(op @ x.astype(dtype), b @ x)
                numpy.testing.assert_array_equal(op.T @ y.astype(dtype), b.T @ y)
                numpy.testing.assert_array_equal((op @ op.T).toarray(), (b @ b.T).toarray())
            op.update(a)
            numpy.testing.assert_array_equal(op @ x.astype(dtype), a @ x)
            self.assertEqual(op.report()["entries"], a.tocsr().nnz)
        op = gpusupernodal.Operator(a, backend="host")
        summed = a.copy()
        summed.sum_duplicates()
        for same in (a.tocsr(), a.tocsc(), summed, scipy.sparse.coo_matrix((values[::-1], (rows[::-1], columns[::-1])), (20, 30))):
            op.update(-values)
            op.update(same)
            numpy.testing.assert_array_equal(op @ x, a @ x)
            numpy.testing.assert_array_equal((op @ op.T).toarray(), (a @ a.T).toarray())
        with self.assertRaisesRegex(ValueError, "another pattern"):
            op.update(scipy.sparse.csr_matrix((20, 30)))
        with self.assertRaisesRegex(ValueError, "another shape"):
            op.update(a.T.tocsr())
        with self.assertRaisesRegex(ValueError, "another pattern"):
            op.update(scipy.sparse.coo_matrix((values, (rows[::-1], columns)), shape=(20, 30)))
        with self.assertRaisesRegex(Exception, "299 values were given, but the analyzed matrix takes 300 values"):
            op.update(values[1:])

    def test_a_half_of_triples(self):
        half = scipy.sparse.coo_matrix(([1.0, 2.0, 3.0, 4.0], ([0, 1, 1, 1], [0, 0, 1, 0])), shape=(2, 2))
        op = gpusupernodal.Operator(half, part="lower", backend="host")
        numpy.testing.assert_array_equal(op @ numpy.array([1.0, 1.0]), [7.0, 9.0])

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
        with self.assertRaisesRegex(TypeError, "no option 'ordering'; the options are backend, device, format") as refused:
            gpusupernodal.Operator(a, ordering="amd")
        # The package's list of options is the library's.
        with self.assertRaisesRegex(gpusupernodal.Error, "no option 'ordering'") as listed:
            gpusupernodal.Operator(a, backend="host")._call("set_option", b"ordering", b"amd")
        lists = [set(str(failure.exception).split(" are ")[1].replace(" and ", ", ").split(", ")) for failure in (refused, listed)]
        self.assertEqual(*lists)
        with self.assertRaisesRegex(gpusupernodal.Error, "format"):
            gpusupernodal.Operator(a, backend="host", format="dia")
        with self.assertRaises(TypeError):
            gpusupernodal.Operator(a, dtype=numpy.float16)
        with self.assertRaises(TypeError):
            gpusupernodal.Operator(numpy.ones((3, 3)))
        with self.assertRaises(TypeError):
            copy.copy(op)
        converted = gpusupernodal.Operator(a.todok(), backend="host")
        with self.assertRaisesRegex(ValueError, "converted"):
            converted.update(a.data)


class SparseProducts(unittest.TestCase):
    """A @ B with operators and matrices beside SciPy's product; entries are small integers, so that sums are exact."""

    def integers(self, rows, columns, seed, dtype=numpy.float64):
        a = rectangular(rows, columns, seed)
        a.data = numpy.round(8.0 * a.data) - 4.0
        return a.astype(dtype)

    def expect_product(self, c, a, b, dtype=numpy.float64):
        self.assertIsInstance(c, scipy.sparse.csr_matrix)
        self.assertEqual(c.dtype, dtype)
        self.assertTrue(c.has_sorted_indices)
        numpy.testing.assert_array_equal(c.toarray(), a.toarray() @ b.toarray())

    def test_operators_and_matrices(self):
        for dtype in (numpy.float32, numpy.float64):
            a, b = self.integers(60, 90, 1, dtype), self.integers(90, 40, 2, dtype)
            left = gpusupernodal.Operator(a, backend="host", threads=2)
            self.expect_product(left @ b, a, b, dtype)
            self.expect_product(left.dot(b.tocsc()), a, b, dtype)
            self.expect_product(left @ b.tocoo(), a, b, dtype)
            self.expect_product(left @ gpusupernodal.Operator(b.tocsc(), backend="host"), a, b, dtype)
            self.expect_product(left.T @ a, a.T, a, dtype)
            self.expect_product(left @ left.T, a, a.T, dtype)
            self.expect_product(gpusupernodal.Operator(b, backend="host").T @ left.T, b.T, a.T, dtype)

    def test_galerkin(self):
        for dtype in (numpy.float32, numpy.float64):
            a, p = self.integers(60, 60, 5, dtype), self.integers(60, 20, 6, dtype)
            op = gpusupernodal.Operator(a, backend="host", threads=2)
            for other in (p, p.tocsc(), gpusupernodal.Operator(p, backend="host")):
                self.expect_product(op.galerkin(other), p.T @ a, p, dtype)
        with self.assertRaisesRegex(gpusupernodal.Error, "needs a square A"):
            gpusupernodal.Operator(p.astype(float), backend="host").galerkin(p.astype(float))
        with self.assertRaisesRegex(TypeError, "P is a ndarray"):
            op.galerkin(numpy.ones((60, 2)))

    def test_halves_mean_the_whole(self):
        a = self.integers(50, 50, 3)
        whole = (a + a.T).tocsr()
        half = gpusupernodal.Operator(scipy.sparse.tril(whole).tocsc(), part="lower", backend="host")
        self.expect_product(half @ whole, whole, whole)
        self.expect_product(half.T @ half, whole, whole)

    def test_new_values_count_and_changes_of_the_matrix_do_not(self):
        a = self.integers(30, 30, 4)
        op = gpusupernodal.Operator(a, backend="host")
        before = a.copy()
        a.data *= 2.0
        self.expect_product(op @ before, before, before)
        op.update(a)
        self.expect_product(op @ before, a, before)

    def test_mistakes(self):
        op = gpusupernodal.Operator(self.integers(6, 9, 1), backend="host")
        with self.assertRaisesRegex(gpusupernodal.Error, "A is 6 by 9 and B is 6 by 9"):
            op @ op
        with self.assertRaisesRegex(TypeError, "one type"):
            op @ gpusupernodal.Operator(self.integers(9, 6, 1, numpy.float32), backend="host")


if __name__ == "__main__":
    unittest.main()
