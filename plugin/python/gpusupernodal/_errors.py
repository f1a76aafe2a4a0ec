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


class NotPositiveDefinite(Error, numpy.linalg.LinAlgError):
    """The matrix has no Cholesky factor: it is not positive definite, or has NaN or Inf.

    `column` is the column of the matrix, counted from 0, at which the factorization failed, and `pivot` the value there."""

    def __init__(self, code: int, sentence: str, column: int = -1, pivot: float = float("nan")) -> None:
        super().__init__(code, sentence)
        self.column = column
        self.pivot = pivot

    def __reduce__(self) -> Any:
        return type(self), (self.code, str(self), self.column, self.pivot)
