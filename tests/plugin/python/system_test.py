"""spsolve(A, b) and System(A) beside SciPy."""
import copy
import unittest

import gpusupernodal
import numpy
import scipy.sparse
import scipy.sparse.linalg

N = 20
LINE = scipy.sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(N, N))
A = (scipy.sparse.kron(LINE, scipy.sparse.eye(N)) + scipy.sparse.kron(scipy.sparse.eye(N), LINE)).tocsr()
B = numpy.random.default_rng(3).standard_normal((N * N, 3))


class SystemTest(unittest.TestCase):
    def check(self, x, b, tolerance=1.01e-10, matrix=A):
        self.assertLessEqual(numpy.linalg.norm(b - matrix @ x), tolerance * numpy.linalg.norm(b))

    def test_as_scipy(self):
        for matrix in (A, A.tocsc(), A.tocoo()):
            x = gpusupernodal.spsolve(matrix, B[:, 0])
            self.check(x, B[:, 0])
            # ‖A⁻¹‖ = 1 / λ_min of the five-point Laplacian.
            inverse = 1.0 / (8.0 * numpy.sin(numpy.pi / (2 * (N + 1))) ** 2)
            theirs = scipy.sparse.linalg.spsolve(matrix.tocsc(), B[:, 0])
            self.assertLessEqual(numpy.linalg.norm(x - theirs), 1.1e-10 * inverse * numpy.linalg.norm(B[:, 0]))

    def test_every_method(self):
        for method in ("automatic", "direct", "mixed", "pcg"):
            x, report = gpusupernodal.spsolve(A, B, method=method, full_output=True)
            self.assertEqual(x.shape, B.shape)
            for column in range(3):
                self.check(x[:, column], B[:, column])
            self.assertEqual(report["status"], "solved")
            self.assertTrue(report["reason"])
            if method != "automatic":
                self.assertEqual(report["method"], method)

    def test_float32_halves_and_sparse_sides(self):
        x = gpusupernodal.spsolve(A.astype(numpy.float32), B[:, 0].astype(numpy.float32))
        self.assertEqual(x.dtype, numpy.dtype(numpy.float32))
        self.check(x.astype(float), B[:, 0], 2e-5)
        self.check(gpusupernodal.spsolve(scipy.sparse.tril(A, format="csc"), B[:, 1], part="lower"), B[:, 1])
        side = scipy.sparse.csc_matrix(numpy.where(abs(B) > 1, B, 0.0))
        x = gpusupernodal.spsolve(A, side)
        self.assertTrue(scipy.sparse.issparse(x))
        self.assertLessEqual(abs(A @ x - side).max(), 1e-9)

    def test_other_matrices_are_solved_by_lu(self):
        unsymmetric = (A + scipy.sparse.diags([0.5], [1], shape=A.shape)).tocsr()
        x, report = gpusupernodal.spsolve(unsymmetric, B[:, 0], full_output=True)
        self.assertEqual((report["method"], report["reason"]), ("lu", "A is not symmetric"))
        self.check(x, B[:, 0], 1e-12, unsymmetric)
        indefinite = (A - 3.0 * scipy.sparse.eye(N * N)).tocsr()
        x, report = gpusupernodal.spsolve(indefinite, B[:, 0], full_output=True)
        self.assertEqual(report["method"], "lu")
        self.assertIn("not positive definite", report["reason"])
        self.check(x, B[:, 0], 1e-10, indefinite)
        x = gpusupernodal.spsolve(A, B[:, 0] * 1j)
        self.check(x.imag, B[:, 0], 1e-12)
        with self.assertRaises(gpusupernodal.SingularMatrix):
            gpusupernodal.spsolve(scipy.sparse.csr_matrix([[1.0, 2.0], [2.0, 4.0]]), numpy.ones(2))

    def test_a_named_method_is_not_replaced_by_lu(self):
        unsymmetric = (A + scipy.sparse.diags([0.5], [1], shape=A.shape)).tocsr()
        for method in ("direct", "mixed", "pcg"):
            with self.assertRaisesRegex(ValueError, f"the method '{method}' is for symmetric matrices.*A is not symmetric"):
                gpusupernodal.spsolve(unsymmetric, B[:, 0], method=method, tolerance=1e-3)
            with self.assertRaisesRegex(ValueError, "complex numbers"):
                gpusupernodal.spsolve(A, B[:, 0] * 1j, method=method)
            with self.assertRaises(gpusupernodal.NotPositiveDefinite):
                gpusupernodal.spsolve(scipy.sparse.diags([1.0, -1.0, 2.0], format="csr"), numpy.ones(3), method=method)
        x, report = gpusupernodal.spsolve(unsymmetric, B[:, 0], method="automatic", full_output=True)
        self.assertEqual(report["method"], "lu")
        self.check(x, B[:, 0], 1e-12, unsymmetric)

    def test_status_before_and_after_a_solve(self):
        system = gpusupernodal.System(A)
        self.assertEqual((system.report["status"], system.report["residual"]), ("not_solved", -1.0))
        system.solve(B)
        self.assertEqual(system.report["status"], "solved")

    def test_repeated_solves_and_new_values(self):
        system = gpusupernodal.System(A, expected_solves=10, method="direct")
        for column in range(3):
            self.check(system.solve(B[:, column]), B[:, column])
        self.assertEqual((system.report["solves"], system.report["factorizations"]), (3, 1))
        doubled = 2.0 * A
        self.check(system.update(doubled).solve(B[:, 0]), B[:, 0], matrix=doubled)
        self.assertEqual((system.report["solves"], system.report["factorizations"]), (1, 2))
        with self.assertRaisesRegex(ValueError, "another pattern"):
            system.update(A + scipy.sparse.diags([1.0, 1.0], [7, -7], shape=A.shape))
        with self.assertRaises(TypeError):
            copy.copy(system)

    def test_failures(self):
        indefinite = scipy.sparse.diags([1.0, -1.0, 2.0], format="csr")
        with self.assertRaisesRegex(gpusupernodal.NotPositiveDefinite, "column 1") as caught:
            gpusupernodal.System(indefinite).solve(numpy.ones(3))
        self.assertEqual(caught.exception.column, 1)
        with self.assertRaisesRegex(gpusupernodal.Error, "row 7"):
            bad = B[:, 0].copy()
            bad[7] = numpy.nan
            gpusupernodal.spsolve(A, bad)
        with self.assertRaisesRegex(gpusupernodal.Error, "max_iterations"):
            gpusupernodal.spsolve(A, B[:, 0], method="pcg", max_iterations=2)
        with self.assertRaisesRegex(TypeError, "did you mean 'expected_factorizations'"):
            gpusupernodal.spsolve(A, B[:, 0], expected_factorisations=3)
        with self.assertRaisesRegex(gpusupernodal.Error, "automatic, direct, mixed, pcg"):
            gpusupernodal.spsolve(A, B[:, 0], method="gmres")
        with self.assertRaisesRegex(ValueError, "order 400"):
            gpusupernodal.spsolve(A, B[:7, 0])
        with self.assertRaisesRegex(ValueError, "not square"):
            gpusupernodal.spsolve(A[:, :5], B[:, 0])
        with self.assertRaisesRegex(TypeError, "complex"):
            gpusupernodal.System(A * 1j)


unittest.main()
