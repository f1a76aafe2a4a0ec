#!/usr/bin/env python3
"""Checks the rules of docs/architecture.md about the structure of the code.

usage: layers.py [ROOT]      prints one line per finding, exits 1 if there is any

One function per rule: includes point down only; CUDA stays in its folders; public headers include standard headers only
(and POSIX threads); the library neither prints nor ends the process; files stay short.
"""
import re
import sys
from pathlib import Path

SOURCE = {".hpp", ".cpp", ".h", ".cu", ".cuh", ".inl"}
PRODUCT = ("base/", "solver/", "kernels/", "io/", "plugin/", "cli/", "examples/")
LONGEST_FILE = 350

# For each folder, the other folders of the project whose headers it may include. The longest matching key counts.
BELOW_PLANS = ("solver/include", "base", "solver/common", "solver/model", "solver/symbolic", "solver/general", "solver/factor")
MAY_INCLUDE = {
    "base": (),
    "solver/include": (),
    "kernels/common": (),
    "kernels/host": ("kernels/common",),
    "kernels/cuda": ("kernels/common",),
    "solver/common": ("solver/include", "base"),
    "solver/model": ("solver/include", "base", "solver/common", "kernels/common"),
    "solver/symbolic": ("solver/include", "base", "solver/common", "solver/model"),
    "solver/general": ("solver/include", "base", "solver/common", "solver/symbolic", "kernels/common"),
    "solver/factor": ("solver/include", "base", "solver/common", "solver/model", "solver/symbolic", "solver/general", "kernels/common"),
    "solver/host/plan": BELOW_PLANS,
    "solver/cuda/plan": BELOW_PLANS + ("kernels/common",),
    "solver/plan": BELOW_PLANS + ("kernels/common", "solver/host/plan", "solver/cuda/plan"),
    "solver/backend": BELOW_PLANS + ("kernels/common",),
    "solver/sparse": ("solver/include", "base", "solver/common", "solver/backend", "kernels/common"),
    "solver/iterative": BELOW_PLANS + ("kernels/common", "solver/backend", "solver/sparse"),
    "solver/host/run": BELOW_PLANS + ("solver/host/plan", "solver/backend", "solver/sparse", "kernels/common", "kernels/host"),
    "solver/cuda/run": BELOW_PLANS + ("solver/cuda/plan", "solver/backend", "solver/sparse", "kernels/common", "kernels/cuda"),
    "solver/cuda/none": BELOW_PLANS + ("kernels/common", "solver/backend", "solver/sparse"),
    "solver/api": BELOW_PLANS + ("solver/host/plan", "solver/cuda/plan", "solver/plan", "solver/backend", "solver/iterative", "solver/sparse",
                                 "kernels/common", "kernels/host"),
    "solver/c": ("solver/include", "solver/common"),
    "io": ("solver/include", "base"),
    "plugin/eigen": ("solver/include",),
    "plugin/petsc": ("solver/include",),
    "cli": ("solver/include", "base", "io"),
    "examples": ("solver/include", "io", "plugin/eigen"),
    "bench": ("",),
    "tests": ("",),
}
PUBLIC = ("solver/include/", "plugin/eigen/include/")

# Folders that may use CUDA's headers and macros; only these may include each other's headers.
CUDA_FOLDERS = ("kernels/cuda/", "solver/cuda/run/")
CUDA_EXEMPT = CUDA_FOLDERS + ("examples/cuda/", "plugin/petsc/device_memory.", "bench/", "tests/")
CUDA_HEADER = re.compile(r"^(cuda|cublas|cusolver|cusparse|cudss|cub/|thrust/|nvtx3/|cooperative_groups|mma\.h)")
CUDA_MACRO = re.compile(r"^\s*#\s*(?:if|ifdef|ifndef|elif)\b.*(?:__CUDA\w*|__NVCC__|\w*CUDA\w*)")

# Library headers that only one place may include; no place may depend on the process's BLAS.
ONLY_IN = {
    re.compile(r"^metis\.h$"): ("solver/symbolic/",),
    re.compile(r"^(tbb|oneapi)/"): ("base/", "solver/host/run/"),
    re.compile(r"^(petsc|mpi\.h)"): ("plugin/petsc/", "examples/petsc/"),
    re.compile(r"^fmt/"): ("base/fmt.hpp",),
    re.compile(r"^(cblas|lapacke?|openblas\w*|f77blas)\.h$"): (),
}

ENDS_OR_PRINTS = re.compile(
    r"std::(?:cout|cerr|clog)\b|(?<![\w.>])(?:printf|fprintf|puts|abort|exit|_Exit|quick_exit)\s*\(")

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')
STRING_OR_COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)


def blank(match):
    """Replaces the match by blanks; keeps newlines, so that line numbers stay."""
    return "".join(c if c == "\n" else " " for c in match.group(0))


def folder_of(path):
    """The longest key of MAY_INCLUDE that contains `path`, or None."""
    inside = [key for key in MAY_INCLUDE if path.startswith(key + "/")]
    return max(inside, key=len, default=None)


def resolve(root, path, target):
    """Path from the root of the project's header that `#include target` in `path` means, or None if it is not ours."""
    for base in (Path(path).parent, Path(""), Path("solver/include"), Path("plugin/eigen/include")):
        candidate = root / base / target
        if candidate.is_file():
            return candidate.resolve().relative_to(root.resolve()).as_posix()
    return None


def includes(text):
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1), match.group(2)


def check_direction(root, path, text):
    folder = folder_of(path)
    if folder is None:
        return
    allowed = (folder,) + MAY_INCLUDE[folder]
    for number, _, target in includes(text):
        header = resolve(root, path, target)
        if header is None or "" in allowed:
            continue
        if not header.startswith(tuple(a + "/" for a in allowed)):
            yield number, f"{folder} must not include {header}"
        elif header.startswith(CUDA_FOLDERS) and not path.startswith(CUDA_FOLDERS):
            yield number, f"{header} is for the CUDA folders alone"


def check_cuda(root, path, text):
    if path.startswith(CUDA_EXEMPT) or not path.startswith(PRODUCT):
        return
    for number, _, target in includes(text):
        if CUDA_HEADER.match(target):
            yield number, f"<{target}> outside {' and '.join(CUDA_FOLDERS)}"
    for number, line in enumerate(STRING_OR_COMMENT.sub(blank, text).splitlines(), 1):
        if CUDA_MACRO.match(line):
            yield number, "a condition of the preprocessor on CUDA outside its folders"


def check_libraries(root, path, text):
    if not path.startswith(PRODUCT):
        return
    for number, _, target in includes(text):
        for header, places in ONLY_IN.items():
            if header.match(target) and not path.startswith(places):
                yield number, f"<{target}> belongs to {' and '.join(places) or 'no file of ours'}"


def check_public(root, path, text):
    if not path.startswith(PUBLIC):
        return
    for number, _, target in includes(text):
        eigen = target.startswith("Eigen/") and path.startswith("plugin/eigen/")
        ours = re.fullmatch(r"gpusupernodal(/.*\.hpp|(_\w+)?\.h)", target)
        if not eigen and not ours and not re.fullmatch(r"[a-z_]+|(pthread|stdint)\.h", target):
            yield number, f"a public header includes <{target}>"


def check_manners(root, path, text):
    if not path.startswith(("solver/", "kernels/")):
        return
    for number, line in enumerate(STRING_OR_COMMENT.sub(blank, text).splitlines(), 1):
        match = ENDS_OR_PRINTS.search(line)
        if match:
            yield number, f"a library does not print or end the process: {match.group(0).strip()}"


def check_length(root, path, text):
    lines = text.count("\n")
    if lines > LONGEST_FILE:
        yield lines, f"{lines} lines; {LONGEST_FILE} at most"


CHECKS = (check_direction, check_cuda, check_libraries, check_public, check_manners, check_length)


def sources(root):
    for top in ("base", "solver", "kernels", "io", "plugin", "cli", "bench", "examples", "tests"):
        for file in sorted((root / top).rglob("*")):
            if file.suffix in SOURCE and file.is_file():
                yield file


def findings(root):
    """All findings under `root` as "path:line: sentence"."""
    root = Path(root)
    result = []
    for file in sources(root):
        path = file.relative_to(root).as_posix()
        text = file.read_text(encoding="utf-8")
        for check in CHECKS:
            result += [f"{path}:{number}: {sentence}" for number, sentence in check(root, path, text)]
    return result


def main(arguments):
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parents[2]
    found = findings(root)
    print("\n".join(found) if found else f"layers: {sum(1 for _ in sources(root))} files, nothing found")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
