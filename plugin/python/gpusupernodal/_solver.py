"""Solver: the library's object call by call. Most programs use cholesky() instead (_factor.py)."""
from __future__ import annotations

import ctypes
from typing import Any, Optional

import numpy

from . import _arrays, _library, _options, _streams
from ._errors import Error, FactorizationFailed, NotPositiveDefinite, SingularMatrix, UnstableFactorization
from ._library import Dense, library
from ._matrices import DEVICE, FULL, HOST, EntryOrder, Layout, SparseView, part_of, row_numbers, view_of
from ._options import text_of

_INVALID_STATE = 4  # GPUSUPERNODAL_INVALID_STATE
# The types of a gpusupernodal_scalar, in its order.
_SCALARS = [numpy.dtype(scalar) for scalar in (numpy.float32, numpy.float64, numpy.complex64, numpy.complex128)]
# Codes of gpusupernodal_status that are outcomes of a factorization: GPUSUPERNODAL_NON_FINITE_INPUT is the second.
_OUTCOMES: dict[int, type[FactorizationFailed]] = {1: NotPositiveDefinite, 2: FactorizationFailed, 10: SingularMatrix,
                                                   11: UnstableFactorization}


def _real(value: Any, what: str) -> float:
    if numpy.iscomplexobj(value) or not hasattr(type(value), "__float__"):
        raise TypeError(f"{what} is {value!r}; a real number is needed")
    return float(value)


class Solver:
    """Empty, analyzed or factorized, as gpusupernodal::Solver in C++. One thread at a time uses it.

    Options are keywords by their names in docs/options.md, with _ for a dot.

    >>> import numpy, scipy.sparse
    >>> solver = Solver(backend="host")
    >>> solver.compute(scipy.sparse.csc_matrix([[4.0, -1.0], [-1.0, 4.0]]))
    >>> solver.solve(numpy.array([3.0, 3.0]))
    array([1., 1.])
    """

    def __init__(self, dtype: Any = numpy.float64, **options: Any) -> None:
        self._handle = ctypes.c_void_p()
        self._converted = False
        self._layout: Optional[Layout] = None  # That of the analyzed matrix.
        self._order: Optional[EntryOrder] = None  # The same, if its indices do not ascend.
        self._form = "llt"  # That of the analyzed matrix.
        self._stream = _streams.LEGACY
        self.shift = 0.0, 1.0  # The offset and the scale that the next factorization uses.
        self.dtype = numpy.dtype(dtype)
        if self.dtype not in _SCALARS:
            raise TypeError(f"{self.dtype} is none of {', '.join(map(str, _SCALARS))}")
        checked = _options.check(options, "Solver", ("dtype",))
        self._check(library.gpusupernodal_create(_SCALARS.index(self.dtype), ctypes.byref(self._handle)))
        for name, value in checked.items():
            self.set_option(name, value)

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            library.gpusupernodal_destroy(self._handle)

    def __reduce__(self) -> Any:
        """A copy would share the factorization's memory, and both would free it."""
        raise TypeError("a Solver can be neither copied nor pickled; make a new one from the matrix")

    def _check(self, code: int) -> None:
        if code == 0:
            return
        sentence = library.gpusupernodal_message(self._handle).decode()
        if code not in _OUTCOMES:
            raise Error(code, sentence)
        kind = NotPositiveDefinite if code == 2 and self._form == "llt" else _OUTCOMES[code]
        raise kind(code, sentence, int(self.report("factor.failed_column")), self.report("factor.failed_value"))

    def _call(self, name: str, *arguments: Any) -> None:
        self._check(getattr(library, "gpusupernodal_" + name)(self._handle, *arguments))

    def set_option(self, name: str, value: Any) -> None:
        """Sets an option by its name in docs/options.md."""
        self._call("set_option", name.encode(), text_of(value).encode())

    def options(self) -> dict[str, str]:
        """Returns all options and their values, as texts."""
        return {name: self._text("get_option", name) for name in _library.names("option")}

    def set_permutation(self, old_of_new: Any) -> None:
        """Eliminates row old_of_new[k] as the k-th, from the next analyze on."""
        order = row_numbers(old_of_new, "the permutation")
        self._call("set_permutation", _arrays.pointer(order), order.size)

    def set_last_rows(self, *groups: Any) -> None:
        """Eliminates the rows of each group after all others, group after group, from the next analyze on."""
        arrays = [row_numbers(rows, "a group") for rows in groups]
        rows = numpy.concatenate([numpy.empty(0, numpy.int64), *arrays])
        sizes = numpy.array([group.size for group in arrays], dtype=numpy.int64)
        self._call("set_last_rows", _arrays.pointer(rows), _arrays.pointer(sizes), sizes.size)

    def set_stream(self, stream: Optional[int]) -> None:
        """Sets the cudaStream_t, as a number, that later calls work on: for instance cupy.cuda.get_current_stream().ptr."""
        self._call("set_stream", stream)
        self._stream = _streams.number_of(stream)

    def set_shift(self, offset: float, scale: float = 1.0) -> None:
        """From the next factorization on, factorizes scale·A + offset·I."""
        offset, scale = _real(offset, "the shift"), _real(scale, "the scale")
        self._call("set_shift", offset, scale)
        self.shift = offset, scale

    def analyze(self, a: Any, part: Any = FULL) -> None:
        """Decides ordering, structure of L and backend for the pattern of `a`."""
        self._with_matrix("analyze", a, part)

    def factorize(self, a: Any, part: Any = FULL) -> None:
        """Factorizes `a`, whose pattern must be the analyzed one. Raises FactorizationFailed."""
        self._with_matrix("factorize", a, part)
        self._call("status")

    def compute(self, a: Any, part: Any = FULL) -> None:
        """Calls analyze, then factorize."""
        self._with_matrix("compute", a, part)
        self._call("status")

    def refactorize(self, values: Any) -> None:
        """Factorizes with new values, in the order of the entries given to analyze: an array in host or device memory. The
        matrix given to analyze must have been in compressed columns or rows without duplicates."""
        if self._converted:
            raise ValueError("the analyzed matrix was converted to compressed columns, or its duplicates were summed, so an array "
                             "of values does not say which entry is which; pass a sparse matrix instead")
        values = _arrays.adopt(values, "the array of values", self._stream)
        if not (_arrays.on_device(values) or isinstance(values, numpy.ndarray)):
            raise TypeError(f"the new values are a {type(values).__name__}; a sparse matrix or an array of its values is needed")
        values = _arrays.numbers(values, self.dtype, "the array of values")
        on_device = _arrays.on_device(values)
        shape = values.__cuda_array_interface__["shape"] if on_device else values.shape
        if len(shape) != 1:
            raise ValueError(f"the array of values has the shape {tuple(shape)}; one dimension is needed, with the values in the "
                             "order of the matrix's entries")
        with _streams.shared(self._stream, values):
            self._call("refactorize", _arrays.pointer(values), int(shape[0]), DEVICE if on_device else HOST)
            self._call("status")

    def _refactorize_matrix(self, matrix: Any, count: int) -> None:
        """Factorizes with the values of a gpusupernodal_matrix of the library's own, on this solver's stream."""
        self._call("refactorize", matrix.values, count, matrix.value_space)
        self._call("status")

    def _with_matrix(self, call: str, a: Any, part: Any) -> None:
        if isinstance(a, SparseView):
            view = a
        else:
            view = self._view_like(a, part) if call == "factorize" else view_of(a, self.dtype, part_of(part))
        with _streams.shared(self._stream, view.values):
            self._call(call, ctypes.byref(view.matrix))
        if call != "factorize":
            self._converted, self._layout = view.converted, view.layout
            self._order = None if view.layout.ordered else EntryOrder(view)
            self._form = self._text("get_option", "form")

    def _view_like(self, a: Any, part: Any) -> SparseView:
        """A view of a matrix with the analyzed pattern, stored as the analyzed one."""
        view = view_of(a, self.dtype, part_of(part), like=self._layout)
        return self._order.arranged(view) if self._order else view

    def outcome(self) -> Optional[str]:
        """Returns how the last factorization ended: "success", "not_positive_definite", "non_finite_input", "singular" or
        "unstable"; None before it."""
        code = library.gpusupernodal_status(self._handle)
        if code == _INVALID_STATE:
            return None
        if code not in (0, *_OUTCOMES):
            self._check(code)
        return str(self.report("factor.status"))

    def solve(self, b: Any, out: Any = None, part: int = 0) -> Any:
        """Returns A⁻¹ b for a vector or a matrix of columns: a new array where b is, or `out`, which may be b.

        `part` is a gpusupernodal_system: 1 L⁻¹, 2 L⁻ᵀ, 3 P, 4 Pᵀ, 5 L⁻¹ P, 6 Pᵀ L⁻ᵀ, 7 A⁻ᵀ, 8 A⁻ᴴ."""
        if out is None:
            right = _arrays.column_major(b, self.dtype, self._stream)
            out = _arrays.empty_like(b if hasattr(b, "is_complex") else right, self.dtype)
            self._solve_into(right, out, part)
        else:
            self._solve_into(b, out, part)
        return out

    def _solve_into(self, b: Any, out: Any, part: int) -> None:
        # These own the memory until the call has returned.
        arrays = _arrays.adopt(b, "b", self._stream), _arrays.adopt(out, "out", self._stream)
        views = [self._columns_of(arrays[0], "b", False), self._columns_of(arrays[1], "out", True)]
        if views[0].columns != views[1].columns:
            raise ValueError(f"b has {views[0].columns} columns, and out has {views[1].columns}")
        with _streams.shared(self._stream, *arrays):
            self._call("solve_part", part, ctypes.byref(views[0]), ctypes.byref(views[1]))

    def _columns_of(self, array: Any, name: str, written: bool) -> Dense:
        """The view of an array that is used in place."""
        device = _arrays.on_device(array)
        if not (device or hasattr(array, "__array_interface__")):
            raise TypeError(f"{name} is no array but a {type(array).__name__}")
        about = array.__cuda_array_interface__ if device else array.__array_interface__
        shape, item, order = about["shape"], self.dtype.itemsize, int(self.report("analyze.n"))
        if order == 0:  # An empty matrix, or before analyze: then solving for no columns says so.
            none = Dense(None, 0, 1, HOST)
            self._call("solve", ctypes.byref(none), ctypes.byref(none))
        if len(shape) not in (1, 2) or shape[0] != order:
            raise ValueError(f"{name} has the shape {shape}, but the matrix is of order {order}")
        if about["typestr"] != self.dtype.str:
            raise TypeError(f"{name} has entries of type {about['typestr']}; {self.dtype.str} is needed")
        columns = shape[1] if len(shape) == 2 else 1
        strides = about.get("strides") or (item * columns, item)  # None: rows one after the other.
        ld, rest = divmod(strides[1], item) if columns > 1 else (order, 0)
        in_place = ld >= order and rest == 0 and about["data"][0] % item == 0 and (order == 1 or strides[0] == item)
        if order > 0 and columns > 0 and not in_place:
            raise TypeError(f"{name} has strides of {strides} bytes; columns are needed that are contiguous, aligned and do not "
                            "overlap, as order='F' makes them")
        if written and about["data"][1]:
            raise ValueError(f"{name} is read-only")
        return Dense(about["data"][0], columns, max(ld, order, 1), DEVICE if device else HOST)

    def log_determinant(self) -> float:
        """Returns the logarithm of the determinant of the factorized matrix; with the form lu, of its magnitude."""
        value = ctypes.c_double()
        self._call("log_determinant", ctypes.byref(value))
        return value.value

    def determinant_sign(self) -> Any:
        """Returns the determinant of A divided by its magnitude: 1.0 or -1.0, or a complex number of magnitude 1."""
        parts = (ctypes.c_double * 2)()
        self._call("determinant_sign", parts)
        return complex(parts[0], parts[1]) if self.dtype.kind == "c" else parts[0]

    def reciprocal_condition(self, a: Any, part: Any = FULL) -> float:
        """Returns an estimate of 1 / (‖A‖₁ ‖A⁻¹‖₁) of the factorized matrix `a`."""
        view = a if isinstance(a, SparseView) else self._view_like(a, part)
        value = ctypes.c_double()
        with _streams.shared(self._stream, view.values):
            self._call("reciprocal_condition", ctypes.byref(view.matrix), ctypes.byref(value))
        return value.value

    def old_of_new(self) -> Any:
        """Returns the rows of A in the order of elimination, which is the order of L's rows."""
        order = numpy.empty(int(self.report("analyze.n")), dtype=numpy.int64)
        self._call("old_of_new", _arrays.pointer(order), order.size)
        return order

    def extract_l(self) -> tuple[Any, Any, Any]:
        """Returns L in elimination order as compressed columns: values, rows, offsets."""
        offsets = numpy.empty(int(self.report("analyze.n")) + 1, dtype=numpy.int64)
        self._call("extract_l", _arrays.pointer(offsets), None, None, 0)
        count = int(offsets[-1])
        rows, values = numpy.empty(count, dtype=numpy.int64), numpy.empty(count, dtype=self.dtype)
        self._call("extract_l", _arrays.pointer(offsets), _arrays.pointer(rows), _arrays.pointer(values), count)
        return values, rows, offsets

    def _text(self, call: str, name: str) -> str:
        text = ctypes.c_char_p()
        self._call(call, name.encode(), ctypes.byref(text))
        return (text.value or b"").decode()

    def report(self, name: str) -> Any:
        """Returns a number or a text of the reports, by names such as "analyze.nonzeros_l" or "analyze.device"."""
        if name in _library.names("report_text"):
            return self._text("report_text", name)
        value = ctypes.c_double()
        self._call("report_number", name.encode(), ctypes.byref(value))
        return value.value

    def reports(self) -> dict[str, Any]:
        """Returns all numbers and texts of the reports by name."""
        return {name: self.report(name) for name in [*_library.names("report_text"), *_library.names("report_number")]}
