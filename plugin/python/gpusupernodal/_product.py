"""The product of two sparse matrices."""
from __future__ import annotations

import ctypes
from typing import Any

import numpy

from . import _arrays, _streams
from ._errors import Error
from ._library import Sparse, library
from ._matrices import DEVICE, FULL, HOST


class Operand:
    """Arrays of a matrix, which the product reads during the call."""

    def __init__(self, matrix: Sparse, values: Any, *keep: Any) -> None:
        self.matrix, self.values, self.keep = matrix, values, keep
        self.on_device = _arrays.on_device(values)

    def transposed(self) -> "Operand":
        """Aᵀ with the arrays of A; a half of a symmetric matrix is its own transpose."""
        m = self.matrix
        if m.part != FULL:
            return self
        turned = Sparse(m.columns, m.rows, m.offsets, m.indices, m.values, m.index, m.part, 1 - m.compression, m.value_space)
        return Operand(turned, self.values, *self.keep)

    def on_host(self) -> "Operand":
        """The matrix with its values in host memory."""
        if not self.on_device:
            return self
        values = numpy.ascontiguousarray(_arrays.on_host(self.values))
        m = self.matrix
        near = Sparse(m.rows, m.columns, m.offsets, m.indices, _arrays.pointer(values), m.index, m.part, m.compression, HOST)
        return Operand(near, values, *self.keep)

    def count(self) -> int:
        return int(self.values.__cuda_array_interface__["shape"][0]) if self.on_device else int(self.values.size)


def multiply(a: Operand, b: Operand, dtype: Any, scalar: int, options: dict[str, str], stream: int,
             create: str = "create") -> Any:
    """Returns A·B as a scipy.sparse.csr_matrix, or Bᵀ·A·B if `create` is "create_galerkin"."""
    import scipy.sparse
    if a.on_device != b.on_device:
        a, b = a.on_host(), b.on_host()
    handle = ctypes.c_void_p()

    def call(name: str, *arguments: Any) -> None:
        code = getattr(library, "gpusupernodal_product_" + name)(*arguments)
        if code != 0:
            raise Error(code, library.gpusupernodal_product_message(handle).decode())

    def number(name: str) -> int:
        value = ctypes.c_double()
        call("report_number", handle, name.encode(), ctypes.byref(value))
        return int(value.value)

    call(create, scalar, ctypes.byref(handle))
    try:
        for name, text in options.items():
            call("set_option", handle, name.encode(), text.encode())
        if stream != _streams.LEGACY:
            call("set_stream", handle, stream)
        with _streams.shared(stream, a.values, b.values):
            call("analyze", handle, ctypes.byref(a.matrix), ctypes.byref(b.matrix))
            call("compute", handle, _arrays.pointer(a.values), a.count(), _arrays.pointer(b.values), b.count(),
                 DEVICE if a.on_device else HOST)
        rows, columns, entries = number("rows"), number("columns"), number("entries")
        offsets, indices = numpy.empty(rows + 1, numpy.int64), numpy.empty(entries, numpy.int32)
        values = numpy.empty(entries, dtype)
        call("copy", handle, _arrays.pointer(offsets), _arrays.pointer(indices), _arrays.pointer(values))
    finally:
        library.gpusupernodal_product_destroy(handle)
    if entries < 2**31:
        offsets = offsets.astype(numpy.int32)
    return scipy.sparse.csr_matrix((values, indices, offsets), shape=(rows, columns))
