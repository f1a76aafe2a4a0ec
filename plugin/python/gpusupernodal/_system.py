"""spsolve(A, b) and System(A): a direct or an iterative method, whichever is forecast to end sooner."""
from __future__ import annotations

import ctypes
import operator
from typing import Any, Optional

import numpy

from . import _arrays, _options, _streams
from ._errors import Error, NotPositiveDefinite
from ._library import Dense, library, names
from ._lu import lu
from ._matrices import DEVICE, FULL, HOST, EntryOrder, Layout, part_of, view_of

_SCALARS = [numpy.dtype(numpy.float32), numpy.dtype(numpy.float64)]  # In the order of a gpusupernodal_scalar.
_TEXTS = ("status", "method", "reason", "backend")
_NOT_POSITIVE_DEFINITE = 1  # GPUSUPERNODAL_NOT_POSITIVE_DEFINITE.
_METHODS = ("automatic", "direct", "mixed", "pcg")
_PERMC_SPECS = (None, "NATURAL", "MMD_ATA", "MMD_AT_PLUS_A", "COLAMD")  # Of SciPy's spsolve.


def _whole(number: Any, name: str) -> int:
    try:
        return operator.index(number)
    except TypeError:
        raise TypeError(f"{name} is {number!r}; an integer is needed") from None


class System:
    """A symmetric positive definite matrix for repeated solves, by the method that is forecast to be fastest.

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
        known["expected_solves"] = str(_whole(expected_solves, "expected_solves"))
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
        self._order = EntryOrder(view)
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
        view = self._order.arranged(view_of(A, self.dtype, self._part, like=self._layout))
        if not self._order.has(view):
            raise ValueError("the matrix has another pattern than the first one; make a new System")
        count = int(view.offsets[-1])
        with _streams.shared(self._stream, view.values):
            self._call("update", _arrays.pointer(view.values), count, DEVICE if _arrays.on_device(view.values) else HOST)
        return self

    def solve(self, b: Any) -> Any:
        """Returns x with A x = b, in b's memory, for a vector or an array of columns. Raises NotPositiveDefinite, and Error with
        the library's sentence where no x can be trusted."""
        if not hasattr(b, "dtype"):
            b = numpy.asarray(b)
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
    return hasattr(A, "tocsc") and type(A).__module__.split(".")[0] == "scipy"


def _is_symmetric(A: Any) -> bool:
    """Whether each entry of a SciPy matrix equals that across the diagonal, up to a few roundings of these two. Larger entries
    elsewhere do not count: beside them, one half of an unsymmetric matrix would be taken for the whole."""
    A = A.tocsr() if A.dtype.kind == "f" else A.tocsr().astype(numpy.float64)  # Integers would overflow.
    if not A.has_canonical_format:
        A = A.copy()
        A.sum_duplicates()
    if not numpy.isfinite(A.data).all():
        return True  # System says that A has NaN or Inf.
    difference = abs(A - A.T)
    if difference.nnz == 0:
        return True
    rounding = 10 * float(numpy.finfo(A.dtype).eps)
    return bool((difference - rounding * abs(A).maximum(abs(A.T))).max() <= 0.0)


def _common_dtype(A: Any, b: Any) -> Optional[numpy.dtype[Any]]:
    """The type of x in SciPy, which can hold the numbers of A and b: float64 for integers. None if NumPy lacks one of the types."""
    try:
        found = numpy.result_type(*(numpy.dtype(str(array.dtype).replace("torch.", "")) for array in (A, b)))
    except (AttributeError, TypeError):
        return None
    if found in _SCALARS or found == numpy.complex64:
        return found
    return numpy.dtype(numpy.complex128 if found.kind == "c" else numpy.float64)


def spsolve(A: Any, b: Any, permc_spec: Optional[str] = None, use_umfpack: bool = True, *, part: Any = FULL, dtype: Any = None,
            full_output: bool = False, **options: Any) -> Any:
    """Returns x with A x = b, called as scipy.sparse.linalg.spsolve.

    A symmetric positive definite A is solved by the method that is forecast to be fastest (System, whose options are keywords).
    A matrix of SciPy that is not symmetric, not positive definite or complex is solved by lu(A), unless `method` names a
    method other than "automatic". Other matrices are taken as symmetric, as is one half that `part` names.

    b is a vector, an array of columns or a sparse matrix. x is of its kind, and sparse in b's format; for one column, of an array
    or a sparse matrix, x is a vector. Its type is `dtype`, by default the common one of A and b. permc_spec and use_umfpack are
    accepted for SciPy's sake and have no effect: `ordering` and `method` are this library's options for the same. With
    full_output=True, the report is returned as a second value.

    Raises SingularMatrix, UnstableFactorization, or Error with the library's sentence: no x is returned that was not verified.
    With a named method raises ValueError for a matrix that is not symmetric or complex, NotPositiveDefinite for others.

    >>> import scipy.sparse
    >>> A = scipy.sparse.diags([-1.0, 4.0, -1.0], [-1, 0, 1], shape=(1000, 1000), format="csr")
    >>> x = spsolve(A, numpy.ones(1000))
    >>> bool(abs(A @ x - 1.0).max() < 1e-8)
    True
    """
    if permc_spec not in _PERMC_SPECS:
        raise ValueError(f"permc_spec is {permc_spec!r}; SciPy knows {', '.join(map(repr, _PERMC_SPECS))}. It has no effect here; "
                         "the option ordering has")
    sparse = type(b) if hasattr(b, "toarray") and hasattr(b, "tocsc") else None
    if sparse:
        b = b.toarray()
    elif not hasattr(b, "dtype"):
        b = numpy.asarray(b)
    x, report = _solved(A, b, part, dtype, options)
    if b.ndim == 2 and b.shape[1] == 1:
        x = x[:, 0]
    elif sparse and b.ndim == 2:
        x = sparse(x)
    return (x, report) if full_output else x


def _solved(A: Any, b: Any, part: Any, dtype: Any, options: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """x of spsolve in b's shape, and the report."""
    own = ("part", "dtype", "full_output", "permc_spec", "use_umfpack")
    known = _options.check(options, "spsolve", own, kind="system_option")
    common = _common_dtype(A, b) if dtype is None else numpy.dtype(dtype)
    general = _is_of_scipy(A) and part_of(part) == FULL
    method = known.get("method", "automatic")
    named = method != "automatic"
    if general and method in _METHODS and len(A.shape) == 2 and A.shape[0] == A.shape[1]:
        complex_numbers = numpy.dtype(A.dtype).kind == "c" or "complex" in str(getattr(b, "dtype", ""))
        if complex_numbers or not _is_symmetric(A):
            reason = "complex numbers" if complex_numbers else "A is not symmetric"
            if named:
                raise ValueError(f"the method '{method}' is for symmetric matrices of real numbers ({reason}); leave "
                                 "the method out, or call lu(A)")
            return _by_lu(A, b, common, known, reason)
    if dtype is None and common in _SCALARS:
        dtype = common
    try:
        system = System(A, part=part, dtype=dtype, **options)
        return system.solve(b), system.report
    except NotPositiveDefinite as failure:
        if not general or named:
            raise
        return _by_lu(A, b, common, known, str(failure))


def _by_lu(A: Any, b: Any, dtype: Any, options: dict[str, str], reason: str) -> tuple[Any, dict[str, Any]]:
    shared: dict[str, Any] = {name: options[name] for name in ("backend", "threads", "device", "ordering") if name in options}
    return lu(A, dtype=dtype, **shared)(b), {"status": "solved", "method": "lu", "reason": reason}
