"""Writes the generated part of docs/analysis.md, which two comments delimit, and its plots."""
import math

from svg import COLORS, Axis, Chart, decade

BEGIN, END = "<!-- written by bench/compare/analyses.py report -->", "<!-- end of what analyses.py writes -->"
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
    return table(head, rows)


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
    return table(head, rows)


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
    return table(["matrix", "threads", "pattern MB", "plan MB", "peak MB", "(peak − plan) / pattern"], rows)


def series_plot(data, title, unit, value, ideal=False):
    """Plots one line per matrix over the thread counts; `ideal`: plots speedups, with the line of perfect speedup."""
    counts = thread_counts(data)
    lines = {}
    for name, matrix in data["matrices"].items():
        points = [(t, value(matrix, t)) for t in counts]
        lines[name] = [(t, v) for t, v in points if v]
    values = [v for points in lines.values() for _, v in points]
    chart = Chart(760, 470, title)
    across = Axis(min(counts), max(2, max(counts)), 80, 600, True)
    if ideal:
        up = Axis(0.5, max([*values, *counts]), 420, 40, True)
        chart.text(34, 230, unit, "middle", -90)
        for t in (0.5, *counts):
            chart.line(80, up.at(t), 600, up.at(t))
            chart.text(74, up.at(t) + 4, f"{t:g}", "end")
    else:
        up = Axis(decade(min(values), False), decade(max(values), True), 420, 40, True)
        chart.horizontal_grid(up, 80, 600, unit)
    for t in counts:
        chart.line(across.at(t), 40, across.at(t), 420)
        chart.text(across.at(t), 436, str(t), "middle")
    chart.text(340, 458, "threads", "middle")
    if ideal:
        chart.path([(across.at(t), up.at(t)) for t in counts], "#888", "4 4")
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
    return chart.render()


def time_plot(data):
    return series_plot(data, "Seconds of an analysis", "s", lambda m, t: m["threads"].get(str(t), {}).get("analyze"))


def speedup_plot(data):
    def value(matrix, t):
        one, many = (matrix["threads"].get(k, {}).get("analyze") for k in ("1", str(t)))
        return one / many if one and many else None

    return series_plot(data, "Speed-up of an analysis over one thread; dashed: as many as threads", "times faster", value, True)


def fill_plot(data):
    names = [n for n, m in data["matrices"].items() if ratio(m, "ours", "nnz_l")]
    bars = {"ours": "gpusupernodal", "Scotch": "Scotch", "cudss": "cuDSS", "mkl_pardiso": "MKL"}
    bars = {k: v for k, v in bars.items() if any(ratio(data["matrices"][n], k, "nnz_l") for n in names)}
    step = 12 * len(bars) + 12
    chart = Chart(760, step * len(names) + 70 + 18 * len(bars) + 18, "nnz(L) relative to that of METIS's ordering (shorter is better)")
    top = max((ratio(data["matrices"][n], b, "nnz_l") or 0.0 for n in names for b in bars), default=1.0)
    axis = Axis(0.0, max(1.25, math.ceil(top * 4) / 4), 130, 730, False)
    bottom = 40 + step * len(names)
    chart.vertical_grid(axis, 34, bottom, "times METIS's")
    for k, name in enumerate(names):
        chart.text(122, 40 + step * k + step / 2, name, "end")
        for b, bar in enumerate(bars):
            value = ratio(data["matrices"][name], bar, "nnz_l")
            if value:
                chart.bar(130, 42 + step * k + 12 * b, axis.at(value) - 130, 10, COLORS[b])
    chart.path([(axis.at(1.0), 34), (axis.at(1.0), bottom)], "#888", "4 4")
    chart.legend(140, bottom + 56, list(bars.values()))
    return chart.render()


def note(data, earlier, others_of):
    machine = data["machine"]
    text = [f"{machine['cores']} cores of an {machine['processor']}, {data['date']}, commit {data['commit']}"
            + (f"; {data['note']}" if data.get("note") else "") + "."]
    if data.get("at_once", 1) > 1:
        text.append(f"The orderings of others, one thread each, ran {data['at_once']} at a time.")
    marks = {o.get("earlier") for m in data["matrices"].values() for o in m["others"].values()}
    if "¹" in marks:
        place = earlier.get("machine", {})
        text.append(f"¹ of the run of {earlier.get('date')}, commit {earlier.get('commit')}, {place.get('cores')} cores of an "
                    f"{place.get('processor')}, {place.get('device')}.")
    if "²" in marks:
        place = others_of["machine"]
        text.append(f"² of the run of {others_of['date']}, commit {others_of['commit']}, {place['cores']} cores of an "
                    f"{place['processor']}, {others_of.get('at_once', 1)} at a time, one thread each.")
    return " ".join(text)


def write(data, earlier, others_of, page, plots):
    plots.mkdir(parents=True, exist_ok=True)
    pictures = {"analysis-time": time_plot, "analysis-speed-up": speedup_plot, "analysis-fill": fill_plot}
    if max(thread_counts(data), default=1) == 1:
        pictures.pop("analysis-speed-up")
    for name, draw in pictures.items():
        (plots / f"{name}.svg").write_text(draw(data), encoding="utf-8")
    folder = plots.name if plots.parent == page.parent else str(plots)
    text = "\n\n".join([
        BEGIN, note(data, earlier, others_of),
        "Seconds of an analysis with the plans of both backends, the least of up to three, and of the ordering in it at the most "
        "threads. METIS, Scotch and AMD: their ordering alone, one thread, once. cuDSS and MKL: their analysis on all threads.",
        time_table(data),
        "What the orderings leave: ours, then the others relative to METIS's. cuDSS and MKL say their nnz(L) themselves.",
        fill_table(data),
        "Memory that an analysis takes by `operator new` at its peak, and what the plan keeps of it; the pattern is the lower half with "
        "32 bits an index.",
        memory_table(data),
        *(f"![{name.replace('-', ' ')}]({folder}/{name}.svg)" for name in pictures), END])
    old = page.read_text(encoding="utf-8") if page.exists() else f"# Analysis\n\n{BEGIN}\n{END}\n"
    head, rest = old.split(BEGIN, 1)
    page.write_text(head + text + rest.split(END, 1)[1], encoding="utf-8")
    print(f"{page}, {', '.join(str(plots / f'{n}.svg') for n in pictures)}")
