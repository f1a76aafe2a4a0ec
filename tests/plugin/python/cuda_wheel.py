"""Checks the installed wheel with CUDA of the interpreter that runs this: every CUDA library that it needs comes from NVIDIA's
Python packages, the driver is not needed, and without one the host solves and a sentence says why the GPU cannot be used."""
import re
import subprocess
import sys
from pathlib import Path

import numpy
import scipy.sparse

import gpusupernodal
from gpusupernodal import _library

N = 1000
A = scipy.sparse.diags([-1.0, 4.0, -1.0], [-1, 0, 1], shape=(N, N), format="csc")
X = numpy.linspace(1.0, 2.0, N)
# The condition number of A in the maximum norm is at most 3, and rows of A and of its factor have at most 3 entries.
BOUND = 3 * 3 * 4 * numpy.finfo(float).eps
CUDA = ("libcudart", "libcublas", "libcusolver")
# The loader's own folders, and what belongs to the interpreter.
SYSTEM = ("/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/", sys.base_prefix + "/lib")


def needed(path):
    dynamic = subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=True).stdout
    return re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)


def loaded():
    lines = Path("/proc/self/maps").read_text().splitlines()
    return sorted({line.split(maxsplit=5)[5] for line in lines if ".so" in line and line.count("/")})


def findings():
    ours = next(path for path in loaded() if "libgpusupernodal" in path)
    names = needed(ours)
    print("needed:", *names)
    for stem in CUDA:
        if not any(name.startswith(stem + ".so") for name in names):
            yield f"the library does not need {stem}: was it built with CUDA?"
    if "libcuda.so.1" in names:
        yield "the library needs the driver, libcuda.so.1, so it cannot be loaded on a machine without a GPU"
    for path in loaded():
        if not path.startswith((sys.prefix, *SYSTEM)):
            yield f"{path} was loaded, which neither the packages nor the loader's folders contain"
        if re.search(r"/lib(cu|nv)", path):
            print("loaded:", path.removeprefix(sys.prefix + "/"))
            if not path.startswith(sys.prefix) and "libcuda.so" not in path:
                yield f"{path} was loaded in place of a library of NVIDIA's Python packages"
    yield from solves("host")
    if gpusupernodal.backend_available("cuda"):
        yield from solves("cuda")
    else:
        yield from refuses()


def solves(backend):
    factor = gpusupernodal.cholesky(A, backend=backend)
    error = abs(factor(A @ X) - X).max() / abs(X).max()
    print(f"{backend}: error {error:.1e} of the solution, at most {BOUND:.1e}")
    if not error <= BOUND:
        yield f"the error of the solution is {error}, more than {BOUND}"


def refuses():
    reason = gpusupernodal.backend_reason("cuda")
    print(f"cuda: {reason}")
    if not re.search("no CUDA (driver|device)", reason):
        yield f"the reason why the GPU cannot be used is not given, but '{reason}'"
    try:
        gpusupernodal.cholesky(A, backend="cuda")
    except gpusupernodal.Error as error:
        if reason not in str(error):
            yield f"backend='cuda' fails with '{error}', which does not say '{reason}'"
    else:
        yield "backend='cuda' works, although it is not available"


errors = list(findings())
print(*errors, f"{Path(_library.__file__).parent}: {len(errors)} errors", sep="\n")
sys.exit(1 if errors else 0)
