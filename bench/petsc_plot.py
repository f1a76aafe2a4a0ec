"""Draws docs/performance/petsc.svg from the table in docs/petsc.md under "By name, beside others", whose rows
petsc_by_name.py prints.

usage: petsc_plot.py [--check]        --check: reports whether the picture matches the table, and changes nothing
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "bench/compare"))
from svg import COLORS, Axis, Chart, decade  # noqa: E402

PAGE = ROOT / "docs/petsc.md"
PICTURE = ROOT / "docs/performance/petsc.svg"
HEADING = "## By name, beside others"
PHASES = ("symbolic", "numeric", "solve")
ROW = 17


def number(cell):
    return float(cell) if re.fullmatch(r"[\d.]+(e[-+]?\d+)?", cell) else None


def rows_of(page):
    """Rows of the first table below the heading: (program, [(solver, milliseconds of each phase, or the message
    instead)])."""
    lines = page[page.index(HEADING):].splitlines()
    first = next(k for k, line in enumerate(lines) if line.startswith("| program"))
    programs = []
    for line in lines[first + 2:]:
        if not line.startswith("|"):
            break
        program, solver, *cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if program and (not programs or programs[-1][0] != program):
            programs.append((program, []))
        programs[-1][1].append((solver, [number(cell) for cell in cells[:3]], cells[0]))
    return programs


def draw(programs):
    count = sum(len(solvers) for _, solvers in programs)
    height = ROW * count + 30 * len(programs)
    chart = Chart(1120, height + 120, "PETSc's programs with solvers by name: time per phase, ms (shorter is better)")
    values = [[time for _, solvers in programs for _, times, _ in solvers if (time := times[phase])] for phase in range(3)]
    axes = []
    for phase, name in enumerate(PHASES):
        left = 190 + 310 * phase
        axes.append(Axis(decade(min(values[phase]) * 0.9, False), decade(max(values[phase]) * 1.1, True), left, left + 280, True))
        chart.vertical_grid(axes[phase], 45, 50 + height, f"{name}, ms")
    y = 45
    for program, solvers in programs:
        y += 22
        chart.text(20, y, program.strip("`"), color="#000")
        for solver, times, said in solvers:
            y += ROW
            chart.text(182, y, solver, "end")
            color = COLORS[0] if solver.startswith("gpusupernodal") else COLORS[1]
            for axis, time in zip(axes, times):
                if time:
                    chart.bar(axis.begin, y - 11, axis.at(time) - axis.begin, 12, color)
            if not any(times):
                chart.text(axes[0].begin + 4, y, said)
        y += 8
    chart.legend(20, height + 90, ["gpusupernodal", "others"])
    return chart.render()


def main():
    picture = draw(rows_of(PAGE.read_text(encoding="utf-8")))
    if sys.argv[1:] != ["--check"]:
        PICTURE.write_text(picture, encoding="utf-8")
        return 0
    same = PICTURE.exists() and PICTURE.read_text(encoding="utf-8") == picture
    print("" if same else f"{PICTURE.name} is not what the table of {PAGE.name} says: python3 bench/petsc_plot.py")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
