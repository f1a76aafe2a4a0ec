#!/usr/bin/env python3
"""Checks that each recipe decides every optional part of the build, by options that exist, and that the Dockerfile installs the
packages that docs/install.md names, which are words for apt-get. A part that a recipe leaves to AUTO would depend on what the machine happens to have.

usage: recipes.py SOURCE      prints one line per finding, exits 1 if there is any
"""
import ast
import re
import sys
from pathlib import Path

OPTIONS = "cmake/GpusupernodalOptions.cmake"
TABLE = "docs/install.md"
AUTOMATIC = re.compile(r"^gpusupernodal_choice\((\w+) (?:AUTO|\$\{default_part\}) ", re.MULTILINE)
DEFINED = re.compile(r"^(?:gpusupernodal_choice|set|option)\((GPUSUPERNODAL_\w+)", re.MULTILINE)
USED = re.compile(r"(?:-D|\b)(GPUSUPERNODAL_[A-Z_]*[A-Z])\b")
# Options that are no build options: set by a recipe for the user's environment, or found by CMake.
OTHERS = {"GPUSUPERNODAL_PETSC_PLUGIN", "GPUSUPERNODAL_PETSC_COMPLEX_DIR"}
# Recipes, and the parts that each may leave to AUTO with the reason.
RECIPES = {
    "pyproject.toml": {"GPUSUPERNODAL_CUDA": "built if a toolkit is found", "GPUSUPERNODAL_COST_FILES": "found or not"},
    "packaging/conda/recipe.yaml": {},
    "packaging/docker/Dockerfile": {},
    "packaging/spack/packages/gpusupernodal/package.py": {},
    "packaging/petsc/gpusupernodal.py": {"GPUSUPERNODAL_METIS": "PETSc's user may add arguments", "GPUSUPERNODAL_COST_FILES": "the same"},
}
DOCKER_ROWS = ("library:", "the ordering", "[files of cost figures]", "Eigen class", "command line")


def option_findings(name, text, automatic, defined):
    used = set(USED.findall(text))
    for option in sorted(used - defined - OTHERS):
        yield f"{name}: there is no option {option}"
    for option in sorted(automatic - used - RECIPES[name].keys()):
        yield f"{name}: does not decide {option}, which would depend on the machine that builds"
    for option in sorted(RECIPES[name].keys() & used):
        yield f"{name}: decides {option}; take it off the list of this test"


def packages_in(source, rows):
    for line in (source / TABLE).read_text(encoding="utf-8").splitlines():
        if line.startswith(tuple(f"| {row}" for row in rows)):
            yield from line.split("|")[2].split()


def table_findings(source):
    """packaging/check_users.sh and readers paste the packages into apt-get: they are separated by spaces alone."""
    text = (source / TABLE).read_text(encoding="utf-8").split("| needed for |")[1].split("\n\n")[0]
    rows = [line for line in text.splitlines()[2:] if not line.startswith("| CUDA backend")]
    for row in rows:
        for word in row.split("|")[2].split():
            if not re.fullmatch(r"[a-z0-9][a-z0-9+.-]+", word):
                yield f"{TABLE}: '{word}' is no name of a package"
    if len(rows) < 8:
        yield f"{TABLE}: the table of packages has {len(rows)} rows"


def docker_findings(name, text, source):
    installed = set(re.search(r"apt-get install -y --no-install-recommends (.*?) &&", text, re.DOTALL).group(1).split())
    for package in sorted(set(packages_in(source, DOCKER_ROWS)) - installed):
        yield f"{name}: does not install {package}, which docs/install.md names"


def main(source):
    text = (source / OPTIONS).read_text(encoding="utf-8")
    automatic, defined = set(AUTOMATIC.findall(text)), set(DEFINED.findall(text))
    findings = [*table_findings(source)]
    for name in RECIPES:
        recipe = (source / name).read_text(encoding="utf-8")
        if name.endswith(".py"):
            ast.parse(recipe)
        findings += option_findings(name, recipe, automatic, defined)
        if name.endswith("Dockerfile"):
            findings += docker_findings(name, recipe, source)
    print("\n".join(findings) or f"{len(RECIPES)} recipes decide {len(automatic)} parts")
    return 1 if findings or len(automatic) < 6 else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
