"""ldlt(A) and the factorization that it returns."""
from __future__ import annotations

from typing import Any, NamedTuple, Optional

from ._factorization import SYSTEMS, PivotedFactorization, solver_for, system_of
from ._matrices import FULL, SparseView, part_of, view_of

_OWN = ("dtype", "part", "shift", "permutation", "last_rows", "stream", "check")


class Inertia(NamedTuple):
    """Numbers of positive, negative and zero eigenvalues of a symmetric matrix."""

    positive: int
    negative: int
    zero: int


class LDLT(PivotedFactorization):
    """The factorization of a sparse, symmetric matrix that need not be definite. ldlt() makes it.

    Call it, or its method solve, with a right-hand side. It may be passed to SciPy's iterative solvers as a preconditioner, and
    to scipy.sparse.linalg.eigsh as OPinv for shift and invert. One thread at a time uses it.
    """

    _maker = "ldlt"
    _adjoint = SYSTEMS["H"]

    def solve(self, b: Any, out: Any = None, trans: str = "N") -> Any:
        """Returns x with A x = b; with Aᵀ x = b for trans="T" and Aᴴ x = b for trans="H", which differ for complex A.

        b is a vector of n entries or an array of n rows, one column per right-hand side. x is a new array of the same kind.
        With `out`, an array with contiguous columns in the type of the factor, which may be b itself, x is written there. x is
        refined if its backward error exceeds 100·sqrt(n)·eps; Error is raised if that does not help.
        """
        return self._solver.solve(b, out=out, part=system_of(trans))

    __call__ = solve

    def refactorize(self, A: Any, shift: Optional[float] = None) -> "LDLT":
        """Factorizes a matrix of the same pattern, which takes a fraction of the time of ldlt(), and returns this object.

        A is a sparse matrix in any format, or an array of its new values in the order of the entries of the first matrix. `shift`
        replaces the shift, also for later calls, if this call succeeds. Raises FactorizationFailed; nothing can be solved then
        until the next refactorize.
        """
        self._factorize_shifted(A, shift)
        return self

    @property
    def inertia(self) -> Inertia:
        """How many pivots are positive, negative and zero. If inertia_exact, A very likely has as many such eigenvalues."""
        report = self._solver.report
        return Inertia(*(int(report(f"factor.inertia.{sign}")) for sign in ("positive", "negative", "zero")))

    @property
    def inertia_exact(self) -> bool:
        """Whether no pivot was replaced and each one exceeds the bound of its rounding error. This is a strong hint, but no proof,
        that `inertia` is that of A."""
        return bool(self._solver.report("factor.inertia_exact"))

    @property
    def growth(self) -> float:
        """The largest product of a column of L and the same row of D·Lᵀ, in magnitude, over the largest entry of A; all scaled."""
        return float(self._solver.report("factor.growth"))

    @property
    def perm(self) -> Any:
        """Row perm[k] of A is eliminated as the k-th, up to exchanges inside supernodes."""
        return self._solver.old_of_new()

    @property
    def nnz(self) -> int:
        """Entries of L, without the explicit zeros that merging stored."""
        return int(self._solver.report("analyze.nonzeros_l"))


def ldlt(A: Any, *, dtype: Any = None, part: Any = FULL, shift: float = 0.0, permutation: Any = None, last_rows: Any = None,
         stream: Optional[int] = None, check: bool = True, **options: Any) -> LDLT:
    """Factorizes a sparse, symmetric matrix that need not be definite, and returns its LDLT.

    A: a sparse matrix or array of SciPy or CuPy (csr, csc; other formats are converted, duplicates of coo are summed), or a
    sparse_csr or sparse_csc tensor of PyTorch. Values in device memory stay there if the device factorizes.
    dtype: float32, float64, complex64 or complex128 of NumPy; the default is A's type, float64 if A has integers.
    part: "full", or "lower" or "upper" if only that half of A is stored. Of a full matrix the lower half is read.
    shift: factorizes A + shift·I.
    permutation: row permutation[k] is eliminated as the k-th. last_rows: groups of rows that are eliminated last.
    stream: a cudaStream_t as a number, that all work is put on.
    check: refuse a full matrix that has not equally many entries below and above the diagonal.
    options: by their names in docs/options.md, with _ for a dot: ordering="amd", perturbation=1e-10, refinement_max_steps=2.
    The default of perturbation is √eps of the dtype.
    With symmetry="symmetric" a complex A equals its transpose; with the default, "hermitian", its adjoint.

    Raises SingularMatrix, UnstableFactorization, or FactorizationFailed for NaN and Inf;
    TypeError for a dense matrix or an unknown option; ValueError for a matrix that is not square; Error with the
    library's sentence otherwise. docs/ldlt.md has the method.

    >>> import numpy, scipy.sparse
    >>> A = scipy.sparse.csc_matrix([[2.0, 0.0, 1.0], [0.0, 3.0, 1.0], [1.0, 1.0, 0.0]])
    >>> factor = ldlt(A)
    >>> bool(numpy.allclose(A @ factor(numpy.ones(3)), 1.0))
    True
    >>> factor.inertia, factor.inertia_exact
    (Inertia(positive=2, negative=1, zero=0), True)
    >>> factor.refactorize(A, shift=-10.0).inertia.negative
    3
    >>> ldlt(scipy.sparse.csc_matrix([[1.0, 1.0], [1.0, 1.0]]))
    Traceback (most recent call last):
    ...
    gpusupernodal._errors.SingularMatrix: A is singular up to rounding; the smallest pivot of the scaled matrix is 0, in column 1 (counted from 0)
    """
    solver = solver_for("ldlt", _OWN, "ldlt", A, dtype, options, permutation, last_rows, stream)
    view: SparseView = view_of(A, solver.dtype, part_of(part), check)
    if shift != 0.0:
        solver.set_shift(shift)
    solver.compute(view)
    return LDLT(solver, part_of(part), view.order)
