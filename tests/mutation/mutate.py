#!/usr/bin/env python3
"""Applies one mutation after the other to the code and checks that a test fails.

usage: mutate.py SOURCE BUILD [PATTERN]

SOURCE: a writable copy of the project; BUILD: a folder configured for it. mutations.json lists the mutations ("from"
occurs once in "file" and becomes "to") and for each the test programs, one of which must fail. A mutation that does not
compile or that no test detects is a finding, and so is a test program that fails on the unchanged code. PATTERN: only
mutations whose description matches it. Prints one line per mutation; exits 1 if there is a finding.
"""
import json
import re
import subprocess
import sys
import time
from pathlib import Path

LIMIT_S = 120  # A broken dependency may cause a deadlock.


def build(folder, programs):
    command = ["cmake", "--build", str(folder), "--target", *programs]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def failing(folder, programs):
    """Name of the first program that fails, crashes or does not end, or None."""
    for name in programs:
        found = [path for path in (folder / "tests").rglob(name) if path.is_file()]
        if len(found) != 1:
            sys.exit(f"mutate.py: {len(found)} programs {name} in {folder}/tests")
        try:
            if subprocess.run([found[0], "--gtest_brief=1"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              timeout=LIMIT_S, cwd=found[0].parent).returncode != 0:
                return name
        except subprocess.TimeoutExpired:
            return f"{name}, which did not end in {LIMIT_S} s"
    return None


def verdict(mutation, source, folder):
    """("caught", detail) or (what is wrong, detail)."""
    path = source / mutation["file"]
    text = path.read_text()
    if text.count(mutation["from"]) != 1:
        return "STALE", f"its text stands {text.count(mutation['from'])} times in {mutation['file']}"
    try:
        path.write_text(text.replace(mutation["from"], mutation["to"]))
        built = build(folder, mutation["programs"])
        if built.returncode != 0:
            return "DOES NOT COMPILE", built.stdout[-400:]
        name = failing(folder, mutation["programs"])
        return ("caught", f"by {name}") if name else ("SURVIVES", ", ".join(mutation["programs"]))
    finally:
        path.write_text(text)


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    source, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    pattern = re.compile(sys.argv[3] if len(sys.argv) == 4 else "")
    mutations = json.loads((Path(__file__).parent / "mutations.json").read_text())
    mutations = [m for m in mutations if pattern.search(m["what"])]
    if not mutations:
        sys.exit(f"mutate.py: no mutation matches {pattern.pattern}")
    programs = sorted({name for m in mutations for name in m["programs"]})
    built = build(folder, programs)
    if built.returncode != 0:
        sys.exit(f"mutate.py: the unbroken code does not compile\n{built.stdout[-2000:]}")
    if name := failing(folder, programs):
        sys.exit(f"mutate.py: the unbroken code fails {name}")
    findings = 0
    for mutation in mutations:
        begin = time.monotonic()
        result, detail = verdict(mutation, source, folder)
        findings += result != "caught"
        print(f"{result:8} {mutation['what']} ({detail}; {time.monotonic() - begin:.0f} s)", flush=True)
    print(f"{len(mutations) - findings} of {len(mutations)} mutations caught")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
