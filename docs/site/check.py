#!/usr/bin/env python3
"""Checks a built site: every local link has its page and its anchor; the references of C++ and C show every public name that
Doxygen found, and that of Python every name in __all__.
usage: check.py HTML XML"""
import ast
import html
import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

LINK = re.compile(r'<(?:a|link|img|script)\b[^>]*?\b(?:href|src)="([^"]+)"')
ELSEWHERE = re.compile(r"(https?|mailto|data|javascript):")
SHOWN = re.compile(r'class="sig-name descname"><span class="n"><span class="pre">([^<]+)</span>')
KINDS = ("function", "enum", "variable")


def broken_links(site):
    """(page, link, what is wrong) of each local link that leads nowhere."""
    texts = {page.resolve(): page.read_text(encoding="utf-8") for page in sorted(site.rglob("*.html"))}
    anchors = {page: set(re.findall(r'\bid="([^"]+)"', text)) for page, text in texts.items()}
    for page, text in texts.items():
        for link in map(html.unescape, LINK.findall(text)):
            if ELSEWHERE.match(link):
                continue
            name, _, anchor = link.partition("#")
            target = (page.parent / name.split("?")[0]).resolve() if name else page
            if not target.exists():
                yield page, link, "there is no such file"
            elif anchor and target in anchors and anchor not in anchors[target]:
                yield page, link, "the page has no such anchor"


C_HEADERS = ("gpusupernodal.h", "gpusupernodal_batch.h", "gpusupernodal_product.h", "gpusupernodal_system.h")


def public_names(xml, header_of_c):
    """Names in the namespace gpusupernodal, or those of the C headers."""
    index = ElementTree.parse(xml / "index.xml").getroot()
    for compound in index:
        kind, name = compound.get("kind"), compound.findtext("name")
        if kind in ("class", "struct") and name.startswith("gpusupernodal::") != header_of_c:
            yield name.removeprefix("gpusupernodal::")
        wanted = kind == "file" and name in C_HEADERS if header_of_c else (kind, name) == ("namespace", "gpusupernodal")
        if wanted:
            yield from (member.findtext("name") for member in compound.iter("member") if member.get("kind") in KINDS)


def names_of_python(package=Path(__file__).resolve().parents[2] / "plugin/python/gpusupernodal/__init__.py"):
    """The names in the package's __all__, without importing it."""
    for statement in ast.parse(package.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.Assign) and statement.targets[0].id == "__all__":
            return ast.literal_eval(statement.value)
    raise ValueError(f"{package} has no __all__")


def missing_names(site, xml):
    """(page, name) of each public name that its reference does not show."""
    anchors = set(re.findall(r'\bid="gpusupernodal\.([^"]+)"', (site / "site/python.html").read_text(encoding="utf-8")))
    for name in names_of_python():
        if name not in anchors:
            yield "site/python.html", name
    for page, header_of_c in (("site/cpp.html", False), ("site/c.html", True)):
        shown = set(SHOWN.findall((site / page).read_text(encoding="utf-8")))
        for name in sorted(set(public_names(xml, header_of_c)) - shown):
            yield page, name


def main(site, xml):
    site, xml = Path(site).resolve(), Path(xml)
    errors = [f"{page.relative_to(site)}: the link {link} leads nowhere: {what}" for page, link, what in broken_links(site)]
    errors += [f"docs/{page.replace('.html', '.md')} does not show {name}: add it" for page, name in missing_names(site, xml)]
    print("\n".join(errors), end="\n" if errors else "")
    return 1 if errors else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
