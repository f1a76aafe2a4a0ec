"""Tests gpusupernodal.pcg beside scipy.sparse.linalg.cg. Exits 77 without SciPy."""
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

N = 20
LINE = scipy.sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(N, N))
A = (scipy.sparse.kron(LINE, scipy.sparse.identity(N)) + scipy.sparse.kron(scipy.sparse.identity(N), LINE)).tocsr()
B = numpy.random.default_rng(1).standard_normal((N * N, 3))
NAMES = ["auto", "none", "jacobi", "block_jacobi", "ssor_ai", "fsai", "ic0", "factor"]


class Pcg(unittest.TestCase):
    def check(self, x, b, tolerance):
        self.assertLessEqual(numpy.linalg.norm(b - A @ x), tolerance * numpy.linalg.norm(b))

    def test_every_preconditioner(self):
        for name in NAMES:
            x, info, (report,) = gpusupernodal.pcg(A, B[:, 0], M=name, full_output=True, backend="host")
            self.assertEqual(info, 0)
            self.check(x, B[:, 0], 1.01e-10)
            self.assertEqual(report["preconditioner"], "fsai" if name == "auto" else name)
            self.assertEqual(report["status"], "converged")

    def test_agrees_with_scipy(self):
        ours, info = gpusupernodal.pcg(A, B[:, 0], M="none", rtol=1e-8)
        theirs = scipy.sparse.linalg.spsolve(A.tocsc(), B[:, 0])
        self.assertEqual(info, 0)
        # ‖A⁻¹‖ = 1 / λ_min of the five-point Laplacian.
        inverse = 1.0 / (8.0 * numpy.sin(numpy.pi / (2 * (N + 1))) ** 2)
        self.assertLessEqual(numpy.linalg.norm(ours - theirs), 1.01e-8 * inverse * numpy.linalg.norm(B[:, 0]))

    def test_columns_dtypes_and_formats(self):
        x, info = gpusupernodal.pcg(A.tocsc(), B, rtol=1e-9)
        self.assertEqual((x.shape, info), (B.shape, 0))
        for column in range(3):
            self.check(x[:, column], B[:, column], 1.01e-9)
        x, info = gpusupernodal.pcg(A.astype(numpy.float32), B[:, 0].astype(numpy.float32))
        self.assertEqual((x.dtype, info), (numpy.dtype(numpy.float32), 0))
        self.check(x.astype(float), B[:, 0], 2e-5)
        lower = scipy.sparse.tril(A, format="csr")
        x, info = gpusupernodal.pcg(lower, B[:, 0], part="lower")
        self.assertEqual(info, 0)
        self.check(x, B[:, 0], 1.01e-10)

    def test_start(self):
        x, _ = gpusupernodal.pcg(A, B[:, 0])
        again, info, (report,) = gpusupernodal.pcg(A, B[:, 0], x0=x, full_output=True)
        self.assertEqual((info, report["iterations"]), (0, 0))
        numpy.testing.assert_array_equal(again, x)

    def test_info(self):
        _, info = gpusupernodal.pcg(A, B[:, 0], M="jacobi", maxiter=5)
        self.assertEqual(info, 5)
        indefinite = scipy.sparse.diags([1.0, -1.0, 2.0], format="csr")
        self.assertEqual(gpusupernodal.pcg(indefinite, numpy.ones(3), M="none")[1], -1)
        bad = B[:, 0].copy()
        bad[7] = numpy.nan
        x, info = gpusupernodal.pcg(A, bad)
        self.assertEqual(info, -3)
        self.assertTrue(numpy.isnan(x).all())

    def test_functions(self):
        diagonal = A.diagonal()
        counted = []

        def inverse(r):
            counted.append(r.shape)
            return r / diagonal

        for m in (inverse, scipy.sparse.linalg.LinearOperator(A.shape, matvec=lambda r: r / diagonal),
                  scipy.sparse.diags(1.0 / diagonal)):
            x, info, (report,) = gpusupernodal.pcg(A, B[:, 0], M=m, full_output=True)
            self.assertEqual(info, 0)
            self.assertEqual(report["foreign_preconditioner"], 1)
            self.check(x, B[:, 0], 1.01e-10)
        self.assertTrue(counted)
        x, info = gpusupernodal.pcg(scipy.sparse.linalg.aslinearoperator(A), B[:, 0], M=inverse)
        self.assertEqual(info, 0)
        self.check(x, B[:, 0], 1.01e-10)
        x, info = gpusupernodal.pcg(lambda v: A @ v, B[:, 0])
        self.check(x, B[:, 0], 1.01e-10)

    def test_errors_of_functions_are_raised(self):
        def fails(_):
            raise KeyError("mine")
        with self.assertRaisesRegex(KeyError, "mine"):
            gpusupernodal.pcg(A, B[:, 0], M=fails)
        with self.assertRaisesRegex(ValueError, "2 entries; 400 are needed"):
            gpusupernodal.pcg(A, B[:, 0], M=lambda r: r[:2])

    def test_misuse(self):
        with self.assertRaisesRegex(TypeError, "did you mean 'block_size'"):
            gpusupernodal.pcg(A, B[:, 0], blocksize=3)
        with self.assertRaisesRegex(gpusupernodal.Error, "fsai"):
            gpusupernodal.pcg(A, B[:, 0], M="ilu")
        with self.assertRaisesRegex(TypeError, "none of float32, float64, complex64 and complex128"):
            gpusupernodal.pcg(A, B[:, 0], dtype=numpy.float16)
        with self.assertRaisesRegex(ValueError, "order 400"):
            gpusupernodal.pcg(A, B[:7, 0])
        with self.assertRaisesRegex(TypeError, "M is a int"):
            gpusupernodal.pcg(A, B[:, 0], M=3)
        with self.assertRaisesRegex(TypeError, "complex"):
            gpusupernodal.pcg(A, B[:, 0] * 1j, dtype=float)
        for function in (A.toarray(), scipy.sparse.linalg.aslinearoperator(A)):
            with self.assertRaisesRegex(TypeError, "needs the entries of A"):
                gpusupernodal.pcg(function, B[:, 0], M="jacobi")


unittest.main()
