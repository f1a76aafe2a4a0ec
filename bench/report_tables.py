#!/usr/bin/env python3
"""Writes bench/results/reports.json, the tables of docs/report.md, from reports of matrices.
usage: report_tables.py PROGRAM COMMIT MATRIX..."""
import json
import subprocess
import sys
from pathlib import Path

RESULT = Path(__file__).resolve().parent / "results/reports.json"
SOLVES = (1, 10, 100, 1000)
NAMES = {"direct": "factorization", "mixed": "PCG, factor in single precision"}


def seconds(value):
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if value * factor >= 1.0 or unit == "µs":
            return f"{value * factor:.3g} {unit}"


def name_of(entry):
    return NAMES.get(entry["method"], f"PCG, {entry['preconditioner']}")


def choices_of(report, new_values):
    best = {c["solves"]: c for c in report["choices"] if c["new_values"] == new_values}
    return [f"{name_of(best[k])}: {seconds(best[k]['seconds'])}" for k in SOLVES]


def row_of(report):
    direct = report["direct"]
    runs = {run["preconditioner"]: run for run in report["convergence"]["runs"]}
    shown = [str(runs[p]["iterations"]) if runs[p]["complete"] else "–" for p in ("jacobi", "fsai", "factor, single")]
    return [report["matrix"]["name"], f"{report['matrix']['n']:,}", f"{1.0 / direct['reciprocal_condition']:.1e}",
            seconds(direct["analyze_seconds"]), seconds(direct["refactorize_seconds"]), seconds(direct["solve_seconds"]), *shown]


def main(program, commit, *matrices):
    reports = [json.loads(subprocess.run([program, "report", m, "--json"], check=True, capture_output=True).stdout) for m in matrices]
    machine = reports[0]["machine"]
    about = {"machine": f"{machine['threads']} threads of an {machine['processor']} processor, which other work shared, without a GPU",
             "date": machine["date"][:10], "commit": commit, "command": f"gpusupernodal report {' | '.join(r['matrix']['name'] for r in reports)} --json"}
    columns = ["matrix", *(f"{k:,} {'solve' if k == 1 else 'solves'}" for k in SOLVES)]
    tables = {f"choices, {name}": {"about": about, "columns": columns, "rows": [[r["matrix"]["name"], *choices_of(r, new)] for r in reports]}
              for name, new in (("same values", False), ("new values", True))}
    tables["matrices"] = {"about": about, "columns": ["matrix", "n", "‖A‖₁‖A⁻¹‖₁", "analysis", "refactorize", "solve", "jacobi",
                                                      "fsai", "factor in single precision"], "rows": [row_of(r) for r in reports]}
    RESULT.write_text(json.dumps(tables, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
