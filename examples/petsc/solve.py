"""Solves the Laplacian on a grid by whatever KSP and PC the options name.

usage: python3 solve.py [-m POINTS] [PETSc options]      POINTS a side, 50 if not given

An ordinary petsc4py program. For example

    python3 solve.py -ksp_type preonly -pc_type cholesky -ksp_view \\
      -dll_append /usr/local/lib/libgpusupernodal_petsc.so -pc_factor_mat_solver_type gpusupernodal
"""
import sys

import petsc4py

petsc4py.init(sys.argv)
from petsc4py import PETSc  # noqa: E402  (PETSc starts with its import)


def laplacian(m):
    """The five-point operator on m × m points."""
    n = m * m
    matrix = PETSc.Mat().createAIJ([n, n], nnz=5, comm=PETSc.COMM_SELF)
    for i in range(n):
        neighbours = {i: 4.0}
        if i % m > 0:
            neighbours[i - 1] = -1.0
        if i % m < m - 1:
            neighbours[i + 1] = -1.0
        if i >= m:
            neighbours[i - m] = -1.0
        if i + m < n:
            neighbours[i + m] = -1.0
        matrix.setValues(i, list(neighbours), list(neighbours.values()))
    matrix.assemble()
    matrix.setOption(PETSc.Mat.Option.SPD, True)
    return matrix


def backward_error(a, x, b):
    """‖b − Ax‖ / (‖A‖‖x‖ + ‖b‖)."""
    largest = PETSc.NormType.NORM_INFINITY
    residual = b - a * x
    return residual.norm(largest) / (a.norm(largest) * x.norm(largest) + b.norm(largest))


def main():
    a = laplacian(PETSc.Options().getInt("m", 50))
    x, b = a.createVecs()
    b.set(1.0)

    solver = PETSc.KSP().create(PETSc.COMM_SELF)
    solver.setOperators(a)
    solver.setFromOptions()
    solver.solve(b, x)

    n = a.getSize()[0]
    error = backward_error(a, x, b)
    print(f"n {n}, converged reason {solver.getConvergedReason()}, iterations {solver.getIterationNumber()}, "
          f"backward error {error:.3e}")
    # A direct solve is right up to rounding, an iterative one up to its tolerance.
    direct = solver.getType() == PETSc.KSP.Type.PREONLY
    bound = 4 * n * sys.float_info.epsilon if direct else solver.getTolerances()[0]
    return 0 if solver.getConvergedReason() > 0 and error <= bound else 1


if __name__ == "__main__":
    sys.exit(main())
