"""Tests arrays of other libraries: DLPack on the host, PyTorch, and CuPy's arrays on a GPU. Exits 77 without SciPy."""
import sys
import unittest

try:
    import numpy
    import scipy.sparse
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)
import gpusupernodal

try:
    import cupy
    import cupyx.scipy.sparse
    has_device = gpusupernodal.backend_available("cuda")
except ImportError:
    has_device = False
try:
    import torch
except ImportError:
    torch = None

N = 60
A = scipy.sparse.diags([-1.0, 4.0, -1.0], [-7, 0, 7], shape=(N, N), format="csc")
X = numpy.linspace(1.0, 2.0, 3 * N).reshape(N, 3)
BOUND = 4 * N * numpy.finfo(float).eps * 3 * 2


class ThroughDlpack:
    """An array that offers DLPack alone."""

    def __init__(self, array):
        self.array = array
        self.shape, self.dtype = array.shape, array.dtype

    def __dlpack__(self, **keywords):
        return self.array.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Foreign:
    """What PyTorch's and Numba's arrays have in common with CuPy's."""

    def __init__(self, array):
        self.array = array
        self.__cuda_array_interface__ = array.__cuda_array_interface__


@unittest.skipUnless(hasattr(numpy, "from_dlpack"), "this NumPy has no DLPack")
class OnTheHost(unittest.TestCase):
    def test_dlpack(self):
        solver = gpusupernodal.Solver(backend="host")
        solver.compute(A)
        b = ThroughDlpack(numpy.asfortranarray(A @ X))
        x = numpy.empty((N, 3), order="F")
        solver.solve(b, out=x)
        self.assertLessEqual(abs(x - X).max(), BOUND)
        solver.refactorize(ThroughDlpack(2.0 * A.data))
        self.assertLessEqual(abs(solver.solve(2.0 * (A @ X)) - X).max(), BOUND)

    @unittest.skipIf(torch is None, "PyTorch is not installed")
    def test_torch(self):
        a = A.tocsr()
        matrix = torch.sparse_csr_tensor(torch.tensor(a.indptr), torch.tensor(a.indices), torch.tensor(a.data), a.shape)
        factor = gpusupernodal.cholesky(matrix)
        for b in (torch.tensor(A @ X), torch.tensor(A @ X)[:, 0]):
            x = factor(b)
            self.assertIsInstance(x, torch.Tensor)
            self.assertLessEqual(abs(x.numpy() - (X if x.ndim == 2 else X[:, 0])).max(), BOUND)


@unittest.skipUnless(has_device, "there is no CuPy, or no device that the library can use")
class OnTheDevice(unittest.TestCase):
    def test_matrices_and_vectors_stay_there(self):
        for form in (cupyx.scipy.sparse.csc_matrix, cupyx.scipy.sparse.csr_matrix):
            factor = gpusupernodal.cholesky(form(A), backend="cuda", stream=cupy.cuda.get_current_stream().ptr)
            self.assertEqual(factor.backend, "cuda")
            for b in (A @ X, (A @ X)[:, 0]):
                x = factor(cupy.asarray(b))
                self.assertIsInstance(x, cupy.ndarray)
                self.assertLessEqual(abs(x.get() - (X if x.ndim == 2 else X[:, 0])).max(), BOUND)

    def test_foreign_arrays_in_place(self):
        factor = gpusupernodal.cholesky(cupyx.scipy.sparse.csc_matrix(A), backend="cuda")
        for kind in (Foreign, ThroughDlpack):
            b = cupy.asfortranarray(cupy.asarray(A @ X))
            x = kind(b)
            factor.solve(x, out=x)
            cupy.cuda.get_current_stream().synchronize()
            self.assertLessEqual(abs(b.get() - X).max(), BOUND)
            x = factor(kind(cupy.asarray(A @ X)))
            self.assertIsInstance(x, cupy.ndarray)
            self.assertLessEqual(abs(x.get() - X).max(), BOUND)
        values = cupy.asarray(3.0 * A.data)
        for kind in (Foreign, ThroughDlpack, lambda array: array):
            factor.refactorize(kind(values))
            self.assertLessEqual(abs(factor(cupy.asarray(3.0 * (A @ X))).get() - X).max(), BOUND)

    def test_streams_that_wait_for_nothing_else(self):
        """Right-hand sides are made and converted, and solutions read, on one stream while the solver works on another."""
        ours, theirs = cupy.cuda.Stream(non_blocking=True), cupy.cuda.Stream(non_blocking=True)
        factor = gpusupernodal.cholesky(cupyx.scipy.sparse.csc_matrix(A), backend="cuda", stream=ours.ptr)
        right = cupy.asarray(A @ X)
        cupy.cuda.get_current_stream().synchronize()
        with theirs:
            for k in range(1, 50):
                b = k * right
                for kind in (Foreign, ThroughDlpack, lambda array: array):
                    x = factor(kind(b)) / k
                    self.assertLessEqual(abs(x.get() - X).max(), BOUND)
                values = k * cupy.asarray(A.data)
                x = factor.refactorize(values)(b)
                del values, b
                self.assertLessEqual(abs(x.get() - X).max(), BOUND)
                factor.refactorize(cupy.asarray(A.data))

    def test_complex_and_strides(self):
        factor = gpusupernodal.cholesky(cupyx.scipy.sparse.csc_matrix(A), backend="cuda")
        self.assertRaisesRegex(TypeError, "complex", factor, cupy.ones(N, dtype=complex))
        self.assertRaisesRegex(TypeError, "strides", factor.solve, cupy.ones((N, 3)), out=cupy.ones((N, 3)))


unittest.main()
