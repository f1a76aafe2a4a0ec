"""Checks that code and pages cite by key ([LNP93]) exactly the sources of docs/references.md."""
import re
import sys

from markdown import ROOT, all_markdown, report

FOLDERS = ("solver", "kernels", "io", "cli", "plugin", "tests", "bench", "examples", "scripts")
SUFFIXES = (".cpp", ".hpp", ".cu", ".cuh", ".py", ".sh", ".h", ".c")
KEY = r"(?:[A-Z][A-Za-z]*\d\d|ZDG)"


def keys_in(text):
    """Keys in brackets that contain only keys and places in the sources: [AG89, CDHR08], [Higham02 §15.3]."""
    for bracket in re.findall(r"(?<![\w)\]\[])\[([^\[\]\n]{3,60})\](?!\()", text):
        yield from re.findall(rf"(?:^|, )({KEY})(?=$|,| )", bracket)


def main():
    page = (ROOT / "docs/references.md").read_text(encoding="utf-8")
    listed = re.findall(rf"^- \*\*\[({KEY})\]\*\*", page, re.M)
    cited = {}
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in SUFFIXES and path.is_file() and "docs" not in path.parts[-2:]:
                for key in keys_in(path.read_text(encoding="utf-8")):
                    cited.setdefault(key, str(path.relative_to(ROOT)))
    for document in all_markdown():
        if document.path.name != "references.md":
            for key in keys_in("\n".join(text for _, text in document.prose)):
                cited.setdefault(key, document.name())
    errors = [f"{place}: [{key}] is not in docs/references.md" for key, place in cited.items() if key not in listed]
    errors += [f"docs/references.md: [{key}] is cited nowhere" for key in listed if key not in cited]
    errors += [f"docs/references.md: [{key}] is listed twice" for key in set(listed) if listed.count(key) > 1]
    return report("references", errors)


if __name__ == "__main__":
    sys.exit(main())
