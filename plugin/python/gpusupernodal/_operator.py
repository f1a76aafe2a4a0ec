"""Operator: a sparse matrix prepared for products."""
from __future__ import annotations

import ctypes
from typing import Any, Optional

import numpy

from . import _arrays, _streams
from ._errors import Error
from ._library import Dense, library
from ._matrices import DEVICE, HOST, part_of, rectangular_view
from ._options import text_of

_SCALARS = [numpy.dtype(numpy.float32), numpy.dtype(numpy.float64)]  # GPUSUPERNODAL_FLOAT, GPUSUPERNODAL_DOUBLE
_NUMBERS = ("rows", "columns", "entries", "stored_values", "padding", "memory_bytes", "product_bytes", "predicted_seconds",
            "analyze_seconds")
_TEXTS = ("backend", "backend_reason", "format", "kernel")


class Operator:
    """A sparse matrix of SciPy, CuPy or PyTorch, stored for fast products on a GPU or on the host.

    `A @ x` takes vectors and matrices in host or device memory and returns them where they are. It has what SciPy's
    LinearOperator has, so that scipy.sparse.linalg.aslinearoperator and SciPy's iterative solvers take it.

    part: 'full', or 'lower' or 'upper' for a half of a symmetric matrix. dtype: float32 or float64, that of A if not given.
    transposed: keep the transposed matrix, too, for `A.T @ x`; False saves half of the memory, and a half of a symmetric
    matrix needs none. Options by keyword: backend, format, tuning, threads, device (docs/operators.md).

    >>> import numpy, scipy.sparse
    >>> A = Operator(scipy.sparse.csr_matrix([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]]), backend="host")
    >>> A @ numpy.array([1.0, 2.0, 3.0])
    array([7., 6.])
    >>> A.T @ numpy.array([1.0, 2.0])
    array([1., 6., 2.])
    """
    ndim = 2

    def __init__(self, a: Any, part: Any = "full", dtype: Any = None, transposed: bool = True, **options: Any) -> None:
        self._handle = ctypes.c_void_p()
        kind = numpy.dtype(dtype) if dtype is not None else _type_of(a)
        if kind not in _SCALARS:
            raise TypeError(f"{kind} is none of float32, float64")
        self.dtype = kind
        self._stream = _streams.LEGACY
        self._part = part_of(part)
        self._require(library.gpusupernodal_operator_create(_SCALARS.index(self.dtype), ctypes.byref(self._handle)))
        for name, value in {"transposed": transposed, **options}.items():
            self._call("set_option", name.encode(), text_of(value).encode())
        view = rectangular_view(a, self.dtype, self._part)
        self.shape = int(view.matrix.rows), int(view.matrix.columns)
        self._converted, self._layout = view.converted, view.layout
        # Copies, because SciPy may sort the arrays of A in place later.
        self._pattern = numpy.array(view.offsets), numpy.array(view.indices)
        with _streams.shared(self._stream, view.values):
            self._call("analyze", ctypes.byref(view.matrix))

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            library.gpusupernodal_operator_destroy(self._handle)

    def __reduce__(self) -> Any:
        """A copy would share the operator's memory, and both would free it."""
        raise TypeError("an Operator can be neither copied nor pickled; make a new one from the matrix")

    def _require(self, code: int) -> None:
        if code != 0:
            raise Error(code, library.gpusupernodal_operator_message(self._handle).decode())

    def _call(self, name: str, *arguments: Any) -> None:
        self._require(getattr(library, "gpusupernodal_operator_" + name)(self._handle, *arguments))

    def set_stream(self, stream: Optional[int]) -> None:
        """Sets the cudaStream_t, as a number, that later calls work on."""
        self._call("set_stream", stream)
        self._stream = _streams.number_of(stream)

    def update(self, a: Any) -> None:
        """Takes new values: a matrix with the pattern of A, or an array of its values in the order of A's arrays. An array in
        device memory is taken without waiting."""
        values = a
        if hasattr(a, "tocsc") or hasattr(a, "crow_indices") or hasattr(a, "ccol_indices"):
            view = rectangular_view(a, self.dtype, self._part, self._layout)
            if not all(numpy.array_equal(old, new) for old, new in zip(self._pattern, (view.offsets, view.indices))):
                raise ValueError("the matrix has another pattern than the operator; make a new Operator")
            values = view.values
        elif self._converted:
            raise ValueError("the matrix was converted to compressed rows, or its duplicates were summed, so an array of values "
                             "does not say which entry is which; pass a sparse matrix instead")
        values = _arrays.numbers(_arrays.adopt(values, "the array of values", self._stream), self.dtype, "the array of values")
        on_device = _arrays.on_device(values)
        size = int(values.__cuda_array_interface__["shape"][0]) if on_device else values.size
        with _streams.shared(self._stream, values):
            self._call("update", _arrays.pointer(values), size, DEVICE if on_device else HOST)

    def _product(self, x: Any, transposed: bool) -> Any:
        right = _arrays.column_major(x, self.dtype, self._stream)
        rows, columns = self.shape[::-1] if transposed else self.shape
        shape = tuple(right.shape)
        if len(shape) not in (1, 2) or shape[0] != columns:
            raise ValueError(f"x has the shape {shape}, but the product needs {columns} rows")
        out = _arrays.empty_like(right, self.dtype, (rows, *shape[1:]))
        device = _arrays.on_device(right)
        count = shape[1] if len(shape) == 2 else 1
        views = [Dense(_arrays.address(array), count, max(size, 1), DEVICE if device else HOST)
                 for array, size in ((right, columns), (out, rows))]
        with _streams.shared(self._stream, right, out):
            self._call("multiply", int(transposed), 1.0, ctypes.byref(views[0]), 0.0, ctypes.byref(views[1]))
        return out

    def matvec(self, x: Any) -> Any:
        """Returns A x for a vector."""
        return self._product(x, False)

    matmat = matvec

    def rmatvec(self, x: Any) -> Any:
        """Returns Aᵀ x for a vector."""
        return self._product(x, True)

    rmatmat = rmatvec

    def __matmul__(self, x: Any) -> Any:
        return self._product(x, False)

    def dot(self, x: Any) -> Any:
        """Returns A x."""
        return self._product(x, False)

    @property
    def T(self) -> "Transposed":
        """Aᵀ, with the same memory."""
        return Transposed(self)

    @property
    def H(self) -> "Transposed":
        """Aᵀ: the entries are real."""
        return self.T

    def report(self) -> dict[str, Any]:
        """Returns the format, its kernel, sizes and times (OperatorReport)."""
        found: dict[str, Any] = {}
        for name in _NUMBERS:
            number = ctypes.c_double()
            self._call("report_number", name.encode(), ctypes.byref(number))
            found[name] = number.value
        for name in _TEXTS:
            text = ctypes.c_char_p()
            self._call("report_text", name.encode(), ctypes.byref(text))
            found[name] = (text.value or b"").decode()
        return found

    def __repr__(self) -> str:
        return f"<Operator of {self.shape[0]} by {self.shape[1]}, {self.dtype}: {self.report()['kernel']}>"


class Transposed:
    """The transpose of an Operator."""
    ndim = 2

    def __init__(self, operator: Operator) -> None:
        self.T = self.H = operator
        self.shape = operator.shape[::-1]
        self.dtype = operator.dtype

    def matvec(self, x: Any) -> Any:
        """Returns Aᵀ x."""
        return self.T.rmatvec(x)

    def rmatvec(self, x: Any) -> Any:
        """Returns A x."""
        return self.T.matvec(x)

    matmat, rmatmat = matvec, rmatvec
    __matmul__ = dot = matvec


def _type_of(a: Any) -> Any:
    """The type of a matrix if the library has it, else double precision."""
    name = str(getattr(a, "dtype", "")).replace("torch.", "")
    return numpy.dtype(name) if name in ("float32", "float64") else numpy.dtype(numpy.float64)
