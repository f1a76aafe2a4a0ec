"""Batch: many systems whose matrices have one pattern."""
from __future__ import annotations

import ctypes
import operator
from typing import Any, Optional, Sequence

import numpy

from . import _arrays, _library, _options
from ._errors import Error
from ._factorization import system_of
from ._library import BatchDense, library
from ._matrices import FULL, EntryOrder, Layout, part_of, view_of

_SCALARS = [numpy.dtype(scalar) for scalar in (numpy.float32, numpy.float64, numpy.complex64, numpy.complex128)]
_HOST = 0  # GPUSUPERNODAL_HOST
_OWN = ("count", "part", "dtype", "form")


def _count_of(count: Any) -> int:
    """The number of systems that the caller gave. The library refuses what is not 0 to 2^31 − 1, but sees 64 bits only."""
    return min(max(operator.index(count), -1), 2**31)


class Batch:
    """Factorizations of `count` matrices with one pattern, on the host's threads or, in real arithmetic, on a GPU. Arrays are in
    host memory in both cases.

    A is a sparse matrix whose pattern all systems have, or a list of such matrices, which are then factorized. The form is
    "llt" for symmetric positive definite matrices, "ldlt" for symmetric and "lu" for general ones; `part` is as for cholesky().
    For "lu", the values of A decide the exchange of rows. Options are keywords by their names in docs/options.md, with _ for a
    dot.

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

    def __init__(self, A: Any, count: Optional[int] = None, *, form: str = "llt", part: Any = None, dtype: Any = None,
                 **options: Any) -> None:
        self._handle = ctypes.c_void_p()
        matrices = list(A) if isinstance(A, (list, tuple)) else None
        if matrices is not None and (len(matrices) == 0 or count not in (None, len(matrices))):
            raise ValueError(f"the list has {len(matrices)} matrices; at least one is needed, and count is {count}")
        if matrices is None and count is None:
            raise TypeError("Batch() needs the number of systems: Batch(A, count), or a list of matrices")
        first = A if matrices is None else matrices[0]
        self.dtype = self._dtype_for(first, dtype)
        checked = _options.check(options, "Batch", _OWN)
        self._check(library.gpusupernodal_batch_create(_SCALARS.index(self.dtype), ctypes.byref(self._handle)))
        for name, value in {"form": str(form), **checked}.items():
            self._call("set_option", name.encode(), value.encode())
        self._part = part_of(FULL if part is None else part)
        view = view_of(first, self.dtype, self._part, check=form != "lu")
        self._layout: Layout = view.layout
        self._converted = view.converted
        self._order = EntryOrder(view)
        self.count = len(matrices) if matrices is not None else _count_of(count)
        self.order = int(first.shape[0])
        self.entries = int(view.offsets[-1])
        self._call("analyze", ctypes.byref(view.matrix), self.count)
        self._wanted = numpy.ones(self.count, dtype=bool)
        if matrices is not None:
            self.refactorize(matrices)

    @staticmethod
    def _dtype_for(A: Any, dtype: Any) -> numpy.dtype[Any]:
        if dtype is None:
            own = numpy.dtype(str(getattr(A, "dtype", "float64")).rsplit(".", 1)[-1])
            dtype = own if own in _SCALARS else numpy.dtype(numpy.float64)
        found: numpy.dtype[Any] = numpy.dtype(dtype)
        if found not in _SCALARS:
            raise TypeError(f"{found} is none of {', '.join(map(str, _SCALARS))}")
        return found

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            library.gpusupernodal_batch_destroy(self._handle)

    def __len__(self) -> int:
        return self.count

    def __repr__(self) -> str:
        good = int(numpy.count_nonzero(self.status == "success"))
        return f"<gpusupernodal.Batch of {self.count} systems of order {self.order:,} in {self.dtype}, {good} with a factor>"

    def __reduce__(self) -> Any:
        """A copy would share the factors' memory, and both would free it."""
        raise TypeError("a Batch can be neither copied nor pickled; make a new one from the matrices")

    def _check(self, code: int) -> None:
        if code != 0:
            raise Error(code, library.gpusupernodal_batch_message(self._handle).decode())

    def _call(self, name: str, *arguments: Any) -> None:
        self._check(getattr(library, "gpusupernodal_batch_" + name)(self._handle, *arguments))

    @property
    def wanted(self) -> Any:
        """A mask of `count` bools: the systems that refactorize() and solve() compute. Others keep their factor and status. Set
        it to a new mask, or to None for all; the array returned is read-only."""
        mask = self._wanted.view()
        mask.flags.writeable = False
        return mask

    @wanted.setter
    def wanted(self, mask: Any) -> None:
        new = numpy.ones(self.count, dtype=bool) if mask is None else numpy.asarray(mask)
        if new.dtype != bool or new.shape != (self.count,):
            raise ValueError(f"the mask has the shape {new.shape} and the type {new.dtype}; {self.count} bools are needed")
        new = numpy.ascontiguousarray(new)
        self._call("set_wanted", new.ctypes.data if self.count else None, self.count)
        self._wanted = new.copy()

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
        self._call("refactorize", array.ctypes.data, self.entries, self.count, _HOST)

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
        self._call("refactorize_pointers", pointers, self.count, _HOST)

    @staticmethod
    def _on_host(array: Any, what: str) -> Any:
        array = _arrays.adopt(array, what)
        _arrays.refuse_masked(array, what)
        if _arrays.on_device(array):
            raise TypeError(f"{what} is in device memory; Batch takes arrays in host memory")
        return numpy.asarray(array)

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
        right = BatchDense(rows.ctypes.data, columns, self.order or 1, 0 if shared else size, self.count, _HOST)
        solutions = BatchDense(stored.ctypes.data, columns, self.order or 1, size, self.count, _HOST)
        self._call("solve_part", system_of(trans), ctypes.byref(right), ctypes.byref(solutions))
        return stored[:, 0, :] if len(shape) == 2 else stored.transpose(0, 2, 1)

    def _statuses(self, name: str) -> Any:
        numbers = numpy.empty(self.count, dtype=numpy.int32)
        self._call(name, numbers.ctypes.data, self.count)
        names = [library.gpusupernodal_batch_status_name(k).decode() for k in range(7)]
        return numpy.array(names)[numbers]

    @property
    def status(self) -> Any:
        """How the factorization of each system ended, an array of names: "success", "not_positive_definite",
        "non_finite_input", "singular", "unstable", or "not_factorized"."""
        return self._statuses("statuses")

    @property
    def solve_status(self) -> Any:
        """How each system ended in the last solve: the names of `status`, and "skipped" if it was not wanted."""
        return self._statuses("solve_statuses")

    def report(self, system: int) -> dict[str, Any]:
        """Returns all numbers and texts of a system's reports, by names such as "factor.failed_column"."""
        system = min(max(operator.index(system), -1), self.count)  # The library sees 64 bits only.
        result: dict[str, Any] = {}
        for name in _library.names("report_text"):
            text = ctypes.c_char_p()
            self._call("report_text", system, name.encode(), ctypes.byref(text))
            result[name] = (text.value or b"").decode()
        for name in _library.names("report_number"):
            number = ctypes.c_double()
            self._call("report_number", system, name.encode(), ctypes.byref(number))
            result[name] = number.value
        return result

    @property
    def reports(self) -> list[Optional[dict[str, Any]]]:
        """report() of each system; None for those that were not factorized."""
        return [None if status == "not_factorized" else self.report(i) for i, status in enumerate(self.status)]
