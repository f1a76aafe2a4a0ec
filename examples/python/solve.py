#!/usr/bin/env python3
"""Solves with a SciPy matrix, directly and as a preconditioner; on a GPU with CuPy's arrays, where both are there.

usage: solve.py      ends with 77 where SciPy is not installed
"""
import inspect
import sys

try:
    import numpy
    import scipy.sparse
    import scipy.sparse.linalg
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)
import gpusupernodal


def laplacian(m):
    """Of an m × m grid."""
    line = scipy.sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(m, m))
    identity = scipy.sparse.identity(m)
    return scipy.sparse.csc_matrix(scipy.sparse.kron(line, identity) + scipy.sparse.kron(identity, line))


def check(name, a, x, b):
    """The backward error is at most 4·n·eps [docs/accuracy.md]."""
    residual = numpy.abs(b - a @ x).max()
    error = residual / (abs(a).sum(axis=1).max() * numpy.abs(x).max() + numpy.abs(b).max())
    print(f"{name}: backward error {error:.1e}")
    if not error <= 4 * a.shape[0] * numpy.finfo(float).eps:
        sys.exit(f"{name}: the error is larger than rounding explains")


def direct(a, b):
    solver = gpusupernodal.Solver()
    solver.compute(a)
    check("direct", a, solver.solve(b), b)
    print(f"  {solver.report('analyze.nonzeros_l'):.0f} entries of L by {solver.report('analyze.ordering')}, "
          f"{solver.report('analyze.backend')}")
    solver.factorize(2.0 * a)  # New values, the same pattern.
    check("new values", 2.0 * a, solver.solve(b), b)
    columns = numpy.asfortranarray(numpy.stack([b, 3.0 * b], axis=1))
    solver.solve(columns, out=columns)  # In its place.
    check("in place", 2.0 * a, columns[:, 1], 3.0 * b)


def preconditioned(a, b):
    """A factor in float32 for conjugate gradients in float64."""
    solver = gpusupernodal.Solver(dtype=numpy.float32)
    solver.compute(a)
    steps = []
    m = scipy.sparse.linalg.LinearOperator(a.shape, matvec=solver.solve, dtype=float)
    cg = scipy.sparse.linalg.cg
    relative = "rtol" if "rtol" in inspect.signature(cg).parameters else "tol"  # SciPy 1.12 renamed it.
    x, failed = cg(a, b, M=m, atol=0.0, callback=lambda _: steps.append(1), **{relative: 1e-13})
    if failed:
        sys.exit("conjugate gradients did not converge")
    check(f"{len(steps)} conjugate gradient steps with a float32 factor", a, x, b)


def on_the_device(a, b):
    try:
        import cupy
        import cupyx.scipy.sparse
    except ImportError:
        print("on the device: CuPy is not installed")
        return
    if not gpusupernodal.backend_available("cuda"):
        print("on the device: there is none, or a build without CUDA")
        return
    device_a = cupyx.scipy.sparse.csc_matrix(a)
    solver = gpusupernodal.Solver(backend="cuda")
    solver.set_stream(cupy.cuda.get_current_stream().ptr)
    solver.compute(device_a)
    x = solver.solve(cupy.asarray(b))  # A CuPy array; values and vectors stay on the device.
    check("on the device", a, x.get(), b)
    twice = Foreign(2.0 * cupy.asarray(b))
    solver.solve(twice, out=twice)  # Any array that says where it lies on the device, in its place.
    check("in a foreign array", a, twice.array.get(), 2.0 * b)


class Foreign:
    """What PyTorch's and Numba's arrays have in common with CuPy's."""

    def __init__(self, array):
        self.array = array
        self.__cuda_array_interface__ = array.__cuda_array_interface__


def refused(a):
    try:
        gpusupernodal.Solver().compute(-a)
    except gpusupernodal.NotPositiveDefinite as failure:
        print(f"as it should be: {failure}")
    else:
        sys.exit("−A passed for positive definite")


grid = laplacian(60)
right = grid @ numpy.linspace(1.0, 2.0, grid.shape[0])
direct(grid, right)
preconditioned(grid, right)
on_the_device(grid, right)
refused(grid)
