"""Checks that the pictures in docs/images are those that docs/images/draw.py draws from the library's plan.
usage: images.py PLAN_DUMP [--write]"""
import sys
import tempfile
from pathlib import Path

from markdown import ROOT, report

FOLDER = ROOT / "docs/images"
sys.path.insert(0, str(FOLDER))
import draw  # noqa: E402


def main(program, write=""):
    matrix = str(ROOT / "tests/data/lund_b.mtx.gz")
    if write:
        draw.main(program, matrix, FOLDER)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        draw.main(program, matrix, folder)
        drawn = {path.name: path.read_text(encoding="utf-8") for path in Path(folder).iterdir()}
    kept = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.svg")}
    shown = "".join((ROOT / "docs/how-it-works.md").read_text(encoding="utf-8"))
    errors = [f"docs/images/{name} is not what is drawn now: look at it, then images.py PLAN_DUMP --write"
              for name, text in drawn.items() if kept.get(name) != text]
    errors += [f"docs/images/{name} is drawn by nothing" for name in kept if name not in drawn]
    errors += [f"docs/how-it-works.md does not show {name}" for name in drawn if f"(images/{name})" not in shown]
    return report("images", errors)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
