"""VariableBatch: many systems whose matrices have any orders and patterns."""
from __future__ import annotations

import ctypes
from typing import Any, Optional, Sequence

import numpy

from . import _arrays
from ._factorization import system_of
from ._library import Dense, Matrix
from ._matrices import FULL, EntryOrder, Layout, SparseView, part_of, view_of
from ._systems import HOST, Systems, dtype_of_matrix, known_dtype, on_host


class VariableBatch(Systems):
    """Factorizations of the sparse matrices of a list, whose orders and patterns may differ, on the host's threads or, in real
    arithmetic, on a GPU. Arrays are in host memory in both cases.

    Matrices with equal patterns are analyzed together: `patterns` is the number of different ones, and `pattern` has the number
    of each system's. Keywords are those of Batch, which is for matrices that all have one pattern. If `dtype` is not given, it
    is the smallest type that has the numbers of all matrices.

    A system that fails raises nothing and does not affect the others: see `status`.

    >>> import numpy, scipy.sparse
    >>> chains = [scipy.sparse.csc_matrix(4.0 * numpy.eye(n) - numpy.eye(n, k=1) - numpy.eye(n, k=-1)) for n in (1, 3, 3)]
    >>> batch = VariableBatch([chains[0], chains[1], -chains[2]])
    >>> batch.patterns, batch.status.tolist()
    (2, ['success', 'success', 'not_positive_definite'])
    >>> [x.round(12).tolist() for x in batch.solve([chain @ numpy.ones(chain.shape[0]) for chain in chains])]
    [[1.0], [1.0, 1.0, 1.0], [nan, nan, nan]]
    """

    _prefix = "variable_batch_"

    def __init__(self, matrices: Sequence[Any], *, form: str = "llt", part: Any = None, dtype: Any = None,
                 **options: Any) -> None:
        if not isinstance(matrices, (list, tuple)):
            raise TypeError(f"a list of sparse matrices is needed, not {type(matrices).__name__}")
        if dtype is None:
            dtype = numpy.result_type(*map(dtype_of_matrix, matrices)) if matrices else numpy.float64
        super().__init__(known_dtype(dtype), form, options)
        self._part = part_of(FULL if part is None else part)
        views = [self._view(i, a, check=form != "lu") for i, a in enumerate(matrices)]
        self._converted = [view.converted for view in views]
        self.orders = tuple(view.order for view in views)
        array = (Matrix * max(len(views), 1))(*[view.matrix for view in views])
        self._call("analyze", array, len(views))
        self._begin(len(views))
        self._keep_patterns(views)
        self.refactorize(matrices)

    def _view(self, i: int, a: Any, check: bool = False, like: Optional[Layout] = None) -> SparseView:
        try:
            return view_of(a, self.dtype, self._part, check=check, like=like)
        except (TypeError, ValueError) as error:
            raise type(error)(f"matrix {i}: {error}") from None

    def _keep_patterns(self, views: list[SparseView]) -> None:
        numbers = numpy.empty(self.count, dtype=numpy.int64)
        number = ctypes.c_int64()
        for i in range(self.count):
            self._call("pattern_of", i, ctypes.byref(number))
            numbers[i] = number.value
        self.patterns = int(numbers.max(initial=-1)) + 1
        numbers.flags.writeable = False
        self.pattern = numbers
        self._layouts: list[Layout] = []
        self._entry_orders: list[EntryOrder] = []
        for system in numpy.unique(numbers, return_index=True)[1]:  # The first system of each pattern.
            first = views[int(system)]
            self._layouts.append(first.layout)
            self._entry_orders.append(EntryOrder(first))

    def __repr__(self) -> str:
        good = int(numpy.count_nonzero(self.status == "success"))
        return (f"<gpusupernodal.VariableBatch of {self.count} systems with {self.patterns} patterns in {self.dtype}, "
                f"{good} with a factor>")

    def refactorize(self, values: Sequence[Any]) -> None:
        """Factorizes all wanted systems with new values: a list with a sparse matrix of the system's pattern for each, or an array
        of its values, in the order of the entries when the batch was made. Those of other systems may be None."""
        if len(values) != self.count:
            raise ValueError(f"{len(values)} matrices were given, but the batch has {self.count} systems")
        kept = []
        pointers = (ctypes.c_void_p * max(self.count, 1))()
        for i, given in enumerate(values):
            if not self._wanted[i]:
                continue
            kept.append(self._values_of(i, given))
            pointers[i] = kept[-1].ctypes.data
        self._call("refactorize", pointers, self.count, HOST)

    def _values_of(self, i: int, given: Any) -> Any:
        order = self._entry_orders[self.pattern[i]]
        if hasattr(given, "tocsc") or str(getattr(given, "layout", "")).startswith("torch.sparse"):
            view = order.arranged(self._view(i, given, like=self._layouts[self.pattern[i]]))
            if not order.has(view):
                raise ValueError(f"matrix {i} has another pattern than the analyzed one")
            return on_host(view.values, f"matrix {i}", "VariableBatch")
        if self._converted[i]:
            raise ValueError(f"matrix {i} was converted to compressed columns, or its duplicates were summed, so an array of "
                             "values does not say which entry is which; pass a sparse matrix instead")
        array = on_host(given, f"the array of values of matrix {i}", "VariableBatch")
        if array.shape != (order.entries,):
            raise ValueError(f"the array of values of matrix {i} has the shape {array.shape}; ({order.entries},) is needed")
        return _arrays.numbers(array, self.dtype, f"the array of values of matrix {i}")

    def solve(self, b: Sequence[Any], x: Any = None, trans: str = "N") -> list[Any]:
        """Solves A x = b for all wanted systems; `trans` "T" or "H" solves with the transposed or adjoint matrices. b has an array
        for each system, of the shape (n,), or (n, k) with the same k for all; those of other systems may be None. Returns a
        list of arrays of b's shapes. Systems without a solution are NaN, or keep what is in `x`, the result of an earlier
        solve, if it is given; systems that are not wanted are None without it. `solve_status` says which."""
        if len(b) != self.count or (x is not None and len(x) != self.count):
            raise ValueError(f"b has {len(b)} arrays{'' if x is None else f' and x has {len(x)}'}, but the batch has {self.count} "
                             "systems")
        rows = [self._vectors(i, array, "b") if self._wanted[i] else None for i, array in enumerate(b)]
        stored: list[Any] = []
        for i, right in enumerate(rows):
            if right is None:
                stored.append(None)
                continue
            stored.append(numpy.full(right.shape, numpy.nan, dtype=self.dtype, order="F"))
            if x is not None and x[i] is not None:
                earlier = self._vectors(i, x[i], "x")
                if earlier.shape != right.shape:
                    raise ValueError(f"x of matrix {i} has the shape {earlier.shape}; {right.shape} is needed")
                stored[i][...] = earlier
        self._call("solve_part", system_of(trans), self._list_of(rows), self._list_of(stored), self.count)
        return [x[i] if found is None and x is not None else found for i, found in enumerate(stored)]

    def _vectors(self, i: int, array: Any, what: str) -> Any:
        what = f"{what} of matrix {i}"
        found = on_host(array, what, "VariableBatch")
        if found.size > 0:
            _arrays.require_numbers(found, self.dtype, what)
        if found.ndim not in (1, 2) or found.shape[0] != self.orders[i]:
            raise ValueError(f"{what} has the shape {found.shape}; ({self.orders[i]},) or ({self.orders[i]}, k) is needed")
        return numpy.asarray(found, dtype=self.dtype, order="F")

    @staticmethod
    def _list_of(arrays: list[Any]) -> Any:
        views = (Dense * max(len(arrays), 1))()
        for view, array in zip(views, arrays):
            if array is None:
                continue
            view.data, view.space = array.ctypes.data, HOST
            view.columns = 1 if array.ndim == 1 else array.shape[1]
            view.ld = array.shape[0] or 1
        return views
