"""Batch: many systems whose matrices have one pattern."""
from __future__ import annotations

import ctypes
import operator
from typing import Any, Optional, Sequence

import numpy

from . import _arrays
from ._factorization import system_of
from ._library import BatchDense
from ._matrices import FULL, EntryOrder, Layout, part_of, view_of
from ._systems import HOST, Systems, dtype_of_matrix, known_dtype, on_host


def _count_of(count: Any) -> int:
    """The number of systems that the caller gave. The library refuses what is not 0 to 2^31 − 1, but sees 64 bits only."""
    return min(max(operator.index(count), -1), 2**31)


class Batch(Systems):
    """Factorizations of `count` matrices with one pattern, on the host's threads or, in real arithmetic, on a GPU. Arrays are in
    host memory in both cases.

    A is a sparse matrix whose pattern all systems have, or a list of such matrices, which are then factorized; VariableBatch is
    for lists of matrices with different patterns. The form is "llt" for symmetric positive definite matrices, "ldlt" for
    symmetric and "lu" for general ones; `part` is as for cholesky(). For "lu", the values of A decide the exchange of rows.
    Options are keywords by their names in docs/options.md, with _ for a dot.

    A system that fails raises nothing and does not affect the others: see `status`.

    >>> import numpy, scipy.sparse
    >>> A = scipy.sparse.csc_matrix([[4.0, -1.0], [-1.0, 4.0]])
    >>> batch = Batch(A, 3)
    >>> batch.refactorize(numpy.array([1.0, 2.0, -1.0])[:, None] * A.data)
    >>> batch.status.tolist()
    ['success', 'success', 'not_positive_definite']
    >>> batch.solve(numpy.array([3.0, 3.0]))
    array([[1. , 1. ],
           [0.5, 0.5],
           [nan, nan]])
    """

    _prefix = "batch_"

    def __init__(self, A: Any, count: Optional[int] = None, *, form: str = "llt", part: Any = None, dtype: Any = None,
                 **options: Any) -> None:
        matrices = list(A) if isinstance(A, (list, tuple)) else None
        if matrices is not None and (len(matrices) == 0 or count not in (None, len(matrices))):
            raise ValueError(f"the list has {len(matrices)} matrices; at least one is needed, and count is {count}")
        if matrices is None and count is None:
            raise TypeError("Batch() needs the number of systems: Batch(A, count), or a list of matrices")
        first = A if matrices is None else matrices[0]
        super().__init__(known_dtype(dtype_of_matrix(first) if dtype is None else dtype), form, options)
        self._part = part_of(FULL if part is None else part)
        view = view_of(first, self.dtype, self._part, check=form != "lu")
        self._layout: Layout = view.layout
        self._converted = view.converted
        self._order = EntryOrder(view)
        systems = len(matrices) if matrices is not None else _count_of(count)
        self.order = int(first.shape[0])
        self.entries = int(view.offsets[-1])
        self._call("analyze", ctypes.byref(view.matrix), systems)
        self._begin(systems)
        if matrices is not None:
            self.refactorize(matrices)

    def __repr__(self) -> str:
        good = int(numpy.count_nonzero(self.status == "success"))
        return f"<gpusupernodal.Batch of {self.count} systems of order {self.order:,} in {self.dtype}, {good} with a factor>"

    def refactorize(self, values: Any) -> None:
        """Factorizes all wanted systems with new values: an array of the shape (count, entries), with each row in the order of
        A's entries; or a list of `count` sparse matrices with A's pattern. Systems that are not wanted may be None there."""
        if isinstance(values, (list, tuple)):
            self._refactorize_matrices(values)
            return
        if self._converted:
            raise ValueError("the analyzed matrix was converted to compressed columns, or its duplicates were summed, so an array "
                             "of values does not say which entry is which; pass a list of sparse matrices instead")
        array = self._on_host(values, "the array of values")
        if array.shape != (self.count, self.entries):
            raise ValueError(f"the array of values has the shape {array.shape}; ({self.count}, {self.entries}) is needed")
        array = _arrays.numbers(array, self.dtype, "the array of values")
        self._call("refactorize", array.ctypes.data, self.entries, self.count, HOST)

    def _refactorize_matrices(self, matrices: Sequence[Any]) -> None:
        if len(matrices) != self.count:
            raise ValueError(f"{len(matrices)} matrices were given, but the batch has {self.count} systems")
        kept = []
        pointers = (ctypes.c_void_p * max(self.count, 1))()
        for i, matrix in enumerate(matrices):
            if matrix is None and not self._wanted[i]:
                continue
            view = self._order.arranged(view_of(matrix, self.dtype, self._part, like=self._layout))
            if not self._order.has(view):
                raise ValueError(f"matrix {i} has another pattern than the analyzed one")
            kept.append(self._on_host(view.values, f"matrix {i}"))
            pointers[i] = kept[-1].ctypes.data
        self._call("refactorize_pointers", pointers, self.count, HOST)

    @staticmethod
    def _on_host(array: Any, what: str) -> Any:
        return on_host(array, what, "Batch")

    def solve(self, b: Any, x: Any = None, trans: str = "N") -> Any:
        """Solves A x = b for all wanted systems; `trans` "T" or "H" solves with the transposed or adjoint matrices. b has the
        shape (count, n), (count, n, k) for k right-hand sides each, or (n,) for one that all systems have. Returns x with the
        shape (count, n) or (count, n, k). Systems without a solution are NaN, or keep what is in `x`, the result of an earlier
        solve, if it is given; `solve_status` says which."""
        b = self._on_host(b, "b")
        if b.size > 0:
            _arrays.require_numbers(b, self.dtype, "b")
        shared = b.ndim == 1
        shape = (self.count, *b.shape) if shared else b.shape
        if len(shape) not in (2, 3) or shape[:2] != (self.count, self.order):
            raise ValueError(f"b has the shape {b.shape}; ({self.count}, {self.order}), ({self.count}, {self.order}, k) or "
                             f"({self.order},) is needed")
        columns = shape[2] if len(shape) == 3 else 1
        rows = b if b.ndim < 3 else b.transpose(0, 2, 1)
        rows = numpy.ascontiguousarray(rows, dtype=self.dtype)
        stored = numpy.full((self.count, columns, self.order), numpy.nan, dtype=self.dtype)
        if x is not None:
            earlier = self._on_host(x, "x")
            _arrays.require_numbers(earlier, self.dtype, "x")
            if earlier.shape != shape:
                raise ValueError(f"x has the shape {earlier.shape}; {shape} is needed")
            stored[:] = earlier.reshape(self.count, self.order, columns).transpose(0, 2, 1)
        size = self.order * columns
        right = BatchDense(rows.ctypes.data, columns, self.order or 1, 0 if shared else size, self.count, HOST)
        solutions = BatchDense(stored.ctypes.data, columns, self.order or 1, size, self.count, HOST)
        self._call("solve_part", system_of(trans), ctypes.byref(right), ctypes.byref(solutions))
        return stored[:, 0, :] if len(shape) == 2 else stored.transpose(0, 2, 1)
