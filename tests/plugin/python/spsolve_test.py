"""spsolve(A, b) called as scipy.sparse.linalg.spsolve: symmetry, shapes, types, keywords. Exits 77 without SciPy."""
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

S = scipy.sparse.csc_matrix([[4.0, -1.0, 0.0], [-1.0, 3.0, -1.0], [0.0, -1.0, 4.0]])
U = scipy.sparse.csc_matrix([[4.0, -1.0, 0.0], [-2.0, 3.0, -1.0], [0.0, -1.0, 4.0]])
B = numpy.array([[1.0, 2.0], [0.0, -1.0], [3.0, 1.0]])


class Symmetry(unittest.TestCase):
    def test_large_entries_do_not_hide_an_unsymmetric_block(self):
        for large in (1.0, 1e15, 1e300):
            a = scipy.sparse.csc_matrix([[large, 0.0, 0.0], [0.0, 2.0, -1.5], [0.0, -0.5, 2.0]])
            x, report = gpusupernodal.spsolve(a, numpy.ones(3), full_output=True)
            self.assertEqual(report["method"], "lu", large)
            self.assertLessEqual(abs(a @ x - 1.0).max(), 1e-14)

    def test_penalties_beside_convection(self):
        a = scipy.sparse.diags([-1.5, 2.0, -0.5], [-1, 0, 1], shape=(200, 200)).tolil()
        a[0, 0] = a[199, 199] = 1e20
        b = numpy.ones(200)
        b[0] = 1e20
        x = gpusupernodal.spsolve(a.tocsc(), b)
        self.assertLessEqual(abs(a.tocsc() @ x - b)[1:].max(), 1e-10)

    def test_rounding_is_no_asymmetry(self):
        for dtype in (numpy.float32, numpy.float64):
            a = S.astype(dtype)
            a[0, 1] = numpy.nextafter(a[0, 1], dtype(0))
            x, report = gpusupernodal.spsolve(a, B.astype(dtype), full_output=True)
            self.assertNotEqual(report["method"], "lu")
            self.assertLessEqual(abs(S @ x - B).max(), 100 * numpy.finfo(dtype).eps + 1e-5 * (dtype == numpy.float32))
            a[0, 1] = dtype(-1) + 100 * numpy.finfo(dtype).eps
            self.assertEqual(gpusupernodal.spsolve(a, B.astype(dtype), full_output=True)[1]["method"], "lu")

    def test_every_format_of_scipy_is_looked_at(self):
        a = scipy.sparse.csc_matrix([[4.0, -1.0], [-2.0, 3.0]])
        for form in ("bsr", "coo", "csc", "csr", "dia", "dok", "lil"):
            x, report = gpusupernodal.spsolve(a.asformat(form), numpy.ones(2), full_output=True)
            self.assertEqual(report["method"], "lu", form)
            self.assertLessEqual(abs(a @ x - 1.0).max(), 1e-14, form)

    def test_nan_is_no_asymmetry(self):
        for a in (S.copy(), scipy.sparse.csr_matrix([[2.0, 1.0], [1.0, 3.0]])):
            a[0, 1] = a[1, 0] = numpy.nan
            with self.assertRaisesRegex(Exception, "NaN or Inf"):
                gpusupernodal.spsolve(a, numpy.ones(a.shape[0]), method="direct")

    def test_methods_that_do_not_exist(self):
        for a in (S, scipy.sparse.csc_matrix([[4.0, -1.0], [-2.0, 3.0]])):
            with self.assertRaisesRegex(gpusupernodal.Error, "automatic, direct, mixed, pcg"):
                gpusupernodal.spsolve(a, numpy.ones(a.shape[0]), method="drect")

    def test_integers_do_not_overflow(self):
        for dtype, entries in ((numpy.int8, [[100, -100], [28, 100]]), (numpy.int8, [[100, -128], [-128, 100]]),
                               (numpy.uint8, [[10, 200], [100, 10]]), (numpy.bool_, [[1, 1], [0, 1]])):
            a = scipy.sparse.csc_matrix(numpy.array(entries, dtype))
            exact = numpy.linalg.solve(a.toarray().astype(float), numpy.ones(2))
            self.assertLessEqual(abs(gpusupernodal.spsolve(a, numpy.ones(2)) - exact).max(), 1e-14, entries)

    def test_duplicates_are_summed(self):
        rows, columns = [0, 0, 1, 1, 0], [0, 1, 0, 1, 1]
        a = scipy.sparse.coo_matrix(([2.0, 3.0, 1.0, 4.0, -2.0], (rows, columns)), shape=(2, 2))  # 3 − 2 above, 1 below.
        self.assertNotEqual(gpusupernodal.spsolve(a, numpy.ones(2), full_output=True)[1]["method"], "lu")
        # 1e10 − 9999999999 above, and more than 1 by 1e-8 below.
        a = scipy.sparse.csr_matrix(([2.0, 1e10, -9999999999.0, 1.0 + 1e-8, 4.0], [0, 1, 1, 0, 1], [0, 3, 5]), shape=(2, 2))
        self.assertEqual(gpusupernodal.spsolve(a, numpy.ones(2), full_output=True)[1]["method"], "lu")
        self.assertEqual(a.nnz, 5)


class AsInSciPy(unittest.TestCase):
    def expect_same(self, a, b, **options):
        theirs = scipy.sparse.linalg.spsolve(a, b, **options)
        ours = gpusupernodal.spsolve(a, b, **options)
        self.assertEqual((ours.shape, ours.dtype), (theirs.shape, theirs.dtype))
        self.assertEqual(scipy.sparse.issparse(ours), scipy.sparse.issparse(theirs))
        if scipy.sparse.issparse(ours):
            ours, theirs = ours.toarray(), theirs.toarray()
        self.assertLessEqual(abs(ours - theirs).max(), 2e-5 if ours.dtype.itemsize // (1 + (ours.dtype.kind == "c")) == 4 else 1e-9)

    def test_shapes(self):
        for a in (S, U):
            for b in (B, B[:, 0], B[:, :1], scipy.sparse.csc_matrix(B), scipy.sparse.csc_matrix(B[:, :1]),
                      scipy.sparse.csr_matrix(B[:, :1])):
                self.expect_same(a, b)

    def test_types(self):
        types = (numpy.float32, numpy.float64, numpy.complex64, numpy.complex128)
        for matrix in (S, U):
            for of_a in types:
                for of_b in (*types, numpy.int64):
                    self.expect_same(matrix.astype(of_a), B.astype(of_b))
            self.expect_same(matrix.astype(numpy.int64), B)
        self.assertEqual(gpusupernodal.spsolve(S.astype(numpy.float32), B, dtype=numpy.float32).dtype, numpy.float32)

    def test_lists(self):
        for b in ([1, 2, 3], [1.0, 2.5, 3.0], [1.0, 1j, 0.0]):
            x = gpusupernodal.spsolve(S, b)
            self.assertEqual(x.dtype, numpy.result_type(numpy.float64, numpy.array(b).dtype))
            self.assertLessEqual(abs(S @ x - b).max(), 1e-9)
        with self.assertRaisesRegex(TypeError, "b has complex entries"):
            gpusupernodal.System(S).solve([1.0, 1j, 0.0])

    def test_keywords(self):
        self.expect_same(S, B, permc_spec="COLAMD", use_umfpack=False)
        x = gpusupernodal.spsolve(S, B, "NATURAL", True)
        self.assertLessEqual(abs(S @ x - B).max(), 1e-9)
        with self.assertRaisesRegex(ValueError, "'COLUMD'.*'COLAMD'.*ordering"):
            gpusupernodal.spsolve(S, B, permc_spec="COLUMD")


class Options(unittest.TestCase):
    def test_names_of_scipy_lead_to_ours(self):
        for theirs, ours in (("rtol", "tolerance"), ("tol", "tolerance"), ("atol", "absolute_tolerance"), ("maxiter", "max_iterations")):
            for call in (gpusupernodal.System, lambda a, **options: gpusupernodal.spsolve(a, B, **options)):
                with self.assertRaisesRegex(TypeError, f"no option '{theirs}'; did you mean '{ours}'"):
                    call(S, **{theirs: 1})

    def test_expected_solves_is_an_integer(self):
        gpusupernodal.System(S, expected_solves=numpy.int32(3))
        for wrong in (2.7, "3", None, 2.0):
            with self.assertRaisesRegex(TypeError, f"expected_solves is {wrong!r}; an integer is needed"):
                gpusupernodal.System(S, expected_solves=wrong)


class Penalties(unittest.TestCase):
    def test_boundary_conditions(self):
        """Beside 1e12 in b, ‖b − A x‖ ≤ 1e-10 ‖b‖ says nothing about the other rows."""
        for penalty in (1e6, 1e12, 1e20):
            a = scipy.sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(200, 200)).tolil()
            a[0, 0] = a[199, 199] = penalty
            a = a.tocsc()
            b = numpy.ones(200)
            b[0] = penalty
            exact = scipy.sparse.linalg.spsolve(a, b)
            for method in ("automatic", "mixed", "direct"):
                x = gpusupernodal.spsolve(a, b, method=method)
                self.assertLessEqual(abs(x - exact).max(), 4e-6 * abs(exact).max(), (penalty, method))


if __name__ == "__main__":
    unittest.main()
