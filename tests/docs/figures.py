"""README.md's figures are those of docs/measurements.md, rounded; the version is the same wherever it is written."""
import re
import sys

from markdown import ROOT, parse, report, table_rows

# Of README's table, and of the tables of "Both backends" (the first for all matrices, without the error columns).
COLUMNS = {"n": 1, "nnz(L)": 2, "analyze": 4, "CUDA: refactorize": 5, "CUDA: solve": 6, "host: refactorize": 9, "host: solve": 10}


def number(cell):
    return float(cell.replace(",", ""))


def is_rounded(shown, measured):
    """Whether `shown` is `measured` to as many digits as are shown."""
    digits = len(re.sub(r"[,.]|e.*", "", shown.lstrip("0.")))
    return abs(number(shown) - measured) <= 0.51 * 10 ** -(digits - 1) * max(abs(number(shown)), abs(measured))


def wrong_figures():
    tables = table_rows(parse(ROOT / "docs/measurements.md").section("Both backends"))
    measured = {row[0]: row for row in tables if len(row) > max(COLUMNS.values())}
    rows = list(table_rows(parse(ROOT / "README.md").section("Figures")))
    if not rows:
        yield "README.md has no figures"
    for row in rows:
        if row[0] not in measured:
            yield f"README.md: {row[0]} is not in docs/measurements.md"
            continue
        for shown, (name, column) in zip(row[1:], COLUMNS.items()):
            if not is_rounded(shown, number(measured[row[0]][column])):
                yield f"README.md: {name} of {row[0]} is {shown}, but measured {measured[row[0]][column]}"


def wrong_versions():
    project = re.search(r"project\(gpusupernodal VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)
    citation = re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.M).group(1)
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    if citation != project:
        yield f"CITATION.cff: the version is {citation}, but the project's is {project}"
    if f"## [{project}]" not in changes and f"To become {project}" not in changes:
        yield f"CHANGELOG.md knows nothing of version {project}"


if __name__ == "__main__":
    sys.exit(report("figures", [*wrong_figures(), *wrong_versions()]))
