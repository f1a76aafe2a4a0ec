"""Arrays in host and device memory, without copies: NumPy, __cuda_array_interface__ (CuPy, PyTorch, Numba), DLPack."""
from __future__ import annotations

import ctypes
from typing import Any

import numpy

_CPU, _CUDA, _CUDA_HOST, _CUDA_MANAGED = 1, 2, 3, 13  # Device types of DLPack.


class _DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype, _capsule_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


class DeviceView:
    """An array in device memory that speaks DLPack only, seen through __cuda_array_interface__. It keeps the array alive."""

    def __init__(self, array: Any) -> None:
        capsule = array.__dlpack__()
        tensor = _DLTensor.from_address(_capsule_pointer(capsule, b"dltensor"))
        letter = {0: "i", 1: "u", 2: "f", 5: "c"}.get(tensor.code, "V")
        item = tensor.bits // 8
        shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
        strides = tuple(tensor.strides[i] * item for i in range(tensor.ndim)) if tensor.strides else None
        self._keep = (array, capsule)
        self.__cuda_array_interface__: dict[str, Any] = {
            "data": ((tensor.data or 0) + tensor.byte_offset, False), "shape": shape, "strides": strides,
            "typestr": f"<{letter}{item}", "version": 3}

    @property
    def dtype(self) -> numpy.dtype[Any]:
        return numpy.dtype(str(self.__cuda_array_interface__["typestr"]))

    @property
    def shape(self) -> tuple[int, ...]:
        shape: tuple[int, ...] = self.__cuda_array_interface__["shape"]
        return shape


def on_device(array: Any) -> bool:
    return hasattr(array, "__cuda_array_interface__")


def adopt(array: Any) -> Any:
    """The array itself, or a view of it that NumPy or __cuda_array_interface__ understands."""
    if on_device(array) or hasattr(array, "__array_interface__") or not hasattr(array, "__dlpack_device__"):
        return array
    device = int(array.__dlpack_device__()[0])
    if device in (_CUDA, _CUDA_MANAGED):
        return DeviceView(array)
    if device in (_CPU, _CUDA_HOST) and hasattr(numpy, "from_dlpack"):
        return numpy.from_dlpack(array)
    return array


def pointer(array: Any) -> int:
    data: int = array.__cuda_array_interface__["data"][0] if on_device(array) else array.ctypes.data
    return data


def on_host(array: Any) -> Any:
    """A contiguous array on the host; a copy of a device array."""
    if on_device(array):
        array = array.get() if hasattr(array, "get") else array.cpu().numpy()
    elif hasattr(array, "detach"):
        array = array.detach().numpy()
    return numpy.require(array, requirements=["C", "A"])


def refuse_complex(array: Any, what: str) -> None:
    """A conversion would drop the imaginary parts."""
    if numpy.dtype(dtype_of(array)).kind == "c":
        raise TypeError(f"{what} has complex entries ({array.dtype}); only real systems are solved")


def dtype_of(array: Any) -> Any:
    return numpy.dtype(array.__cuda_array_interface__["typestr"]) if on_device(array) else array.dtype


def real(array: Any, dtype: Any, what: str) -> Any:
    """The array as a contiguous one of a real type; a copy only if it is not one already."""
    refuse_complex(array, what)
    if not on_device(array):
        return numpy.require(array, dtype, ["C", "A"])
    about = array.__cuda_array_interface__
    if about["typestr"] == numpy.dtype(dtype).str and about.get("strides") in (None, (numpy.dtype(dtype).itemsize,)):
        return array
    if type(array).__module__.split(".")[0] == "torch":
        return array.to(getattr(__import__("torch"), numpy.dtype(dtype).name)).contiguous()
    import cupy
    return cupy.ascontiguousarray(cupy.asarray(array), dtype=dtype)


def empty_like(b: Any, dtype: Any) -> Any:
    """An uninitialised array of b's shape, in b's memory and library, with contiguous columns."""
    shape = tuple(b.shape)
    if type(b).__module__.split(".")[0] == "torch":
        import torch
        new = torch.empty(shape[::-1], dtype=getattr(torch, numpy.dtype(dtype).name), device=b.device)
        return new.T if len(shape) == 2 else new
    if on_device(b):
        import cupy
        return cupy.empty(shape, dtype=dtype, order="F")
    return numpy.empty(shape, dtype=dtype, order="F")


def column_major(b: Any, dtype: Any) -> Any:
    """b as an array of the type with contiguous columns, in b's memory; a copy only if it is not one already."""
    if type(b).__module__.split(".")[0] == "torch":
        refuse_complex_torch(b)
        import torch
        b = b.detach().to(getattr(torch, numpy.dtype(dtype).name))
        if b.ndim != 2:
            return b.contiguous() if on_device(b) else b.contiguous().numpy()
        b = b.T.contiguous().T
        return b if on_device(b) else b.numpy()
    if on_device(b):
        refuse_complex(b, "b")
        import cupy
        return cupy.asarray(b, dtype=dtype, order="F")
    b = numpy.asarray(b)
    refuse_complex(b, "b")
    return numpy.asarray(b, dtype=dtype, order="F")


def refuse_complex_torch(b: Any) -> None:
    if b.is_complex():
        raise TypeError(f"b has complex entries ({b.dtype}); only real systems are solved")
