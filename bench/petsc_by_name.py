"""Runs PETSc programs with this solver and others, chosen by name; prints one Markdown row per program and solver.
usage: petsc_by_name.py --plugin LIB [--ranks N] [--seconds S] [--options TEXT] [--solver TEXT]... 'PROGRAM ARGUMENTS' ...

Programs are ordinary ones, such as PETSc's bench_kspsolve and ex56, which solve with the options that they are given.
Times are those of PETSc's events for symbolic phase, numeric phase and solve. The last two are means over their calls;
if they run once, they include the work of a first call."""
import argparse
import os
import re
import shlex
import subprocess
import sys

DEVICE = "-mat_type aijcusparse -vec_type cuda"
OURS = "-pc_factor_mat_solver_type gpusupernodal -mat_gpusupernodal_backend"


def solvers(ranks):
    """Returns (name, options, ranks) per solver. BLAS has one thread for several ranks or names with "1 thread"."""
    by_name = "-mat_type aij -pc_factor_mat_solver_type"
    return [
        ("gpusupernodal, device", f"{DEVICE} {OURS} cuda", 1),
        ("gpusupernodal, host", f"-mat_type aij {OURS} host", 1),
        ("cholmod", f"{by_name} cholmod", 1),
        ("cholmod, 1 thread", f"{by_name} cholmod", 1),
        ("mumps, 1 rank", f"{by_name} mumps", 1),
        (f"mumps, {ranks} ranks", f"{by_name} mumps", ranks),
        ("petsc", f"{by_name} petsc -pc_factor_mat_ordering_type nd", 1),
        ("cusparse", f"{DEVICE} -pc_factor_mat_solver_type cusparse -pc_factor_mat_ordering_type nd", 1),
    ]


def event(text, name):
    """Count and seconds of an event, summed over the stages."""
    rows = re.findall(rf"^{name} +(\d+) +[\d.]+ +([\d.e+-]+) ", text, re.M)
    return sum(int(count) for count, _ in rows), sum(float(seconds) for _, seconds in rows)


def mean(text, name):
    count, seconds = event(text, name)
    return f"{1e3 * seconds / count:.4g}" if count else "–"


def residual_of(text):
    found = re.search(r"final norm of residual ([\d.e+-]+)", text)
    return found.group(1) if found else "–"


def run(program, solver, options, ranks, arguments):
    command = shlex.split(program) + ["-ksp_type", "preonly", "-pc_type", "cholesky", "-ksp_view_final_residual"]
    command += ["-log_view", "-log_view_gpu_time"]
    command += shlex.split(options) + ["-dll_append", arguments.plugin]
    command += shlex.split(arguments.options)
    environment = dict(os.environ)
    if ranks > 1 or "1 thread" in solver:
        environment["OPENBLAS_NUM_THREADS"] = environment["OMP_NUM_THREADS"] = "1"
    if ranks == 1:
        environment["OMPI_MCA_ess_singleton_isolated"] = "1"  # A single process needs no Open MPI daemon.
    else:
        command = shlex.split(arguments.launcher) + ["-n", str(ranks)] + command
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=arguments.seconds, env=environment, check=False)
    except subprocess.TimeoutExpired:
        return None, f"not done in {arguments.seconds} s"
    if done.returncode == 0:
        return done.stdout, ""
    lines = [line.split("ERROR:")[1].strip() for line in (done.stdout + done.stderr).splitlines() if "ERROR:" in line]
    sentences = [line for line in lines if not line.startswith(("---", "See "))]
    return None, sentences[0] if sentences else f"ended with {done.returncode}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--ranks", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--launcher", default="mpiexec")
    parser.add_argument("--options", default="", help="more options for all")
    parser.add_argument("--solver", action="append", default=[], help="only those whose name contains this")
    parser.add_argument("programs", nargs="+")
    arguments = parser.parse_args()
    print("| program | solver | symbolic, ms | numeric, ms | solve, ms | ‖b − Ax‖₂ |\n|---|---|---|---|---|---|")
    for program in arguments.programs:
        name = " ".join([os.path.basename(program.split()[0])] + program.split()[1:])
        for solver, options, ranks in solvers(arguments.ranks):
            if arguments.solver and not any(part in solver for part in arguments.solver):
                continue
            text, reason = run(program, solver, options, ranks, arguments)
            if text is None:
                row = f"{reason} | | | "
            else:
                times = [mean(text, phase) for phase in ("MatCholFctrSym", "MatCholFctrNum", "MatSolve")]
                row = " | ".join([*times, residual_of(text)])
            print(f"| `{name}` | {solver} | {row} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
