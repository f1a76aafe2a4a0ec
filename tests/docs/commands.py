"""Runs every block of README.md, CONTRIBUTING.md and docs/*.md as its reader would, against an installation of a build.
usage: commands.py BUILD WORK [--cxx COMPILER] [--petsc-example PROGRAM] [--only FILE]
The blocks of a page share a folder with the sample files that the pages name. Blocks that cannot be run here are listed."""
import argparse
import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import snippets
from console import check_console
from markdown import COMPILED_ONLY, REASONS, ROOT, RUN, documents, parse

HERE = Path(__file__).resolve().parent
TIMEOUT = 120


def first_program():
    """The guide's first program, which the pages compile as mine.cpp."""
    return next(block.text for block in parse(ROOT / "docs/guide.md").blocks if "int main(" in block.text)


class Runner:
    def __init__(self, arguments):
        self.arguments = arguments
        # A shell splits the flags of pkg-config at blanks, so the folder must contain none.
        self.work = Path(tempfile.mkdtemp() if " " in arguments.work else arguments.work).resolve()
        self.prefix = self.work / "prefix"
        self.failures, self.left_out, self.ran = [], [], 0
        self.environment = {}

    def prepare(self):
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)
        installed = subprocess.run(["cmake", "--install", self.arguments.build, "--prefix", str(self.prefix)],
                                   capture_output=True, text=True)
        if installed.returncode != 0:
            sys.exit(f"the build cannot be installed; build all of it first:\n{installed.stderr}")
        libraries = next(self.prefix.rglob("libgpusupernodal.so")).parent
        self.plugin = next(iter(self.prefix.rglob("libgpusupernodal_petsc.so")), None)
        self.libraries = libraries
        self.environment = {
            **os.environ,
            "PATH": f"{self.prefix}/bin:{os.environ['PATH']}",
            "LD_LIBRARY_PATH": f"{libraries}:{os.environ.get('LD_LIBRARY_PATH', '')}",
            "CMAKE_PREFIX_PATH": str(self.prefix),
            "PKG_CONFIG_PATH": f"{libraries}/pkgconfig:{os.environ.get('PKG_CONFIG_PATH', '')}",
            "CXX": self.arguments.cxx,
            "LC_ALL": "C.UTF-8",
            # Lets Open MPI run as root on one machine without its daemons.
            "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_ess_singleton_isolated": "1",
            "OMPI_MCA_btl": "self", "OMPI_MCA_pml": "ob1", "OMPI_MCA_plm_rsh_agent": "/bin/false",
        }
        packages = next(iter(Path("/usr/lib").glob("petscdir/*/*-real/lib/python3/dist-packages")), None)
        modules = [str(ROOT / "plugin/python"), *([str(packages)] if packages else []), os.environ.get("PYTHONPATH", "")]
        self.environment["PYTHONPATH"] = ":".join(modules)
        self.environment["PYTHONDONTWRITEBYTECODE"] = "1"

    def folder_of(self, page):
        """A folder with the files that the pages' commands name."""
        folder = self.work / page.path.stem
        if folder.exists():
            return folder
        folder.mkdir()
        data = ROOT / "tests/data"
        for name in ("bcsstk18", "bcsstk14", "lund_b"):
            shutil.copy(data / f"{name}.mtx.gz", folder)
        matrix = gzip.decompress((data / "bcsstk04.mtx.gz").read_bytes())
        (folder / "A.mtx").write_bytes(matrix)
        order = next(line for line in matrix.decode().splitlines() if not line.startswith("%")).split()[0]
        (folder / "b.mtx").write_text(f"%%MatrixMarket matrix array real general\n{order} 1\n" + "1.5\n" * int(order))
        (folder / "order.txt").write_text("".join(f"{row}\n" for row in range(int(order), 0, -1)))
        shutil.copy(HERE / "data/indefinite.mtx", folder)
        (folder / "mine.cpp").write_text(first_program())
        for name in ("scripts", "tests", "examples", "docs", "solver", "plugin", "cmake"):
            (folder / name).symlink_to(ROOT / name)
        if self.arguments.petsc_example:
            program = folder / "your_program"
            program.write_text(f"#!/bin/sh\nexec '{self.arguments.petsc_example}' -f A.mtx \"$@\"\n")
            program.chmod(0o755)
        return folder

    def here(self, text):
        """The block with the documented folders replaced by those of this installation."""
        return re.sub(r"(?:/usr/local|/opt/gpusupernodal)/lib\b", str(self.libraries), text)

    def why_not(self, block):
        if block.not_run:
            return REASONS[block.not_run]
        if self.plugin is None and re.search("petsc|your_program", block.text, re.I):
            return "this build has no PETSc plugin"
        if block.language == "python":
            for module in ("petsc4py", "scipy"):
                if module in block.text and subprocess.run([self.python(), "-c", f"import {module}"], env=self.environment,
                                                           capture_output=True).returncode != 0:
                    return f"{module} is not installed"
        return ""

    @staticmethod
    def python():
        """The system's interpreter, for which the distribution builds petsc4py and SciPy."""
        return "/usr/bin/python3" if Path("/usr/bin/python3").exists() else sys.executable

    def run(self, command, folder):
        """(exit status, output) of a command; 124 after TIMEOUT."""
        try:
            done = subprocess.run(command, cwd=folder, env=self.environment, text=True, timeout=TIMEOUT,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            return done.returncode, done.stdout
        except subprocess.TimeoutExpired:
            return 124, f"still running after {TIMEOUT} s"

    def fail(self, place, output):
        self.failures.append(place)
        print(f"{place}: FAILED\n" + "\n".join("    " + line for line in output.splitlines()[-30:]))

    def run_block(self, block, folder):
        text = self.here(block.text)
        if block.language == "sh":
            status, output = self.run(["bash", "-euo", "pipefail", "-c", text], folder)
            return "" if status == 0 else f"exit status {status}\n{output}"
        if block.language == "console":
            return check_console(text, lambda script: self.run(["bash", "-c", script], folder))
        if block.language == "python":
            status, output = self.run([self.python(), "-c", text], folder)
            return "" if status == 0 else output
        if block.language == "c":
            return self.run_c(text, folder)
        return self.run_cmake(text, folder)

    def run_c(self, text, folder):
        (folder / "block.c").write_text(text)
        compiler = "mpicc" if shutil.which("mpicc") else "cc"
        build = f"{compiler} block.c -o block '{self.plugin}' $(pkg-config --cflags --libs PETSc) -lm && ./block"
        if "petsc" not in text.lower():
            build = "cc -std=c99 -pedantic-errors block.c -o block $(pkg-config --cflags --libs gpusupernodal) -lm && ./block"
        status, output = self.run(["bash", "-c", build], folder)
        return "" if status == 0 else output

    def run_cmake(self, text, folder):
        project = folder / "cmake_block"
        shutil.rmtree(project, ignore_errors=True)
        project.mkdir()
        shutil.copy(folder / "mine.cpp", project)
        head = "cmake_minimum_required(VERSION 3.22)\nproject(mine LANGUAGES CXX)\nadd_executable(mine mine.cpp)\n"
        (project / "CMakeLists.txt").write_text(head + text)
        for command in (["cmake", "-G", "Ninja", "-S", ".", "-B", "build"], ["cmake", "--build", "build"], ["build/mine"]):
            status, output = self.run(command, project)
            if status != 0:
                return output
        return ""

    def run_page(self, page):
        for block in page.blocks:
            reason = self.why_not(block)
            if block.language not in RUN or (block.language == "cpp" and not block.not_run):
                continue
            if reason:
                self.left_out.append(f"{block.place()}: {reason}")
                continue
            failure = self.run_block(block, self.folder_of(page))
            self.ran += 1
            if failure:
                self.fail(block.place(), failure)

    def run_snippets(self, name, text, blocks):
        """Compiles and runs the C++ blocks of one program."""
        source, program = self.work / f"blocks_{name}.cpp", self.work / f"blocks_{name}"
        source.write_text(text)
        eigen = "$(pkg-config --cflags eigen3)" if name == "eigen" else ""
        build = (f"$CXX -std=c++17 -Wall -Wextra -Wno-shadow -Wno-unused -I'{HERE}' {eigen} '{source}' -o '{program}' "
                 f"$(pkg-config --cflags --libs gpusupernodal) -pthread && '{program}'")
        status, output = self.run(["bash", "-c", build], self.work)
        if status != 0:
            self.fail(f"C++ blocks ({name})", output)
        self.ran += len(blocks)
        self.left_out += [f"{b.place()}: compiled only, {COMPILED_ONLY[b.compiled_only]}" for b in blocks if b.compiled_only]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("work")
    parser.add_argument("--cxx", default="c++")
    parser.add_argument("--petsc-example", default="")
    parser.add_argument("--only", default="")
    runner = Runner(parser.parse_args())
    begin = time.monotonic()
    runner.prepare()
    pages = [page for page in documents() if runner.arguments.only in page.name()]
    for page in pages:
        for error in page.errors:
            runner.fail(page.name(), error)
    with ThreadPoolExecutor(2) as pool:
        tasks = [pool.submit(runner.run_page, page) for page in pages]
        if not runner.arguments.only:
            tasks += [pool.submit(runner.run_snippets, *program) for program in snippets.programs()]
        for task in tasks:
            task.result()
    print("not run:", *sorted(runner.left_out), sep="\n  ")
    print(f"{runner.ran} blocks run in {time.monotonic() - begin:.0f} s, {len(runner.left_out)} left out, "
          f"{len(runner.failures)} failed")
    return 1 if runner.failures else 0


if __name__ == "__main__":
    sys.exit(main())
