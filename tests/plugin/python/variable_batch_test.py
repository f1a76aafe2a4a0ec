"""Tests gpusupernodal.VariableBatch. Exits 77 without SciPy."""
import copy
import doctest
import sys
import unittest

try:
    import numpy
    import scipy.sparse
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)
import entries
import gpusupernodal
from gpusupernodal import _variable_batch

RANDOM = numpy.random.default_rng(1)
SIZES = (12, 5, 1, 12, 0, 5, 12, 30)


def chain(n, scale=1.0, dtype=numpy.float64):
    """A tridiagonal matrix with ascending indices."""
    dense = 3.0 * numpy.eye(n) - numpy.eye(n, k=1) - numpy.eye(n, k=-1)
    return scipy.sparse.csc_matrix(scale * dense.astype(dtype))


def matrices(dtype=numpy.float64, symmetric=True):
    result = []
    for i, n in enumerate(SIZES):
        a = chain(n, 1.0 + i / 4, dtype)
        if not symmetric:
            a.data = a.data * (1.0 + 0.1 * RANDOM.random(a.nnz))
            a.data = (a.data * (1.0 + 0.5j if numpy.dtype(dtype).kind == "c" else 1.0)).astype(dtype)
        result.append(a)
    return result


def vectors(columns=None, dtype=numpy.float64):
    return [RANDOM.standard_normal((n,) if columns is None else (n, columns)).astype(dtype) for n in SIZES]


class VariableBatch(unittest.TestCase):
    def check(self, many, x, b, tolerance):
        for a, xi, bi in zip(many, x, b):
            self.assertEqual(xi.shape, bi.shape)
            if bi.size == 0:
                continue
            scale = abs(a).sum(axis=1).max() * abs(xi).max() + abs(bi).max()
            self.assertLessEqual(abs(bi - a @ xi).max(), tolerance * scale)

    def test_every_form_and_type(self):
        for form in ("llt", "ldlt", "lu"):
            for dtype in (numpy.float32, numpy.float64, numpy.complex64, numpy.complex128):
                many = matrices(dtype, symmetric=form != "lu")
                batch = gpusupernodal.VariableBatch(many, form=form, threads=2)
                self.assertEqual(batch.dtype, dtype)
                self.assertEqual(len(batch), len(SIZES))
                self.assertEqual(batch.patterns, 5)
                self.assertEqual(batch.pattern.tolist(), [0, 1, 2, 0, 3, 1, 0, 4])
                self.assertEqual(batch.orders, SIZES)
                self.assertEqual(set(batch.status), {"success"})
                tolerance = 1000 * numpy.finfo(dtype).eps
                for b in (vectors(None, dtype), vectors(3, dtype)):
                    x = batch.solve(b)
                    self.assertEqual(x[0].dtype, dtype)
                    self.check(many, x, b, tolerance)
                    self.check([a.conj().T for a in many], batch.solve(b, trans="H"), b, tolerance)

    def test_bits_of_single_factors(self):
        many, b = matrices(), vectors()
        x = gpusupernodal.VariableBatch(many, threads=2).solve(b)
        for a, xi, bi in zip(many, x, b):
            if bi.size:
                numpy.testing.assert_array_equal(xi, gpusupernodal.cholesky(a, threads=1, backend="host")(bi))

    def test_failures_stay_where_they_are(self):
        many, b = matrices(), vectors()
        many[0].data[0] = numpy.nan
        many[5] = -many[5]
        batch = gpusupernodal.VariableBatch(many)
        expected = ["success"] * len(SIZES)
        expected[0], expected[5] = "non_finite_input", "not_positive_definite"
        self.assertEqual(list(batch.status), expected)
        self.assertEqual(batch.report(0)["factor.failed_column"], 0)
        self.assertEqual(batch.report(7)["analyze.n"], 30)
        x = batch.solve(b)
        self.assertEqual(list(batch.solve_status), expected)
        self.assertTrue(numpy.isnan(x[0]).all() and numpy.isnan(x[5]).all())
        self.check([a for i, a in enumerate(many) if i not in (0, 5)], [xi for i, xi in enumerate(x) if i not in (0, 5)],
                   [bi for i, bi in enumerate(b) if i not in (0, 5)], 1e-13)
        batch.refactorize([a.data if i == 5 else a for i, a in enumerate(matrices())])
        self.assertEqual(set(batch.status), {"success"})
        self.assertEqual(len(batch.reports), len(SIZES))

    def test_mask(self):
        many, b = matrices(), vectors()
        batch = gpusupernodal.VariableBatch(many)
        before = batch.solve(b)
        batch.wanted = numpy.arange(len(SIZES)) % 2 == 0
        batch.refactorize([4.0 * a if i % 2 == 0 else None for i, a in enumerate(many)])
        wanted_b = [bi if i % 2 == 0 else None for i, bi in enumerate(b)]
        x = batch.solve(wanted_b, before)
        for i, (new, old) in enumerate(zip(x, before)):
            numpy.testing.assert_array_equal(new, old / 4.0 if i % 2 == 0 else old)
        self.assertEqual(list(batch.solve_status[:2]), ["success", "skipped"])
        self.assertIsNone(batch.solve(wanted_b)[1])
        self.assertEqual(batch.report(0)["factor.factorizations"], 2)
        self.assertEqual(batch.report(1)["factor.factorizations"], 1)
        batch.wanted = None
        self.assertTrue(batch.wanted.all())

    def test_other_orders_of_entries(self):
        unsorted = entries.descending(scipy.sparse.diags([-1.0, 2.5, -1.0], [-1, 0, 1], shape=(9, 9), format="csc"))
        ordered = unsorted.sorted_indices()
        batch = gpusupernodal.VariableBatch([unsorted, ordered, chain(4)])
        self.assertEqual(batch.patterns, 3)
        b = [numpy.ones(9), numpy.ones(9), numpy.ones(4)]
        before = batch.solve(b)
        batch.refactorize([ordered, unsorted, chain(4)])
        for new, old in zip(batch.solve(b), before):
            numpy.testing.assert_array_equal(new, old)
        rows = gpusupernodal.VariableBatch([chain(4).tocsr(), chain(4), chain(4).tocoo()])
        self.assertEqual(rows.patterns, 2)
        with self.assertRaises(ValueError) as raised:
            rows.refactorize([numpy.ones(10)] * 3)
        self.assertIn("matrix 2 was converted", str(raised.exception))

    def test_types(self):
        self.assertEqual(gpusupernodal.VariableBatch([chain(3, dtype=numpy.float32), chain(4)]).dtype, numpy.float64)
        self.assertEqual(gpusupernodal.VariableBatch([chain(3), chain(4, dtype=numpy.complex64)]).dtype, numpy.complex128)
        self.assertEqual(gpusupernodal.VariableBatch([chain(3)], dtype="float32").dtype, numpy.float32)
        empty = gpusupernodal.VariableBatch([])
        self.assertEqual((len(empty), empty.patterns, empty.solve([]), empty.reports), (0, 0, [], []))

    def test_misuse(self):
        batch = gpusupernodal.VariableBatch(matrices())
        b = vectors()
        for call, error, part in (
                (lambda: gpusupernodal.VariableBatch(chain(3)), TypeError, "a list of sparse matrices"),
                (lambda: gpusupernodal.VariableBatch([chain(3), numpy.eye(3)]), TypeError, "matrix 1: "),
                (lambda: gpusupernodal.VariableBatch([chain(3), scipy.sparse.tril(chain(3)).tocsc()]), ValueError, "matrix 1: "),
                (lambda: gpusupernodal.VariableBatch([chain(3)], orderin="amd"), TypeError, "did you mean 'ordering'"),
                (lambda: gpusupernodal.VariableBatch([chain(3)], dtype="int32"), TypeError, "is none of"),
                (lambda: gpusupernodal.VariableBatch([chain(3)], backend="cuda", dtype=complex), gpusupernodal.Error,
                 "run on the host only"),
                (lambda: batch.refactorize([chain(12)]), ValueError, "1 matrices"),
                (lambda: batch.refactorize([chain(5)] * len(SIZES)), ValueError, "matrix 0 has another pattern"),
                (lambda: batch.refactorize([numpy.ones(3)] * len(SIZES)), ValueError, "is needed"),
                (lambda: batch.refactorize([None] * len(SIZES)), ValueError, "is needed"),
                (lambda: batch.solve(b[:2]), ValueError, "b has 2 arrays"),
                (lambda: batch.solve([b[1]] + b[1:]), ValueError, "b of matrix 0 has the shape (5,)"),
                (lambda: batch.solve([numpy.ones((12, 2))] + b[1:]), gpusupernodal.Error, "right-hand sides"),
                (lambda: batch.solve([1j * bi for bi in b]), TypeError, "complex"),
                (lambda: batch.solve(b, vectors(2)), ValueError, "is needed"),
                (lambda: batch.solve(b, trans="Q"), ValueError, "trans"),
                (lambda: batch.solve([numpy.ma.masked_greater(b[0], 0.5)] + b[1:]), TypeError, "masked"),
                (lambda: setattr(batch, "wanted", [True]), ValueError, "bools are needed"),
                (lambda: batch.wanted.__setitem__(0, False), ValueError, "read-only"),
                (lambda: batch.pattern.__setitem__(0, 3), ValueError, "read-only"),
                (lambda: batch.report(99), gpusupernodal.Error, "there is no system"),
                (lambda: copy.copy(batch), TypeError, "a VariableBatch can be neither copied")):
            with self.assertRaises(error) as raised:
                call()
            self.assertIn(part, str(raised.exception))
        self.assertIn("8 systems with 5 patterns", repr(batch))

    def test_doctest(self):
        self.assertEqual(doctest.testmod(_variable_batch).failed, 0)


if __name__ == "__main__":
    unittest.main()
