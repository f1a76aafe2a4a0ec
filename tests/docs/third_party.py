"""Checks that THIRD_PARTY.md names the shared libraries that the built files need.
usage: third_party.py FILE...      the shared library, the command, the plugin"""
import re
import subprocess
import sys

from markdown import ROOT, code_spans, parse, report, table_rows

OF_THE_SYSTEM = ("libc", "libm", "libstdc++", "libgcc_s", "ld-linux-x86-64", "libpthread", "libdl", "librt", "libgpusupernodal")
# Linked only if the build has them, so their absence is no error.
OPTIONAL = {"libcudart", "libcublas", "libcusolver", "libpetsc", "libmpi", "libtbb"}


def needed_by(file):
    text = subprocess.run(["readelf", "-d", file], capture_output=True, text=True, check=True).stdout
    for name in re.findall(r"\(NEEDED\).*\[([^\]]*)\]", text):
        yield re.sub(r"_(real|complex).*", "", name.split(".so")[0])


def main(files):
    page = parse(ROOT / "THIRD_PARTY.md")
    listed = {span for cells in table_rows(page.section("In what is installed")) for span in code_spans(cells[-1])}
    needed = {name: file for file in files for name in needed_by(file) if name not in OF_THE_SYSTEM}
    errors = [f"THIRD_PARTY.md misses {name}, which {file} needs" for name, file in needed.items() if name not in listed]
    errors += [f"THIRD_PARTY.md lists {name}, which nothing needs" for name in sorted(listed - set(needed) - OPTIONAL)]
    return report("third party", errors)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
