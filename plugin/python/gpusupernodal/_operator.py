"""Operator: a sparse matrix prepared for products."""
from __future__ import annotations

import ctypes
from typing import Any, Optional, Union

import numpy

from . import _arrays, _options, _streams
from ._errors import Error
from ._library import Dense, Sparse, library
from ._matrices import (DEVICE, FULL, HOST, RectangularView, TriplesView, has_triples, part_of, rectangular_view, triples_view,
                        values_of_places)
from ._product import Operand, multiply

_SCALARS = [numpy.dtype(name) for name in ("float32", "float64", "complex64", "complex128")]  # Of a gpusupernodal_scalar.
_TRANSPOSED, _ADJOINT = 7, 8  # Of a gpusupernodal_system.
_NUMBERS = ("rows", "columns", "entries", "stored_values", "padding", "memory_bytes", "product_bytes", "predicted_seconds",
            "analyze_seconds")
_PRODUCT_OPTIONS = ("backend", "threads", "device")
_OPTIONS = ("backend", "format", "tuning", "symmetry", "transposed", "threads", "device")
_TEXTS = ("backend", "backend_reason", "format", "kernel", "figures")


class Operator:
    """A sparse matrix of SciPy, CuPy or PyTorch, stored for fast products on a GPU or on the host.

    `A @ x` takes vectors and matrices in host or device memory and returns them where they are. It has what SciPy's
    LinearOperator has, so that scipy.sparse.linalg.aslinearoperator and SciPy's iterative solvers take it. `A @ B` with
    another Operator or a sparse matrix returns their product as a scipy.sparse.csr_matrix, with an entry wherever an entry of
    A meets one of B; for it, an operator keeps a copy of values that lie in host memory.

    The entries of a coo_matrix may have any order, and those with the same row and column are added in the given order; update
    takes an array of values in that order, or any sparse matrix with entries in the same places.

    part: 'full', or 'lower' or 'upper' for a half of a symmetric matrix, or of a Hermitian one if it is complex; with
    symmetry="symmetric" a half of a complex symmetric one. dtype: float32, float64, complex64 or complex128, that of A if not
    given; operators with complex entries are on the host. transposed: keep the transposed matrix, too, for `A.T @ x` and
    `A.H @ x`; False saves half of the memory, and a half needs none. Options by keyword: backend, format, tuning, symmetry,
    threads, device (docs/operators.md).

    >>> import numpy, scipy.sparse
    >>> A = Operator(scipy.sparse.csr_matrix([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]]), backend="host")
    >>> A @ numpy.array([1.0, 2.0, 3.0])
    array([7., 6.])
    >>> A.T @ numpy.array([1.0, 2.0])
    array([1., 6., 2.])
    >>> (A @ A.T).toarray()
    array([[5., 0.],
           [0., 9.]])
    """
    ndim = 2

    def __init__(self, a: Any, part: Any = "full", dtype: Any = None, transposed: bool = True, **options: Any) -> None:
        self._handle = ctypes.c_void_p()
        known = _options.check({"transposed": transposed, **options}, "Operator", ("part", "dtype"), names=_OPTIONS)
        kind = numpy.dtype(dtype) if dtype is not None else _type_of(a)
        if kind not in _SCALARS:
            raise TypeError(f"{kind} is none of float32, float64, complex64, complex128")
        self.dtype = kind
        self._stream = _streams.LEGACY
        self._part = part_of(part)
        self._require(library.gpusupernodal_operator_create(_SCALARS.index(self.dtype), ctypes.byref(self._handle)))
        for name, value in known.items():
            self._call("set_option", name.encode(), value.encode())
        self._product_options = {name: value for name, value in known.items() if name in _PRODUCT_OPTIONS}
        self._has_triples = has_triples(a)
        view: Union[TriplesView, RectangularView] = (triples_view if self._has_triples
                                                     else rectangular_view)(a, self.dtype, self._part)
        self.shape = int(view.matrix.rows), int(view.matrix.columns)
        # Copies, because SciPy may sort the arrays of A in place later.
        self._pattern = numpy.array(view[1]), numpy.array(view[2])
        self._values = _kept(view.values)
        if isinstance(view, TriplesView):
            return self._call("analyze_triples", ctypes.byref(view.matrix))
        self._converted, self._layout = view.converted, view.layout
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
        device memory is taken without waiting, unless A was a coo_matrix with duplicates."""
        values = a
        if self._has_triples and _is_sparse(a):
            values = self._values_of_triples(a)
        elif hasattr(a, "tocsc") or hasattr(a, "crow_indices") or hasattr(a, "ccol_indices"):
            view = rectangular_view(a, self.dtype, self._part, self._layout)
            if not all(numpy.array_equal(old, new) for old, new in zip(self._pattern, (view.offsets, view.indices))):
                raise ValueError("the matrix has another pattern than the operator; make a new Operator")
            values = view.values
        elif not self._has_triples and self._converted:
            raise ValueError("the matrix was converted to compressed rows, or its duplicates were summed, so an array of values "
                             "does not say which entry is which; pass a sparse matrix instead")
        values = _arrays.numbers(_arrays.adopt(values, "the array of values", self._stream), self.dtype, "the array of values")
        on_device = _arrays.on_device(values)
        size = int(values.__cuda_array_interface__["shape"][0]) if on_device else values.size
        with _streams.shared(self._stream, values):
            self._call("update", _arrays.pointer(values), size, DEVICE if on_device else HOST)
        self._values = _kept(values)

    def _values_of_triples(self, a: Any) -> Any:
        if self.shape != tuple(a.shape):
            raise ValueError("the matrix has another shape than the operator; make a new Operator")
        if has_triples(a):
            view = triples_view(a, self.dtype, self._part)
            if all(numpy.array_equal(old, new) for old, new in zip(self._pattern, (view.rows, view.columns))):
                return view.values
        return values_of_places(rectangular_view(a, self.dtype, self._part), self._pattern, self.shape)

    def _product(self, x: Any, transposed: int) -> Any:
        """A x, or with _TRANSPOSED or _ADJOINT Aᵀ x or Aᴴ x."""
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
            self._call("multiply", transposed, 1.0, ctypes.byref(views[0]), 0.0, ctypes.byref(views[1]))
        return out

    def matvec(self, x: Any) -> Any:
        """Returns A x for a vector."""
        return self._product(x, 0)

    matmat = matvec

    def rmatvec(self, x: Any) -> Any:
        """Returns Aᴴ x for a vector."""
        return self._product(x, _ADJOINT)

    rmatmat = rmatvec

    def _operand(self) -> Operand:
        if self._has_triples:
            return self._operand_of_triples()
        offsets, indices = self._pattern
        matrix = Sparse(self.shape[0], self.shape[1], _arrays.pointer(offsets), _arrays.pointer(indices),
                        _arrays.pointer(self._values), int(offsets.dtype == numpy.int64), self._part,
                        int(self._layout.form == "csr"), DEVICE if _arrays.on_device(self._values) else HOST)
        return Operand(matrix, self._values, offsets, indices)

    def _operand_of_triples(self) -> Operand:
        import scipy.sparse  # Only SciPy makes matrices of triples.

        triples = scipy.sparse.coo_matrix((_arrays.on_host(self._values), self._pattern), shape=self.shape)
        view = rectangular_view(triples, self.dtype, self._part)
        return Operand(view.matrix, view.values, view.offsets, view.indices)

    def _times_sparse(self, b: Any, transposed: bool, create: str = "create") -> Any:
        """A·B, or Aᵀ·B, for a sparse matrix, an Operator or a Transposed; `create` is that of multiply()."""
        if self.dtype.kind == "c":
            raise TypeError(f"the operator has entries of {self.dtype}, but products of sparse matrices need real ones; multiply "
                            "by the columns of the other matrix as dense vectors")
        if isinstance(b, (Operator, Transposed)):
            if b.dtype != self.dtype:
                raise TypeError(f"the operators have entries of {self.dtype} and {b.dtype}; a product needs one type")
            right = b._operand()
        else:
            view = rectangular_view(b, self.dtype, FULL)
            right = Operand(view.matrix, view.values, view.offsets, view.indices)
        left = self._operand()
        return multiply(left.transposed() if transposed else left, right, self.dtype, _SCALARS.index(self.dtype),
                        self._product_options, self._stream, create)

    def galerkin(self, p: Any) -> Any:
        """Returns Pᵀ·A·P, the coarse matrix of a multigrid method, for a sparse matrix or an Operator P.

        The result is a scipy.sparse.csr_matrix with an entry wherever the patterns make one.
        """
        if not _is_sparse(p):
            raise TypeError(f"P is a {type(p).__name__}; it must be a sparse matrix or an Operator")
        return self._times_sparse(p, False, "create_galerkin")

    def __matmul__(self, x: Any) -> Any:
        return self._times_sparse(x, False) if _is_sparse(x) else self._product(x, 0)

    def dot(self, x: Any) -> Any:
        """Returns A x, or A·B for a sparse matrix or an operator."""
        return self @ x

    @property
    def T(self) -> "Transposed":
        """Aᵀ, with the same memory."""
        return Transposed(self)

    @property
    def H(self) -> "Transposed":
        """Aᴴ, with the same memory."""
        return Transposed(self, self.dtype.kind == "c")

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
    """The transpose of an Operator, or its adjoint."""
    ndim = 2

    def __init__(self, operator: Operator, adjoint: bool = False) -> None:
        self._operator = operator
        self._system = _ADJOINT if adjoint else _TRANSPOSED
        self.shape = operator.shape[::-1]
        self.dtype = operator.dtype

    @property
    def T(self) -> Operator:
        """A, the transpose of Aᵀ."""
        return self._plain(_TRANSPOSED)

    @property
    def H(self) -> Operator:
        """A, the adjoint of Aᴴ."""
        return self._plain(_ADJOINT)

    def _plain(self, system: int) -> Operator:
        if self.dtype.kind == "c" and system != self._system:
            raise TypeError("this would be the conjugate of a complex operator, which is none; conjugate the vectors instead")
        return self._operator

    def matvec(self, x: Any) -> Any:
        """Returns the product with a vector."""
        return self._operator._product(x, self._system)

    def rmatvec(self, x: Any) -> Any:
        """Returns the product of the adjoint with a vector: A x, or conj(A) x if this is the transpose of a complex A."""
        if self.dtype.kind == "c" and self._system == _TRANSPOSED:
            return self._operator.matvec(x.conj()).conj()
        return self._operator.matvec(x)

    matmat, rmatmat = matvec, rmatvec

    def _operand(self) -> Operand:
        return self._operator._operand().transposed()

    def __matmul__(self, x: Any) -> Any:
        return self._operator._times_sparse(x, True) if _is_sparse(x) else self.matvec(x)

    dot = __matmul__


def _kept(values: Any) -> Any:
    """Values for later products: a copy on the host, because the caller may change the array; on a device the array."""
    return values if _arrays.on_device(values) else numpy.array(values)


def _is_sparse(x: Any) -> bool:
    return isinstance(x, (Operator, Transposed)) or hasattr(x, "tocsc") or hasattr(x, "crow_indices") and \
        str(getattr(x, "layout", "")).startswith("torch.sparse")


def _type_of(a: Any) -> Any:
    """The type of a matrix if the library has it, else double precision."""
    name = str(getattr(a, "dtype", "")).replace("torch.", "")
    return numpy.dtype(name if name in ("float32", "complex64", "complex128") else "float64")
