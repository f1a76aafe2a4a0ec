#!/usr/bin/env python3
"""Checks that docs/install.md lists every build option with its default, and that only one place states the version.

usage: options.py SOURCE BUILD      prints one line per finding, exits 1 if there is any
"""
import re
import sys
from pathlib import Path

OPTIONS = "cmake/GpusupernodalOptions.cmake"
TABLE = "docs/install.md"
# Computed defaults, in the words of the table.
COMPUTED = {"${default_part}": "AUTO as the top project, else OFF", "${PROJECT_IS_TOP_LEVEL}": "ON as the top project, else OFF", "${default_shared}": "BUILD_SHARED_LIBS, or ON", "": "",
            "${gpusupernodal_all_scalars}": "float;double;complex_float;complex_double", "${gpusupernodal_all_forms}": "llt;ldlt;lu"}
DEFINITION = re.compile(
    r'^(?:gpusupernodal_choice\((\w+) (\S+) |set\((GPUSUPERNODAL_\w+) "([^"]*)" CACHE |option\((GPUSUPERNODAL_\w+) "[^"]*" (\S+)\)'
    r'|gpusupernodal_subset\((\w+) "[^"]*" (\S+)\))',
    re.MULTILINE)
ROW = re.compile(r"^\| `(GPUSUPERNODAL_\w+)` \|([^|]*)\|", re.MULTILINE)
CACHE_ENTRY = re.compile(r"^(GPUSUPERNODAL_\w+):(?!INTERNAL|STATIC)", re.MULTILINE)
ADVANCED = re.compile(r"^(GPUSUPERNODAL_\w+)-ADVANCED:INTERNAL=1", re.MULTILINE)
PROGRAM = {".cmake", ".hpp", ".cpp", ".in", ".sh", ".py", ".txt", ".cu", ".c", ".json"}


def defined(text):
    found = {}
    for groups in DEFINITION.findall(text):
        name, default = (part for part in (groups[0:2], groups[2:4], groups[4:6], groups[6:8]) if part[0]).__next__()
        found[name] = COMPUTED.get(default, default)
    return found


def compare(options, table):
    for name, default in options.items():
        if name not in table:
            yield f"{TABLE}: no row for {name}"
        elif table[name] != default:
            yield f"{TABLE}: the default of {name} is \"{default}\", not \"{table[name]}\""
    for name in table.keys() - options.keys():
        yield f"{TABLE}: {name} is no option"


def stray_options(options, cache):
    known = set(options) | set(ADVANCED.findall(cache))
    for name in sorted(set(CACHE_ENTRY.findall(cache)) - known):
        yield f"{name} is in the cache, but no option that this test finds in CMake files"


def stray_versions(source, version):
    folders = ("cmake", "solver", "kernels", "plugin", "cli", "io", "examples", "scripts", "packaging", "tests/packaging")
    literal = re.compile(r"(?<![\d.])" + re.escape(version) + r"(?![\d.])")
    for folder in folders:
        for path in sorted((source / folder).rglob("*")):
            if path.suffix in PROGRAM and literal.search(path.read_text(encoding="utf-8", errors="replace")):
                yield f"{path.relative_to(source)}: names the version, which stands in CMakeLists.txt"


def main():
    source, build = Path(sys.argv[1]), Path(sys.argv[2])
    files = [source / OPTIONS, *source.glob("tests/**/CMakeLists.txt"), *source.glob("bench/**/CMakeLists.txt")]
    options = defined("\n".join(path.read_text(encoding="utf-8") for path in files))
    table = {name: default.strip() for name, default in ROW.findall((source / TABLE).read_text(encoding="utf-8"))}
    version = re.search(r"^project\(\w+ VERSION ([\d.]+)", (source / "CMakeLists.txt").read_text(), re.MULTILINE).group(1)
    findings = [*compare(options, table), *stray_options(options, (build / "CMakeCache.txt").read_text()),
                *stray_versions(source, version)]
    print("\n".join(findings) or f"{len(options)} options, all in the table; version {version} in one place")
    return 1 if findings or len(options) < 10 else 0


sys.exit(main())
