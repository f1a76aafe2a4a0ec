"""Checks that every measured figure in README.md and docs comes from a result file (bench/pages.py), and that all places state
the same version."""
import re
import sys

from markdown import ROOT, report

sys.path.insert(0, str(ROOT / "bench"))
import pages  # noqa: E402


def wrong_versions():
    project = re.search(r"project\(gpusupernodal VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)
    citation = re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.M).group(1)
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    if citation != project:
        yield f"CITATION.cff: the version is {citation}, but the project's is {project}"
    if f"## [{project}]" not in changes and f"To become {project}" not in changes:
        yield f"CHANGELOG.md knows nothing of version {project}"


if __name__ == "__main__":
    sys.exit(report("figures", [*pages.check(), *wrong_versions()]))
