"""Names and definitions of the solvers under comparison and of the problems."""
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Peer:
    name: str
    label: str
    program: str
    mode: str

    def command(self, folder):
        return [str(Path(folder) / f"peer_{self.program}"), "--mode", self.mode]


PEERS = {peer.name: peer for peer in (
    Peer("gpusupernodal", "gpusupernodal", "gpusupernodal", "cuda"),
    Peer("gpusupernodal-streams", "gpusupernodal, schedule streams", "gpusupernodal", "streams"),
    Peer("gpusupernodal-host", "gpusupernodal, host", "gpusupernodal", "host"),
    Peer("cudss", "cuDSS", "cudss", "default"),
    Peer("cudss-deterministic", "cuDSS deterministic", "cudss", "deterministic"),
    Peer("cudss-permutation", "cuDSS, our permutation", "cudss", "permutation"),
    Peer("cudss-tree", "cuDSS, our permutation and tree", "cudss", "tree"),
    Peer("cusolver", "cuSOLVER csrlsvchol", "cusolver", "default"),
    Peer("mkl_pardiso", "MKL PARDISO", "mkl_pardiso", "default"),
    Peer("cholmod", "CHOLMOD", "cholmod", "default"),
    Peer("eigen", "Eigen SimplicialLLT", "eigen", "default"),
)}

# In the order of measurement: cheap problems first, so that an interrupted run covers most of them.
TARGETS = ["bcsstk16", "crystm03", "G2_circuit", "lap_mdual", "Trefethen_20000b", "cleat", "shell:400", "lap27:80", "elas:50",
           "lap2d:1000", "lap2d:2000", "lap3d:100"]
OTHERS = ["bcsstk25", "wathen120", "cvxbqp1", "lap2d:300", "lap3d:20", "lap3d:30", "lap3d:60", "armadillo13k", "sb1"]
CURVES = {"lap3d": [f"lap3d:{n}" for n in (20, 30, 40, 50, 60, 80, 100, 120)],
          "lap2d": [f"lap2d:{n}" for n in (100, 200, 300, 500, 1000, 2000, 3000)]}
SETS = {
    "targets": TARGETS,
    "others": OTHERS,
    "curves": CURVES["lap2d"] + CURVES["lap3d"],
    "small": ["bcsstk16", "crystm03", "lap2d:300", "G2_circuit", "lap3d:30"],
    "host": ["bcsstk16", "crystm03", "G2_circuit", "lap2d:1000", "lap3d:60", "shell:400", "cleat", "lap27:80", "elas:50"],
}


def expand(names):
    """Expands a list of problems and names of sets to a list of problems without duplicates."""
    problems = []
    for name in names:
        problems += [p for p in SETS.get(name, [name]) if p not in problems]
    return problems


def locate(problem, folders):
    """Argument of a program for a problem: a generator's name unchanged, otherwise the path of its file; None if not
    found."""
    if ":" in problem or Path(problem).exists():
        return problem
    candidates = (Path(folder) / (problem + ending) for folder in folders for ending in (".mtx", ".mtx.gz"))
    return next((str(path) for path in candidates if path.exists()), None)
