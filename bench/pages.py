#!/usr/bin/env python3
"""Writes the measured figures of README.md and docs/*.md from the result files in bench/results, and the plots of
docs/images/performance; or checks that they agree.

pages.py --check        prints a line a disagreement, and exits with status 1 if there is one
pages.py --write

A page marks each figure: <!-- figure: FILE VIEW ARGUMENTS -->text<!-- end -->. FILE is a file of bench/results, VIEW one of
the functions in bench/compare/page.py (for performance.json) or bench/compare/result_tables.py (for files of tables), and
the text between the comments is what this program writes. Arguments with spaces are quoted. --check also finds figures
without a marker, and dates and commits, which belong to a run and so into a marker as well."""
import re
import shlex
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "bench/compare"), str(ROOT / "bench")]
import analyses_page  # noqa: E402
import page  # noqa: E402
import petsc_plot  # noqa: E402
import plots  # noqa: E402
import result_tables  # noqa: E402

RESULTS = ROOT / "bench/results"
PLOTS = ROOT / "docs/images/performance"
MARKER = re.compile(r"(<!-- figure: (\S+) (.*?) -->)(.*?)(<!-- end -->)", re.DOTALL)
FENCE = re.compile(r"^ *(```+).*?^ *\1 *$", re.DOTALL | re.MULTILINE)
# A page with this comment is written as a whole by another program, which checks it.
GENERATED = "<!-- written by "
# On a line with this comment numbers are parameters or limits, not measurements.
NOT_MEASURED = "<!-- not measured -->"

# What looks like a measured figure, a date or a commit.
FIGURE = re.compile(
    r"\d(?:[\d.,]*\d)?( to \d[\d.,]*)? (ns|µs|ms|GB/s|TB/s|[GT]FLOP/s|[GT]flop/s)\b"
    r"|\d(?:[\d.,]*\d)?( to \d[\d.,]*)? times (as (fast|long|much)|the time|faster|slower|less|more)\b"
    r"|\b20\d\d-\d\d-\d\d\b"
    r"|\bcommits? [0-9a-f]{7}\b")


def pages():
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def value_of(name, arguments, folder):
    """What a marker's text should be."""
    module = page if name == "performance.json" else result_tables
    view, *rest = shlex.split(arguments)
    if view not in module.VIEWS:
        raise ValueError(f"there is no view {view} for {name}; there are {', '.join(module.VIEWS)}")
    return module.VIEWS[view](module.load(folder / name), *rest)


def filled(text, folder=RESULTS):
    """The page with what the result files say between its markers."""
    def fill(match):
        value = value_of(match.group(2), match.group(3), folder)
        block = "\n" if value.startswith(("|", "- ")) else ""
        return f"{match.group(1)}{block}{value}{block}{match.group(5)}"

    return MARKER.sub(fill, text)


def disagreements(text, folder=RESULTS):
    """(line, what is wrong) of each marker whose text is not what the result files say."""
    for match in MARKER.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        try:
            right = MARKER.match(filled(match.group(0), folder)).group(4)
        except (ValueError, KeyError, TypeError, OSError) as error:
            yield line, f"the marker \"{match.group(2)} {match.group(3)}\" has no value: {error}"
            continue
        if match.group(4) != right:
            shown, wanted = (" ".join(words.split())[:80] for words in (match.group(4), right))
            yield line, f"\"{shown}\" is not what {match.group(2)} says: \"{wanted}\" (bench/pages.py --write)"
        if "\n" not in right and not text[text.rfind("\n", 0, match.start()) + 1:match.start()].strip(" >-"):
            yield line, "a marker inside a sentence begins the line, so that Markdown takes the line for HTML: break it elsewhere"


def blank(text, pattern):
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match.group(0)), text)


def unmarked(text):
    """(line, figure) of each figure, date and commit that no marker has."""
    if GENERATED in text:
        return
    for pattern in (FENCE, MARKER):
        text = blank(text, pattern)
    for number, line in enumerate(text.split("\n"), 1):
        if NOT_MEASURED in line:
            continue
        for match in FIGURE.finditer(re.sub(r"`[^`]*`", lambda code: " " * len(code.group(0)), line)):
            yield number, f"\"{match.group(0)}\" is in no marker: mark it, or move it to bench/notebook"


def wrong_plots(write=False):
    """Names of the plots that are not what their files in bench/results say."""
    drawings = {**plots.drawings(page.load(RESULTS / "performance.json")),
                **analyses_page.drawings(result_tables.load(RESULTS / "analyses.json")),
                "petsc": petsc_plot.draw(petsc_plot.rows_of(result_tables.load(petsc_plot.RESULTS)["by_name"]))}
    for name, drawing in drawings.items():
        path = PLOTS / f"{name}.svg"
        if not path.exists() or path.read_text(encoding="utf-8") != drawing:
            if write:
                path.write_text(drawing, encoding="utf-8")
            yield f"docs/images/performance/{name}.svg"


def check():
    for path in pages():
        text = path.read_text(encoding="utf-8")
        for line, what in [*disagreements(text), *unmarked(text)]:
            yield f"{path.relative_to(ROOT)}:{line}: {what}"
    for name in wrong_plots():
        yield f"{name} is not what its file in bench/results says (bench/pages.py --write)"


def write():
    for path in pages():
        text = path.read_text(encoding="utf-8")
        new = filled(text)
        if new != text:
            path.write_text(new, encoding="utf-8")
            print(f"{path.relative_to(ROOT)}: written")
    for name in wrong_plots(write=True):
        print(f"{name}: written")


def main():
    if sys.argv[1:] == ["--write"]:
        write()
        return 0
    if sys.argv[1:] != ["--check"]:
        sys.exit(__doc__)
    errors = list(check())
    print("\n".join(errors) or "pages: every figure is that of a result file")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
