"""Arrays that offer DLPack, seen through the array interfaces of NumPy and CUDA without a copy."""
from __future__ import annotations

import ctypes
from typing import Any

import numpy

_CPU, _CUDA, _CUDA_HOST, _CUDA_MANAGED = 1, 2, 3, 13  # Device types.
_READ_ONLY = 1  # The flag of a versioned capsule.
_LETTERS = {0: "i", 1: "u", 2: "f", 5: "c", 6: "b"}


class _Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


class _VersionedTensor(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("manager", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", _Tensor)]


_capsule_name = ctypes.pythonapi.PyCapsule_GetName
_capsule_name.restype, _capsule_name.argtypes = ctypes.c_char_p, [ctypes.py_object]
_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype, _capsule_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def _tensor_in(capsule: Any) -> tuple[_Tensor, bool]:
    """The tensor of a capsule, and whether it may only be read."""
    name = _capsule_name(capsule)
    address = _capsule_pointer(capsule, name)
    if name == b"dltensor_versioned":
        versioned = _VersionedTensor.from_address(address)
        return versioned.tensor, bool(versioned.flags & _READ_ONLY)
    return _Tensor.from_address(address), False


class View:
    """An array that offers DLPack alone. The memory is valid as long as this object lives: an exporter may hand out memory
    that belongs to the capsule and not to the array. Device memory is exported for work on `stream`: the exporter puts its own
    pending work before that."""

    def __init__(self, array: Any, stream: int) -> None:
        # Only memory with streams takes the argument, and it takes numbers: exporters disagree on what None asks for.
        arguments = {"stream": stream} if array.__dlpack_device__()[0] in (_CUDA, _CUDA_MANAGED) else {}
        try:
            capsule = array.__dlpack__(max_version=(1, 0), **arguments)
        except TypeError:  # Exporters older than DLPack 1.0 do not know max_version.
            capsule = array.__dlpack__(**arguments)
        tensor, read_only = _tensor_in(capsule)
        self._capsule = capsule
        item = tensor.bits // 8
        letter = _LETTERS.get(tensor.code, "V") if tensor.lanes == 1 else "V"
        self.shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
        about: dict[str, Any] = {
            "data": ((tensor.data or 0) + tensor.byte_offset, read_only), "shape": self.shape, "version": 3,
            "strides": tuple(tensor.strides[i] * item for i in range(tensor.ndim)) if tensor.strides else None,
            "typestr": f"{'|' if item == 1 else '<'}{letter}{item}"}
        self.dtype = numpy.dtype(about["typestr"])
        self.owns_device_memory = tensor.device_type in (_CUDA, _CUDA_MANAGED)
        if self.owns_device_memory:
            about["stream"] = stream
            self.__cuda_array_interface__ = about
        elif tensor.device_type in (_CPU, _CUDA_HOST):
            self.__array_interface__ = about
        else:
            raise TypeError(f"the array is on a device of DLPack's type {tensor.device_type}; only host memory (type {_CPU}) and "
                            f"CUDA's memory (type {_CUDA}) can be used")
