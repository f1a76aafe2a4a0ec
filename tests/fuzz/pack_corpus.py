#!/usr/bin/env python3
"""Converts a folder of inputs to a corpus file (one input per line in hexadecimal digits, shortest first) or back.

usage: pack_corpus.py pack FOLDER FILE | unpack FILE FOLDER
"""
import pathlib
import sys


def pack(folder, file):
    inputs = {path.read_bytes() for path in pathlib.Path(folder).iterdir() if path.is_file()}
    lines = [data.hex() for data in sorted(inputs, key=lambda data: (len(data), data))]
    pathlib.Path(file).write_text("\n".join(lines) + "\n", encoding="ascii")


def unpack(file, folder):
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    lines = pathlib.Path(file).read_text(encoding="ascii").splitlines()
    for number, line in enumerate(lines):
        (pathlib.Path(folder) / f"kept-{number}").write_bytes(bytes.fromhex(line))


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in ("pack", "unpack"):
        sys.exit(__doc__.strip())
    {"pack": pack, "unpack": unpack}[sys.argv[1]](*sys.argv[2:])
