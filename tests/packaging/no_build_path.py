#!/usr/bin/env python3
"""Searches every installed file, text or binary, for the paths of the source and build folders.

usage: no_build_path.py PREFIX SOURCE BUILD      prints one line per file found, exits 1 if there is any
"""
import sys
from pathlib import Path


def main():
    prefix, source, build = (Path(argument) for argument in sys.argv[1:4])
    # A CUDA toolkit that scripts/test.sh fetched is an external library, wherever it lies; its folder is in the run
    # path.
    outside = str(source / "build" / "cuda-toolkit").encode()
    places = [str(prefix).encode() + b".first", str(build).encode() + b"/", str(source).encode() + b"/"]
    files = [path for path in prefix.rglob("*") if path.is_file() and not path.is_symlink()]
    found = 0
    for path in files:
        content = path.read_bytes().replace(outside, b"")
        for place in places:
            at = content.find(place)
            if at >= 0:
                found += 1
                print(f"{path.relative_to(prefix)}: {content[at:at + 120]!r}")
    print(f"{len(files)} files, {found} with a path of source or build")
    return 1 if found or not files else 0


sys.exit(main())
