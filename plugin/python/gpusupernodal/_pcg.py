"""pcg(A, b): conjugate gradients, called as scipy.sparse.linalg.cg."""
from __future__ import annotations

import ctypes
from typing import Any, Callable, Optional

import numpy

from . import _arrays, _options, _streams
from ._errors import Error
from ._library import Dense, library
from ._matrices import DEVICE, FULL, HOST, part_of, view_of

_SCALARS = [numpy.dtype(name) for name in ("float32", "float64", "complex64", "complex128")]  # Of a gpusupernodal_scalar.
_FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)
_OWN = ("part", "x0", "rtol", "atol", "maxiter", "M", "dtype", "full_output")
# What SciPy's solvers call info: 0 for success, the iterations if these were too many, and a negative number for a breakdown.
_ILLEGAL = {"breakdown": -1, "stagnated": -2, "not_finite": -3}


class _Call:
    """A function of Python as one of C. It keeps the exception that the function raised."""

    def __init__(self, apply: Callable[[Any], Any], dtype: Any) -> None:
        self.error: Optional[BaseException] = None
        numbers = 2 if dtype.kind == "c" else 1  # ctypes has no complex numbers.
        kind = numpy.ctypeslib.as_ctypes_type(numpy.empty(0, dtype).real.dtype)

        def array(address: Any, n: int) -> Any:
            return numpy.ctypeslib.as_array(ctypes.cast(address, ctypes.POINTER(kind)), (numbers * n,)).view(dtype)

        def call(_context: Any, x: Any, y: Any, n: int, _stream: Any) -> int:
            try:
                result = numpy.asarray(apply(array(x, n).copy())).reshape(-1)
                if result.size != n:
                    raise ValueError(f"the function returned {result.size} entries; {n} are needed")
                array(y, n)[:] = result
                return 0
            except BaseException as error:  # Raised again once the library has returned.
                self.error = error
                return 1
        self.function = _FUNCTION(call)


def _apply_of(what: Any, name: str) -> Callable[[Any], Any]:
    """The product with an operator of SciPy, with anything that has @, or a function."""
    if hasattr(what, "matvec"):
        return what.matvec  # type: ignore[no-any-return]
    if hasattr(what, "__matmul__"):
        return lambda x: what @ x
    if callable(what):
        return what  # type: ignore[no-any-return]
    raise TypeError(f"{name} is a {type(what).__name__}; a matrix, a LinearOperator or a function is needed")


class _Pcg:
    """A gpusupernodal_pcg."""

    def __init__(self, dtype: Any, options: dict[str, Any]) -> None:
        self._handle = ctypes.c_void_p()
        self._calls: list[_Call] = []
        self.dtype = dtype
        self._check(library.gpusupernodal_pcg_create(_SCALARS.index(dtype), ctypes.byref(self._handle)))
        for name, value in options.items():
            self.call("set_option", name.encode(), _options.text_of(value).encode())

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            library.gpusupernodal_pcg_destroy(self._handle)

    def _check(self, code: int) -> None:
        for made in self._calls:
            if made.error is not None:
                error, made.error = made.error, None
                raise error
        if code != 0:
            raise Error(code, library.gpusupernodal_pcg_message(self._handle).decode())

    def call(self, name: str, *arguments: Any) -> None:
        self._check(getattr(library, "gpusupernodal_pcg_" + name)(self._handle, *arguments))

    def take(self, name: str, what: Any, *arguments: Any) -> None:
        """set_operator or set_preconditioner with a function of Python."""
        made = _Call(_apply_of(what, "A" if name == "set_operator" else "M"), self.dtype)
        self._calls.append(made)
        self.call(name, *arguments, made.function, None)

    def report(self, column: int) -> dict[str, Any]:
        """The report of a column of the last solve."""
        result: dict[str, Any] = {}
        for name in ("status", "preconditioner", "backend"):
            text = ctypes.c_char_p()
            self.call("report_text", column, name.encode(), ctypes.byref(text))
            result[name] = (text.value or b"").decode()
        index = 0
        while (number := library.gpusupernodal_pcg_report_number_name(index)) is not None:
            value = ctypes.c_double()
            self.call("report_number", column, number, ctypes.byref(value))
            result[number.decode()] = value.value
            index += 1
        return result


def _dtype_for(A: Any, b: Any, dtype: Any) -> Any:
    if dtype is None:
        names = [str(getattr(array, "dtype", "")).replace("torch.", "") for array in (A, b)]
        single = all(name in ("float32", "complex64") for name in names)
        kind = "complex" if any(name.startswith("complex") for name in names) else "float"
        dtype = {"float": ("float64", "float32"), "complex": ("complex128", "complex64")}[kind][single]
    dtype = numpy.dtype(dtype)
    if dtype not in _SCALARS:
        raise TypeError(f"{dtype} is none of float32, float64, complex64 and complex128")
    return dtype


def _is_matrix(A: Any) -> bool:
    return hasattr(A, "format") or (hasattr(A, "layout") and "sparse" in str(A.layout))


def _dense(array: Any, order: int, name: str) -> Dense:
    if len(array.shape) not in (1, 2) or array.shape[0] != order:
        raise ValueError(f"{name} has the shape {tuple(array.shape)}, but the matrix is of order {order}")
    columns = array.shape[1] if len(array.shape) == 2 else 1
    return Dense(_arrays.pointer(array), columns, max(order, 1), DEVICE if _arrays.on_device(array) else HOST)


def pcg(A: Any, b: Any, x0: Any = None, *, M: Any = None, rtol: Optional[float] = None, atol: float = 0.0,
        maxiter: Optional[int] = None, part: Any = FULL, dtype: Any = None, full_output: bool = False, **options: Any) -> Any:
    """Solves A x = b by preconditioned conjugate gradients and returns x and info, as scipy.sparse.linalg.cg.

    A is a sparse symmetric or Hermitian positive definite matrix, of which the lower triangle is read (`part`), or a
    LinearOperator or function x → A x on the host. b is a vector or an array of columns, in host or device memory; x is a new
    array of its kind. M is the name of a preconditioner ("auto", "none", "jacobi", "block_jacobi", "ssor_ai", "fsai", "ic0",
    "factor"), or M⁻¹ as a matrix, LinearOperator or function r → M⁻¹ r on the host. The solve converges at
    ‖b − A x‖ ≤ max(rtol·‖b‖, atol); without either, rtol is 1e-10, for float32 and complex64 1e-5. Complex systems are solved
    on the host. Options are keywords by their names in docs/pcg.md.

    info is 0 if all columns converged, the number of iterations if there were too many, −1 if A or M is not positive definite,
    −2 if rounding keeps the residual above the tolerance, and −3 for NaN or Inf. With full_output=True, the reports of the
    columns, as a list of dictionaries, are returned as a third value.

    >>> import scipy.sparse
    >>> A = scipy.sparse.diags([-1.0, 4.0, -1.0], [-1, 0, 1], shape=(1000, 1000), format="csr")
    >>> x, info = pcg(A, numpy.ones(1000), M="jacobi", rtol=1e-12)
    >>> info, bool(abs(A @ x - 1.0).max() < 1e-10)
    (0, True)
    """
    matrix = _is_matrix(A)
    known = _options.check(options, "pcg", _OWN, kind="pcg_option")
    if isinstance(M, str):
        known["preconditioner"] = M
    if rtol is not None:
        known["tolerance"] = repr(float(rtol))
    known["absolute_tolerance"] = repr(float(atol))
    if maxiter is not None:
        known["max_iterations"] = str(int(maxiter))
    if not matrix and isinstance(M, str) and M != "none":
        raise TypeError(f"M is '{M}', which needs the entries of A, but A is a {type(A).__name__}; pass a sparse matrix, or M⁻¹")
    foreign = (M is not None and not isinstance(M, str)) or not matrix
    if foreign:
        known["backend"] = "host"  # Functions of Python see arrays of NumPy.
    if not hasattr(b, "dtype"):
        b = numpy.asarray(b)
        b = b if b.dtype.kind == "c" else b.astype(float)
    dtype = _dtype_for(A, b, dtype)
    solver = _Pcg(dtype, known)
    if M is not None and not isinstance(M, str):
        solver.take("set_preconditioner", M)
    right = _arrays.column_major(b, dtype, _streams.LEGACY)
    order = int(A.shape[0]) if hasattr(A, "shape") else int(right.shape[0])
    if matrix:
        view = view_of(A, dtype, part_of(part))
        with _streams.shared(_streams.LEGACY, view.values):
            solver.call("compute", ctypes.byref(view.matrix))
    else:
        solver.take("set_operator", A, order)
    x = _arrays.empty_like(b if hasattr(b, "is_complex") else right, dtype)
    if x0 is not None:
        x[...] = x0
    arrays = right, _arrays.adopt(x, "x")
    views = _dense(arrays[0], order, "b"), _dense(arrays[1], order, "x")
    with _streams.shared(_streams.LEGACY, *arrays):
        solver.call("solve", ctypes.byref(views[0]), ctypes.byref(views[1]), int(x0 is not None))
    reports = [solver.report(column) for column in range(views[0].columns)]
    if x0 is None:
        _clear(x, reports)
    info = next((_info_of(r) for r in reports if r["status"] != "converged"), 0)
    return (x, info, reports) if full_output else (x, info)


def _clear(x: Any, reports: list[dict[str, Any]]) -> None:
    """Columns that the library did not write become NaN."""
    for column, report in enumerate(reports):
        if report["status"] == "not_finite":
            x[(slice(None), column) if len(x.shape) == 2 else slice(None)] = numpy.nan


def _info_of(report: dict[str, Any]) -> int:
    return _ILLEGAL.get(report["status"], max(int(report["iterations"]), 1))
