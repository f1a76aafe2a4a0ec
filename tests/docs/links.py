"""Checks all Markdown files: relative links lead to files, anchors to headings; paths in code exist; fences are well
formed; docs/README.md lists every page; no page of docs is too long to read."""
import re
import sys
from urllib.parse import unquote

from markdown import ROOT, all_markdown, code_spans, documents, parse, report

MOST_LINES = 250


def broken_links(document, parsed):
    for number, target in document.links():
        if "://" in target or target.startswith("mailto:"):
            continue
        path, _, anchor = target.partition("#")
        file = (document.path.parent / unquote(path)).resolve() if path else document.path
        place = f"{document.name()}:{number}"
        if not file.exists():
            yield f"{place}: {target} does not exist"
        elif ROOT not in [file, *file.parents]:
            yield f"{place}: {target} is outside of the project"
        elif anchor and file.suffix == ".md":
            other = parsed.setdefault(file, document if file == document.path else parse(file))
            if anchor not in other.anchors():
                yield f"{place}: {file.name} has no heading for #{anchor}"


def missing_paths(document):
    """Code that looks like a path of the checkout but is not."""
    pattern = r"(?:scripts|tests|docs|solver|kernels|io|cli|plugin|examples|cmake|bench|packaging)/[\w./-]+"
    for number, text in document.prose:
        for span in code_spans(text):
            path = span.split()[0]
            if re.fullmatch(pattern, path) and "NAME" not in path and not (ROOT / path).exists() \
                    and not (document.path.parent / path).exists() and not sources_of(path):
                yield f"{document.name()}:{number}: {path} does not exist"


def sources_of(path):
    """Whether it names several files without their extensions (exec/cuda/launch_plan)."""
    return any(ROOT.glob(path + ".*"))


def too_long(document):
    if len(document.lines) >= MOST_LINES:
        yield f"{document.name()}: {len(document.lines)} lines; a page has fewer than {MOST_LINES}: split it by what its readers want"


def main():
    parsed = {}
    errors = [error for document in all_markdown() for error in broken_links(document, parsed)]
    errors += [error for document in documents() for error in [*document.errors, *missing_paths(document)]]
    errors += [error for document in documents() for error in too_long(document)]
    for page in sorted((ROOT / "docs").glob("*.md")):
        if page.name != "README.md" and f"({page.name})" not in (ROOT / "docs/README.md").read_text(encoding="utf-8"):
            errors.append(f"docs/README.md does not list {page.name}")
    return report("links", errors)


if __name__ == "__main__":
    sys.exit(main())
