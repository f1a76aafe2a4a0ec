"""Checks that docs/options.md, docs/petsc-options.md and docs/petsc-iterative.md name exactly the existing options.
usage: options.py [PROGRAM]      PROGRAM: compare its options, too"""
import re
import subprocess
import sys

from markdown import ROOT, code_spans, parse, report, table_rows


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def fields_of(source, struct):
    """Names of the data members of a struct without functions."""
    body = re.search(rf"struct {struct} \{{(.*?)^\}};", source, re.S | re.M).group(1)
    body = re.sub(r"//[^\n]*", "", body)
    return {re.search(r"(\w+)\s*(?:=.*)?$", part.strip(), re.S).group(1) for part in body.split(";") if part.strip()}


def spans_in(page, title, column=0):
    return {span for cells in table_rows(page.section(title)) if column < len(cells) for span in code_spans(cells[column])}


def difference(page, what, there, documented):
    yield from (f"{page}: {what} {name} is missing" for name in sorted(there - documented))
    yield from (f"{page}: {what} {name} does not exist" for name in sorted(documented - there))


def environment_variables():
    names = set()
    for folder in ("solver", "io", "cli", "plugin", "kernels"):
        for path in (ROOT / folder).rglob("*.[ch]pp"):
            names |= set(re.findall(r'getenv\("(\w+)"\)', path.read_text(encoding="utf-8")))
    return names


def project_variables():
    """Environment variables that scripts and tests read."""
    names = set()
    for path in [*(ROOT / "scripts").glob("*"), *(ROOT / "tests").rglob("*.[ch]pp"), *(ROOT / "tests").rglob("*.sh")]:
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            names |= set(re.findall(r'getenv\("(GPUSUPERNODAL_\w+)"\)', text))
            names |= set(re.findall(r"\$\{(GPUSUPERNODAL_\w+):-", text))
    return names


def options_of_types():
    """The options of PETSc's matrix type and preconditioner."""
    sources = read("plugin/petsc/product_options.cpp") + read("plugin/petsc/preconditioner_kinds.cpp")
    return set(re.findall(r'"(-(?:mat|pc)_gpusupernodal_\w+)"', sources))


def main(program=None):
    page = parse(ROOT / "docs/options.md")
    petsc = parse(ROOT / "docs/petsc-options.md")
    iterative = parse(ROOT / "docs/petsc-iterative.md")
    header = read("solver/include/gpusupernodal/options.hpp")
    fields = fields_of(header, "Options") - {"refinement"}
    fields |= {f"refinement.{name}" for name in fields_of(header, "Refinement")}
    errors = list(difference("docs/options.md", "field", fields, spans_in(page, "All options")))
    by_petsc = set(re.findall(r'"(-mat_gpusupernodal_\w+)"', read("plugin/petsc/options.cpp")))
    errors += difference("docs/options.md", "PETSc option", by_petsc, spans_in(page, "All options", 2))
    errors += difference("docs/petsc-options.md", "option", by_petsc, {s for s in spans_in(petsc, "Options") if "gpusupernodal" in s})
    errors += difference("docs/petsc-iterative.md", "option", options_of_types(), {
        span for title in ("The matrix type", "The preconditioner") for span in spans_in(iterative, title) if span.startswith("-")})
    errors += difference("docs/options.md", "variable", environment_variables(), spans_in(page, "Environment variables"))
    contributing = parse(ROOT / "CONTRIBUTING.md")
    errors += difference("CONTRIBUTING.md", "variable", project_variables() - environment_variables(),
                         spans_in(contributing, "Variables of the scripts and tests"))
    if program:
        text = subprocess.run([program, "solve", "--help"], capture_output=True, text=True, check=True).stdout
        flags = set(re.findall(r"--[a-z][\w-]*", text))
        named = {span.split()[0] for span in spans_in(page, "All options", 1)}
        errors += [f"docs/options.md: {flag} is not an option of the command" for flag in sorted(named - flags)]
    return report("options", errors)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
