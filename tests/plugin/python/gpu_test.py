"""Tests with arrays of CuPy, PyTorch, JAX and Numba on a GPU: the order of CUDA streams while work on them is delayed, device memory
that is used in place, and factorizations that fail. Exits 77 without CuPy, SciPy or a device that the library can use."""
import inspect
import json
import os
import sys
import tempfile
import unittest

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # JAX would take most of the device's memory.
try:
    import cupy
    import cupyx.scipy.sparse
    import cupyx.scipy.sparse.linalg
    import numpy
    import scipy.sparse
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)
import gpusupernodal

if not gpusupernodal.backend_available("cuda"):
    print("skipped: there is no device that the library can use")
    sys.exit(77)


def optional(name):
    try:
        __import__(name)
    except ImportError:
        return None
    return sys.modules[name]


torch, jax, numba_cuda = optional("torch"), optional("jax"), optional("numba.cuda")

SIDE = 100
N = SIDE * SIDE
A = scipy.sparse.csc_matrix(scipy.sparse.kronsum(*2 * [scipy.sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(SIDE, SIDE))]) +
                            scipy.sparse.identity(N))
X = numpy.linspace(1.0, 2.0, 2 * N).reshape(N, 2)
B = numpy.asfortranarray(A @ X)
BOUND = 30 * numpy.finfo(float).eps * 9 * 2  # The condition of A is below 9, its rows have 5 entries.
DELAY = 100_000_000  # Cycles of the device's clock: about 50 ms.
spin = cupy.RawKernel('extern "C" __global__ void spin(long long n) { for (long long t = clock64(); clock64() - t < n;); }', "spin")


def delay(stream):
    with stream:
        spin((1,), (1,), (numpy.int64(DELAY),))


class ThroughDlpack:
    """An array that offers DLPack alone."""

    def __init__(self, array):
        self.array, self.shape, self.dtype = array, array.shape, array.dtype

    def __dlpack__(self, **keywords):
        return self.array.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Foreign:
    """An array that offers the CUDA array interface alone."""

    def __init__(self, array):
        self.array, self.__cuda_array_interface__ = array, array.__cuda_array_interface__


KINDS = (lambda array: array, Foreign, ThroughDlpack)


def error(x):
    return abs(cupy.asnumpy(x) - X).max()


class OrderOfStreams(unittest.TestCase):
    """The solver works on one stream, the arrays' owner on another, and neither waits for the legacy default stream."""

    def setUp(self):
        self.ours, self.theirs = cupy.cuda.Stream(non_blocking=True), cupy.cuda.Stream(non_blocking=True)
        self.factor = gpusupernodal.cholesky(cupyx.scipy.sparse.csc_matrix(A), backend="cuda", stream=self.ours.ptr)
        self.right, self.values = cupy.asarray(B), cupy.asarray(A.data)
        for _ in range(2):  # Kernels are loaded at their first launch, which may wait for the whole device.
            delay(self.theirs)
            self.factor.refactorize(self.values)
            self.factor(self.right)
            cupy.full_like(self.right, numpy.nan)[...] = self.right
        cupy.cuda.Device().synchronize()

    def test_the_solver_waits_for_right_hand_sides(self):
        for kind in KINDS:
            b, x = cupy.full_like(self.right, numpy.nan), cupy.zeros_like(self.right)
            cupy.cuda.Device().synchronize()
            with self.theirs:
                delay(self.theirs)
                b[...] = self.right
                self.factor.solve(kind(b), out=kind(x))
                self.assertLessEqual(error(x), BOUND)

    def test_right_hand_sides_may_be_overwritten_at_once(self):
        for kind in KINDS:
            b, x = self.right.copy(order="F"), cupy.zeros_like(self.right)
            cupy.cuda.Device().synchronize()
            delay(self.ours)
            with self.theirs:
                self.factor.solve(kind(b), out=kind(x))
                b.fill(numpy.nan)
                self.assertLessEqual(error(x), BOUND)

    def test_new_solutions_are_read_when_they_are_ready(self):
        for kind in KINDS:
            with self.theirs:
                b = self.right.copy(order="F")
                cupy.cuda.Device().synchronize()
                delay(self.ours)
                x = self.factor(kind(b))
                del b
                cupy.full_like(self.right, numpy.nan)  # Takes b's memory, if that is free already.
                self.assertLessEqual(error(x), BOUND)

    def test_the_solver_waits_for_values(self):
        for kind in KINDS:
            values = cupy.full_like(self.values, numpy.nan)
            cupy.cuda.Device().synchronize()
            with self.theirs:
                delay(self.theirs)
                values[...] = 2.0 * self.values
                self.factor.refactorize(kind(values))
                values.fill(numpy.nan)
                self.assertLessEqual(error(2.0 * self.factor(self.right)), BOUND)

    @unittest.skipIf(torch is None or not torch.cuda.is_available(), "there is no PyTorch with CUDA")
    def test_the_current_stream_of_pytorch(self):
        right, stream = torch.tensor(B, device="cuda"), torch.cuda.Stream()
        torch.cuda.synchronize()
        for out in (False, True):
            with torch.cuda.stream(stream):
                b = torch.full((2, N), numpy.nan, device="cuda", dtype=torch.float64).T
                x = torch.zeros((2, N), device="cuda", dtype=torch.float64).T if out else None
                torch.cuda._sleep(DELAY)
                b.copy_(right)
                x = self.factor.solve(b, out=x)
                b.fill_(numpy.nan)
                self.assertIsInstance(x, torch.Tensor)
                self.assertLessEqual(abs(x.cpu().numpy() - X).max(), BOUND)


class InPlace(unittest.TestCase):
    """Device memory is neither copied nor moved."""

    def setUp(self):
        self.matrix = cupyx.scipy.sparse.csc_matrix(A)
        self.factor = gpusupernodal.cholesky(self.matrix, backend="cuda")
        self.b, self.x, self.values = cupy.asarray(B), cupy.zeros((N, 2), order="F"), cupy.asarray(A.data)

    def test_the_library_gets_the_addresses_of_the_arrays(self):
        seen, solver = [], self.factor._solver
        call = solver._call

        def recorded(name, *arguments):
            for argument in arguments:
                view = getattr(argument, "_obj", argument)
                seen.append(getattr(view, "data", None) or getattr(view, "values", None) or view)
            return call(name, *arguments)

        solver._call = recorded
        for kind in KINDS:
            self.factor.solve(kind(self.b), out=kind(self.x))
            self.factor.refactorize(kind(self.values))
            for address in (self.b.data.ptr, self.x.data.ptr, self.values.data.ptr):
                self.assertIn(address, seen)
            seen.clear()
        self.factor.refactorize(self.matrix)
        self.assertIn(self.matrix.data.data.ptr, seen)

    def test_nothing_is_allocated(self):
        class Allocations(cupy.cuda.MemoryHook):
            name, count = "Allocations", 0

            def malloc_preprocess(self, **keywords):
                self.count += 1

        def work():
            self.factor.refactorize(self.values).solve(self.b, out=self.x)
            cupy.cuda.Device().synchronize()

        work()
        free = cupy.cuda.runtime.memGetInfo()[0]
        with Allocations() as allocations:
            work()
        self.assertEqual((allocations.count, cupy.cuda.runtime.memGetInfo()[0]), (0, free))
        with Allocations() as allocations:
            self.factor(self.b)
        self.assertEqual(allocations.count, 1)  # The solution.

    @unittest.skipIf(torch is None or not torch.cuda.is_available(), "there is no PyTorch with CUDA, whose profiler counts copies")
    def test_nothing_is_copied_between_host_and_device(self):
        self.factor.refactorize(self.values).solve(self.b, out=self.x)
        with tempfile.TemporaryDirectory() as folder:
            with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
                self.factor.refactorize(self.values).solve(self.b, out=self.x)
                cupy.cuda.Device().synchronize()
            trace = os.path.join(folder, "trace.json")
            profile.export_chrome_trace(trace)
            with open(trace, encoding="utf-8") as file:
                events = json.load(file)["traceEvents"]
        self.assertTrue([event for event in events if event.get("cat") == "kernel"], "the profiler saw no kernel")
        copied = sum(event["args"]["bytes"] for event in events
                     if event.get("cat") == "gpu_memcpy" and ("HtoD" in event["name"] or "DtoH" in event["name"]))
        print(f"bytes copied between host and device: {copied}; a right-hand side has {8 * N}")
        self.assertLess(copied, N)

    def test_arrays_of_other_libraries(self):
        arrays = []
        if numba_cuda is not None:
            arrays.append(numba_cuda.to_device(B))
        if jax is not None and jax.default_backend() == "gpu":
            jax.config.update("jax_enable_x64", True)
            arrays.append(jax.numpy.asarray(B))
        for b in arrays:
            with self.subTest(type(b).__module__):
                x = self.factor(b)
                self.assertIsInstance(x, cupy.ndarray)
                self.assertLessEqual(error(x), BOUND)
        if not arrays:
            self.skipTest("there is neither Numba nor JAX")


class Matrices(unittest.TestCase):
    def test_failed_pivots(self):
        """The failure that the host finds; then new values in the same factor."""
        bad = A.copy()
        diagonal = numpy.flatnonzero(bad.indices == numpy.repeat(numpy.arange(N), numpy.diff(bad.indptr)))
        bad.data[diagonal[N // 3]] = -1.0
        options = {"ordering": "amd"}
        with self.assertRaises(gpusupernodal.NotPositiveDefinite) as host:
            gpusupernodal.cholesky(bad, backend="host", **options)
        with self.assertRaises(gpusupernodal.NotPositiveDefinite) as device:
            gpusupernodal.cholesky(cupyx.scipy.sparse.csc_matrix(bad), backend="cuda", **options)
        self.assertEqual(device.exception.column, host.exception.column)
        self.assertLess(device.exception.pivot, 0.0)
        factor = gpusupernodal.cholesky(cupyx.scipy.sparse.csc_matrix(A), backend="cuda", **options)
        for _ in range(2):
            self.assertRaises(gpusupernodal.NotPositiveDefinite, factor.refactorize, cupy.asarray(bad.data))
            self.assertEqual(factor.status, "not_positive_definite")
            self.assertRaises(gpusupernodal.Error, factor, cupy.asarray(B))
            factor.refactorize(cupy.asarray(A.data))
            self.assertLessEqual(error(factor(cupy.asarray(B))), BOUND)
        self.assertRaises(gpusupernodal.FactorizationFailed, factor.refactorize, cupy.full(A.nnz, numpy.nan))

    def test_parts_of_a_factor(self):
        factor = gpusupernodal.cholesky(cupyx.scipy.sparse.csr_matrix(A.tocsr()), backend="cuda")
        self.assertEqual(factor.backend, "cuda")
        L, perm = factor.L(), factor.perm
        self.assertLessEqual(abs(L @ L.T - A[perm][:, perm]).max(), 9 * BOUND)
        host = gpusupernodal.cholesky(A, backend="host")
        self.assertAlmostEqual(factor.logdet() / host.logdet(), 1.0, delta=1e-13)
        b = cupy.asarray(B)
        self.assertTrue((factor.apply_P(b).get() == B[perm]).all())
        halves = factor.apply_Pt(factor.solve_Lt(factor.solve_L(factor.apply_P(b))))
        self.assertLessEqual(error(halves), BOUND)

    def test_single_precision_and_a_preconditioner(self):
        matrix = cupyx.scipy.sparse.csr_matrix(A.tocsr())
        factor = gpusupernodal.cholesky(matrix.astype(numpy.float32), backend="cuda", shift=1e-3)
        self.assertEqual(factor.dtype, numpy.float32)
        operator = cupyx.scipy.sparse.linalg.LinearOperator(A.shape, matvec=lambda b: factor(b).astype(float), dtype=float)
        steps, cg = [], cupyx.scipy.sparse.linalg.cg
        tolerance = {"rtol" if "rtol" in inspect.signature(cg).parameters else "tol": 1e-12}
        x, failed = cg(matrix, cupy.asarray(B[:, 0]), M=operator, callback=steps.append, **tolerance)
        self.assertEqual(failed, 0)
        self.assertLessEqual(len(steps), 10)
        self.assertLessEqual(abs(x.get() - X[:, 0]).max(), 1e-10)

    def test_the_host_takes_device_memory_too(self):
        factor = gpusupernodal.cholesky(cupyx.scipy.sparse.csc_matrix(A), backend="host")
        x = factor(cupy.asarray(B))
        self.assertIsInstance(x, cupy.ndarray)
        self.assertLessEqual(error(x), BOUND)

    @unittest.skipIf(torch is None or not torch.cuda.is_available(), "there is no PyTorch with CUDA")
    def test_tensors(self):
        a = A.tocsr()
        for dtype, bound in ((torch.float64, BOUND), (torch.float32, BOUND * 2.0**29)):
            matrix = torch.sparse_csr_tensor(torch.tensor(a.indptr), torch.tensor(a.indices), torch.tensor(a.data, dtype=dtype),
                                             a.shape, device="cuda")
            factor = gpusupernodal.cholesky(matrix, backend="cuda")
            x = factor(torch.tensor(B, device="cuda", dtype=dtype))
            self.assertEqual((x.dtype, x.device.type), (dtype, "cuda"))
            self.assertLessEqual(abs(x.cpu().numpy() - X).max(), bound)
            factor.refactorize(2.0 * matrix.values())
            self.assertLessEqual(abs(2.0 * factor(torch.tensor(B[:, 0], device="cuda", dtype=dtype)).cpu().numpy() - X[:, 0]).max(),
                                 bound)


unittest.main()
