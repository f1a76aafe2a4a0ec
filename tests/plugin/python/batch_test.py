"""Tests gpusupernodal.Batch. Exits 77 without SciPy."""
import copy
import doctest
import sys
import unittest

try:
    import numpy
    import scipy.sparse
    import scipy.sparse.linalg
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)
import entries
import gpusupernodal
from gpusupernodal import _batch

N = 12
LINE = scipy.sparse.diags([-1.0, 2.5, -1.0], [-1, 0, 1], shape=(N, N))
A = (scipy.sparse.kron(LINE, scipy.sparse.identity(N)) + scipy.sparse.kron(scipy.sparse.identity(N), LINE)).tocsc()
RANDOM = numpy.random.default_rng(1)
COUNT = 5
SCALES = 1.0 + numpy.arange(COUNT)[:, None] / 4
B = RANDOM.standard_normal((COUNT, N * N, 3))


def matrices(dtype=numpy.float64, symmetric=True):
    """Matrices with A's pattern and different values."""
    result = []
    for i in range(COUNT):
        a = A.astype(dtype)
        noise = scipy.sparse.csc_matrix((0.1 * RANDOM.random(A.nnz), A.indices, A.indptr), shape=A.shape)
        a = a + (noise + noise.T if symmetric else noise)
        if numpy.dtype(dtype).kind == "c" and not symmetric:
            a = a * (1.0 + 0.5j)
        result.append(a.astype(dtype).tocsc())
    return result


class Batch(unittest.TestCase):
    def check(self, many, x, b, tolerance):
        for i, a in enumerate(many):
            residual = b[i] - a @ x[i]
            scale = abs(a).sum(axis=1).max() * abs(x[i]).max() + abs(b[i]).max()
            self.assertLessEqual(abs(residual).max(), tolerance * scale)

    def test_every_form_and_type(self):
        for form in ("llt", "ldlt", "lu"):
            for dtype in (numpy.float32, numpy.float64, numpy.complex64, numpy.complex128):
                if form == "ldlt" and numpy.dtype(dtype).kind == "c":
                    continue
                many = matrices(dtype, symmetric=form != "lu")
                batch = gpusupernodal.Batch(many, form=form, threads=2)
                self.assertEqual(batch.dtype, dtype)
                self.assertEqual(len(batch), COUNT)
                self.assertEqual(list(batch.status), ["success"] * COUNT)
                tolerance = 1000 * numpy.finfo(dtype).eps
                for b in (B.astype(dtype), B[:, :, 0].astype(dtype)):
                    x = batch.solve(b)
                    self.assertEqual(x.shape, b.shape)
                    self.assertEqual(x.dtype, dtype)
                    self.check(many, x, b, tolerance)
                shared = batch.solve(B[0, :, 0].astype(dtype))
                self.check(many, shared, [B[0, :, 0].astype(dtype)] * COUNT, tolerance)
                turned = batch.solve(B.astype(dtype), trans="H")
                self.check([a.conj().T for a in many], turned, B.astype(dtype), tolerance)

    def test_values_of_an_array(self):
        batch = gpusupernodal.Batch(A, COUNT)
        self.assertEqual(list(batch.status), ["not_factorized"] * COUNT)
        batch.refactorize(SCALES * A.data)
        x = batch.solve(B)
        self.check([s[0] * A for s in SCALES], x, B, 1e-13)
        single = gpusupernodal.cholesky(A * SCALES[2, 0], threads=1)
        self.assertEqual(batch.report(2)["analyze.nonzeros_l"], single.report()["analyze.nonzeros_l"])

    def test_failures_stay_where_they_are(self):
        values = SCALES * A.data
        values[1, 0] = numpy.nan
        values[3] *= -1.0
        batch = gpusupernodal.Batch(A, COUNT)
        batch.refactorize(values)
        expected = ["success", "non_finite_input", "success", "not_positive_definite", "success"]
        self.assertEqual(list(batch.status), expected)
        self.assertEqual(batch.report(1)["factor.failed_column"], 0)
        x = batch.solve(B)
        self.assertEqual(list(batch.solve_status), expected)
        self.assertTrue(numpy.isnan(x[[1, 3]]).all())
        good = gpusupernodal.Batch(A, COUNT)
        good.refactorize(SCALES * A.data)
        numpy.testing.assert_array_equal(x[[0, 2, 4]], good.solve(B)[[0, 2, 4]])
        self.assertEqual(len(batch.reports), COUNT)
        b = B.copy()
        b[2, 7, 1] = numpy.inf
        self.assertEqual(good.solve(b).shape, B.shape)
        self.assertEqual(list(good.solve_status), ["success", "success", "non_finite_input", "success", "success"])

    def test_mask(self):
        batch = gpusupernodal.Batch(A, COUNT)
        batch.refactorize(SCALES * A.data)
        before = batch.solve(B)
        batch.wanted = numpy.arange(COUNT) % 2 == 0
        batch.refactorize([4.0 * s[0] * A if i % 2 == 0 else None for i, s in enumerate(SCALES)])
        x = batch.solve(B, before)
        numpy.testing.assert_array_equal(x[1::2], before[1::2])
        numpy.testing.assert_array_equal(x[::2], before[::2] / 4.0)
        self.assertEqual(list(batch.solve_status), ["success", "skipped", "success", "skipped", "success"])
        self.assertTrue(numpy.isnan(batch.solve(B)[1::2]).all())
        self.assertEqual(batch.report(0)["factor.factorizations"], 2)
        self.assertEqual(batch.report(1)["factor.factorizations"], 1)
        batch.wanted = None
        self.assertTrue(batch.wanted.all())
        self.assertIsNone(gpusupernodal.Batch(A, 2).reports[0])

    def test_misuse(self):
        batch = gpusupernodal.Batch(A, COUNT)
        for call, error, part in (
                (lambda: gpusupernodal.Batch(A), TypeError, "number of systems"),
                (lambda: gpusupernodal.Batch([]), ValueError, "at least one"),
                (lambda: gpusupernodal.Batch([A, A], 3), ValueError, "count is 3"),
                (lambda: gpusupernodal.Batch(A, -1), gpusupernodal.Error, "-1 systems"),
                (lambda: gpusupernodal.Batch(A, 1, backend="cuda", dtype=complex), gpusupernodal.Error, "run on the host only"),
                (lambda: gpusupernodal.Batch(A, 1, orderin="amd"), TypeError, "did you mean 'ordering'"),
                (lambda: gpusupernodal.Batch(A, 1, dtype="int32"), TypeError, "is none of"),
                (lambda: gpusupernodal.Batch([A, scipy.sparse.identity(N * N, format="csc")]), ValueError, "matrix 1"),
                (lambda: batch.refactorize(A.data), ValueError, "is needed"),
                (lambda: batch.refactorize([A]), ValueError, "1 matrices"),
                (lambda: batch.refactorize(1j * SCALES * A.data), TypeError, "complex"),
                (lambda: batch.solve(B[:, :5]), ValueError, "is needed"),
                (lambda: batch.solve(B, B[:, :, :1]), ValueError, "is needed"),
                (lambda: batch.solve(B, trans="Q"), ValueError, "trans"),
                (lambda: setattr(batch, "wanted", [True]), ValueError, "bools are needed"),
                (lambda: batch.report(0), gpusupernodal.Error, "has not been factorized"),
                (lambda: batch.report(99), gpusupernodal.Error, "there is no system"),
                (lambda: batch.report(2**64), gpusupernodal.Error, "there is no system"),
                (lambda: copy.copy(batch), TypeError, "neither copied")):
            with self.assertRaises(error) as raised:
                call()
            self.assertIn(part, str(raised.exception))
        batch.refactorize([A] * COUNT)
        self.assertIn("5 with a factor", repr(batch))
        self.assertEqual(gpusupernodal.Batch(A, 0).solve(numpy.empty((0, N * N))).shape, (0, N * N))
        coordinates = gpusupernodal.Batch([A.tocoo()] * 2)
        with self.assertRaises(ValueError):
            coordinates.refactorize(numpy.ones((2, A.nnz)))

    def test_the_pattern_is_that_at_construction(self):
        unsorted = entries.descending(scipy.sparse.diags([-1.0, 2.5, -1.0], [-1, 0, 1], shape=(9, 9), format="csc"))
        self.assertFalse(unsorted.has_sorted_indices)
        batch = gpusupernodal.Batch(unsorted, 2)
        b = numpy.ones((2, 9))
        batch.refactorize([unsorted, 2.0 * unsorted])
        before = batch.solve(b)
        unsorted.sort_indices()
        batch.refactorize([unsorted, 2.0 * unsorted])
        numpy.testing.assert_array_equal(batch.solve(b), before)
        numpy.testing.assert_allclose(unsorted @ before[0], b[0], rtol=1e-14)
        with self.assertRaises(ValueError) as raised:
            batch.refactorize([unsorted, scipy.sparse.identity(9, format="csc")])
        self.assertIn("matrix 1 has another pattern", str(raised.exception))

    def test_arguments_that_would_change_silently(self):
        batch = gpusupernodal.Batch([A] * COUNT)
        for call, error, part in (
                (lambda: gpusupernodal.Batch(A, 2.5), TypeError, "integer"),
                (lambda: gpusupernodal.Batch(A, 10**19), gpusupernodal.Error, "must be 0 to 2147483647"),
                (lambda: batch.report(1.5), TypeError, "integer"),
                (lambda: batch.wanted.__setitem__(0, False), ValueError, "read-only"),
                (lambda: batch.solve(numpy.ma.masked_greater(B, 0.5)), TypeError, "masked"),
                (lambda: batch.refactorize(numpy.ma.masked_greater(SCALES * A.data, 0.5)), TypeError, "masked"),
                (lambda: batch.solve(B, 1j * B), TypeError, "complex")):
            with self.assertRaises(error) as raised:
                call()
            self.assertIn(part, str(raised.exception))

    def test_doctest(self):
        self.assertEqual(doctest.testmod(_batch).failed, 0)


if __name__ == "__main__":
    unittest.main()
