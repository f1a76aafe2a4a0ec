"""gpusupernodal solves sparse linear systems on NVIDIA GPUs, and on the host where there is none: symmetric positive definite,
symmetric indefinite, general and complex ones.

>>> import numpy, scipy.sparse, gpusupernodal
>>> A = scipy.sparse.diags([-1.0, 4.0, -1.0], [-1, 0, 1], shape=(1000, 1000), format="csc")
>>> factor = gpusupernodal.cholesky(A)
>>> x = factor(numpy.ones(1000))
>>> bool(abs(A @ x - 1.0).max() < 1e-12)
True

What to call::

    cholesky(A)      a Factor of a symmetric (complex: Hermitian) positive definite matrix
    ldlt(A)          an LDLT of a symmetric matrix, definite or not, with its inertia
    lu(A)            an LU of a general matrix
    analyze(A)       a Factor without values, which refactorize(A) brings
    spsolve(A, b)    x, by a factorization or by conjugate gradients, called as SciPy's
    System(A)        the same for repeated solves
    pcg(A, b)        x by preconditioned conjugate gradients, called as SciPy's cg
    Operator(A)      fast products with A
    NormalEquations(A)  A·D·Aᵀ for changing D, and its factor
    Batch(A, count)  many systems of one pattern
    VariableBatch([A0, A1])  many systems of several patterns
    Solver()         the library's calls one by one

A factorization has factor(b) and factor.solve(b), factor.refactorize(A), factor.logdet(), factor.perm and factor.report().
docs/python.md of the project has examples.
"""
from ._batch import Batch
from ._errors import Error, FactorizationFailed, NotPositiveDefinite, SingularMatrix, UnstableFactorization
from ._factor import Factor, analyze, cholesky
from ._ldlt import LDLT, Inertia, ldlt
from ._library import backend_available, backend_reason, built_with, version
from ._lu import LU, lu
from ._matrices import FULL, LOWER, UPPER
from ._normal import NormalEquations
from ._operator import Operator
from ._pcg import pcg
from ._solver import Solver
from ._system import System, spsolve
from ._variable_batch import VariableBatch

__version__ = version()
__all__ = ["cholesky", "ldlt", "lu", "analyze", "spsolve", "System", "pcg", "Operator", "NormalEquations", "Batch",
           "VariableBatch", "Solver",
           "Factor", "LDLT", "Inertia", "LU", "Error", "FactorizationFailed", "NotPositiveDefinite", "SingularMatrix",
           "UnstableFactorization", "FULL", "LOWER", "UPPER", "backend_available", "backend_reason", "built_with",
           "version"]
