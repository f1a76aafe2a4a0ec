"""Sparse matrices of SciPy, CuPy and PyTorch as views for the library."""
from __future__ import annotations

from typing import Any, NamedTuple, Optional

import numpy

from . import _arrays
from ._library import Matrix, Sparse, Triples

FULL, LOWER, UPPER = 0, 1, 2
PARTS = {"full": FULL, "lower": LOWER, "upper": UPPER}
HOST, DEVICE = 0, 1


class Layout(NamedTuple):
    """How a pattern is stored. A matrix with new values must be stored as the analyzed one."""
    form: str  # "csc" or "csr"
    ordered: bool  # Whether the indices of each column or row ascend.


class SparseView(NamedTuple):
    """A view of a matrix, and the arrays that it points into."""
    matrix: Matrix
    offsets: Any
    indices: Any
    values: Any
    layout: Layout
    converted: bool = False  # Whether the entries are not those of the caller's arrays, one by one.

    @property
    def order(self) -> int:
        return int(self.matrix.n)


def part_of(part: Any) -> int:
    if isinstance(part, str) and part in PARTS:
        return PARTS[part]
    if part in (FULL, LOWER, UPPER):
        return int(part)
    raise ValueError(f"part is {part!r}; it may be 'full', 'lower' or 'upper'")


def _from_torch(a: Any) -> tuple[str, Any, Any, Any]:
    layout = str(a.layout)
    if layout == "torch.sparse_csr":
        return "csr", a.crow_indices(), a.col_indices(), a.values()
    if layout == "torch.sparse_csc":
        return "csc", a.ccol_indices(), a.row_indices(), a.values()
    raise TypeError(f"a PyTorch tensor of layout {layout} is not supported; convert it with to_sparse_csr()")


def _refuse(a: Any) -> None:
    kind = type(a).__name__
    if isinstance(a, numpy.ndarray) or (hasattr(a, "shape") and hasattr(a, "dtype")):
        raise TypeError(f"a sparse matrix of SciPy or CuPy is needed, not a dense {kind}; for example scipy.sparse.csc_matrix(a)")
    raise TypeError(f"a sparse matrix of SciPy or CuPy is needed, not {kind}")


def _require_symmetric_pattern(offsets: Any, indices: Any, form: str) -> None:
    """Refuses a full matrix whose halves do not have equally many entries: often one half that was taken for the whole."""
    n = offsets.size - 1
    counts = numpy.diff(offsets)
    if offsets[0] != 0 or counts.min(initial=0) < 0 or indices.min(initial=0) < 0 or indices.max(initial=0) >= n:
        return  # The library refuses such a pattern, and says where it is wrong.
    outer = numpy.repeat(numpy.arange(n), counts)
    inner = indices[:outer.size]
    first, second = int(numpy.count_nonzero(inner > outer)), int(numpy.count_nonzero(inner < outer))
    below, above = (first, second) if form == "csc" else (second, first)
    if below != above:
        half = "lower" if above == 0 else "upper" if below == 0 else None
        hint = f"pass part='{half}' if it is that half of a symmetric matrix" if half else "it cannot be symmetric"
        raise ValueError(f"the matrix has {below} entries below the diagonal and {above} above; {hint}")


def _compressed(a: Any, like: Optional[Layout]) -> tuple[Any, bool]:
    """The matrix in compressed columns or rows without duplicates, stored as `like` says, and whether it was converted."""
    converted = False
    if a.format != like.form if like else a.format not in ("csc", "csr"):
        a, converted = a.asformat(like.form if like else "csc"), True
    if not a.has_canonical_format:
        summed = a.copy()
        summed.sum_duplicates()
        # Indices that do not ascend are no reason for a copy: the library does not mind.
        if converted or summed.nnz != a.nnz or (like and like.ordered):
            a, converted = summed, True
    return a, converted


def _require_square(a: Any) -> None:
    if a.ndim != 2 or a.shape[0] != a.shape[1]:
        raise ValueError(f"the matrix is not square: {tuple(a.shape)}")


def _from_scipy(a: Any, like: Optional[Layout]) -> tuple[Any, Any, Any, Layout, bool]:
    if not hasattr(a, "format") or not hasattr(a, "tocsc"):
        _refuse(a)
    a, converted = _compressed(a, like)
    return a.indptr, a.indices, a.data, Layout(a.format, bool(a.has_sorted_indices)), converted


def _refuse_unless_sparse(a: Any) -> None:
    if type(a).__module__.split(".")[0] != "torch" and not (hasattr(a, "format") and hasattr(a, "tocsc")):
        _refuse(a)


def _arrays_of(a: Any, dtype: Any, like: Optional[Layout]) -> tuple[Any, Any, Any, Layout, bool]:
    """Offsets and indices on the host, values of the type where they lie, the layout, and whether a was converted."""
    if type(a).__module__.split(".")[0] == "torch":
        _arrays.refuse_gradients(a, "the matrix")
        form, starts, inner, data = _from_torch(a)
        data, layout, converted = _arrays.adopt(data, "the matrix"), Layout(form, False), False
    else:
        starts, inner, data, layout, converted = _from_scipy(a, like)
    outer = int(a.shape[0] if layout.form == "csr" else a.shape[1])
    offsets, indices = _arrays.on_host(starts), _arrays.on_host(inner)
    if offsets.dtype not in (numpy.int32, numpy.int64) or indices.dtype != offsets.dtype:
        offsets, indices = offsets.astype(numpy.int64), indices.astype(numpy.int64)
    values = _arrays.numbers(data, dtype, "the matrix")
    count = int(values.__cuda_array_interface__["shape"][0]) if _arrays.on_device(values) else values.size
    if offsets.size != outer + 1 or offsets[-1] > min(indices.size, count):
        raise ValueError(f"the matrix is damaged: it has {offsets.size} offsets up to {offsets[-1:]}, {indices.size} indices "
                         f"and {count} values")
    return offsets, indices, values, layout, converted


def view_of(a: Any, dtype: Any, part: int, check: bool = False, like: Optional[Layout] = None) -> SparseView:
    """A view of a sparse matrix: compressed, without duplicates, values of the type where they lie, the pattern on the host.
    Copies only what does not have this form. `check`: refuse a full matrix that cannot be symmetric. `like`: how the analyzed
    matrix is stored."""
    _refuse_unless_sparse(a)
    _require_square(a)
    n = int(a.shape[0])
    offsets, indices, values, layout, converted = _arrays_of(a, dtype, like)
    if check and part == FULL:
        _require_symmetric_pattern(offsets, indices, layout.form)
    return _view(n, offsets, indices, values, part, layout, converted)


def _view(n: int, offsets: Any, indices: Any, values: Any, part: int, layout: Layout, converted: bool) -> SparseView:
    matrix = Matrix(n, _arrays.pointer(offsets), _arrays.pointer(indices), _arrays.pointer(values),
                    int(offsets.dtype == numpy.int64), part, int(layout.form == "csr"),
                    DEVICE if _arrays.on_device(values) else HOST)
    return SparseView(matrix, offsets, indices, values, layout, converted)


class EntryOrder:
    """The order of the entries of an analyzed matrix, for matrices of the same pattern whose entries come in another order:
    scipy.sparse.diags makes descending indices, and SciPy sorts them in sums, and in place."""

    def __init__(self, view: SparseView) -> None:
        # Copies, because SciPy may sort the arrays of the matrix in place later.
        self._form = view.layout.form
        self._offsets = numpy.array(view.offsets)
        self._indices = numpy.array(view.indices[:int(view.offsets[-1])])
        self.entries = int(self._indices.size)
        self._other: Any = None  # The indices of the last matrix in another order.
        self._source: Any = None  # Its entry for each entry of the analyzed matrix; None: it has another pattern.

    def has(self, view: SparseView) -> bool:
        """Whether the view has this pattern in this order."""
        return self._has_offsets(view) and numpy.array_equal(self._indices, view.indices[:int(view.offsets[-1])])

    def _has_offsets(self, view: SparseView) -> bool:
        """Whether each row or column, whichever is stored, has as many entries."""
        return self._form == view.layout.form and numpy.array_equal(self._offsets, view.offsets)

    def arranged(self, view: SparseView) -> SparseView:
        """The view with its entries in this order. It is unchanged if it has this order or another pattern, or if its values are
        in device memory. Costs a comparison; for another order a copy of the values, and a sort unless the last call had it."""
        if self.has(view) or not self._has_offsets(view) or _arrays.on_device(view.values):
            return view
        indices = view.indices[:self._indices.size]
        if self._other is None or not numpy.array_equal(self._other, indices):
            self._other, self._source = numpy.array(indices), self._source_of(indices)
        if self._source is None:
            return view
        return _view(view.order, self._offsets, self._indices, view.values[self._source], int(view.matrix.part), view.layout,
                     view.converted)

    def _source_of(self, indices: Any) -> Any:
        outer = numpy.repeat(numpy.arange(self._offsets.size - 1), numpy.diff(self._offsets))
        here, there = numpy.lexsort((self._indices, outer)), numpy.lexsort((indices, outer))
        if not numpy.array_equal(self._indices[here], indices[there]):
            return None
        source = numpy.empty_like(here)
        source[here] = there
        return source


class RectangularView(NamedTuple):
    """A view of a matrix for products, and the arrays that it points into."""
    matrix: Sparse
    offsets: Any
    indices: Any
    values: Any
    layout: Layout
    converted: bool


def rectangular_view(a: Any, dtype: Any, part: int, like: Optional[Layout] = None) -> RectangularView:
    """As view_of, for matrices of any shape."""
    _refuse_unless_sparse(a)
    if a.ndim != 2:
        raise ValueError(f"the matrix has the shape {tuple(a.shape)}; two dimensions are needed")
    offsets, indices, values, layout, converted = _arrays_of(a, dtype, like)
    matrix = Sparse(int(a.shape[0]), int(a.shape[1]), _arrays.pointer(offsets), _arrays.pointer(indices),
                    _arrays.pointer(values), int(offsets.dtype == numpy.int64), part, int(layout.form == "csr"),
                    DEVICE if _arrays.on_device(values) else HOST)
    return RectangularView(matrix, offsets, indices, values, layout, converted)


class TriplesView(NamedTuple):
    """A view of a matrix of triples, and the arrays that it points into."""
    matrix: Triples
    rows: Any
    columns: Any
    values: Any


def has_triples(a: Any) -> bool:
    """Whether the matrix has SciPy's coordinate format, with arrays on the host."""
    return getattr(a, "format", None) == "coo" and isinstance(getattr(a, "data", None), numpy.ndarray) and a.ndim == 2


def triples_view(a: Any, dtype: Any, part: int) -> TriplesView:
    """A view of a matrix for which has_triples holds."""
    rows, columns = (numpy.require(numbers, requirements=["C", "A"]) for numbers in (a.row, a.col))
    if rows.dtype not in (numpy.int32, numpy.int64) or columns.dtype != rows.dtype:
        rows, columns = rows.astype(numpy.int64), columns.astype(numpy.int64)
    values = _arrays.numbers(a.data, dtype, "the matrix")
    if not rows.size == columns.size == values.size:
        raise ValueError(f"the matrix is damaged: it has {rows.size} rows, {columns.size} columns and {values.size} values")
    matrix = Triples(int(a.shape[0]), int(a.shape[1]), values.size, _arrays.pointer(rows), _arrays.pointer(columns),
                     _arrays.pointer(values), int(rows.dtype == numpy.int64), part, HOST)
    return TriplesView(matrix, rows, columns, values)


def values_of_places(view: RectangularView, pattern: Any, shape: Any) -> Any:
    """Values for triples with the rows and columns of `pattern` whose sums are the entries of the view: the first triple of a
    place takes the entry, the others are 0."""
    outer = numpy.repeat(numpy.arange(view.offsets.size - 1, dtype=numpy.int64), numpy.diff(view.offsets))
    inner = view.indices[:outer.size].astype(numpy.int64)
    rows, columns = (outer, inner) if view.layout.form == "csr" else (inner, outer)
    places, first = numpy.unique(pattern[0].astype(numpy.int64) * shape[1] + pattern[1], return_index=True)
    given = rows * shape[1] + columns
    order = numpy.argsort(given)
    if not numpy.array_equal(given[order], places):
        raise ValueError("the matrix has another pattern than the operator; make a new Operator")
    entries = _arrays.on_host(view.values)
    values = numpy.zeros(pattern[0].size, dtype=entries.dtype)
    values[first] = entries[order]
    return values


def row_numbers(numbers: Any, what: str) -> Any:
    """Row numbers as int64. Fractions are refused, because a conversion would drop them."""
    numbers = numpy.asarray(numbers)
    if numbers.size > 0 and numbers.dtype.kind not in "iu":
        raise TypeError(f"{what} has entries of type {numbers.dtype}; row numbers are integers")
    return numpy.ascontiguousarray(numpy.ravel(numbers), dtype=numpy.int64)
