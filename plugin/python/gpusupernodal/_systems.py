"""What Batch and VariableBatch have alike."""
from __future__ import annotations

import ctypes
import operator
from typing import Any, Optional

import numpy

from . import _arrays, _library, _options
from ._errors import Error
from ._library import library

_SCALARS = [numpy.dtype(scalar) for scalar in (numpy.float32, numpy.float64, numpy.complex64, numpy.complex128)]
_OWN = ("count", "part", "dtype", "form")
HOST = 0  # GPUSUPERNODAL_HOST


def dtype_of_matrix(a: Any) -> numpy.dtype[Any]:
    """The scalar type of a sparse matrix; double precision for integers and the like."""
    own = numpy.dtype(str(getattr(a, "dtype", "float64")).rsplit(".", 1)[-1])
    return own if own in _SCALARS else numpy.dtype(numpy.float64)


def known_dtype(dtype: Any) -> numpy.dtype[Any]:
    """The type itself, if the library has it."""
    found: numpy.dtype[Any] = numpy.dtype(dtype)
    if found not in _SCALARS:
        raise TypeError(f"{found} is none of {', '.join(map(str, _SCALARS))}")
    return found


def on_host(array: Any, what: str, owner: str) -> Any:
    """The array, which must be in host memory."""
    array = _arrays.adopt(array, what)
    _arrays.refuse_masked(array, what)
    if _arrays.on_device(array):
        raise TypeError(f"{what} is in device memory; {owner} takes arrays in host memory")
    return numpy.asarray(array)


class Systems:
    """A handle of the library for `count` systems, with masks, statuses and reports."""

    _prefix = ""  # Of the library's functions, after gpusupernodal_.
    count: int
    dtype: numpy.dtype[Any]

    def __init__(self, dtype: numpy.dtype[Any], form: str, options: dict[str, Any]) -> None:
        self._handle = ctypes.c_void_p()
        self.dtype = dtype
        checked = _options.check(options, type(self).__name__, _OWN)
        self._check(self._function("create")(_SCALARS.index(dtype), ctypes.byref(self._handle)))
        for name, value in {"form": str(form), **checked}.items():
            self._call("set_option", name.encode(), value.encode())

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self._function("destroy")(self._handle)

    def __len__(self) -> int:
        return self.count

    def __reduce__(self) -> Any:
        """A copy would share the factors' memory, and both would free it."""
        raise TypeError(f"a {type(self).__name__} can be neither copied nor pickled; make a new one from the matrices")

    def _function(self, name: str) -> Any:
        return getattr(library, f"gpusupernodal_{self._prefix}{name}")

    def _check(self, code: int) -> None:
        if code != 0:
            raise Error(code, self._function("message")(self._handle).decode())

    def _call(self, name: str, *arguments: Any) -> None:
        self._check(self._function(name)(self._handle, *arguments))

    def _begin(self, count: int) -> None:
        """After the analysis: all systems are wanted."""
        self.count = count
        self._wanted = numpy.ones(count, dtype=bool)

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
