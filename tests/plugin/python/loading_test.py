"""Tests how the package finds its library, and the CUDA libraries in NVIDIA's Python packages. Exits 77 without NumPy, SciPy or
a C compiler."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import numpy  # noqa: F401
    import scipy  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)
import gpusupernodal
from gpusupernodal import _library

COMPILER = shutil.which("cc")
if COMPILER is None:
    print("skipped: there is no C compiler cc")
    sys.exit(77)


def build(folder, name, needs=(), function="made_for_a_test"):
    """Builds folder/name, which needs other libraries by their names alone, and returns its path."""
    folder.mkdir(parents=True, exist_ok=True)
    command = [COMPILER, "-shared", "-fPIC", "-x", "c", "-", "-x", "none", f"-Wl,-soname,{name}", "-Wl,--no-as-needed",
               "-o", str(folder / name), *map(str, needs)]
    subprocess.run(command, input=f"int {function}(void) {{ return 1; }}", text=True, check=True)
    return folder / name


def run(program, *folders, **environment):
    """Runs a program in a process of its own with further folders to import from."""
    path = os.pathsep.join([*map(str, folders), str(Path(gpusupernodal.__file__).parents[1])])
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": path, **environment})


class NvidiaPackages(unittest.TestCase):
    """The names are made up: the loader may find the real ones on this machine."""

    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.site = Path(self.scratch.name) / "site"
        self.lib = self.site / "nvidia/cu13/lib"
        self.old = build(self.site / "nvidia/cuda_runtime/lib", "libtestruntime.so.12")
        self.runtime = build(self.lib, "libtestruntime.so.13")
        self.solver = build(self.lib, "libtestsolver.so.13", [self.runtime])

    def tearDown(self):
        self.scratch.cleanup()

    def loaded(self, path):
        program = f"""
from gpusupernodal import _library
_library.open_library({str(path)!r})
print(*sorted({{line.split()[-1].split("/")[-1] for line in open("/proc/self/maps") if {self.scratch.name!r} in line}}))"""
        result = run(program, self.site)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout.split()

    def test_what_is_needed_is_loaded_and_no_other_version(self):
        ours = build(Path(self.scratch.name) / "ours", "libours.so", [self.solver])
        self.assertEqual(self.loaded(ours), ["libours.so", "libtestruntime.so.13", "libtestsolver.so.13"])

    def test_a_library_without_cuda_loads_nothing_of_them(self):
        ours = build(Path(self.scratch.name) / "ours", "libours.so")
        self.assertEqual(self.loaded(ours), ["libours.so"])

    def test_the_error_names_what_is_missing(self):
        ours = build(Path(self.scratch.name) / "ours", "libours.so", [self.solver])
        self.runtime.unlink()
        result = run(f"from gpusupernodal import _library; _library.open_library({str(ours)!r})", self.site)
        self.assertIn("OSError: libtestruntime.so.13", result.stderr)


class Import(unittest.TestCase):
    def test_a_path_that_does_not_exist(self):
        result = run("import gpusupernodal", GPUSUPERNODAL_LIBRARY="/nowhere/libgpusupernodal.so")
        self.assertRegex(result.stderr, "ImportError: .*the file that GPUSUPERNODAL_LIBRARY names does not exist")

    def test_a_library_of_another_version(self):
        with tempfile.TemporaryDirectory() as scratch:
            other = build(Path(scratch), "libother.so", function="gpusupernodal_version")
            result = run("import gpusupernodal", GPUSUPERNODAL_LIBRARY=str(other))
        self.assertRegex(result.stderr, "ImportError: .*libother.so is another version of the library")

    @unittest.skipUnless("GPUSUPERNODAL_SONAME" in os.environ, "the build's name of the library is not given")
    def test_the_name_that_is_looked_for_is_that_of_the_build(self):
        self.assertEqual(_library.SONAME, os.environ["GPUSUPERNODAL_SONAME"])


if __name__ == "__main__":
    unittest.main()
