"""Runs an example as its reader would; the example asserts that its answers are right. Exits 77 without SciPy.

usage: example.py EXAMPLE"""
import runpy
import sys

try:
    import scipy.sparse  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)
if not __debug__:
    sys.exit("the examples' assertions are switched off (python -O, PYTHONOPTIMIZE)")
runpy.run_path(sys.argv[1], run_name="__main__")
