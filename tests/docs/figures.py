"""Checks that every measured figure in README.md and docs comes from a result file (bench/pages.py), that README.md agrees
with docs/performance.md, and that all places state the same version."""
import re
import sys

from markdown import ROOT, parse, report, table_rows

sys.path.insert(0, str(ROOT / "bench"))
import pages  # noqa: E402

# README's table: n, then "ours / cuDSS" by phase; maps each phase to its column in the table of "Beside cuDSS".
PHASES = {"analyze": 2, "refactorize": 5, "solve": 8, "solve of 16": 11}


def wrong_figures():
    measured = {row[0]: row for row in table_rows(parse(ROOT / "docs/performance.md").section("Beside cuDSS"))}
    rows = list(table_rows(parse(ROOT / "README.md").section("Figures")))
    if not rows:
        yield "README.md has no figures"
    for row in rows:
        if row[0] not in measured:
            yield f"README.md: {row[0]} is not in docs/performance.md"
            continue
        found = measured[row[0]]
        expected = [found[1]] + [f"{found[column]} / {found[column + 1]}" for column in PHASES.values()]
        for name, shown, right in zip(["n", *PHASES], row[1:], expected):
            if shown != right:
                yield f"README.md: {name} of {row[0]} is {shown}, but measured {right}"


def wrong_versions():
    project = re.search(r"project\(gpusupernodal VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)
    citation = re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.M).group(1)
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    if citation != project:
        yield f"CITATION.cff: the version is {citation}, but the project's is {project}"
    if f"## [{project}]" not in changes and f"To become {project}" not in changes:
        yield f"CHANGELOG.md knows nothing of version {project}"


if __name__ == "__main__":
    sys.exit(report("figures", [*pages.check(), *wrong_figures(), *wrong_versions()]))
