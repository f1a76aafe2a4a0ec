#!/usr/bin/env python3
"""Writes bench/results/methods.json, the tables of docs/system.md, from the lines that bench_methods prints on the host and,
with --cuda, on a device.
usage: methods_tables.py HOST_LINES CUDA_LINES MACHINE DATE COMMIT COMMAND"""
import json
import math
import sys
from pathlib import Path

RESULT = Path(__file__).resolve().parent / "results/methods.json"
METHODS = ("direct", "mixed", "pcg")
WHAT = ("seconds from the analysis to the end of the object, the fastest of a few runs; at most four solves are run, the others "
        "counted with the time of a later one; an iteration that takes longer than the limit is stopped")
SLOW = 0.02  # Seconds of `direct` from which a problem counts as slow.
SUMMARY = ["pattern", "tolerance", "solves", "matrices", "choice within 1.2", "regret at most 1.2", "at most 2", "mean regret",
           "worst", "slow problems", "of these at most 1.2", "always direct, mean", "always direct, worst", "always pcg, mean",
           "always pcg, worst"]
CHOICES = ["matrix", "n", "pattern", *METHODS, "automatic", "regret", "choice", "iterations", "forecast of them", "after",
           "forecast direct", "forecast mixed", "forecast pcg"]


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def columns_of(values):
    """Mean and worst of regrets; None stands for iterations that were stopped."""
    ended = [value for value in values if value is not None]
    return [f"{geometric_mean(ended):.2f}", "stopped" if len(ended) < len(values) else f"{max(ended):.1f}"]


def is_good(line):
    chosen = line[line["choice"]]
    return chosen is not None and chosen <= 1.2 * min(line[m] for m in METHODS if line[m] is not None)


def summary_row(lines, pattern, tolerance, solves):
    own = [line for line in lines if (line["pattern"], line["tolerance"], line["solves"]) == (pattern, tolerance, solves)]
    regrets = [line["regret"] for line in own]
    slow = [line["regret"] for line in own if line["direct"] >= SLOW]
    return [pattern, f"{tolerance:g}", str(solves), str(len(own)), str(sum(map(is_good, own))),
            str(sum(r <= 1.2 for r in regrets)), str(sum(r <= 2.0 for r in regrets)), f"{geometric_mean(regrets):.2f}",
            f"{max(regrets):.1f}", str(len(slow)), str(sum(r <= 1.2 for r in slow)),
            *columns_of([line["regret_direct"] for line in own]), *columns_of([line["regret_pcg"] for line in own])]


def choice_row(line):
    def seconds(value):
        return "stopped" if value is None else f"{value:.3g}"

    def forecast(value, digits=".3g"):
        return "–" if value is None or value < 0.0 else f"{value:{digits}}"
    return [name_of(line), f"{line['n']:,}", line["pattern"], *(seconds(line[m]) for m in METHODS), seconds(line["automatic"]),
            f"{line['regret']:.2f}", line["choice"], "–" if line["pcg"] is None else str(line["iterations"]),
            forecast(line["forecast_iterations"], ".0f"), str(line["probe_iterations"]),
            *(forecast(line["forecast_" + m]) for m in METHODS)]


def name_of(line):
    return Path(line["matrix"]).name.removesuffix(".gz").removesuffix(".mtx")


def table(about, columns, rows):
    return {"about": about, "columns": columns, "rows": rows}


def text_of(tables):
    """JSON with a line for each row of a table."""
    parts = []
    for name, t in tables.items():
        about = json.dumps(t["about"], ensure_ascii=False, indent=2).replace("\n", "\n    ")
        rows = ",\n".join("      " + json.dumps(row, ensure_ascii=False) for row in t["rows"])
        columns = json.dumps(t["columns"], ensure_ascii=False)
        parts.append(f'  "{name}": {{\n    "about": {about},\n    "columns": {columns},\n    "rows": [\n{rows}\n    ]\n  }}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def read(path):
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines() if line.startswith("{")]


def tables_of(lines, about, suffix):
    kinds = sorted({(line["pattern"], line["tolerance"], line["solves"]) for line in lines},
                   key=lambda kind: (kind[0], -kind[1], kind[2]))
    single = [line for line in lines if line["tolerance"] == 1e-10 and line["solves"] == 1]
    single.sort(key=lambda line: line["pattern"])
    memory = [[name_of(line), *(f"{line['memory_' + m] / 1e6:.1f}" for m in METHODS)]
              for line in single if line["pattern"] == "known"]
    return {f"summary{suffix}": table(about, SUMMARY, [summary_row(lines, *kind) for kind in kinds]),
            f"choices{suffix}": table(about, CHOICES, [choice_row(line) for line in single]),
            f"memory{suffix}": table(about, ["matrix", *(f"{m}, MB" for m in METHODS)], memory)}


def main(host, cuda, machine, date, commit, command):
    about = {"machine": machine, "date": date, "commit": commit, "what": WHAT, "command": command}
    on_device = about | {"command": command + " --cuda"}
    RESULT.write_text(text_of(tables_of(read(host), about, "") | tables_of(read(cuda), on_device, "_device")),
                      encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
