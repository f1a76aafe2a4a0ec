"""spsolve(A, b) and System(A): a direct or an iterative method, whichever is forecast to end sooner."""
from __future__ import annotations

import ctypes
from typing import Any, Optional

import numpy

from . import _arrays, _options, _streams
from ._errors import Error, NotPositiveDefinite
from ._library import Dense, library, names
from ._lu import lu
from ._matrices import DEVICE, FULL, HOST, Layout, part_of, view_of

_SCALARS = [numpy.dtype(numpy.float32), numpy.dtype(numpy.float64)]  # In the order of a gpusupernodal_scalar.
_TEXTS = ("status", "method", "reason", "backend")
_NOT_POSITIVE_DEFINITE = 1  # GPUSUPERNODAL_NOT_POSITIVE_DEFINITE.


class System:
    """A symmetric positive definite matrix for repeated solves, by the method that is forecast to end first.

    A: a sparse matrix of SciPy, CuPy or PyTorch, of which the lower triangle is read, or the half that `part` names. dtype:
    float32 or float64, that of A if not given. expected_solves: right-hand sides for one set of values. Options by keyword:
    method ("automatic", "direct", "mixed", "pcg"), tolerance, threads, … (docs/system.md).

    >>> import scipy.sparse
    >>> A = scipy.sparse.diags([-1.0, 4.0, -1.0], [-1, 0, 1], shape=(1000, 1000), format="csr")
    >>> system = System(A, expected_solves=100, backend="host")
    >>> x = system.solve(numpy.ones(1000))
    >>> bool(abs(A @ x - 1.0).max() < 1e-8), system.report["status"]
    (True, 'solved')
    >>> y = system.update(2.0 * A).solve(numpy.ones(1000))
    >>> bool(abs(x - 2.0 * y).max() < 1e-8)
    True
    """

    def __init__(self, A: Any, *, expected_solves: int = 1, part: Any = FULL, dtype: Any = None, stream: Optional[int] = None,
                 **options: Any) -> None:
        known = _options.check(options, "System", ("expected_solves", "part", "dtype", "stream"), kind="system_option")
        known["expected_solves"] = str(int(expected_solves))
        if dtype is None:
            dtype = "float32" if str(getattr(A, "dtype", "")).endswith("float32") else "float64"
            if "complex" in str(getattr(A, "dtype", "")):
                raise TypeError("the matrix is complex; lu(A) and cholesky(A) take complex matrices")
        self.dtype = numpy.dtype(dtype)
        if self.dtype not in _SCALARS:
            raise TypeError(f"{self.dtype} is none of float32 and float64")
        self._handle = ctypes.c_void_p()
        self._stream = _streams.LEGACY if stream is None else stream
        self._part = part_of(part)
        self._require(library.gpusupernodal_system_create(_SCALARS.index(self.dtype), ctypes.byref(self._handle)))
        for name, value in known.items():
            self._call("set_option", name.encode(), value.encode())
        if stream is not None:
            self._call("set_stream", stream)
        view = view_of(A, self.dtype, self._part, check=True)
        self.shape = (view.order, view.order)
        self._layout: Layout = view.layout
        # Copies, because SciPy may sort the arrays of A in place later.
        self._pattern = numpy.array(view.offsets), numpy.array(view.indices)
        with _streams.shared(self._stream, view.values):
            self._call("compute", ctypes.byref(view.matrix))

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            library.gpusupernodal_system_destroy(self._handle)

    def __reduce__(self) -> Any:
        """A copy would share the memory, and both would free it."""
        raise TypeError("a System can be neither copied nor pickled; make a new one from the matrix")

    def _require(self, code: int) -> None:
        if code == 0:
            return
        sentence = library.gpusupernodal_system_message(self._handle).decode()
        if code == _NOT_POSITIVE_DEFINITE:
            raise NotPositiveDefinite(code, sentence, int(self._number(b"failed_column")))
        raise Error(code, sentence)

    def _call(self, name: str, *arguments: Any) -> None:
        self._require(getattr(library, "gpusupernodal_system_" + name)(self._handle, *arguments))

    def _number(self, name: bytes) -> float:
        value = ctypes.c_double()
        self._call("report_number", name, ctypes.byref(value))
        return value.value

    @property
    def report(self) -> dict[str, Any]:
        """What the last solve decided and measured: status, method, reason, forecasts, times, memory (docs/system.md)."""
        result: dict[str, Any] = {}
        for name in _TEXTS:
            text = ctypes.c_char_p()
            self._call("report_text", name.encode(), ctypes.byref(text))
            result[name] = (text.value or b"").decode()
        for name in names("system_report_number"):
            result[name] = self._number(name.encode())
        return result

    def update(self, A: Any) -> "System":
        """Takes new values: a matrix with the pattern of the first one. Returns the object."""
        view = view_of(A, self.dtype, self._part, like=self._layout)
        if not all(numpy.array_equal(old, new) for old, new in zip(self._pattern, (view.offsets, view.indices))):
            raise ValueError("the matrix has another pattern than the first one; make a new System")
        count = int(view.offsets[-1])
        with _streams.shared(self._stream, view.values):
            self._call("update", _arrays.pointer(view.values), count, DEVICE if _arrays.on_device(view.values) else HOST)
        return self

    def solve(self, b: Any) -> Any:
        """Returns x with A x = b, in b's memory, for a vector or an array of columns. Raises NotPositiveDefinite, and Error with
        the library's sentence where no x can be trusted."""
        if not hasattr(b, "dtype"):
            b = numpy.asarray(b, dtype=float)
        right = _arrays.column_major(b, self.dtype, self._stream)
        shape = tuple(right.shape)
        if len(shape) not in (1, 2) or shape[0] != self.shape[0]:
            raise ValueError(f"b has the shape {shape}, but the matrix is of order {self.shape[0]}")
        x = _arrays.empty_like(b if hasattr(b, "is_complex") else right, self.dtype)
        out = _arrays.adopt(x, "x")
        columns = shape[1] if len(shape) == 2 else 1
        views = [Dense(_arrays.pointer(array), columns, max(shape[0], 1), DEVICE if _arrays.on_device(array) else HOST)
                 for array in (right, out)]
        with _streams.shared(self._stream, right, out):
            self._call("solve", ctypes.byref(views[0]), ctypes.byref(views[1]))
        return x


def _is_of_scipy(A: Any) -> bool:
    return hasattr(A, "tocsc") and isinstance(getattr(A, "data", None), numpy.ndarray)


def _is_symmetric(A: Any) -> bool:
    """Whether the entries of a SciPy matrix are symmetric up to rounding."""
    difference = abs(A - A.T)
    largest = abs(A).max() if A.nnz else 0.0
    return difference.nnz == 0 or bool(difference.max() <= 100 * numpy.finfo(numpy.float64).eps * largest)


def spsolve(A: Any, b: Any, *, part: Any = FULL, dtype: Any = None, full_output: bool = False, **options: Any) -> Any:
    """Returns x with A x = b, as scipy.sparse.linalg.spsolve.

    A symmetric positive definite A is solved by the method that is forecast to end first (System, whose options are keywords).
    A matrix of SciPy that is not symmetric, not positive definite or complex is solved by lu(A). Other matrices are taken as
    symmetric, as is one half that `part` names. b is a vector, an array of columns or a sparse matrix, and x is of its kind.
    With full_output=True, the report is returned as a second value.

    Raises SingularMatrix, UnstableFactorization, or Error with the library's sentence: no x is returned that was not verified.

    >>> import scipy.sparse
    >>> A = scipy.sparse.diags([-1.0, 4.0, -1.0], [-1, 0, 1], shape=(1000, 1000), format="csr")
    >>> x = spsolve(A, numpy.ones(1000))
    >>> bool(abs(A @ x - 1.0).max() < 1e-8)
    True
    """
    if hasattr(b, "toarray") and hasattr(b, "tocsc"):
        solved = spsolve(A, b.toarray(), part=part, dtype=dtype, full_output=full_output, **options)
        x, rest = (solved[0], solved[1:]) if full_output else (solved, ())
        sparse = type(b)(x)
        return (sparse, *rest) if full_output else sparse
    known = _options.check(options, "spsolve", ("part", "dtype", "full_output"), kind="system_option")
    general = _is_of_scipy(A) and part_of(part) == FULL
    if general and len(A.shape) == 2 and A.shape[0] == A.shape[1]:
        complex_numbers = numpy.dtype(A.dtype).kind == "c" or "complex" in str(getattr(b, "dtype", ""))
        if complex_numbers or not _is_symmetric(A):
            return _by_lu(A, b, dtype, known, full_output, "complex numbers" if complex_numbers else "A is not symmetric")
    try:
        system = System(A, part=part, dtype=dtype, **options)
        x = system.solve(b)
    except NotPositiveDefinite as failure:
        if not general:
            raise
        return _by_lu(A, b, dtype, known, full_output, str(failure))
    return (x, system.report) if full_output else x


def _by_lu(A: Any, b: Any, dtype: Any, options: dict[str, str], full_output: bool, reason: str) -> Any:
    shared = {name: options[name] for name in ("backend", "threads", "device", "ordering") if name in options}
    if "complex" in str(getattr(b, "dtype", "")) and dtype is None:
        dtype = numpy.result_type(A.dtype, numpy.complex64)
    factor = lu(A, dtype=dtype, **shared)
    x = factor(b)
    return (x, {"status": "solved", "method": "lu", "reason": reason}) if full_output else x
