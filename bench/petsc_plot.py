"""Draws docs/images/performance/petsc.svg from bench/results/petsc-by-name.json, whose rows are those of petsc_by_name.py.

usage: petsc_plot.py [--check]        --check: says whether the picture is the file's, and changes nothing
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "bench/compare"))
import result_tables  # noqa: E402
from svg import COLORS, Axis, Chart, decade  # noqa: E402

RESULTS = ROOT / "bench/results/petsc-by-name.json"
PICTURE = ROOT / "docs/images/performance/petsc.svg"
PHASES = ("symbolic", "numeric", "solve")
ROW = 19
NAMES, PANEL, GAP = 165, 140, 30  # where the solvers' names end; panels and what is between them, in pixels


def number(cell):
    return float(cell) if re.fullmatch(r"[\d.]+(e[-+]?\d+)?", cell) else None


def rows_of(table):
    """(program, [(solver, milliseconds of each phase, or what was said instead)])"""
    programs = []
    for program, solver, *cells in table["rows"]:
        if program and (not programs or programs[-1][0] != program):
            programs.append((program, []))
        programs[-1][1].append((solver, [number(cell) for cell in cells[:3]], cells[0]))
    return programs


def draw(programs):
    count = sum(len(solvers) for _, solvers in programs)
    height = ROW * count + 30 * len(programs)
    chart = Chart(690, height + 140, "PETSc's programs with solvers by name: time per phase, ms (left is better)")
    values = [[time for _, solvers in programs for _, times, _ in solvers if (time := times[phase])] for phase in range(3)]
    axes = []
    for phase, name in enumerate(PHASES):
        left = NAMES + 10 + (PANEL + GAP) * phase
        low, high = decade(min(values[phase]) * 0.9, False), decade(max(values[phase]) * 1.1, True)
        axes.append(Axis(low, high, left, left + PANEL, True))
        chart.vertical_grid(axes[phase], 45, 50 + height, f"{name}, ms")
    y = 45
    for program, solvers in programs:
        y += 22
        chart.text(4, y, program.strip("`"), bold=True)
        for solver, times, said in solvers:
            y += ROW
            chart.text(NAMES, y, solver, "end")
            color = COLORS[0] if solver.startswith("gpusupernodal") else COLORS[1]
            for axis, time in zip(axes, times):
                if time:
                    chart.dot(axis.at(time), y - 5, color)
            if not any(times):
                chart.text(axes[0].begin + 4, y, said)
        y += 8
    chart.legend(NAMES + 10, height + 112, ["gpusupernodal", "others"])
    return chart.render()


def main():
    picture = draw(rows_of(result_tables.load(RESULTS)["by_name"]))
    if sys.argv[1:] != ["--check"]:
        PICTURE.write_text(picture, encoding="utf-8")
        return 0
    same = PICTURE.exists() and PICTURE.read_text(encoding="utf-8") == picture
    print("" if same else f"{PICTURE.name} is not what {RESULTS.name} says: python3 bench/petsc_plot.py")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
