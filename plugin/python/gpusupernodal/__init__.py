"""gpusupernodal: sparse, symmetric positive definite systems and general systems, on NVIDIA GPUs and on the host where
there is none; symmetric indefinite systems, too; complex systems on the host.

>>> import numpy, scipy.sparse, gpusupernodal
>>> A = scipy.sparse.diags([-1.0, 4.0, -1.0], [-1, 0, 1], shape=(1000, 1000), format="csc")
>>> factor = gpusupernodal.cholesky(A)
>>> x = factor(numpy.ones(1000))
>>> bool(abs(A @ x - 1.0).max() < 1e-12)
True

cholesky(A) returns a Factor, ldlt(A) an LDLT for a symmetric matrix, lu(A) an LU for a general one; analyze(A) a Factor without
values; spsolve(A, b) solves as SciPy does, by a factorization or by conjugate gradients, and System(A) repeatedly; pcg(A, b)
solves by conjugate gradients, Operator(A) multiplies by A; Batch(A, count) solves many systems of one pattern; Solver has the
library's calls one by one.
"""
from ._batch import Batch
from ._errors import Error, FactorizationFailed, NotPositiveDefinite, SingularMatrix, UnstableFactorization
from ._factor import Factor, analyze, cholesky
from ._ldlt import LDLT, Inertia, ldlt
from ._library import backend_available, version
from ._lu import LU, lu
from ._matrices import FULL, LOWER, UPPER
from ._operator import Operator
from ._pcg import pcg
from ._solver import Solver
from ._system import System, spsolve

__version__ = version()
__all__ = ["cholesky", "analyze", "ldlt", "lu", "pcg", "Batch", "Factor", "Inertia", "LDLT", "LU", "Operator", "Solver", "Error",
           "FactorizationFailed",
           "NotPositiveDefinite", "SingularMatrix", "UnstableFactorization", "FULL", "LOWER", "UPPER", "backend_available",
           "version", "System", "spsolve"]
