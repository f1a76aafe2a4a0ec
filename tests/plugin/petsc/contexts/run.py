"""Runs PETSc's example programs with each solver type in every place where a program may use a direct solver.

The runs are the lines of runs.txt. Each is done once per solver type, with options that differ only in the type's name, and
once with PETSc's LU (Cholesky for SBAIJ), which is the reference. A run passes if the program ends with exit code 0, reports
no divergence, uses every option that names a solver, and agrees with the reference within the run's bound: relative in the
2-norm, of the last solution or of the printed numbers. For gpusupernodal, PETSc must also count a factorization by it, and
all memory and objects must be freed at the end. Runs with CUDA's types of matrices and vectors may agree with a reference
with these types instead, because they use other random numbers and leak memory themselves.

With gpusupernodal-lu, its LU takes the place of its Cholesky factorization, in the runs where PETSc's LU could be (none with
BAIJ, SBAIJ, or a symmetrically split factor) and in those of lu_runs.txt, whose matrices are not symmetric.

--table names another list of runs: together_runs.txt, indefinite_runs.txt, complex_runs.txt or complex_lu_runs.txt; the last two need programs
and a plugin for complex scalars, and --scalars complex.

In single precision, tolerances and bounds are wider, and a run that PETSc's own solver cannot do is not counted
("no reference").
"""
import argparse
import concurrent.futures
import dataclasses
import datetime
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import answers

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parents[3] / "examples/petsc"
SOLVERS = ("gpusupernodal", "cholmod", "mumps", "petsc")
DEVICE_SOLVERS = ("gpusupernodal-cuda", "gpusupernodal-device", "cusparse")
REFERENCE = "reference"
DEVICE_REFERENCE = "reference-device"
DEVICE_TYPES = "-mat_type aijcusparse -vec_type cuda -dm_mat_type aijcusparse -dm_vec_type cuda"
DEVICE_TYPES_OF_DOMAINS = "-mat_is_localmat_type aijcusparse -dm_vec_type cuda"  # BDDC and FETI-DP need matrices of type "is".
ACCEPTED = ("pass", "not here")  # "not here": the program needs a package that this PETSc lacks.
BLOCK_PROGRAMS = ("ksp/ksp/tests/ex10", "ksp/ksp/tests/ex32")  # Their matrices are BAIJ by default.
# PETSc's own factorizations do not exchange rows. In the natural order, the zeros on this diagonal fill in before they are
# pivots; the other program's do not, and MUMPS is the reference.
ZERO_DIAGONAL = "-system saddle"
OF_MUMPS = "-tao_type pdipm"
OF_ACCURACY = ("diverged", "error", "other answer")  # Not among these: aborts, leak, not used.
SINGLE_BOUND = 1e-3  # Single precision: agreement of two factorizations of a matrix of condition 10^4.
SINGLE_TOLERANCES = {"1e-6": "1e-3", "1e-8": "1e-3", "1e-10": "1e-5"}  # Tolerances that iterations reach in single precision.


@dataclasses.dataclass(frozen=True)
class Run:
    """A line of the table."""

    context: str
    program: str
    ranks: int
    compare: str  # "text", "says WORDS", or the object with the solution: ksp, snes, ts or tao, optionally with ":prefix_"
    bound: float
    options: str

    @property
    def group(self):
        return self.context.split(",")[0]

    @property
    def has_solution(self):
        return not self.compare.startswith(("text", "says "))


@dataclasses.dataclass(frozen=True)
class Variant:
    """The solver behind a column of the results."""

    solver: str  # Name of the solver type.
    backend: str = ""  # Backend of gpusupernodal, if requested.
    device_types: bool = False  # Use device types where the program reads types from options and the run names none.
    factorization: str = "cholesky"

    @property
    def is_ours(self):
        return self.solver == "gpusupernodal"

    def can_do(self, run):
        """Whether the factorization can take the place that a run has for it."""
        others = ("baij", "SOLVER", "-ksp_pc_side symmetric")
        blocks = run.program in BLOCK_PROGRAMS and "mat_type aij" not in run.options
        return self.factorization != "lu" or not (blocks or any(word in run.options for word in others))


def variant_of(name):
    if name.endswith("-lu"):
        return Variant(name.removesuffix("-lu"), factorization="lu")
    special = {"gpusupernodal-cuda": Variant("gpusupernodal", "cuda"), DEVICE_REFERENCE: Variant(REFERENCE, "", True),
               "gpusupernodal-device": Variant("gpusupernodal", "cuda", True), "cusparse": Variant("cusparse", "", True)}
    return special.get(name, Variant(name))


@dataclasses.dataclass
class Outcome:
    exit_code: int
    output: str
    answer: list
    log: str


def read_table(path=HERE / "runs.txt"):
    runs = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = [field.strip() for field in line.split("|")]
        if len(fields) != 6:
            raise SystemExit(f"{path.name}:{number}: {len(fields)} fields")
        context, program, ranks, compare, bound, options = fields
        runs.append(Run(context, program, int(ranks), compare, float(bound), options))
    return runs


def with_solver(options, solver, backend="", factorization="cholesky"):
    """Expands the table's abbreviations: `@prefix_`, `@@prefix_` and `SOLVER`."""
    own = "cholesky" if "sbaij" in options else "lu"  # PETSc has no LU for this format.

    def choose(match):
        parallel, prefix = match.group(1) == "@@", match.group(2)
        if solver != REFERENCE:
            asked = f" -{prefix}mat_gpusupernodal_backend {backend}" if backend else ""
            return f"-{prefix}pc_type {factorization} -{prefix}pc_factor_mat_solver_type {solver}{asked}"
        inner = f"{prefix}redundant_" if parallel else prefix
        redundant = f"-{prefix}pc_type redundant " if parallel else ""
        package = "mumps" if OF_MUMPS in options else "petsc"
        order = f" -{inner}pc_factor_mat_ordering_type natural" if ZERO_DIAGONAL in options else ""
        return f"{redundant}-{inner}pc_type {own} -{inner}pc_factor_mat_solver_type {package}{order}"

    options = re.sub(r"(?<!\S)(@@?)(\w*)", choose, options)
    if solver == REFERENCE:
        options = options.replace("-ksp_pc_side symmetric", "")  # An LU factor cannot be split symmetrically.
    if backend and "SOLVER" in options:
        options += f" -mat_gpusupernodal_backend {backend}"
    return options.replace("SOLVER", "petsc" if solver == REFERENCE else solver)


def device_types(run):
    """Options with device types for the matrices and vectors that a run does not name."""
    if "mat_type" in run.options:
        return ""
    return DEVICE_TYPES_OF_DOMAINS if "bddc" in run.options else DEVICE_TYPES


def in_single(options):
    """The options with tolerances for single precision."""
    tolerance = re.compile(r"(?<=tol )(1e-\d+)(?!\S)")
    return tolerance.sub(lambda match: SINGLE_TOLERANCES.get(match.group(1), match.group(1)), options)


def solution_options(run):
    if not run.has_solution:
        return []
    kind, _, prefix = run.compare.partition(":")
    options = [f"-{prefix}{kind}_view_solution", "binary:solution"]
    if kind != "ts":
        options.append(f"-{prefix}{kind}_converged_reason")
    return options


def environment(run, petsc_prefix, folder):
    settings = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                    OMPI_MCA_plm_rsh_agent="/bin/false", OMPI_MCA_rmaps_base_oversubscribe="1",
                    OMPI_MCA_pml="ob1",  # Others probe for hardware, a third of a short program's time.
                    PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe",
                    OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_btl_vader_single_copy_mechanism="none", OMP_NUM_THREADS="1",
                    OPENBLAS_NUM_THREADS="1")
    if run.ranks == 1:
        settings.update(OMPI_MCA_ess_singleton_isolated="1", OMPI_MCA_btl="self")
    paths = [f"{petsc_prefix}/lib/python3/dist-packages", f"{petsc_prefix}/lib", os.environ.get("PYTHONPATH", "")]
    # Open MPI programs that start and end concurrently would remove each other's files from a common folder.
    return settings | {"PYTHONPATH": ":".join(paths), "TMPDIR": str(folder)}


class Runner:
    """Starts programs, each in a separate folder."""

    def __init__(self, arguments, scratch):
        self.arguments = arguments
        self.scratch = pathlib.Path(scratch)
        self.references = {}
        self.single = arguments.precision == "single"
        self.parts = 2 if arguments.scalars == "complex" else 1

    def program(self, run):
        if run.program.endswith(".py"):
            return [self.arguments.python, str(EXAMPLES / run.program)]
        return [f"{self.arguments.programs}/petsc_" + re.sub(r"\W", "_", run.program)]

    def is_here(self, run):
        """Whether this PETSc has the program, and for Python a petsc4py."""
        words = self.program(run)
        if "{matrix}" in run.options and not os.path.exists(self.arguments.matrix) or run.ranks > 1 and not self.arguments.mpiexec:
            return False
        if len(words) == 1:
            return os.path.exists(words[0])
        asked = "from petsc4py.PETSc import IntType, Sys; print('.'.join(map(str, Sys.getVersion())), 8 * IntType().itemsize)"
        answer = subprocess.run([words[0], "-c", asked], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False,
                                env=environment(run, self.arguments.petsc_prefix, self.scratch), text=True)
        return answer.stdout.split() == [self.arguments.petsc_version, str(self.arguments.integers)]

    def command(self, run, solver):
        variant = variant_of(solver)
        words = self.program(run)
        if run.ranks > 1:
            words = [self.arguments.mpiexec, "-n", str(run.ranks)] + words
        if variant.is_ours:
            words += ["-dll_append", self.arguments.plugin]
        options = with_solver(run.options, variant.solver, variant.backend, variant.factorization)
        options = options.replace("{matrix}", self.arguments.matrix)
        general = self.arguments.matrix.replace("spd-real", "ns-real").replace("hpd-complex", "nh-complex")
        options = options.replace("{general}", general)
        if variant.device_types:
            options += f" {device_types(run)}"
        if run.compare.startswith("ksp"):
            options += f" -{run.compare.partition(':')[2]}ksp_rtol 1e-10"
        return words + shlex.split(f"{in_single(options) if self.single else options} {self.arguments.options}")

    def start(self, run, solver):
        variant = variant_of(solver)
        with tempfile.TemporaryDirectory(dir=self.scratch) as name:
            folder, log = pathlib.Path(name), pathlib.Path(name, "log")
            words = self.command(run, solver) + solution_options(run) + ["-options_left"]
            if variant.is_ours or variant.device_types:
                words += ["-log_view", f":{log}"]
            if variant.is_ours or solver == DEVICE_REFERENCE:
                words += ["-malloc_dump"]
                words += ["-malloc_debug"] if run.ranks == 1 else []  # Checks all memory at each call.
            try:
                done = subprocess.run(words, env=environment(run, self.arguments.petsc_prefix, folder), cwd=folder, text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace", check=False,
                                      timeout=self.arguments.time_limit)
            except subprocess.TimeoutExpired:
                return Outcome(124, "", [], "")
            real = "f" if self.single else "d"
            answer = answers.read_solution(folder, real, self.parts) if run.has_solution else answers.printed_numbers(done.stdout)
            return Outcome(done.returncode, done.stdout, answer, log.read_text() if log.exists() else "")

    def reference(self, run, kind):
        if (run, kind) not in self.references:
            # PETSc's own factorizations run on one rank; a program's output does not depend on the number of ranks.
            alone = dataclasses.replace(run, ranks=1) if "SOLVER" in run.options else run
            self.references[run, kind] = self.start(alone, kind)
        return self.references[run, kind]

    def compare(self, run, outcome, kind=REFERENCE):
        """The failure of the answer, if any."""
        reference = self.reference(run, kind)
        fault, why = answers.shortcoming(run, reference, variant_of(kind))
        if fault:
            return "not here" if fault == "not offered" and OF_MUMPS in run.options else "no reference", f"{fault}: {why}"
        off = answers.distance(outcome.answer, reference.answer)
        bound = max(run.bound, SINGLE_BOUND) if self.single else run.bound
        return ("", "") if off <= bound else ("other answer", f"distance {off:.1e}, bound {bound:.0e}")

    def judge(self, run, solver):
        variant = variant_of(solver)
        outcome = self.start(run, solver)
        word, sentence = answers.shortcoming(run, outcome, variant)
        if word == "leak" and variant.device_types:
            # In a few programs, PETSc's CUDA types leak memory themselves.
            lost = answers.lost(outcome.output) - answers.lost(self.reference(run, DEVICE_REFERENCE).output)
            word, sentence = ("leak", min(lost)) if lost else ("", "")
        if not word and not run.compare.startswith("says "):
            word, sentence = self.compare(run, outcome)
            if word and variant.device_types:  # CUDA's types use other random numbers.
                word, sentence = self.compare(run, outcome, DEVICE_REFERENCE)
        if word in OF_ACCURACY and self.single and "says " not in run.compare:
            # A problem that PETSc's own solver cannot solve in single precision either is no failure; a crash or a leak
            # of our solver is.
            fault, why = answers.shortcoming(run, self.reference(run, REFERENCE), variant_of(REFERENCE))
            word, sentence = ("no reference", f"{fault}: {why}") if fault else (word, sentence)
        result = {"result": word or "pass", "detail": sentence}
        if variant.device_types:
            result["types"] = "device" if answers.has_device_matrices(outcome.log) else "host"
        return result if not word else result | {"output": outcome.output[-6000:]}


def accepted(arguments):
    return ACCEPTED + (("no reference",) if arguments.precision == "single" else ())


def recorded_results(path, solver):
    """What each run gave with a solver when the results were recorded; {} without a file."""
    rows = json.loads(pathlib.Path(path).read_text())["runs"] if path else []
    names = [field.name for field in dataclasses.fields(Run)]
    return {Run(**{name: row[name] for name in names}): row["results"][solver]["result"] for row in rows}


def failures(table, solver, recorded, fine):
    """The runs that fail: with recorded results, those that end otherwise than the page says; without, all that do not pass."""
    def is_right(now, before):
        return now == before or now in fine and (now != "pass" or before == "pass")

    return [run for run, results in table if not is_right(results[solver]["result"], recorded.get(run, "pass"))]


def run_all(runner, runs, solvers, jobs):
    def one(run):
        return {solver: runner.judge(run, solver) for solver in solvers}

    table = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for run, results in zip(runs, pool.map(one, runs)):
            table.append((run, results))
            words = ", ".join(f"{solver} {result['result']}" for solver, result in results.items())
            print(f"{run.context}: {run.program} on {run.ranks}: {words}", flush=True)
            first = results[solvers[0]]
            if first["result"] not in accepted(runner.arguments):
                print("    " + shlex.join(runner.command(run, solvers[0])) + f"\n    {first['detail']}\n{first['output']}")
    return table


def write_json(path, table, about):
    """Merges the results with those of other solvers in the file."""
    path = pathlib.Path(path)
    there = json.loads(path.read_text())["runs"] if path.exists() else []
    rows = []
    for run, results in table:
        row = dataclasses.asdict(run)
        shown = next((old["results"] for old in there if all(old[key] == row[key] for key in row)), {})
        for solver, result in results.items():
            shown[solver] = {key: value for key, value in result.items() if key != "output"}
        rows.append(row | {"results": shown})
    path.write_text(json.dumps({"about": about, "runs": rows}, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True, help="folder of the examples' programs")
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--petsc-prefix", default="", help="where a petsc4py of this PETSc may be")
    parser.add_argument("--petsc-version", default="", help="which petsc4py has to be one of")
    parser.add_argument("--matrix", default="", help="one of PETSc's files share/petsc/datafiles/matrices/spd-real-*, or hpd-complex-*")
    parser.add_argument("--python", default="/usr/bin/python3" if os.path.exists("/usr/bin/python3") else "python3")
    parser.add_argument("--mpiexec", default="mpiexec")
    parser.add_argument("--solvers", default="gpusupernodal",
                        help="solver types; gpusupernodal-cuda for its CUDA backend, gpusupernodal-device for CUDA matrices and "
                        "vectors too, gpusupernodal-lu alone for LU; the first one is to pass everywhere")
    parser.add_argument("--options", default="", help="more options for all")
    parser.add_argument("--time-limit", type=float, default=150.0, help="of each run, in seconds")
    parser.add_argument("--integers", type=int, choices=(32, 64), default=32, help="PETSc's, in bits")
    parser.add_argument("--precision", choices=("double", "single"), default="double", help="PETSc's")
    parser.add_argument("--scalars", choices=("real", "complex"), default="real", help="PETSc's")
    parser.add_argument("--table", default="runs.txt", help="the list of runs, a file in this folder")
    parser.add_argument("--group", help="only runs whose context begins with this, up to a comma")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--json", help="where to write the results")
    parser.add_argument("--recorded", help="a file of --json: a run that did not pass there must end in the same way")
    parser.add_argument("--commit", default="", help="for the results")
    parser.add_argument("--versions", default="", help="for the results: PETSc and the packages that it was built with")
    arguments = parser.parse_args()
    solvers = arguments.solvers.split(",")
    first = variant_of(solvers[0])
    table = read_table(HERE / arguments.table)
    if arguments.table == "runs.txt" and first.factorization == "lu":
        table += read_table(HERE / "lu_runs.txt")
    runs = [run for run in table if arguments.group in (None, run.group) and first.can_do(run)]
    with tempfile.TemporaryDirectory() as scratch:
        runner = Runner(arguments, scratch)
        here = [run for run in runs if runner.is_here(run)]
        for run in sorted({run.program for run in runs} - {run.program for run in here}):
            print(f"not here: {run}")
        table = run_all(runner, here, solvers, arguments.jobs)
    passed = {solver: sum(results[solver]["result"] == "pass" for _, results in table) for solver in solvers}
    failed = failures(table, solvers[0], recorded_results(arguments.recorded, solvers[0]), accepted(arguments))
    for run in failed:
        print(f"fails: {run.context}: {run.program} on {run.ranks}: {run.options}")
    print(", ".join(f"{solver}: {count} of {len(table)} pass" for solver, count in passed.items()))
    if arguments.json:
        write_json(arguments.json, table, {"date": datetime.date.today().isoformat(), "commit": arguments.commit,
                                           "versions": arguments.versions})
    if not runs:
        return 1
    return 77 if not here else int(len(failed) > 0)


if __name__ == "__main__":
    sys.exit(main())
