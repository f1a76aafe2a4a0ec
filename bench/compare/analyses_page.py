"""The tables of docs/analysis.md (bench/results/analyses.json, which analyses.py report writes) and the plots of these tables."""
import json
import math
import re

from result_tables import number
from svg import COLORS, Axis, Chart

LABELS = {"METIS": "METIS", "Scotch": "Scotch", "AMD": "AMD", "cudss": "cuDSS", "mkl_pardiso": "MKL"}


def thread_counts(data):
    return sorted({int(t) for matrix in data["matrices"].values() for t in matrix["threads"]})


def most_threads(matrix):
    return str(max((int(t) for t in matrix["threads"]), default=0))


def seconds(value):
    if value is None:
        return "–"
    return f"{value:.4f}" if value < 0.1 else (f"{value:.3f}" if value < 10 else f"{value:.1f}")


def row(cells):
    return "| " + " | ".join(cells) + " |"


def table(head, rows):
    return "\n".join([row(head), "|" + "---|" * len(head), *(row(r) for r in rows)])


def stored(about, head, rows):
    """A table as result_tables.py reads it."""
    return {"about": about, "columns": head, "rows": rows}


def ratio(matrix, other, what):
    """Ratio of a figure of `other` to that of METIS."""
    ours = matrix["threads"].get(most_threads(matrix)) if other == "ours" else matrix["others"].get(other)
    metis = matrix["others"].get("METIS")
    return ours[what] / metis[what] if ours and metis and ours.get(what) else None


def geometric_mean(values):
    values = [v for v in values if v]
    return math.exp(sum(math.log(v) for v in values) / len(values)) if values else None


def time_table(data):
    counts = thread_counts(data)
    others = [o for o in LABELS if any(o in m["others"] for m in data["matrices"].values())]
    rows = []
    for name, matrix in data["matrices"].items():
        ours = [seconds(matrix["threads"].get(str(t), {}).get("analyze")) for t in counts]
        most = matrix["threads"].get(most_threads(matrix), {})
        theirs = [matrix["others"].get(o, {}) for o in others]
        rows.append([name, *ours, seconds(most.get("ordering")), most.get("method", "–"),
                     *(seconds(t.get("seconds")) + (f" {t['earlier']}" if "earlier" in t else "") for t in theirs)])
    head = ["matrix", *(f"{t} thread{'s' if t > 1 else ''}" for t in counts), "its ordering", "chosen",
            *(LABELS[o] for o in others)]
    return head, rows


def fill_table(data):
    def cell(value):
        return "–" if value is None else f"{value:.3f}"

    rows, ratios = [], []
    for name, matrix in data["matrices"].items():
        most = matrix["threads"].get(most_threads(matrix))
        if not most:
            continue
        of_row = [ratio(matrix, "ours", "nnz_l"), ratio(matrix, "ours", "flops"), ratio(matrix, "Scotch", "nnz_l"),
                  ratio(matrix, "Scotch", "flops"), ratio(matrix, "AMD", "nnz_l"), ratio(matrix, "AMD", "flops"),
                  ratio(matrix, "cudss", "nnz_l"), ratio(matrix, "mkl_pardiso", "nnz_l")]
        ratios.append(of_row)
        rows.append([name, f"{matrix['n']:,}", f"{most['nnz_l']:.4g}", f"{most['flops']:.4g}", *map(cell, of_row)])
    rows.append(["geometric mean", "", "", "", *(cell(geometric_mean(column)) for column in zip(*ratios))])
    head = ["matrix", "n", "nnz(L)", "flops", "nnz(L) / METIS", "flops / METIS", "Scotch nnz(L)", "flops", "AMD nnz(L)",
            "flops", "cuDSS nnz(L)", "MKL nnz(L)"]
    return head, rows


def orders_table(data):
    """Table of orderings alone; the last row has geometric means."""
    names = [n for n in ("METIS", "AMD", "Scotch", "dissection") if any(n in m["others"] for m in data["matrices"].values())]
    rows, ratios = [], []
    for name, matrix in data["matrices"].items():
        others = matrix["others"]
        cells = [cell for n in names for cell in (
            [seconds(others[n]["seconds"]), f"{others[n]['flops']:.3e}"] if n in others else ["–", "–"])]
        ours, metis = others.get("dissection"), others.get("METIS")
        of_row = [ours[k] / metis[k] if ours and metis else None for k in ("nnz_l", "flops")]
        of_row.append(metis["seconds"] / ours["seconds"] if ours and metis else None)
        ratios.append(of_row)
        rows.append([name, f"{matrix.get('n', 0):,}", *cells, *(f"{r:.3f}" if r else "–" for r in of_row)])
    means = (geometric_mean(column) for column in zip(*ratios))
    rows.append(["geometric mean", "", *[""] * (2 * len(names)), *(f"{m:.3f}" if m else "–" for m in means)])
    head = ["matrix", "n", *(h for n in names for h in (f"{n} s", "flops")), "nnz(L) / METIS", "flops / METIS", "METIS s / ours"]
    return table(head, rows)


def memory_table(data):
    rows = []
    for name, matrix in data["matrices"].items():
        for count in sorted({min(map(int, matrix["threads"]), default=0), max(map(int, matrix["threads"]), default=0)} - {0}):
            record = matrix["threads"][str(count)]
            peak, plan, pattern = record["peak_bytes"], record["plan_bytes"], matrix["pattern_bytes"]
            rows.append([name, str(count), f"{pattern / 1e6:.1f}", f"{plan / 1e6:.1f}", f"{peak / 1e6:.1f}",
                         f"{(peak - plan) / pattern:.2f}"])
    return ["matrix", "threads", "pattern MB", "plan MB", "peak MB", "(peak − plan) / pattern"], rows


def times_of(results):
    """Matrix → [(threads, seconds of an analysis)]."""
    table_ = results["time"]
    counts = [(k, int(found.group(1))) for k, name in enumerate(table_["columns"]) if (found := re.fullmatch(r"(\d+) threads?", name))]
    return {row_[0]: [(t, number(row_[k])) for k, t in counts if number(row_[k])] for row_ in table_["rows"]}


def series_plot(lines, title, unit):
    """One line per matrix over the numbers of threads, with the line of perfect speed-ups."""
    counts = sorted({t for points in lines.values() for t, _ in points})
    values = [v for points in lines.values() for _, v in points]
    chart = Chart(760, 470, title)
    across = Axis(min(counts), max(2, max(counts)), 80, 600, True)
    up = Axis(min([0.5, *values]), max([*values, *counts]), 420, 40, True)
    chart.text(34, 230, unit, "middle", -90)
    for t in (0.5, *counts):
        chart.line(80, up.at(t), 600, up.at(t))
        chart.text(74, up.at(t) + 4, f"{t:g}", "end")
    for t in counts:
        chart.line(across.at(t), 40, across.at(t), 420)
        chart.text(across.at(t), 436, str(t), "middle")
    chart.text(340, 458, "threads", "middle")
    chart.path([(across.at(t), up.at(t)) for t in counts], "#888", "4 4")
    draw_lines(chart, across, up, lines)
    return chart.render()


def draw_lines(chart, across, up, lines):
    ends = []
    for k, (name, points) in enumerate(lines.items()):
        if not points:
            continue
        color = COLORS[k % len(COLORS)]
        chart.path([(across.at(t), up.at(v)) for t, v in points], color)
        for t, v in points:
            chart.dot(across.at(t), up.at(v), color, k >= len(COLORS))
        ends.append((up.at(points[-1][1]), name, color))
    last = -1e9
    for y, name, color in sorted(ends):
        last = max(y + 4, last + 14)
        chart.text(612, last, name, color=color)


def speedup_plot(results):
    lines = {name: [(t, dict(points)[1] / v) for t, v in points] if 1 in dict(points) else [] for name, points in times_of(results).items()}
    return series_plot(lines, "Speed-up of an analysis over one thread; dashed: as many as threads", "times faster")


def fill_plot(results):
    columns = results["fill"]["columns"]
    bars = {"nnz(L) / METIS": "gpusupernodal", "Scotch nnz(L)": "Scotch", "cuDSS nnz(L)": "cuDSS", "MKL nnz(L)": "MKL"}
    ratios = {row_[0]: {bar: number(row_[columns.index(bar)]) for bar in bars} for row_ in results["fill"]["rows"][:-1]}
    names = [name for name, found in ratios.items() if found["nnz(L) / METIS"]]
    bars = {bar: label for bar, label in bars.items() if any(ratios[name][bar] for name in names)}
    step = 12 * len(bars) + 12
    chart = Chart(760, step * len(names) + 70 + 18 * len(bars) + 18, "nnz(L) relative to that of METIS's ordering (shorter is better)")
    top = max((ratios[name][bar] or 0.0 for name in names for bar in bars), default=1.0)
    axis = Axis(0.0, max(1.25, math.ceil(top * 4) / 4), 130, 730, False)
    bottom = 40 + step * len(names)
    chart.vertical_grid(axis, 34, bottom, "times METIS's")
    for k, name in enumerate(names):
        chart.text(122, 40 + step * k + step / 2, name, "end")
        for b, bar in enumerate(bars):
            value = ratios[name][bar]
            if value:
                chart.bar(130, 42 + step * k + 12 * b, axis.at(value) - 130, 10, COLORS[b])
    chart.path([(axis.at(1.0), 34), (axis.at(1.0), bottom)], "#888", "4 4")
    chart.legend(140, bottom + 56, list(bars.values()))
    return chart.render()


def drawings(results):
    """Name and text of every plot; of the speed-up only where some matrix was analyzed on several threads, one among them."""
    pictures = {"analysis-speed-up": speedup_plot, "analysis-fill": fill_plot}
    if not any(len(points) > 1 and points[0][0] == 1 for points in times_of(results).values()):
        pictures.pop("analysis-speed-up")
    return {name: draw(results) for name, draw in pictures.items()}


def other_rows(data, earlier, others_of):
    """What the marks of figures of other runs stand for."""
    text = []
    if data.get("at_once", 1) > 1:
        text.append(f"the orderings of others, one thread each, ran {data['at_once']} at a time")
    marks = {o.get("earlier") for m in data["matrices"].values() for o in m["others"].values()}
    for mark, run, more in (("¹", earlier, ""), ("²", others_of, f", {others_of.get('at_once', 1)} at a time, one thread each")):
        if mark in marks:
            place = run.get("machine", {})
            text.append(f"{mark} of the run of {run.get('date')}, commit {run.get('commit')}, {place.get('cores')} cores of an "
                        f"{place.get('processor')}{more}")
    return "; ".join(text)


def tables_of(data, earlier, others_of):
    machine = data["machine"]
    about = {"machine": f"{machine['cores']} cores of an {machine['processor']}", "date": data["date"], "commit": data["commit"],
             "command": "bench/compare/analyses.py run", "what": data.get("note", ""), "other_rows": other_rows(data, earlier, others_of)}
    return {"time": stored(about, *time_table(data)), "fill": stored(about, *fill_table(data)),
            "memory": stored(about, *memory_table(data))}


def write(data, earlier, others_of, out, folder):
    """The file of tables, one row per line, and its plots."""
    results = tables_of(data, earlier, others_of)
    parts = []
    for name, table_ in results.items():
        rows = ",\n".join("      " + json.dumps(row_, ensure_ascii=False) for row_ in table_["rows"])
        parts.append(f'  "{name}": {{\n    "about": {json.dumps(table_["about"], ensure_ascii=False)},\n'
                     f'    "columns": {json.dumps(table_["columns"], ensure_ascii=False)},\n    "rows": [\n{rows}\n    ]\n  }}')
    out.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")
    folder.mkdir(parents=True, exist_ok=True)
    for name, drawing in drawings(results).items():
        (folder / f"{name}.svg").write_text(drawing, encoding="utf-8")
    print(f"{out}, {', '.join(str(folder / f'{name}.svg') for name in drawings(results))}; bench/pages.py --write writes the page")
