"""Arrays in host and device memory, without copies: NumPy, __cuda_array_interface__ (CuPy, PyTorch, Numba), DLPack."""
from __future__ import annotations

from typing import Any

import numpy

from . import _dlpack
from ._streams import LEGACY


def on_device(array: Any) -> bool:
    return hasattr(array, "__cuda_array_interface__")


def refuse_gradients(array: Any, what: str) -> None:
    """Refuses a tensor of PyTorch in whose place a solution without its gradient would go unnoticed."""
    if getattr(array, "requires_grad", False):
        raise TypeError(f"{what} requires gradients, which this package does not compute; pass it with .detach()")


def adopt(array: Any, what: str, stream: int = LEGACY) -> Any:
    """The array itself, or a view of it with the array interface of NumPy or CUDA, for work on `stream`. The view must live as
    long as its memory is used."""
    refuse_gradients(array, what)
    if on_device(array) or hasattr(array, "__array_interface__") or not hasattr(array, "__dlpack_device__"):
        return array
    view = _dlpack.View(array, stream)
    return view if on_device(view) else numpy.asarray(view)


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


def require_numbers(array: Any, wanted: Any, what: str) -> None:
    """Refuses entries that a conversion to the type would change, guess or fail on."""
    dtype = numpy.dtype(dtype_of(array))
    if dtype.kind == "c" and numpy.dtype(wanted).kind != "c":
        raise TypeError(f"{what} has complex entries ({dtype}), but the solver's type is {numpy.dtype(wanted)}")
    if dtype.kind not in "biufc":
        raise TypeError(f"{what} has entries of type {dtype}; numbers are needed")


def refuse_masked(array: Any, what: str) -> None:
    if isinstance(array, numpy.ma.MaskedArray):
        raise TypeError(f"{what} is a masked array, and the entries under the mask have no value; .filled(value) gives them one")


def dtype_of(array: Any) -> Any:
    return numpy.dtype(array.__cuda_array_interface__["typestr"]) if on_device(array) else array.dtype


def numbers(array: Any, dtype: Any, what: str) -> Any:
    """The array as a contiguous one of the type; a copy only if it is not one already."""
    require_numbers(array, dtype, what)
    if not on_device(array):
        return numpy.require(array, dtype, ["C", "A"])
    about = array.__cuda_array_interface__
    if about["typestr"] == numpy.dtype(dtype).str and about.get("strides") in (None, (numpy.dtype(dtype).itemsize,)):
        return array
    if type(array).__module__.split(".")[0] == "torch":
        return array.to(getattr(__import__("torch"), numpy.dtype(dtype).name)).contiguous()
    import cupy
    return cupy.ascontiguousarray(cupy.asarray(array), dtype=dtype)


def address(array: Any) -> int:
    """The address of an array's first entry, in host or device memory."""
    data: int = (array.__cuda_array_interface__ if on_device(array) else array.__array_interface__)["data"][0]
    return data


def empty_like(b: Any, dtype: Any, shape: Any = None) -> Any:
    """An uninitialised array of b's shape, or of another one, in b's memory and library, with contiguous columns."""
    shape = tuple(b.shape) if shape is None else shape
    if type(b).__module__.split(".")[0] == "torch":
        import torch
        new = torch.empty(shape[::-1], dtype=getattr(torch, numpy.dtype(dtype).name), device=b.device)
        return new.T if len(shape) == 2 else new
    if on_device(b):
        import cupy
        return cupy.empty(shape, dtype=dtype, order="F")
    return numpy.empty(shape, dtype=dtype, order="F")


def column_major(b: Any, dtype: Any, stream: int) -> Any:
    """b as an array of the type with contiguous columns, in b's memory; a copy only if it is not one already. `stream`: that of
    the work that follows."""
    if type(b).__module__.split(".")[0] == "torch":
        refuse_gradients(b, "b")
        refuse_complex_torch(b, dtype)
        import torch
        b = b.resolve_conj().to(getattr(torch, numpy.dtype(dtype).name))
        if b.ndim != 2:
            return b.contiguous() if on_device(b) else b.contiguous().numpy()
        b = b.T.contiguous().T
        return b if on_device(b) else b.numpy()
    b = adopt(b, "b", stream)
    if on_device(b):
        require_numbers(b, dtype, "b")
        import cupy
        return cupy.asarray(b, dtype=dtype, order="F")
    if hasattr(b, "tocsc"):
        raise TypeError(f"b is a sparse {type(b).__name__}; an array is needed, for example b.toarray()")
    refuse_masked(b, "b")
    b = numpy.asarray(b)
    if b.size > 0:
        require_numbers(b, dtype, "b")
    return numpy.asarray(b, dtype=dtype, order="F")


def refuse_complex_torch(b: Any, dtype: Any) -> None:
    if b.is_complex() and numpy.dtype(dtype).kind != "c":
        raise TypeError(f"b has complex entries ({b.dtype}), but the solver's type is {numpy.dtype(dtype)}")
