"""The exceptions of this package."""
from __future__ import annotations

from typing import Any

import numpy


class Error(RuntimeError):
    """A call failed; the text is the library's sentence, which docs/errors.md explains.

    `code` is the gpusupernodal_code of gpusupernodal.h."""

    def __init__(self, code: int, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code

    def __reduce__(self) -> Any:
        """Exceptions travel between processes, for instance from a pool of workers."""
        return type(self), (self.code, str(self))


class FactorizationFailed(Error, numpy.linalg.LinAlgError):
    """The matrix has no factor that can be used. Raised itself for NaN or Inf in the matrix of lu() or ldlt(); otherwise
    one of its subclasses.

    `column` is the column of the matrix, counted from 0, at which the factorization failed, and `pivot` the value there."""

    def __init__(self, code: int, sentence: str, column: int = -1, pivot: float = float("nan")) -> None:
        super().__init__(code, sentence)
        self.column = column
        self.pivot = pivot

    def __reduce__(self) -> Any:
        return type(self), (self.code, str(self), self.column, self.pivot)


class NotPositiveDefinite(FactorizationFailed):
    """The matrix has no Cholesky factor: it is not positive definite, or has NaN or Inf."""


class SingularMatrix(FactorizationFailed):
    """The matrix of lu() or ldlt() is singular up to rounding. `pivot` is the smallest of the scaled matrix."""


class UnstableFactorization(FactorizationFailed):
    """The pivots of lu() or ldlt() are too small for these values, and refined solves are not accurate. With the option
    repivot="report", a new lu() with the current values chooses other pivots; by default that was tried already."""
