"""Checks what is in a wheel and, if it is given, in the source distribution.

usage: contents.py ROOT WHEEL [SDIST]"""
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

LICENCES = {"LICENSE": "Permission is hereby granted", "libtbb12.txt": "oneTBB", "libfmt-dev.txt": "Zverovich",
            "nlohmann-json3-dev.txt": "Lohmann", "Apache-2.0.txt": "Apache License"}
# A wheel with CUDA has a kernel compiled from the headers of CUB, and needs NVIDIA's packages.
CUDA_LICENCES = {"CUB.txt": "Redistributions in binary form must reproduce the above copyright"}
CUDA_PACKAGES = ("cuda-runtime", "cublas", "cusolver")
LEFT_OUT = ("bench/results/", "docs/images/")  # Large, and nothing that is built needs them.


def wheel_errors(path):
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
        libraries = [name for name in names if name.startswith("gpusupernodal/libgpusupernodal")]
        if libraries != ["gpusupernodal/libgpusupernodal.so"]:
            yield f"the wheel has the libraries {libraries}; one is needed, gpusupernodal/libgpusupernodal.so"
        with tempfile.TemporaryDirectory() as scratch:
            for name in libraries[:1]:
                dynamic = subprocess.run(["readelf", "-d", wheel.extract(name, scratch)], capture_output=True, text=True, check=True)
                yield from library_errors(dynamic.stdout)
        licences = [name for name in names if "/licenses/" in name]
        texts = {Path(name).name: wheel.read(name).decode() for name in licences if not name.endswith("/")}
        metadata = wheel.read(next(name for name in names if name.endswith(".dist-info/METADATA"))).decode()
    kind = re.match(r"gpusupernodal(_cu[0-9]+)?-[0-9.]+-py3-none-manylinux_[0-9]+_[0-9]+_x86_64", Path(path).name)
    if kind is None:
        yield f"{Path(path).name} is no name of a wheel for every Python 3 and for manylinux"
    cuda = kind[1][3:] if kind and kind[1] else ""
    yield from package_errors(re.findall(r"^Requires-Dist: (.*)$", metadata, re.MULTILINE), cuda)
    for name, sentence in {**LICENCES, **(CUDA_LICENCES if cuda else {})}.items():
        if sentence not in texts.get(name, ""):
            yield f"the wheel lacks the licence {name} with the words '{sentence}'; it has {sorted(texts)}"


def package_errors(required, cuda):
    """The wheel names each of NVIDIA's packages with a range of versions, and none if it has no CUDA."""
    theirs = sorted(name for name in required if name.startswith("nvidia-"))
    suffix = "-cu12" if cuda == "12" else ""
    for package in CUDA_PACKAGES if cuda else ():
        found = [name for name in theirs if re.match(f"nvidia-{package}{suffix}[<>=]", name) and "<" in name and ">=" in name]
        if len(found) != 1:
            yield f"the wheel must need nvidia-{package}{suffix} of a range of versions; it needs {theirs}"
    if theirs and not cuda:
        yield f"the wheel has no CUDA, but needs {theirs}"


def library_errors(dynamic):
    soname = re.search(r"\(SONAME\).*\[(.*)\]", dynamic)
    if soname is None or soname[1] != "libgpusupernodal.so":
        yield f"the library calls itself {soname and soname[1]}, not libgpusupernodal.so"
    folders = re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", dynamic)
    for folder in ":".join(folders).split(":"):
        if folder and not folder.startswith("$ORIGIN"):
            yield f"the library looks for others in {folder}, which only the machine that built it has"


def source_errors(path, root):
    with tarfile.open(path) as archive:
        there = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True).stdout.split("\0")
    missing = [name for name in tracked if name and not name.startswith(LEFT_OUT) and name not in there]
    if missing:
        yield f"the source distribution lacks {', '.join(missing)}"


def main(root, wheel, source=None):
    errors = [*wheel_errors(wheel), *(source_errors(source, root) if source else ())]
    print(*errors, f"{Path(wheel).name}{f', {Path(source).name}' if source else ''}: {len(errors)} errors", sep="\n")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
