"""What the factors of cholesky(), ldlt() and lu() have in common."""
from __future__ import annotations

from typing import Any, Optional

import numpy
import scipy.sparse.linalg

from . import _options
from ._solver import Solver


SYSTEMS = {"N": 0, "T": 7, "H": 8}  # The gpusupernodal_system for each `trans` of a solve.


def system_of(trans: Any) -> int:
    if trans not in SYSTEMS:
        raise ValueError(f"trans is {trans!r}; it may be 'N' (A), 'T' (its transpose) or 'H' (its conjugate transpose)")
    return SYSTEMS[trans]


class Factorization:
    """A factorized matrix. cholesky(), ldlt() and lu() make its subclasses."""

    _maker = ""  # The function that makes it.
    _adjoint = 0  # The gpusupernodal_system of a solve with Aᴴ.

    def __init__(self, solver: Solver, part: int, order: int) -> None:
        self._solver = solver
        self._part = part
        self.shape = (order, order)

    def __repr__(self) -> str:
        report = self._solver.report
        return (f"<gpusupernodal.{type(self).__name__} of order {self.shape[0]:,} in {self.dtype}: "
                f"{report('analyze.nonzeros_l'):,.0f} entries of L by {report('analyze.ordering')}, {report('analyze.backend')}, "
                f"{self.status or 'not factorized'}>")

    def __reduce__(self) -> Any:
        """A copy would be factorized again together with the original."""
        name = type(self).__name__
        raise TypeError(f"{'an' if name in ('LU', 'LDLT') else 'a'} {name} can be neither copied nor pickled; make a new one with "
                        f"{self._maker}(A)")

    @property
    def dtype(self) -> numpy.dtype[Any]:
        """The type of the factor: float32, float64, complex64 or complex128."""
        dtype: numpy.dtype[Any] = self._solver.dtype
        return dtype

    @property
    def status(self) -> Optional[str]:
        """How the last factorization ended: "success", "not_positive_definite", "non_finite_input", "singular" or "unstable";
        None before the first."""
        return self._solver.outcome()

    def _factorize(self, A: Any) -> None:
        if hasattr(A, "format") or (hasattr(A, "layout") and "sparse" in str(A.layout)):
            self._solver.factorize(A, self._part)
        else:
            self._solver.refactorize(A)

    def _factorize_shifted(self, A: Any, shift: Optional[float]) -> None:
        """Factorizes with a new shift, unless it is None; restores the shift before if that fails."""
        before = self._solver.shift
        try:
            if shift is not None:
                self._solver.set_shift(shift)
            self._factorize(A)
        except BaseException:
            self._solver.set_shift(*before)
            raise

    def logdet(self) -> float:
        """Returns the logarithm of the magnitude of the determinant of A, which includes the shift of cholesky() and ldlt()."""
        return self._solver.log_determinant()

    def slogdet(self) -> tuple[Any, float]:
        """Returns the sign of the determinant of A and the logarithm of its magnitude, as numpy.linalg.slogdet does. The sign of a
        complex matrix is a number of magnitude 1."""
        return self._solver.determinant_sign(), self._solver.log_determinant()

    @property
    def backend(self) -> str:
        """"host" or "cuda"."""
        return str(self._solver.report("analyze.backend"))

    def report(self) -> dict[str, Any]:
        """Returns all numbers and texts of the reports of analysis, factorization and last solve, by name."""
        return self._solver.reports()

    def options(self) -> dict[str, str]:
        """Returns all options and their values, as texts."""
        return self._solver.options()

    def set_stream(self, stream: Optional[int]) -> None:
        """Sets the cudaStream_t, as a number, that later calls work on; None is the default stream."""
        self._solver.set_stream(stream)

    def aslinearoperator(self) -> Any:
        """Returns A⁻¹ as a scipy.sparse.linalg.LinearOperator, in the factor's type."""
        return scipy.sparse.linalg.LinearOperator(self.shape, matvec=self.matvec, rmatvec=self.rmatvec, matmat=self.matvec,
                                                  rmatmat=self.rmatvec, dtype=self.dtype)

    def matvec(self, b: Any) -> Any:
        """solve(), under the name by which SciPy's iterative solvers call a preconditioner."""
        return self._solver.solve(b)

    def rmatvec(self, b: Any) -> Any:
        """A solve with Aᴴ, under the name by which SciPy's iterative solvers call it."""
        return self._solver.solve(b, part=self._adjoint)

    matmat = matvec


class PivotedFactorization(Factorization):
    """A factorization that exchanges rows and replaces pivots that are too small."""

    @property
    def perturbed_pivots(self) -> int:
        """How many pivots were replaced because they were too small.

        If there are any, or if growth exceeds 100, every solve is refined.
        """
        return int(self._solver.report("factor.perturbed_pivots"))


def solver_for(caller: str, own: tuple[str, ...], form: str, A: Any, dtype: Any, options: dict[str, Any], permutation: Any = None,
               last_rows: Any = None, stream: Optional[int] = None) -> Solver:
    """An empty solver for a function with the keywords `own`, which factorizes A by `form`."""
    _options.refuse_other_form(options, caller, form)
    checked = _options.check(options, caller, own)
    if dtype is None:
        given = str(getattr(A, "dtype", None)).replace("torch.", "")
        dtype = given if given in ("float32", "complex64", "complex128") else numpy.float64
    solver = Solver(dtype)
    solver.set_option("form", form)
    for name, value in checked.items():
        solver.set_option(name, value)
    if permutation is not None:
        solver.set_permutation(permutation)
    if last_rows is not None:
        solver.set_last_rows(*last_rows)
    if stream is not None:
        solver.set_stream(stream)
    return solver
