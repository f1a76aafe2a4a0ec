"""NormalEquations: A·D·Aᵀ for changing D, and its factorization."""
from __future__ import annotations

import ctypes
from typing import Any, Optional

import numpy

from . import _arrays, _options, _streams
from ._errors import Error
from ._factor import Factor
from ._factorization import solver_for
from ._library import Matrix, library
from ._matrices import DEVICE, FULL, HOST, LOWER, Layout, SparseView, rectangular_view

_SCALARS = [numpy.dtype(numpy.float32), numpy.dtype(numpy.float64)]  # GPUSUPERNODAL_FLOAT, GPUSUPERNODAL_DOUBLE
_PRODUCT_OPTIONS = ("backend", "threads", "device")
_NUMBERS = ("rows", "columns", "entries", "products", "memory_bytes", "peak_bytes", "reference_bytes", "analyze_seconds")


class _ValuesOfM:
    """The values of M as an array whose owner works on the stream of the product."""

    def __init__(self, matrix: Matrix, stream: int) -> None:
        if matrix.value_space == DEVICE:
            self.__cuda_array_interface__ = {"data": (matrix.values, True), "stream": stream}


class NormalEquations:
    """M = A·D·Aᵀ + shift·I for a sparse matrix A of m rows and n columns and changing diagonals D: interior point methods and
    weighted least squares solve with M in each step.

    The pattern of M is found once. factorize(d) computes the lower half of M for the n numbers of the diagonal d, where the
    solver reads it, and factorizes it by Cholesky; compute(d) returns the lower half. d may be in device memory; on a device M
    never passes to the host for factorize.

    A: a sparse matrix of SciPy, CuPy or PyTorch. dtype: float32 or float64, that of A if not given. stream: a cudaStream_t as a
    number. Options by keyword are those of cholesky() (docs/options.md); backend, threads and device are also those of the
    product, and one backend does both.

    >>> import numpy, scipy.sparse
    >>> A = scipy.sparse.csr_matrix([[1.0, 0.0, 2.0], [0.0, 3.0, -1.0]])
    >>> normal = NormalEquations(A, backend="host")
    >>> d = numpy.array([1.0, 0.5, 4.0])
    >>> normal.compute(d).toarray()
    array([[17. ,  0. ],
           [-8. ,  8.5]])
    >>> x = normal.factorize(d)(numpy.array([9.0, 0.5]))
    >>> bool(numpy.allclose(A @ (d * (A.T @ x)), [9.0, 0.5]))
    True
    """

    def __init__(self, A: Any, dtype: Any = None, stream: Optional[int] = None, **options: Any) -> None:
        self._handle = ctypes.c_void_p()
        self._factor: Optional[Factor] = None
        self._stream = _streams.number_of(stream)
        _options.refuse_other_form(options, "NormalEquations", "llt")
        checked = _options.check(options, "NormalEquations", ("dtype", "stream"))
        given = str(getattr(A, "dtype", "")).replace("torch.", "")
        kind = numpy.dtype(dtype if dtype is not None else given if given in ("float32", "float64") else numpy.float64)
        if kind not in _SCALARS:
            raise TypeError(f"{kind} is none of float32, float64")
        self.dtype = kind
        self._require(library.gpusupernodal_normal_create(_SCALARS.index(kind), ctypes.byref(self._handle)))
        for name in _PRODUCT_OPTIONS:
            if name in checked:
                self._call("set_option", name.encode(), checked[name].encode())
        if stream is not None:
            self._call("set_stream", stream)
        view = rectangular_view(A, kind, FULL)
        # Copies, because SciPy may sort the arrays of A in place later.
        self._pattern = numpy.array(view.offsets), numpy.array(view.indices)
        self._converted, self._layout = view.converted, view.layout
        with _streams.shared(self._stream, view.values):
            self._call("analyze", ctypes.byref(view.matrix))
        self._sizes = int(view.matrix.rows), int(view.matrix.columns)
        self.shape = self._sizes[0], self._sizes[0]
        # M is where the product is computed, so the solver works there.
        self._options = {**options, "backend": self._text("backend")}

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            library.gpusupernodal_normal_destroy(self._handle)

    def __reduce__(self) -> Any:
        """A copy would share the memory of M, and both would free it."""
        raise TypeError("NormalEquations can be neither copied nor pickled; make new ones from the matrix")

    def _require(self, code: int) -> None:
        if code != 0:
            raise Error(code, library.gpusupernodal_normal_message(self._handle).decode())

    def _call(self, name: str, *arguments: Any) -> None:
        self._require(getattr(library, "gpusupernodal_normal_" + name)(self._handle, *arguments))

    def _text(self, name: str) -> str:
        text = ctypes.c_char_p()
        self._call("report_text", name.encode(), ctypes.byref(text))
        return (text.value or b"").decode()

    def _number(self, name: str) -> float:
        number = ctypes.c_double()
        self._call("report_number", name.encode(), ctypes.byref(number))
        return number.value

    def update(self, A: Any) -> None:
        """Takes new values of A: a matrix with the pattern of A, or an array of its values. The array is in the order that the
        arrays of A had when this object was made; SciPy may sort the arrays of A later, which does not change that order."""
        if hasattr(A, "tocsc") or hasattr(A, "crow_indices") or hasattr(A, "ccol_indices"):
            view = rectangular_view(A, self.dtype, FULL, self._layout)
            sizes = int(view.matrix.rows), int(view.matrix.columns)
            if sizes != self._sizes:
                raise ValueError(f"the matrix has {sizes[0]} rows and {sizes[1]} columns, the first has {self._sizes[0]} and "
                                 f"{self._sizes[1]}; make new NormalEquations")
            if not all(numpy.array_equal(old, new) for old, new in zip(self._pattern, (view.offsets, view.indices))):
                raise ValueError("the matrix has another pattern than the first; make new NormalEquations")
            values = view.values
        elif self._converted:
            raise ValueError("the matrix was converted to compressed columns, or its duplicates were summed, so an array of "
                             "values does not say which entry is which; pass a sparse matrix instead")
        else:
            values = A
        self._with_numbers("update", values, "the array of values")

    def _with_numbers(self, call: str, array: Any, what: str, *arguments: Any) -> None:
        array = _arrays.numbers(_arrays.adopt(array, what, self._stream), self.dtype, what)
        on_device = _arrays.on_device(array)
        shape = array.__cuda_array_interface__["shape"] if on_device else array.shape
        if len(shape) != 1:
            raise ValueError(f"{what} has the shape {tuple(shape)}; one dimension is needed")
        with _streams.shared(self._stream, array):
            self._call(call, _arrays.pointer(array), int(shape[0]), DEVICE if on_device else HOST, *arguments)

    def _compute(self, d: Any, shift: float) -> None:
        if not hasattr(type(shift), "__float__") or numpy.iscomplexobj(shift):
            raise TypeError(f"the shift is {shift!r}; a real number is needed")
        if not (hasattr(d, "__cuda_array_interface__") or hasattr(d, "__dlpack_device__")):
            d = numpy.asarray(d)
        self._with_numbers("compute", d, "d", float(shift))

    def compute(self, d: Any, shift: float = 0.0) -> Any:
        """Computes M for the diagonal d and returns its lower half as a scipy.sparse.csr_matrix on the host, with all of its
        diagonal: for cholesky(M, part="lower") or other programs."""
        import scipy.sparse
        self._compute(d, shift)
        entries = int(self._number("entries"))
        offsets, indices = numpy.empty(self.shape[0] + 1, numpy.int64), numpy.empty(entries, numpy.int32)
        values = numpy.empty(entries, self.dtype)
        self._call("copy", *(_arrays.pointer(array) for array in (offsets, indices, values)))
        if entries < 2**31:
            offsets = offsets.astype(numpy.int32)
        return scipy.sparse.csr_matrix((values, indices, offsets), shape=self.shape)

    def factorize(self, d: Any, shift: float = 0.0) -> Factor:
        """Computes M for the diagonal d and factorizes it. Returns one Factor, whose L the next call replaces. Raises
        NotPositiveDefinite; the factor then has no L until the next call."""
        self._compute(d, shift)
        matrix = Matrix()
        self._call("matrix", ctypes.byref(matrix))
        if self._factor is None:
            stream = None if self._stream == _streams.LEGACY else self._stream
            solver = solver_for("NormalEquations", (), "llt", self, self.dtype, self._options, stream=stream)
            nothing = numpy.empty(0, self.dtype)  # The arrays of M belong to the library.
            solver.analyze(SparseView(matrix, nothing, nothing, nothing, Layout("csr", True)), LOWER)
            self._factor = Factor(solver, LOWER, self.shape[0])
        solver = self._factor._solver  # Whose stream a program may have set.
        with _streams.shared(solver._stream, _ValuesOfM(matrix, self._stream)):
            solver._refactorize_matrix(matrix, int(self._number("entries")))
        return self._factor

    def report(self) -> dict[str, Any]:
        """Returns the backend, sizes, memory and times of the product (ProductReport)."""
        return {"backend": self._text("backend"), "backend_reason": self._text("backend_reason"),
                **{name: self._number(name) for name in _NUMBERS}}

    def __repr__(self) -> str:
        return (f"<NormalEquations of order {self.shape[0]}, {self.dtype}: {self._number('entries'):,.0f} entries of the lower half, "
                f"{self._text('backend')}>")
