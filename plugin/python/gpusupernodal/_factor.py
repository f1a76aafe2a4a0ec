"""cholesky(A) and the factor that it returns."""
from __future__ import annotations

from typing import Any, Optional

import numpy
import scipy.sparse

from ._factorization import Factorization, solver_for, system_of
from ._matrices import FULL, SparseView, part_of, view_of

_OWN = ("dtype", "part", "shift", "permutation", "last_rows", "stream", "check")
_L, _LT, _P, _PT = 1, 2, 3, 4


class Factor(Factorization):
    """The Cholesky factorization A = Pᵀ L Lᵀ P of a sparse, symmetric positive definite matrix, or A = Pᵀ L Lᴴ P of a
    Hermitian one. cholesky() makes it.

    Call it, or its method solve, with a right-hand side. It may be passed to SciPy's iterative solvers as a
    preconditioner: ``scipy.sparse.linalg.cg(A, b, M=factor)``. One thread at a time uses a factor.
    """

    _maker = "cholesky"

    def solve(self, b: Any, out: Any = None, trans: str = "N") -> Any:
        """Returns x with A x = b; with Aᵀ x = b for trans="T", which differs for complex A, and Aᴴ x = b for trans="H".

        b is a vector of n entries or an array of n rows, one column per right-hand side: of NumPy, CuPy, PyTorch, or any with
        ``__cuda_array_interface__`` or DLPack. x is a new array of the same kind, in the same memory. With `out`, an array
        with contiguous columns in the factor's type, which may be b itself, nothing is allocated or copied.
        """
        return self._solver.solve(b, out=out, part=system_of(trans))

    __call__ = solve

    def solve_L(self, b: Any) -> Any:
        """Returns L⁻¹ b; b and the result are in elimination order."""
        return self._solver.solve(b, part=_L)

    def solve_Lt(self, b: Any) -> Any:
        """Returns L⁻ᵀ b, for complex A L⁻ᴴ b; b and the result are in elimination order."""
        return self._solver.solve(b, part=_LT)

    def apply_P(self, b: Any) -> Any:
        """Returns P b: the rows of b in elimination order, b[perm]."""
        return self._solver.solve(b, part=_P)

    def apply_Pt(self, b: Any) -> Any:
        """Returns Pᵀ b, which undoes apply_P."""
        return self._solver.solve(b, part=_PT)

    def refactorize(self, A: Any, shift: Optional[float] = None) -> "Factor":
        """Factorizes a matrix of the same pattern, which takes a fraction of the time of cholesky(), and returns this factor.

        A is a sparse matrix in any format, or an array of its new values in the order of the entries of the first matrix; the
        array may be in device memory, and so may a matrix whose entries are in that order. `shift` replaces the shift, also for
        later calls, if this call succeeds. Raises NotPositiveDefinite; the factor then has no L until the next refactorize.
        """
        self._factorize_shifted(A, shift)
        return self

    def L(self) -> Any:
        """Returns L as a scipy.sparse.csc_matrix in elimination order: ``L @ L.T.conj()`` is ``A[perm][:, perm]``.

        Explicit zeros that merging stored are kept; ``eliminate_zeros()`` of the result removes them."""
        values, rows, offsets = self._solver.extract_l()
        if offsets[-1] < 2**31:
            rows, offsets = rows.astype(numpy.int32), offsets.astype(numpy.int32)
        return scipy.sparse.csc_matrix((values, rows, offsets), shape=self.shape)

    @property
    def perm(self) -> Any:
        """Row perm[k] of A is row k of L."""
        return self._solver.old_of_new()

    def det(self) -> float:
        """Returns the determinant of A; it overflows easily, logdet() does not."""
        return float(numpy.exp(self.logdet()))

    def rcond(self, A: Any) -> float:
        """Returns an estimate of the reciprocal condition number in the 1-norm. A is the matrix that was factorized."""
        return self._solver.reciprocal_condition(A, self._part)

    @property
    def nnz(self) -> int:
        """Entries of L, without the explicit zeros that merging stored."""
        return int(self._solver.report("analyze.nonzeros_l"))


def analyze(A: Any, *, dtype: Any = None, part: Any = FULL, permutation: Any = None, last_rows: Any = None,
            stream: Optional[int] = None, check: bool = True, **options: Any) -> Factor:
    """Analyzes the pattern of A and returns a factor without L; its refactorize(A) factorizes. Arguments as of cholesky()."""
    solver = solver_for("analyze", _OWN, "llt", A, dtype, options, permutation, last_rows, stream)
    view: SparseView = view_of(A, solver.dtype, part_of(part), check)
    solver.analyze(view)
    return Factor(solver, part_of(part), view.order)


def cholesky(A: Any, *, dtype: Any = None, part: Any = FULL, shift: float = 0.0, permutation: Any = None,
             last_rows: Any = None, stream: Optional[int] = None, check: bool = True, **options: Any) -> Factor:
    """Factorizes a sparse, symmetric (complex: Hermitian) positive definite matrix and returns its Factor.

    A: a sparse matrix or array of SciPy or CuPy (csr, csc; other formats are converted, duplicates of coo are summed), or a
    sparse_csr or sparse_csc tensor of PyTorch. Values in device memory stay there.
    dtype: float32, float64, complex64 or complex128 of NumPy; the default is A's type, float64 if A has integers.
    part: "full", or "lower" or "upper" if only that half of A is stored. Of a full matrix the lower half is read.
    shift: factorizes A + shift·I.
    permutation: row permutation[k] is eliminated as the k-th. last_rows: groups of rows that are eliminated last.
    stream: a cudaStream_t as a number, that all work is put on.
    check: refuse a full matrix that has not equally many entries below and above the diagonal.
    options: by their names in docs/options.md, with _ for a dot: backend="host", ordering="amd", refinement_max_steps=2;
    devices=[0, 1] lets several GPUs factorize together; memory="hybrid" and device_memory_limit=20e9 divide a factor between a
    GPU and the host.

    Raises NotPositiveDefinite with the column of A at which no factor exists, TypeError for a dense matrix or an unknown
    option, ValueError for a matrix that is not square, Error with the library's sentence otherwise.

    >>> import numpy, scipy.sparse
    >>> A = scipy.sparse.diags([-1.0, 4.0, -1.0], [-1, 0, 1], shape=(5, 5), format="csc")
    >>> factor = cholesky(A, backend="host", threads=1)
    >>> x = factor(numpy.ones(5))
    >>> bool(numpy.allclose(A @ x, 1.0))
    True
    >>> bool(numpy.allclose((factor.L() @ factor.L().T).toarray(), A[factor.perm][:, factor.perm].toarray()))
    True
    >>> round(factor.refactorize(2 * A).logdet(), 6) == round(float(numpy.linalg.slogdet(2 * A.toarray())[1]), 6)
    True
    >>> cholesky(A, orderng="amd")
    Traceback (most recent call last):
    ...
    TypeError: cholesky() has no option 'orderng'; did you mean 'ordering'?
    """
    solver = solver_for("cholesky", _OWN, "llt", A, dtype, options, permutation, last_rows, stream)
    view = view_of(A, solver.dtype, part_of(part), check)
    if shift != 0.0:
        solver.set_shift(shift)
    solver.compute(view)
    return Factor(solver, part_of(part), view.order)
