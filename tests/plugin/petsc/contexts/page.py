"""Writes docs/petsc-contexts.md, and the table of contexts in docs/petsc.md, from petsc-contexts.json and,
for the part about a GPU, petsc-contexts-cuda.json in bench/results, which run.py wrote.

usage: page.py [--check]        --check: says whether they are as they would be written, and changes nothing
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
SHORT_PAGE = DOCS / "petsc.md"
BEGIN, END = "<!-- from petsc-contexts.json: begin -->\n", "<!-- from petsc-contexts.json: end -->\n"

HEAD = """<!-- written by tests/plugin/petsc/contexts/page.py -->
# Where PETSc programs may have a direct solver

Each row is a run of a program that knows nothing of gpusupernodal, with `-pc_type cholesky` and one solver type in one place.
The programs are PETSc's own examples, unmodified, in PETSc's folder `src`; two are of this project: `direct`
([direct.c](../tests/plugin/petsc/contexts/direct.c)), which calls `MatSolve` and its relatives without a KSP, and
[solve.py](../examples/petsc/solve.py), for petsc4py. The four columns differ in the solver type's name only; `petsc` is
PETSc's own Cholesky factorization.

A run passes if the program ends with exit code 0 and without a word of divergence, has used every option that names a
solver, and gives the same answer as with PETSc's LU in the same place (Cholesky for matrices of type `sbaij`; collected by
`redundant` where the matrix is spread over ranks). The answer is the last solution, or what the program prints; the bound is
relative, in the 2-norm. KSP runs to a relative tolerance of 10⁻¹⁰. Runs that say "right" check themselves. Of
`gpusupernodal` it is also asked that PETSc counts its factorizations in `-log_view`, and has all memory back at the end
(`-malloc_dump`, on one rank with `-malloc_debug`).

In the options, `@prefix_` stands for `-prefix_pc_type cholesky -prefix_pc_factor_mat_solver_type SOLVER`, `@@prefix_` for
the same where the matrix is spread over several ranks, `SOLVER` for the solver type, and `{matrix}` for PETSc's matrix file
`spd-real-int32-float64`.

"""


def rows_of(table):
    """The table of contexts as rows of Markdown."""
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
            "with the folders that `ctest -R petsc_contexts -V` shows. The first column is a test and run by ctest.")


DEVICE_HEAD = """
## On a GPU

The same runs with a PETSc that has CUDA: with `-mat_gpusupernodal_backend cuda` and the matrices and vectors that the run names
(`gpusupernodal-cuda`); with
`{types}`
beside it, where the run does not name its type of matrix, and
`{domains}`
for BDDC and FETI-DP (`gpusupernodal-device`); and with these types and PETSc's own Cholesky factorization for them (`cusparse`). A run
of the first two passes only if `-log_view` has its factorizations' flops on the device. In {count} runs of `gpusupernodal-device` a
matrix was one of CUDA's; the other programs choose their types by themselves.

With CUDA's types the answer may also be that of PETSc's LU with the same types, whose random numbers are others. In a few programs
these types lose memory of their own, whatever solves: that is no fault of the run if the one with LU loses it at the same places.

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
    lines = [run_of(results["about"]), "", f"Of {len(table)} runs, {alone} pass with `gpusupernodal` only.", "", *groups(table)]
    lines += ["", "## The runs", "", *rows_of(table), "", "## Where a run does not pass", "", *causes(table, run.SOLVERS)]
    return HEAD + "\n".join(lines) + "\n" + device_text(device_results)


def short_page_text(results):
    text = SHORT_PAGE.read_text(encoding="utf-8")
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    return text[:begin] + "\n".join(groups(results["runs"])) + "\n" + text[end:]


def forgotten(results):
    """Runs of the table that the results lack, and results that the table lacks."""
    known = {tuple(row[key] for key in ("context", "program", "ranks", "options")) for row in results["runs"]}
    wanted = {(row.context, row.program, row.ranks, row.options) for row in run.read_table()}
    return sorted(known ^ wanted)


def main():
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    device_results = json.loads(DEVICE_RESULTS.read_text(encoding="utf-8")) if DEVICE_RESULTS.exists() else None
    texts = {PAGE: page_text(results, device_results), SHORT_PAGE: short_page_text(results)}
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
