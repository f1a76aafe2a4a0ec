"""Tests the order of CUDA streams and tensors with gradients. The arrays are stand-ins that speak the protocols of PyTorch, CuPy and
Numba and record what is requested of them; no device and none of these packages is needed. Exits 77 without SciPy."""
import ctypes
import sys
import types
import unittest
from unittest import mock

try:
    import numpy
    import scipy.sparse
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)
import gpusupernodal
from gpusupernodal import _arrays, _dlpack, _streams
from gpusupernodal._matrices import DEVICE

N = 40
A = scipy.sparse.csc_matrix(scipy.sparse.diags([-1.0, 4.0, -1.0], [-5, 0, 5], shape=(N, N)))
OURS, THEIRS = 0x5000, 0x7000  # Streams of the solver and of the arrays' owner.


class OnDevice:
    """A vector that claims to lie on a device."""

    def __init__(self, count=N, stream=None, address=64):
        self.__cuda_array_interface__ = {"data": (address, False), "shape": (count,), "typestr": "<f8", "version": 3, "strides": None,
                                         **({} if stream is None else {"stream": stream})}


class TorchTensor(OnDevice):
    """PyTorch's interface names no stream."""
    __module__ = "torch"
    device = "cuda:0"


class ManagedTensor(ctypes.Structure):
    _fields_ = [("tensor", _dlpack._Tensor), ("manager", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class Exporter:
    """A vector that offers DLPack alone, and the arguments by which it was asked."""
    def __init__(self, device_type, versions=True):
        self.device_type, self.versions, self.asked = device_type, versions, []
        self.memory = numpy.ones(N)
        self.extent = (ctypes.c_int64 * 1)(N)
        self.managed = ManagedTensor(_dlpack._Tensor(self.memory.ctypes.data, device_type, 0, 1, 2, 64, 1, self.extent, None, 0))
        self.shape, self.dtype = (N,), self.memory.dtype

    def __dlpack_device__(self):
        return (self.device_type, 0)

    def __dlpack__(self, **arguments):
        if not self.versions and "max_version" in arguments:
            raise TypeError("an unexpected keyword argument 'max_version'")
        self.asked.append(arguments.get("stream", "no stream"))
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self.managed), b"dltensor", None)


class RecordingDriver:
    def __init__(self, events):
        self.events = events

    def wait(self, waiting, awaited, address):
        self.events.append(("wait", waiting, awaited, address))

    def synchronize(self, stream, address):
        self.events.append(("synchronize", stream))


class Recorded(unittest.TestCase):
    """A solver on the stream OURS whose calls with device memory are recorded instead of made."""
    MADE_UP = ("solve_part", "factorize", "refactorize", "reciprocal_condition")

    def setUp(self):
        self.events = []
        self.solver = gpusupernodal.Solver(backend="host")
        self.solver.compute(A)
        self.solver.set_stream(OURS)
        call = self.solver._call

        def recorded(name, *arguments):
            if name not in self.MADE_UP:
                return call(name, *arguments)
            self.events.append(name)
            if self.failing:
                raise gpusupernodal.Error(8, "the call failed")

        self.failing = False
        self.solver._call = recorded
        patched = mock.patch.object(_streams, "_driver", RecordingDriver(self.events))
        patched.start()
        self.addCleanup(patched.stop)


class CudaArrayInterface(Recorded):
    def test_the_solver_and_the_owner_wait_for_each_other(self):
        self.solver.solve(OnDevice(stream=THEIRS), out=OnDevice(stream=THEIRS, address=128))
        self.assertEqual(self.events, [("wait", OURS, THEIRS, 128), "solve_part", ("wait", THEIRS, OURS, 128)])

    def test_every_owner_is_waited_for(self):
        self.solver.solve(OnDevice(stream=1), out=OnDevice(stream=2, address=128))
        self.assertEqual(self.events, [("wait", OURS, 1, 64), ("wait", OURS, 2, 128), "solve_part", ("wait", 1, OURS, 64),
                                       ("wait", 2, OURS, 128)])

    def test_owners_wait_after_a_call_that_failed(self):
        self.failing = True
        self.assertRaises(gpusupernodal.Error, self.solver.solve, OnDevice(stream=THEIRS), out=OnDevice(stream=THEIRS))
        self.assertEqual(self.events[-1], ("wait", THEIRS, OURS, 64))

    def test_equal_streams_no_stream_and_no_memory_need_nothing(self):
        for array in (OnDevice(stream=OURS), OnDevice(), OnDevice(stream=THEIRS, address=0)):
            self.events.clear()
            self.solver.solve(array, out=array)
            self.assertEqual(self.events, ["solve_part"])

    def test_the_solvers_default_stream_is_the_legacy_one(self):
        for none in (None, 0):
            self.solver.set_stream(none)
            self.events.clear()
            self.solver.solve(OnDevice(stream=1), out=OnDevice(stream=1))
            self.assertEqual(self.events, ["solve_part"])
            self.solver.solve(OnDevice(stream=THEIRS), out=OnDevice(stream=1))
            self.assertEqual(self.events[1:], [("wait", 1, THEIRS, 64), "solve_part", ("wait", THEIRS, 1, 64)])

    def test_stream_0_is_refused(self):
        self.assertRaisesRegex(ValueError, "names the stream 0", self.solver.solve, OnDevice(stream=0), out=OnDevice())
        self.assertEqual(self.events, [])

    def test_values_of_a_matrix(self):
        self.solver.refactorize(OnDevice(A.nnz, THEIRS))
        matrix = types.SimpleNamespace(format="csc", tocsc=None, has_canonical_format=True, has_sorted_indices=True, ndim=2,
                                       shape=A.shape, indptr=A.indptr, indices=A.indices, data=OnDevice(A.nnz, THEIRS))
        self.solver.factorize(matrix)
        self.solver.reciprocal_condition(matrix)
        there, back = ("wait", OURS, THEIRS, 64), ("wait", THEIRS, OURS, 64)
        self.assertEqual(self.events, [there, "refactorize", back, there, "factorize", back, there, "reciprocal_condition", back])

    def test_the_current_stream_of_pytorch(self):
        for handle, number in ((THEIRS, THEIRS), (0, 1)):
            current = mock.Mock(return_value=types.SimpleNamespace(cuda_stream=handle))
            stand_in = types.SimpleNamespace(cuda=types.SimpleNamespace(current_stream=current))
            self.events.clear()
            with mock.patch.dict(sys.modules, torch=stand_in):
                self.solver.solve(TorchTensor(), out=TorchTensor())
            current.assert_called_with("cuda:0")
            self.assertEqual(self.events, [("wait", OURS, number, 64), "solve_part", ("wait", number, OURS, 64)])


class Normal(Recorded):
    """The factor of normal equations may work on another stream than their product, which makes M."""

    def setUp(self):
        super().setUp()
        self.normal = gpusupernodal.NormalEquations(A, backend="host", stream=OURS)
        self.factor = self.normal.factorize(numpy.ones(N))
        call = self.normal._call

        def on_a_device(name, *arguments):
            if name == "compute":
                self.events.append(name)
                return
            call(name, *arguments)
            if name == "matrix":  # byref() keeps its object as _obj.
                arguments[0]._obj.values, arguments[0]._obj.value_space = 64, DEVICE

        self.normal._call = on_a_device
        factors_call = self.factor._solver._call

        def recorded(name, *arguments):
            if name != "refactorize":
                return factors_call(name, *arguments)
            self.events.append(name)
            if self.failing:
                raise gpusupernodal.Error(8, "the call failed")

        self.factor._solver._call = recorded

    def test_the_factor_waits_for_m_and_the_next_m_for_the_factor(self):
        self.factor.set_stream(THEIRS)
        self.normal.factorize(numpy.ones(N))
        self.assertEqual(self.events, ["compute", ("wait", THEIRS, OURS, 64), "refactorize", ("wait", OURS, THEIRS, 64)])

    def test_the_next_m_waits_after_a_factorization_that_failed(self):
        self.factor.set_stream(None)
        self.failing = True
        self.assertRaises(gpusupernodal.Error, self.normal.factorize, numpy.ones(N))
        self.assertEqual(self.events, ["compute", ("wait", 1, OURS, 64), "refactorize", ("wait", OURS, 1, 64)])

    def test_one_stream_needs_nothing(self):
        self.normal.factorize(numpy.ones(N))
        self.assertEqual(self.events, ["compute", "refactorize"])


class Dlpack(Recorded):
    def test_device_memory_is_asked_for_on_the_solvers_stream(self):
        for device_type in (2, 13):
            for versions in (True, False):
                b, out = Exporter(device_type, versions), Exporter(device_type, versions)
                self.events.clear()
                self.solver.solve(b, out=out)
                self.assertEqual((b.asked, out.asked), ([OURS], [OURS]))
                # The capsules are released when the call returns.
                self.assertEqual(self.events, ["solve_part", ("synchronize", OURS)])
        values = Exporter(2)
        self.solver.refactorize(values)
        self.assertEqual(values.asked, [OURS])

    def test_the_legacy_default_stream_is_1(self):
        self.solver.set_stream(None)
        b = Exporter(2)
        self.solver.solve(b, out=b)
        self.assertEqual(b.asked, [1, 1])

    def test_host_memory_has_no_stream(self):
        for device_type in (1, 3):
            b = Exporter(device_type)
            self.solver.solve(b, out=b)
            self.assertEqual(b.asked, ["no stream"] * 2)
        self.assertEqual(self.events, ["solve_part"] * 2)

    def test_a_conversion_on_another_stream_sees_when_the_memory_is_ready(self):
        self.assertEqual(_arrays.adopt(Exporter(2), "b", OURS).__cuda_array_interface__["stream"], OURS)


class CudaDriver(unittest.TestCase):
    """The calls of the driver, recorded by a library that stands in for libcuda."""

    class Library:
        def __init__(self, failing=None):
            self.calls, self.failing = [], failing

        def __getattr__(self, name):
            def call(*arguments):
                self.calls.append((name, [getattr(value, "value", value) for value in arguments]))
                return 719 if name == self.failing else 0
            return call

    def driver(self, failing=None):
        with mock.patch.object(ctypes, "CDLL") as load:
            load.return_value = self.Library(failing)
            return _streams.Driver(), load.return_value.calls

    def test_wait(self):
        driver, calls = self.driver()
        driver.wait(OURS, THEIRS, 64)
        self.assertEqual([name for name, _ in calls],
                         ["cuPointerGetAttribute", "cuDevicePrimaryCtxRetain", "cuCtxPushCurrent_v2", "cuEventCreate", "cuEventRecord",
                          "cuStreamWaitEvent", "cuEventDestroy_v2", "cuCtxPopCurrent_v2", "cuDevicePrimaryCtxRelease_v2"])
        arguments = dict(calls)
        self.assertEqual(arguments["cuPointerGetAttribute"][1:], [9, 64])
        self.assertEqual(arguments["cuEventRecord"][1], THEIRS)
        self.assertEqual(arguments["cuStreamWaitEvent"][0], OURS)

    def test_synchronize(self):
        driver, calls = self.driver()
        driver.synchronize(OURS, 64)
        self.assertEqual([name for name, _ in calls][2:4], ["cuCtxPushCurrent_v2", "cuStreamSynchronize"])
        self.assertEqual(dict(calls)["cuStreamSynchronize"], [OURS])

    def test_a_failure_restores_the_context(self):
        driver, calls = self.driver("cuEventRecord")
        self.assertRaisesRegex(gpusupernodal.Error, "ended cuEventRecord with error 719", driver.wait, OURS, THEIRS, 64)
        self.assertEqual([name for name, _ in calls][-3:], ["cuEventDestroy_v2", "cuCtxPopCurrent_v2", "cuDevicePrimaryCtxRelease_v2"])


class Gradients(unittest.TestCase):
    """What PyTorch's tensors with gradients do: they refuse DLPack, and on a device the array interface too."""

    class OnTheHost:
        requires_grad = True
        shape, dtype = (N,), numpy.dtype(float)

        def __dlpack_device__(self):
            return (1, 0)

        def __dlpack__(self, **arguments):
            raise BufferError("Can't export tensors that require gradient, use tensor.detach()")

    class OnADevice(OnTheHost):
        @property
        def __cuda_array_interface__(self):
            raise RuntimeError("Can't get __cuda_array_interface__ on Variable that requires grad.")

    def test_vectors_and_values(self):
        factor = gpusupernodal.cholesky(A, backend="host")
        x = numpy.zeros(N)
        for tensor in (self.OnTheHost(), self.OnADevice()):
            for call in (factor, lambda b: factor.solve(b, out=x)):
                self.assertRaisesRegex(TypeError, r"^b requires gradients.*\.detach\(\)", call, tensor)
            self.assertRaisesRegex(TypeError, r"^out requires gradients.*\.detach\(\)", factor.solve, x, out=tensor)
            self.assertRaisesRegex(TypeError, r"^the array of values requires gradients.*\.detach\(\)", factor.refactorize, tensor)
        self.assertFalse(x.any())
        self.assertEqual(factor._solver.outcome(), "success")

    def test_tensors_of_pytorch(self):
        class Tensor:
            requires_grad, layout, ndim, shape, dtype = True, "torch.sparse_csr", 2, A.shape, "torch.float64"
        Tensor.__module__ = "torch"
        self.assertRaisesRegex(TypeError, r"^b requires gradients.*\.detach\(\)", gpusupernodal.cholesky(A, backend="host"), Tensor())
        self.assertRaisesRegex(TypeError, r"^the matrix requires gradients.*\.detach\(\)", gpusupernodal.cholesky, Tensor())

    def test_tensors_without_gradients_pass(self):
        class Plain(Exporter):
            requires_grad = False
        x = gpusupernodal.cholesky(A, backend="host")(Plain(1))
        self.assertLessEqual(abs(A @ x - 1.0).max(), 1e-14)


unittest.main()
