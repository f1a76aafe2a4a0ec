"""Writes docs/petsc-contexts.md, docs/petsc-contexts-kinds.md, docs/petsc-contexts-complex.md and docs/petsc-contexts-runs.md from
petsc-contexts.json, the files of KINDS and, for the part about a GPU, petsc-contexts-cuda.json in bench/results, which run.py wrote.

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
KINDS_PAGE = DOCS / "petsc-contexts-kinds.md"
COMPLEX_PAGE = DOCS / "petsc-contexts-complex.md"
RUNS_PAGE = DOCS / "petsc-contexts-runs.md"

Kind = collections.namedtuple("Kind", "title table results scalars text")
KINDS = (
    Kind("General matrices, LU", "lu_runs.txt", "petsc-contexts-lu.json", "",
         "With `-pc_type lu`. ctest also runs the list of positive definite matrices above with the LU of gpusupernodal."),
    Kind("Symmetric indefinite matrices", "indefinite_runs.txt", "petsc-contexts-indefinite.json", "",
         "With `-pc_type cholesky`, which is [LDLᵀ](ldlt.md) for these matrices. `factor` compares `MatGetInertia` with the\n"
         "eigenvalues, which are known."),
    Kind("Complex scalars, Cholesky", "complex_runs.txt", "petsc-contexts-complex.json", " --scalars complex",
         "With `-pc_type cholesky`: Cholesky of Hermitian positive definite matrices, LDLᵀ of indefinite and of symmetric ones.\n"
         "PETSc does not hand `MAT_HERMITIAN` and `MAT_SYMMETRIC` on to every matrix that a preconditioner makes. Without\n"
         "`-mat_gpusupernodal_symmetry`, the solver refuses such a matrix."),
    Kind("Complex scalars, LU", "complex_lu_runs.txt", "petsc-contexts-complex-lu.json", " --scalars complex",
         "With `-pc_type lu`."))

# On the first page, because its matrices are positive definite.
TOGETHER = Kind("Factors of all ranks", "together_runs.txt", "", "",
                "With `-pc_type cholesky` and `-mat_gpusupernodal_distribute all`: all ranks factorize and solve\n"
                "[together](distributed.md#petsc).")

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
`SOLVER` for the solver type, and `{matrix}` for PETSc's matrix file `spd-real-int32-float64`. With complex scalars,
`{matrix}` is `hpd-complex-int32-float64` and `{general}` `nh-complex-int32-float64`; for solvers whose names end in `-lu`,
`@` stands for `-pc_type lu`. `eigenvalues` is [eigenvalues.c](../examples/petsc/eigenvalues.c), for SLEPc. The bound is the allowed
relative difference in the 2-norm; KSP converges to a relative tolerance of 10⁻¹⁰. Programs that print "right" check
their answer themselves.

"""


def rows_of(table, solvers=run.SOLVERS):
    """The table of runs as rows of Markdown."""
    yield "| context | run | ranks | bound | " + " | ".join(f"`{solver}`" for solver in solvers) + " |"
    yield "|---|---|--:|--:|" + "---|" * len(solvers)
    for row in table:
        bound = f"{row['bound']:.0e}".replace("e-0", "e-") if row["bound"] else row["compare"]
        results = " | ".join(row["results"][solver]["result"] for solver in solvers)
        command = f"{row['program']} {row['options']}".strip()
        yield f"| {row['context']} | `{command}` | {row['ranks']} | {bound} | {results} |"


def sentence_of(detail):
    """What a program said, without addresses and without the options and lines that ranks write in between."""
    text = re.sub(r"https?://\S+ ?|\[\d+\]PETSC ERROR:|-{3,}", "", detail).replace("|", "\\|")
    parts = [part.strip() for part in text.split(":")]
    said = ": ".join(part for part in parts if part and not part.startswith("-") and part != "Error Message")
    return said or "an error whose message is lost among those of other ranks"


def causes(table, solvers):
    """The messages of runs that do not pass, each once."""
    found = collections.OrderedDict()
    for row in table:
        for solver in solvers:
            result = row["results"][solver]
            if result["result"] != "pass":
                sentence = sentence_of(result["detail"])
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


KINDS_HEAD = """<!-- written by tests/plugin/petsc/contexts/page.py -->
# PETSc contexts: {title}

For PETSc users whose matrices are {title}. [PETSc contexts](petsc-contexts.md) has the others, and
says when a run passes; [the runs](petsc-contexts-runs.md) explains the abbreviations.

`systems` ([systems.c](../tests/plugin/petsc/contexts/systems.c)) is a program of this project, and solves systems of kinds
that PETSc's examples lack. `eigenvalues` is [eigenvalues.c](../examples/petsc/eigenvalues.c). ctest checks that each run
ends as the tables say. All solvers have their default options; some runs need options that a package has and that are not
given, as the messages say.
"""


def kind_text(kind, results):
    """The section about the runs of another list, with the results if they are recorded."""
    if not results:
        return f"\n## {kind.title}\n\n{kind.text}\n\nNo results are recorded; ctest checks that every run passes.\n"
    table = results["runs"]
    about = results["about"]
    solvers = list(table[0]["results"])
    return "\n".join([f"\n## {kind.title}\n", kind.text, "",
                      f"Run on {about['date']} with {about['versions']}, gpusupernodal at commit {about['commit']} without CUDA, by",
                      f"`run.py --table {kind.table} --solvers {','.join(solvers)}{kind.scalars}`.", "", *groups(table, solvers),
                      *(["", *causes(table, solvers)] if has_failures(table, solvers) else [])]) + "\n"


OTHER_KINDS = """
## General and indefinite matrices, complex scalars

They have pages of their own: [general and indefinite matrices](petsc-contexts-kinds.md), [complex
scalars](petsc-contexts-complex.md).
"""


def has_failures(table, solvers):
    return any(row["results"][solver]["result"] != "pass" for row in table for solver in solvers)


def read_kinds():
    paths = [(kind, ROOT / "bench/results" / kind.results) for kind in KINDS]
    return [(kind, json.loads(path.read_text(encoding="utf-8")) if path.exists() else None) for kind, path in paths]


def page_text(results, device_results=None):
    table = results["runs"]
    alone = sum(all((row["results"][solver]["result"] == "pass") == (solver == "gpusupernodal") for solver in run.SOLVERS)
                for row in table)
    lines = [run_of(results["about"]), "", f"{alone} of {len(table)} runs pass with `gpusupernodal` only.", "", *groups(table)]
    lines += ["", "## Where a run does not pass", "", *causes(table, run.SOLVERS)]
    return HEAD + "\n".join(lines) + "\n" + kind_text(TOGETHER, None) + OTHER_KINDS + device_text(device_results)


def kinds_page_text(title, scalars):
    """The page about the kinds with these scalars."""
    text = KINDS_HEAD.format(title=title)
    for kind, of_kind in read_kinds():
        if kind.scalars != scalars:
            continue
        text += kind_text(kind, of_kind)
        if of_kind:
            rows = of_kind["runs"]
            text += "\n" + "\n".join(rows_of(rows, list(rows[0]["results"]))) + "\n"
    return text


def runs_page_text(results):
    text = RUNS_HEAD + "\n".join(rows_of(results["runs"])) + "\n"
    return text


def forgotten(results, table="runs.txt"):
    """Runs that are in only one of the list and the results."""
    known = {tuple(row[key] for key in ("context", "program", "ranks", "options")) for row in results["runs"]}
    wanted = {(row.context, row.program, row.ranks, row.options) for row in run.read_table(run.HERE / table)}
    return sorted(known ^ wanted)


def main():
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    device_results = json.loads(DEVICE_RESULTS.read_text(encoding="utf-8")) if DEVICE_RESULTS.exists() else None
    texts = {PAGE: page_text(results, device_results), KINDS_PAGE: kinds_page_text("general or indefinite", ""),
             COMPLEX_PAGE: kinds_page_text("complex", " --scalars complex"), RUNS_PAGE: runs_page_text(results)}
    if sys.argv[1:] != ["--check"]:
        for path, text in texts.items():
            path.write_text(text, encoding="utf-8")
        return 0
    wrong = [f"{path.name} is not what {RESULTS.name} says" for path, text in texts.items()
             if not path.exists() or path.read_text(encoding="utf-8") != text]
    wrong += [f"not both in runs.txt and in {RESULTS.name}: {row}" for row in forgotten(results)]
    wrong += [f"not both in {kind.table} and in {kind.results}: {row}" for kind, of_kind in read_kinds() if of_kind
              for row in forgotten(of_kind, kind.table)]
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
