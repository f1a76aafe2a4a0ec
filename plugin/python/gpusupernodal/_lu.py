"""lu(A) and the factorization that it returns."""
from __future__ import annotations

from typing import Any, NoReturn, Optional

from ._factorization import SYSTEMS, PivotedFactorization, solver_for, system_of
from ._matrices import FULL, view_of

_OWN = ("dtype", "permutation", "last_rows", "stream")


class LU(PivotedFactorization):
    """The factorization of a sparse, general matrix by L and U, whose rows are exchanged and scaled. lu() makes it.

    Call it, or its method solve, with a right-hand side. It may be passed to SciPy's iterative solvers as a
    preconditioner: ``scipy.sparse.linalg.gmres(A, b, M=lu(A).aslinearoperator())``. One thread at a time uses it.
    """

    _maker = "lu"
    _adjoint = SYSTEMS["H"]

    def solve(self, b: Any, trans: str = "N", out: Any = None) -> Any:
        """Returns x with A x = b; with Aᵀ x = b for trans="T" and Aᴴ x = b for trans="H", as SciPy's splu(A).solve does.

        b is a vector of n entries or an array of n rows, one column per right-hand side. x is a new array of the same kind.
        With `out`, an array with contiguous columns in the type of the factor, which may be b itself, x is written there. x is
        refined if its backward error exceeds 100·sqrt(n)·eps; Error is raised if that does not help.
        """
        return self._solver.solve(b, out=out, part=system_of(trans))

    __call__ = solve

    def refactorize(self, A: Any) -> "LU":
        """Factorizes a matrix of the same pattern with the exchange of rows and the order of the first one, which takes a
        fraction of the time of lu(), and returns this object. If that is unstable, it is repeated with other pivots, unless
        the option repivot is "report".

        A is a sparse matrix in any format, or an array of its new values in the order of the entries of the first matrix; the
        array may be in device memory. Raises FactorizationFailed; nothing can be solved then until the next refactorize.
        """
        self._factorize(A)
        return self

    @property
    def growth(self) -> float:
        """The largest product of a column of L and the same row of U, in magnitude, over the largest entry of A; all scaled."""
        return float(self._solver.report("factor.growth"))

    @property
    def perm(self) -> Any:
        """Column perm[k] of A is eliminated as the k-th."""
        return self._solver.old_of_new()

    @property
    def nnz(self) -> int:
        """Entries of L and U, without the diagonal of L, which is 1, and without the explicit zeros that merging stored."""
        return 2 * int(self._solver.report("analyze.nonzeros_l")) - self.shape[0]

    def L(self) -> NoReturn:
        """Raises NotImplementedError: L and U are not extracted."""
        raise NotImplementedError("L and U of lu(A) cannot be extracted; solve() and logdet() use them")

    def U(self) -> NoReturn:
        """Raises NotImplementedError, as L() does."""
        self.L()


def lu(A: Any, *, dtype: Any = None, permutation: Any = None, last_rows: Any = None, stream: Optional[int] = None,
       **options: Any) -> LU:
    """Factorizes a sparse, square matrix, real or complex, that need not be symmetric, and returns its LU.

    A: a sparse matrix or array of SciPy or CuPy with all of its entries (csr, csc; other formats are converted, duplicates of
    coo are summed), or a sparse_csr or sparse_csc tensor of PyTorch. Values in device memory are copied to the host once, for the
    exchange of rows.
    dtype: float32, float64, complex64 or complex128 of NumPy; the default is A's type, float64 if A has integers.
    permutation: column permutation[k] is eliminated as the k-th. last_rows: groups of columns that are eliminated last.
    stream: a cudaStream_t as a number, that all work is put on.
    options: by their names in docs/options.md, with _ for a dot: matching="none", perturbation=1e-10, refinement_max_steps=2.
    The default of perturbation is √eps of the dtype, or eps if the schedule is "dense".

    Raises SingularMatrix, UnstableFactorization, or FactorizationFailed for NaN and Inf; TypeError for a dense
    matrix or an unknown option; ValueError for a matrix that is not square; Error with the library's
    sentence otherwise. docs/lu.md has the method.

    >>> import numpy, scipy.sparse
    >>> A = scipy.sparse.csc_matrix([[0.0, 2.0, 0.0], [1.0, 0.0, 4.0], [0.0, 1.0, 1.0]])
    >>> factor = lu(A)
    >>> bool(numpy.allclose(A @ factor(numpy.ones(3)), 1.0))
    True
    >>> bool(numpy.allclose(A.T @ factor.solve(numpy.ones(3), trans="T"), 1.0))
    True
    >>> round(factor.refactorize(2 * A).logdet(), 6) == round(float(numpy.linalg.slogdet(2 * A.toarray())[1]), 6)
    True
    >>> factor.status, factor.perturbed_pivots
    ('success', 0)
    >>> lu(scipy.sparse.csc_matrix([[1.0, 2.0], [2.0, 4.0]]))
    Traceback (most recent call last):
    ...
    gpusupernodal._errors.SingularMatrix: A is singular up to rounding; the smallest pivot of the scaled matrix is 0, in column 1 (counted from 0)
    """
    solver = solver_for("lu", _OWN, "lu", A, dtype, options, permutation, last_rows, stream)
    view = view_of(A, solver.dtype, FULL)
    solver.compute(view)
    return LU(solver, FULL, view.order)
