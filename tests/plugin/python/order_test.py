"""New values from matrices whose entries come in another order than those of the first. Exits 77 without SciPy."""
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

N = 50
B = numpy.random.default_rng(1).standard_normal(N)


def descending(form="csc"):
    """A matrix whose entries are in descending order."""
    a = entries.descending(scipy.sparse.diags([-1.0, 4.0, -1.0], [-1, 0, 1], shape=(N, N), format="csc"))
    a = a.T if form == "csr" else a
    assert a.format == form and not a.has_sorted_indices
    return a


def shuffled(a, seed):
    """A copy of `a` with the entries of each column in a random order."""
    a, random = a.copy(), numpy.random.default_rng(seed)
    for j in range(N):
        order = a.indptr[j] + random.permutation(a.indptr[j + 1] - a.indptr[j])
        a.indices[a.indptr[j]:a.indptr[j + 1]], a.data[a.indptr[j]:a.indptr[j + 1]] = a.indices[order], a.data[order]
    a.has_sorted_indices = a.has_canonical_format = False
    return a


MAKERS = (lambda a: gpusupernodal.cholesky(a, backend="host"), lambda a: gpusupernodal.ldlt(a, backend="host"),
          lambda a: gpusupernodal.lu(a, backend="host"), lambda a: gpusupernodal.System(a, backend="host", method="direct"))


class Order(unittest.TestCase):
    def expect_solved(self, made, a):
        (made.update if hasattr(made, "update") else made.refactorize)(a)
        self.assertLessEqual(abs(a @ made.solve(B) - B).max(), 1e-12)

    def test_every_order_of_the_same_pattern(self):
        for make in MAKERS:
            for form in ("csc", "csr"):
                made = make(descending(form))
                a = descending(form)
                # Values that differ from entry to entry, so that a wrong order gives a wrong x.
                a.data += 0.1 * numpy.cos(numpy.minimum(a.indices, numpy.repeat(numpy.arange(N), numpy.diff(a.indptr))))
                a = ((a + a.T) / 2).asformat(form)
                for other in (a, a + scipy.sparse.identity(N), shuffled(a, 1), shuffled(2.0 * a, 1), shuffled(a, 2),
                              descending(form), a.tocoo(), a.tocsr(), 3.0 * descending(form)):
                    self.expect_solved(made, other)

    def test_the_first_matrix_sorted_in_place(self):
        for make in MAKERS:
            a = descending()
            made = make(a)
            a.sort_indices()
            self.expect_solved(made, a)

    def test_another_pattern_is_refused(self):
        a = descending()
        moved = scipy.sparse.diags([-1.0, 4.0, -1.0], [-1, 0, 1], shape=(N, N), format="lil")
        for i, j, value in ((1, 2, 0.0), (11, 12, 0.0), (1, 11, -1.0), (2, 12, -1.0)):  # As many entries in each column.
            moved[i, j] = moved[j, i] = value
        for other in (moved.tocsc(), scipy.sparse.identity(N, format="csc")):
            for make in MAKERS:
                made = make(a)
                with self.assertRaisesRegex((ValueError, gpusupernodal.Error), "pattern|entries"):
                    (made.update if hasattr(made, "update") else made.refactorize)(other)
                self.expect_solved(made, a + scipy.sparse.identity(N))

    def test_arrays_keep_the_order_of_the_first_matrix(self):
        a = descending()
        for make in MAKERS[:3]:
            made = make(a)
            made.refactorize(a + scipy.sparse.identity(N))
            made.refactorize(2.0 * a.data)
            self.assertLessEqual(abs(2.0 * (a @ made.solve(B)) - B).max(), 1e-12)

    def test_a_condition_estimate(self):
        a = descending()
        factor = gpusupernodal.cholesky(a, backend="host")
        expected = factor.rcond(a)
        self.assertAlmostEqual(factor.rcond(a.sorted_indices()), expected)


if __name__ == "__main__":
    unittest.main()
