"""Markdown tables of the results."""
import json
import re
from pathlib import Path

from collect import is_capped, milliseconds
from fit import large_half, slope
from peers import CURVES, OTHERS, PEERS, TARGETS

# The best that the device does: dgemm, and reading memory.
_PEAKS = json.loads((Path(__file__).resolve().parents[1] / "results/device-peaks.json").read_text(encoding="utf-8"))
PEAK_FLOPS, PEAK_BYTES = _PEAKS["dgemm_flops"], _PEAKS["read_bytes"]
# In the order of size that readers expect.
ROWS = ["lap3d:100", "elas:50", "lap27:80", "cleat", "Trefethen_20000b", "shell:400", "lap2d:1000", "lap2d:2000", "lap_mdual",
        "G2_circuit", "crystm03", "bcsstk16"]
PHASES = {"analyze": "analyze", "refactorize": "refactorize", "solve1": "solve 1", "solve16": "solve 16"}
assert sorted(ROWS) == sorted(TARGETS)


def markdown(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def number(value, digits=3):
    """Formats a number with three significant digits and without an exponent; – for None."""
    if value is None:
        return "–"
    if value == 0:
        return "0"
    text = f"{value:.{digits}g}"
    return f"{float(text):.0f}" if "e+" in text else text


def cell(record, phase):
    """Milliseconds of a phase; * marks a capped phase, > a stopped phase and its limit."""
    if record is None:
        return "–"
    if "longer_than" in record["phases"].get(phase, {}):
        return f"> {1e3 * record['phases'][phase]['longer_than']:.0f}*"
    value = milliseconds(record, phase)
    return number(value) + ("*" if value is not None and is_capped(record, phase) else "") + mark(record)


def mark(record):
    """Of a record of an earlier run (Results.for_pages), to be set behind its figures."""
    return f" {record['mark']}" if record and record.get("mark") else ""


def with_marks(results, table):
    """The table, and under it the runs that its marks stand for."""
    used = [(mark, commit) for commit, mark in results.marks.items() if mark in table]
    return table + ("\n\n" + "; ".join(f"{mark} an earlier run, at commit {commit}" for mark, commit in used) + "." if used else "")


def ratio(theirs, ours):
    return "–" if not ours or not theirs else f"{theirs / ours:.2f}"


def summary(record):
    if "failed" in record or "skipped" in record:
        return record.get("failed") or record["skipped"]
    parts = [f"{PHASES.get(phase, phase)} {cell(record, phase)}" for phase in record["phases"] if phase not in ("load", "bits")]
    return ", ".join(parts) + " ms" + (f", error {record['backward_error_solve1']:.0e}" if "backward_error_solve1" in record else "")


def measured(results, names, peer="gpusupernodal"):
    return [name for name in names if (results.find(name, peer) or {}).get("phases", {}).get("refactorize")]


def phases_table(results, names):
    """Times of our solver and cuDSS and their ratio, per phase."""
    header = ["problem", "n"]
    for label in PHASES.values():
        header += [f"{label}: ours", "cuDSS", "ratio"]
    rows = []
    for name in measured(results, names):
        ours, theirs = results.find(name, "gpusupernodal"), results.find(name, "cudss")
        row = [name, f"{ours['n']:,}"]
        for phase in PHASES:
            row += [cell(ours, phase), cell(theirs, phase), ratio(milliseconds(theirs, phase), milliseconds(ours, phase))]
        rows.append(row)
    return markdown(header, rows)


def rate(record, flops):
    time = milliseconds(record, "refactorize")
    return f"{1e-9 * flops / time:.2f}" if time and flops else "–"


def count(record, field):
    value = (record or {}).get(field)
    return f"{value:.2e}" if value else "–"


def fair_table(results, names):
    """Fill and flops of each ordering, each solver's rate for its ordering, and cuDSS with our ordering."""
    header = ["problem", "nnz(L): ours", "cuDSS", "flops: ours", "cuDSS", "refactorize TFLOP/s: ours", "cuDSS",
              "cuDSS with our tree: refactorize ms", "solve 1 ms", "TFLOP/s", "solve 1 GB/s: ours", "cuDSS"]
    rows = []
    for name in measured(results, names):
        ours, theirs, tree = (results.find(name, peer) for peer in ("gpusupernodal", "cudss", "cudss-tree"))
        flops = (theirs or {}).get("flops")
        rows.append([name, count(ours, "nnz_l"), count(theirs, "nnz_l"), count(ours, "flops"), count(theirs, "flops"),
                     rate(ours, ours["flops"]), rate(theirs, flops), cell(tree, "refactorize"), cell(tree, "solve1"),
                     rate(tree, (tree or {}).get("flops") or ours["flops"]), bandwidth(ours), bandwidth(theirs)])
    return markdown(header, rows)


def bandwidth(record):
    """Bandwidth in GB/s of a solve that reads L twice."""
    time, entries = milliseconds(record, "solve1"), (record or {}).get("nnz_l")
    return f"{16e-6 * entries / time:.0f}" if time and entries else "–"


def floors(record, entries=None, flops=None):
    """Lower bounds in milliseconds per phase, from the device's peak rates, for our L."""
    return {"refactorize": 1e3 * (flops or record["flops"]) / PEAK_FLOPS,
            "solve1": 1e3 * 16.0 * (entries or record["nnz_l"]) / PEAK_BYTES}


def memory_table(results, names):
    header = ["problem", "first factorize ms: ours", "cuDSS", "GB: ours", "cuDSS", "equal bits: ours", "cuDSS",
              "cuDSS deterministic: refactorize ms", "solve 1 ms", "GB", "equal bits", "error: ours", "cuDSS"]
    rows = []
    for name in measured(results, names):
        ours, theirs, fixed = (results.find(name, peer) for peer in ("gpusupernodal", "cudss", "cudss-deterministic"))
        rows.append([name, cell(ours, "factorize"), cell(theirs, "factorize"), gigabytes(ours), gigabytes(theirs), bits(ours),
                     bits(theirs), cell(fixed, "refactorize"), cell(fixed, "solve1"), gigabytes(fixed), bits(fixed), error(ours),
                     error(theirs)])
    return markdown(header, rows)


def analysis_table(results, names):
    """Times of the ordering and of the rest of the analysis."""
    rows = []
    for name in measured(results, names):
        row = [name]
        for peer in ("gpusupernodal", "cudss"):
            record = results.find(name, peer) or {}
            row += [number(1e3 * record[field]) if field in record else "–" for field in ("reorder", "symbolic")]
        rows.append(row)
    return markdown(["problem", "ordering ms: ours", "the rest", "ordering ms: cuDSS", "the rest"], rows)


def gigabytes(record):
    value = (record or {}).get("memory")
    return f"{1e-9 * value:.2f}" if value else "–"


def bits(record):
    return {True: "yes", False: "no"}.get((record or {}).get("equal_bits"), "–")


def error(record):
    errors = [value for key, value in (record or {}).items() if key.startswith("backward_error")]
    return f"{max(errors):.0e}" if errors else "–"


def others_table(results, beside_ours=False):
    """The remaining peers, wherever they were measured; `beside_ours`: only where our host backend was, too."""
    shown = ("gpusupernodal", "cudss", "cudss-deterministic", "cudss-tree")
    rows = []
    for name in ROWS[::-1] + OTHERS:
        if beside_ours and results.find(name, "gpusupernodal-host") is None:
            continue
        for peer in PEERS:
            record = results.find(name, peer)
            if record is None or peer in shown:
                continue
            label = PEERS[peer].label
            if "failed" in record or "skipped" in record:
                rows.append([name, label, summary(record), "", "", "", "", ""])
            elif "everything" in record["phases"]:
                rows.append([name, label, f"all in one call: {cell(record, 'everything')}", "", "", "", "–", error(record)])
            else:
                rows.append([name, label, *(cell(record, phase) for phase in PHASES), count(record, "nnz_l"), error(record)])
    return markdown(["problem", "solver", "analyze ms", "refactorize ms", "solve 1 ms", "solve 16 ms", "nnz(L)", "error"], rows)


def curve_points(results, family, peer, phase):
    """Points (n, milliseconds) of uncapped measurements, and those of capped ones."""
    good, capped = [], []
    for name in CURVES[family]:
        record = results.find(name, peer)
        value = milliseconds(record, phase)
        if value is not None:
            (capped if is_capped(record, phase) else good).append((record["n"], value))
        elif record and "longer_than" in record["phases"].get(phase, {}):
            capped.append((record["n"], 1e3 * record["phases"][phase]["longer_than"]))
    return good, capped


def slopes_table(results):
    rows = []
    for family in CURVES:
        for phase, label in PHASES.items():
            row = [family, label]
            for peer in ("gpusupernodal", "cudss"):
                fitted = slope(large_half(curve_points(results, family, peer, phase)[0]))
                row.append(f"{fitted[0]:.2f}" if fitted else "–")
            rows.append(row)
    of_curves = [results.find(name, "cudss") for names in CURVES.values() for name in names]
    marks = "".join(sorted({mark(record) for record in of_curves}))
    return markdown(["family", "phase", "gpusupernodal", "cuDSS" + marks], rows)


def settings_table(results):
    """Version and settings of each peer."""
    seen = {}
    for record in results.data["records"]:
        if "version" in record:
            text = record.get("settings", "").replace("|", "/")
            seen.setdefault(record["peer"], (record["version"], set()))[1].add(re.sub(r"tree of \d+ levels", "tree", text))
    rows = [[PEERS[peer].label, seen[peer][0], "; ".join(sorted(seen[peer][1]))] for peer in PEERS if peer in seen]
    return markdown(["solver", "version", "settings"], rows)


def all_tables(results):
    return [phases_table(results, ROWS + OTHERS), fair_table(results, ROWS), memory_table(results, ROWS), others_table(results),
            slopes_table(results), settings_table(results)]
