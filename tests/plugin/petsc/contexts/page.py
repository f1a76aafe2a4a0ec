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
         "With `-pc_type lu`. ctest also runs the list of [PETSc contexts](petsc-contexts.md), whose matrices are positive\n"
         "definite, with the LU of gpusupernodal."),
    Kind("Symmetric indefinite matrices", "indefinite_runs.txt", "petsc-contexts-indefinite.json", "",
         "With `-pc_type cholesky`, which is [LDLᵀ](ldlt.md) for these matrices. The runs of `factor` compare `MatGetInertia`\n"
         "with the known eigenvalues."),
    Kind("Complex scalars, Cholesky", "complex_runs.txt", "petsc-contexts-complex.json", " --scalars complex",
         "With `-pc_type cholesky`, which is Cholesky for Hermitian positive definite matrices and LDLᵀ for indefinite and for\n"
         "symmetric ones. A preconditioner of PETSc may make matrices without the options `MAT_HERMITIAN` and `MAT_SYMMETRIC` of\n"
         "the matrix that it was given. The solver refuses such a matrix unless `-mat_gpusupernodal_symmetry` says which it is."),
    Kind("Complex scalars, LU", "complex_lu_runs.txt", "petsc-contexts-complex-lu.json", " --scalars complex",
         "With `-pc_type lu`."))

# On the first page, because its matrices are positive definite.
TOGETHER = Kind("Factors of all ranks", "together_runs.txt", "", "",
                "With `-pc_type cholesky` and `-mat_gpusupernodal_distribute all`, all ranks share the work of a factorization and\n"
                "of its solves ([how](distributed.md#petsc)).")

HEAD = """<!-- written by tests/plugin/petsc/contexts/page.py -->
# PETSc contexts

For PETSc users who want to know whether gpusupernodal works in their combination of solvers. The tables list the
combinations that are tested, and show how other packages do in them.

A context is a place where PETSc uses a direct solver: below a Krylov method, in the blocks of a preconditioner, on a coarse
grid, in a Newton method. Each run starts a program with `-pc_type cholesky` and a solver type in one such place. The
programs do not mention gpusupernodal. All but two are PETSc's own examples, unmodified. The two others belong to this
project: `direct` ([direct.c](../tests/plugin/petsc/contexts/direct.c)) calls `MatSolve` and related functions without a KSP,
and [solve.py](../examples/petsc/solve.py) uses petsc4py.

Each column of a table is a solver type (`-pc_factor_mat_solver_type`), and nothing else differs between the columns. `petsc`
is PETSc's own Cholesky factorization. [The runs](petsc-contexts-runs.md) lists the command and the result of each run.

A run passes if

- the program ends with exit code 0 and reports no divergence;
- the program uses every option that names a solver;
- the program's answer agrees with that of a reference. The answer is the last solution or, without one, the printed
  numbers. The reference is PETSc's LU in the same place. Where PETSc has no LU, it is another solver of PETSc: Cholesky
  for matrices of type `sbaij`, `redundant` with LU for distributed matrices;
- with `gpusupernodal`, PETSc counts factorizations by it (`-log_view`), and all memory is released at the end
  (`-malloc_dump`, on one rank with `-malloc_debug`).

The other results are

| result | meaning |
|---|---|
| not offered | the package has no such factorization for this type of matrix |
| other answer | the answer differs from that of the reference by more than the bound of the run |
| diverged | PETSc reports that a solver did not converge |
| error | PETSc reports an error |
| aborts | the program ends with another exit code than 0 and reports no error of PETSc |
| not here | the program needs a package that this PETSc lacks |

"""

RUNS_HEAD = """<!-- written by tests/plugin/petsc/contexts/page.py -->
# PETSc contexts: the runs

For readers of [PETSc contexts](petsc-contexts.md) who want the options of a combination, or want to repeat a run.

The programs are in the folder `src` of PETSc; `eigenvalues` is [eigenvalues.c](../examples/petsc/eigenvalues.c), for SLEPc.
The tables abbreviate options:

| abbreviation | stands for |
|---|---|
| `SOLVER` | the solver type of the column, without `-lu` at its end |
| `@prefix_` | `-prefix_pc_type cholesky -prefix_pc_factor_mat_solver_type SOLVER`; in columns whose names end in `-lu`, `-prefix_pc_type lu` |
| `@@prefix_` | the same, where the matrix is distributed |
| `{matrix}` | PETSc's matrix file `spd-real-int32-float64`; with complex scalars `hpd-complex-int32-float64` |
| `{general}` | PETSc's matrix file `ns-real-int32-float64`; with complex scalars `nh-complex-int32-float64` |

The bound is the largest relative difference from the reference in the 2-norm that is allowed. KSP converges to a relative
tolerance of 10⁻¹⁰. Programs that print "right" check their answer themselves.

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
    return said or "a message that is mixed up with those of other ranks"


def causes(table, solvers):
    """The messages of runs that do not pass, each once."""
    found = collections.OrderedDict()
    for row in table:
        for solver in solvers:
            result = row["results"][solver]
            if result["result"] != "pass":
                sentence = sentence_of(result["detail"])
                found.setdefault((solver, result["result"], sentence), []).append(row["context"])
    yield "| solver | result | message | contexts |"
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
            "with the folders that `ctest -R petsc_contexts -V` shows. ctest runs the column `gpusupernodal` as tests.")


DEVICE_HEAD = """
## On a GPU

The same runs with a PETSc that has CUDA, in three settings:

- `gpusupernodal-cuda`: the option `-mat_gpusupernodal_backend cuda`. Matrices and vectors have the types that the run names.
- `gpusupernodal-device`: the same option, and CUDA types of matrices and vectors. Where the run names no matrix type, the
  options are
  `{types}`.
  For BDDC and FETI-DP they are
  `{domains}`.
- `cusparse`: the CUDA types, with PETSc's own Cholesky factorization for them.

In the first two settings a run passes only if `-log_view` counts the flops of its factorizations on the device. In {count}
runs of `gpusupernodal-device` a matrix had a CUDA type; the programs of the other runs set their own types.

CUDA types give other random numbers. Where a program uses random numbers, its answer may therefore agree with that of
PETSc's LU with CUDA types instead. In a few programs PETSc itself leaks memory with CUDA types; such a run passes if the run
with PETSc's LU leaks at the same places.

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

For PETSc users whose matrices are {title}. [PETSc contexts](petsc-contexts.md) has the other matrices, and says
what a run is and when it passes. [The runs](petsc-contexts-runs.md) explains the abbreviations.

The program `systems` ([systems.c](../tests/plugin/petsc/contexts/systems.c)) belongs to this project and solves systems that
PETSc's examples lack. `eigenvalues` is [eigenvalues.c](../examples/petsc/eigenvalues.c). ctest checks that each run with
gpusupernodal ends as the tables say. All solvers have their default options. Some packages could do more runs with further
options; their messages then name these.
"""


def kind_text(kind, results):
    """The section about the runs of another list, with the results if they are recorded."""
    if not results:
        return f"\n## {kind.title}\n\n{kind.text}\n\nThere is no table of results. ctest checks that every run passes.\n"
    table = results["runs"]
    about = results["about"]
    solvers = list(table[0]["results"])
    return "\n".join([f"\n## {kind.title}\n", kind.text, "",
                      f"Run on {about['date']} with {about['versions']}, gpusupernodal at commit {about['commit']} without CUDA, by",
                      f"`run.py --table {kind.table} --solvers {','.join(solvers)}{kind.scalars}`.", "", *groups(table, solvers),
                      *(["", *causes(table, solvers)] if has_failures(table, solvers) else [])]) + "\n"


OTHER_KINDS = """
## Other matrices

Two more pages have the runs with [general and indefinite matrices](petsc-contexts-kinds.md) and with [complex
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
    lines = [run_of(results["about"]), "", f"{alone} of the {len(table)} runs pass with `gpusupernodal` and with no other solver type.", "", *groups(table)]
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
