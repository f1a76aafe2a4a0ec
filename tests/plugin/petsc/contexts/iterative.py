"""Runs PETSc's example programs with -mat_type aijgpusupernodal, -ksp_type gpusupernodalcg and -pc_type gpusupernodal.

The runs are the lines of iterative_runs.txt. Each is done with our options and with those of the reference, PETSc's own types.
A run passes if the program ends with exit code 0, reports no divergence, uses every option that names a type, agrees with the
reference within the bound (relative in the 2-norm), PETSc counts events of ours, and all memory is freed at the end.

    iterative.py --check        compares the table in docs/petsc-iterative.md with the runs"""
import argparse
import collections
import dataclasses
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import answers
import run

PAGE = run.HERE.parents[3] / "docs/petsc-iterative.md"


@dataclasses.dataclass(frozen=True)
class Pair(run.Run):
    """A line of the table. `options` are those of both runs."""

    ours: str
    reference: str


def read_table(path=run.HERE / "iterative_runs.txt"):
    pairs = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = [field.strip() for field in line.split("|")]
        if len(fields) != 8:
            raise SystemExit(f"{path.name}:{number}: {len(fields)} fields")
        context, program, ranks, compare, bound, *options = fields
        pairs.append(Pair(context, program, int(ranks), compare, float(bound), *options))
    return pairs


def start(arguments, pair, is_ours):
    words = [f"{arguments.programs}/petsc_" + re.sub(r"\W", "_", pair.program)]
    if pair.ranks > 1:
        words = [arguments.mpiexec, "-n", str(pair.ranks)] + words
    options = f"{pair.options} {pair.ours if is_ours else pair.reference}"
    options = options.replace("{matrix}", arguments.matrix)
    options = options.replace("{general}", arguments.matrix.replace("spd-real", "ns-real"))
    if pair.compare.startswith("ksp"):
        options += " -ksp_rtol 1e-10"
    words += shlex.split(options) + run.solution_options(pair) + ["-options_left"]
    with tempfile.TemporaryDirectory(dir=arguments.scratch) as name:
        folder, log = pathlib.Path(name), pathlib.Path(name, "log")
        if is_ours:
            words += ["-dll_append", arguments.plugin, "-log_view", f":{log}", "-malloc_dump"]
            words += ["-malloc_debug"] if pair.ranks == 1 else []
        try:
            done = subprocess.run(words, env=run.environment(pair, "", folder), cwd=folder, text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, errors="replace", check=False, timeout=arguments.time_limit)
        except subprocess.TimeoutExpired:
            return words, run.Outcome(124, "", [], "")
        answer = answers.read_solution(folder)
        return words, run.Outcome(done.returncode, done.stdout, answer, log.read_text() if log.exists() else "")


def shortcoming(pair, outcome, is_ours):
    word, sentence = answers.shortcoming(pair, outcome, run.variant_of(run.REFERENCE))
    if word or not is_ours:
        return word, sentence
    left = re.findall(r"Option left: name:(-\S*(?:_type|gpusupernodal\S*)) ", outcome.output)
    if left:
        return "option unused", ", ".join(left)
    if not re.search(r"^GpuSn\w+ +[1-9]", outcome.log, re.M):
        return "not used", "no event of ours in -log_view"
    if answers.lost(outcome.output):
        return "leak", min(answers.lost(outcome.output))
    return "", ""


def judge(arguments, pair):
    words, outcome = start(arguments, pair, True)
    word, sentence = shortcoming(pair, outcome, True)
    if word:
        return words, word, f"{sentence}\n{outcome.output[-4000:]}"
    _, reference = start(arguments, pair, False)
    word, sentence = shortcoming(pair, reference, False)
    if word:
        return words, "no reference", f"{word}: {sentence}\n{reference.output[-4000:]}"
    off = answers.distance(outcome.answer, reference.answer)
    return words, "" if off <= pair.bound else "other answer", f"distance {off:.1e}, bound {pair.bound:.0e}"


def table_of(pairs):
    counts = collections.Counter(pair.context for pair in pairs)
    rows = [f"| {context} | {', '.join(programs_of(pairs, context))} | {count} |" for context, count in counts.items()]
    return "\n".join(["| context | programs | runs |", "|---|---|--:|", *rows])


def programs_of(pairs, context):
    return sorted({f"`{pair.program}`" for pair in pairs if pair.context == context})


def check():
    if table_of(read_table()) in PAGE.read_text():
        return 0
    print(f"{PAGE.name} does not have this table:\n{table_of(read_table())}")
    return 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--programs", help="folder of the examples' programs")
    parser.add_argument("--plugin")
    parser.add_argument("--matrix", default="", help="one of PETSc's files share/petsc/datafiles/matrices/spd-real-*")
    parser.add_argument("--mpiexec", default="")
    parser.add_argument("--group", help="only runs whose context begins with this, up to a comma")
    parser.add_argument("--time-limit", type=float, default=150.0, help="of each run, in seconds")
    arguments = parser.parse_args()
    if arguments.check:
        return check()
    failed = done = 0
    with tempfile.TemporaryDirectory() as arguments.scratch:
        for pair in read_table():
            here = os.path.exists(f"{arguments.programs}/petsc_" + re.sub(r"\W", "_", pair.program))
            files = "{" not in pair.options or os.path.exists(arguments.matrix)
            if arguments.group not in (None, pair.group) or not here or not files or (pair.ranks > 1 and not arguments.mpiexec):
                continue
            words, word, sentence = judge(arguments, pair)
            print(f"{pair.context}: {pair.program} on {pair.ranks}: {word or 'pass'}", flush=True)
            if word:
                print("    " + shlex.join(words) + f"\n    {sentence}")
            failed += bool(word)
            done += 1
    return 77 if done == 0 else int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
