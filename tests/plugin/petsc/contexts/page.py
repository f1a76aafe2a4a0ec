"""Writes docs/petsc-contexts.md and docs/petsc-contexts-runs.md from petsc-contexts.json and, for the part about a GPU,
petsc-contexts-cuda.json in bench/results, which run.py wrote.

usage: page.py [--check]        --check: compares the pages with what would be written, and changes nothing
"""
import collections
import json
import pathlib
import re
import sys

import run

ROOT = pathlib.Path(__file__).resolve().parents[4]
DOCS = ROOT / "docs"
RESULTS = ROOT / "bench/results/petsc-contexts.json"
DEVICE_RESULTS = ROOT / "bench/results/petsc-contexts-cuda.json"
PAGE = DOCS / "petsc-contexts.md"
RUNS_PAGE = DOCS / "petsc-contexts-runs.md"

HEAD = """<!-- written by tests/plugin/petsc/contexts/page.py -->
# PETSc contexts

For PETSc users who want to know whether gpusupernodal works in their combination of solvers: the tested combinations,
and how other packages do in them.

Each run is a program with `-pc_type cholesky` and one solver type in one place. The programs do not mention
gpusupernodal. They are PETSc's own unmodified examples, except two of this project: `direct`
([direct.c](../tests/plugin/petsc/contexts/direct.c)), which calls `MatSolve` and related functions without a KSP, and
[solve.py](../examples/petsc/solve.py), which uses petsc4py. The columns of the tables differ only in the name of the
solver type; `petsc` is PETSc's own Cholesky factorization. [The runs](petsc-contexts-runs.md) has the command and the
result of each.

A run passes if

- the program ends with exit code 0 and reports no divergence;
- it uses every option that names a solver;
- its answer agrees with that of PETSc's LU in the same place. For matrices of type `sbaij` the reference is PETSc's
  Cholesky factorization; for distributed matrices it is `redundant`. The answer is the last solution, or the program's
  output;
- with `gpusupernodal`, PETSc counts its factorizations in `-log_view`, and all memory is released at the end
  (`-malloc_dump`, on one rank with `-malloc_debug`).

"""

RUNS_HEAD = """<!-- written by tests/plugin/petsc/contexts/page.py -->
# PETSc contexts: the runs

For readers of [PETSc contexts](petsc-contexts.md) who want the options of a combination, or want to repeat a run.

Programs are in PETSc's folder `src`. In the options, `@prefix_` stands for
`-prefix_pc_type cholesky -prefix_pc_factor_mat_solver_type SOLVER`, `@@prefix_` for the same with a distributed matrix,
`SOLVER` for the solver type, and `{matrix}` for PETSc's matrix file `spd-real-int32-float64`. The bound is the allowed
relative difference in the 2-norm; KSP converges to a relative tolerance of 10⁻¹⁰. Programs that print "right" check
their answer themselves.

"""


def rows_of(table):
    """The table of runs as rows of Markdown."""
    yield "| context | run | ranks | bound | " + " | ".join(f"`{solver}`" for solver in run.SOLVERS) + " |"
    yield "|---|---|--:|--:|" + "---|" * len(run.SOLVERS)
    for row in table:
        bound = f"{row['bound']:.0e}".replace("e-0", "e-") if row["bound"] else row["compare"]
        results = " | ".join(row["results"][solver]["result"] for solver in run.SOLVERS)
        command = f"{row['program']} {row['options']}".strip()
        yield f"| {row['context']} | `{command}` | {row['ranks']} | {bound} | {results} |"


def causes(table, solvers):
    """The messages of runs that do not pass, each once."""
    found = collections.OrderedDict()
    for row in table:
        for solver in solvers:
            result = row["results"][solver]
            if result["result"] != "pass":
                sentence = re.sub(r"https?://\S+ ?", "", result["detail"]).replace("|", "\\|").strip(" :")
                found.setdefault((solver, result["result"], sentence), []).append(row["context"])
    yield "| solver | result | what was said | where |"
    yield "|---|---|---|---|"
    for (solver, result, sentence), contexts in found.items():
        names = list(dict.fromkeys(contexts))
        where = "; ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
        yield f"| `{solver}` | {result} | {sentence} | {where} |"


def groups(table, solvers=run.SOLVERS):
    """Number of passing runs per context."""
    counts = collections.OrderedDict()
    for row in table:
        group = counts.setdefault(row["context"].split(",")[0], collections.Counter())
        group["runs"] += 1
        group.update(solver for solver in solvers if row["results"][solver]["result"] == "pass")
    total = sum(counts.values(), collections.Counter())
    yield "| context | runs | " + " | ".join(f"`{solver}`" for solver in solvers) + " |"
    yield "|---|" + "--:|" * (1 + len(solvers))
    for name, group in [*counts.items(), ("all", total)]:
        yield f"| {name} | {group['runs']} | " + " | ".join(str(group[solver]) for solver in solvers) + " |"


def run_of(about):
    return (f"Run on {about['date']} with {about['versions']}, gpusupernodal at commit {about['commit']} without CUDA, by\n"
            "`tests/plugin/petsc/contexts/run.py --solvers gpusupernodal,cholmod,mumps,petsc --json bench/results/petsc-contexts.json`\n"
            "with the folders that `ctest -R petsc_contexts -V` shows. The column `gpusupernodal` is a test that ctest runs.")


DEVICE_HEAD = """
## On a GPU

The same runs with a PETSc that has CUDA, for three settings:

- `gpusupernodal-cuda`: `-mat_gpusupernodal_backend cuda`, with the types of matrices and vectors that the run names.
- `gpusupernodal-device`: the same backend with
  `{types}`
  where the run names no matrix type, and
  `{domains}`
  for BDDC and FETI-DP.
- `cusparse`: these types with PETSc's own Cholesky factorization for them.

With the first two settings a run passes only if `-log_view` counts the flops of its factorizations on the device. In
{count} runs of `gpusupernodal-device` a matrix had a CUDA type; the other programs set their own types.

With CUDA types the reference may also be PETSc's LU with the same types, because their random numbers differ. In a few
programs PETSc itself leaks memory with these types; such a run passes if the run with LU leaks at the same places.

Run on {about[date]} with {about[versions]}, gpusupernodal at commit {about[commit]}, by
`tests/plugin/petsc/contexts/run.py --solvers {solvers} --options "-use_gpu_aware_mpi 0"
--json bench/results/petsc-contexts-cuda.json`

"""


def device_text(results):
    """The section about a GPU; empty without results."""
    if not results:
        return ""
    table = results["runs"]
    solvers = [solver for solver in run.DEVICE_SOLVERS if all(solver in row["results"] for row in table)]
    count = sum(row["results"].get("gpusupernodal-device", {}).get("types") == "device" for row in table)
    head = DEVICE_HEAD.format(types=run.DEVICE_TYPES, domains=run.DEVICE_TYPES_OF_DOMAINS, count=count, about=results["about"],
                              solvers=",".join(solvers))
    return head + "\n".join([*groups(table, solvers), "", *causes(table, solvers)]) + "\n"


def page_text(results, device_results=None):
    table = results["runs"]
    alone = sum(all((row["results"][solver]["result"] == "pass") == (solver == "gpusupernodal") for solver in run.SOLVERS)
                for row in table)
    lines = [run_of(results["about"]), "", f"{alone} of {len(table)} runs pass with `gpusupernodal` only.", "", *groups(table)]
    lines += ["", "## Where a run does not pass", "", *causes(table, run.SOLVERS)]
    return HEAD + "\n".join(lines) + "\n" + device_text(device_results)


def runs_page_text(results):
    return RUNS_HEAD + "\n".join(rows_of(results["runs"])) + "\n"


def forgotten(results):
    """Runs that are in only one of runs.txt and the results."""
    known = {tuple(row[key] for key in ("context", "program", "ranks", "options")) for row in results["runs"]}
    wanted = {(row.context, row.program, row.ranks, row.options) for row in run.read_table()}
    return sorted(known ^ wanted)


def main():
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    device_results = json.loads(DEVICE_RESULTS.read_text(encoding="utf-8")) if DEVICE_RESULTS.exists() else None
    texts = {PAGE: page_text(results, device_results), RUNS_PAGE: runs_page_text(results)}
    if sys.argv[1:] != ["--check"]:
        for path, text in texts.items():
            path.write_text(text, encoding="utf-8")
        return 0
    wrong = [f"{path.name} is not what {RESULTS.name} says" for path, text in texts.items()
             if not path.exists() or path.read_text(encoding="utf-8") != text]
    wrong += [f"not both in runs.txt and in {RESULTS.name}: {row}" for row in forgotten(results)]
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
