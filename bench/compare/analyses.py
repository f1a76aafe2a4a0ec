#!/usr/bin/env python3
"""Compares analyses on several thread counts with METIS, AMD, Scotch, cuDSS and MKL; writes JSON, Markdown, SVG.

analyses.py run --programs BUILD/bench --data FOLDER --out analyses.json [--at-once 8] [--limit 25] [MATRICES]
analyses.py orders --programs BUILD/bench --data FOLDER [--threads 1] [--wall] [MATRICES]
analyses.py report analyses.json [--others-of earlier.json]

`run` analyzes the matrices one by one with bench_analyses. Then METIS, AMD and Scotch order all of them, with one
thread each and `--at-once` processes in parallel. Last, peer_cudss and peer_mkl_pardiso, if built, analyze them on all
threads.
`orders` prints a table of orderings alone (the library's dissection, METIS, AMD, Scotch) with CPU seconds or, with
--wall, wall time.
`report` writes the page and the plots. Analyses of cuDSS and MKL that the run lacks come from `--results`, a file of
compare.py; orderings of other libraries that it lacks come from `--others-of`, the file of an earlier `run`."""
import argparse
import concurrent.futures
import datetime
import json
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import analyses_page  # noqa: E402
import collect  # noqa: E402
from peers import PEERS, locate  # noqa: E402
from results import Results, current_commit, describe_machine  # noqa: E402

TABLE = ["bcsstk16", "crystm03", "lap_mdual", "cleat", "shell:400", "elas:50", "lap2d:1000", "lap3d:100", "lap2d:2000"]
LIBRARIES = ("cudss", "mkl_pardiso")


class Run:
    def __init__(self, arguments):
        self.arguments, self.begin = arguments, time.monotonic()
        self.data = {"machine": describe_machine(), "date": datetime.date.today().isoformat(),
                     "commit": arguments.commit or current_commit(), "note": arguments.note, "matrices": {}}
        self.problems = {}
        for name in arguments.matrices or TABLE:
            path = locate(name, arguments.data)
            if path is None:
                print(f"{name}: there is no such file")
            else:
                self.problems[name] = path
                self.data["matrices"][name] = {"threads": {}, "others": {}}

    def spent(self):
        return time.monotonic() - self.begin

    def lines(self, name, *options):
        """Runs bench_analyses and adds its output to the matrix's data."""
        if self.spent() > self.arguments.budget:
            print(f"{name} {' '.join(options)}: left out, no time is left", flush=True)
            return
        matrix = self.data["matrices"][name]
        command = [str(Path(self.arguments.programs) / "bench_analyses"), self.problems[name], *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            print(f"{name}: {done.stderr.strip()[-300:]}")
        for line in done.stdout.splitlines():
            record = json.loads(line)
            record.pop("matrix")
            if "threads" in record:
                matrix["threads"][str(record.pop("threads"))] = record
            elif "order_threads" in record:
                matrix["others"]["dissection"] = record
            elif "other" in record:
                matrix["others"][record.pop("other")] = record
            else:
                matrix.update(record)

    def analyze(self):
        threads = ",".join(sorted(self.arguments.threads.split(","), key=int, reverse=True))
        for name in self.problems:
            self.lines(name, "--no-others", "--threads", threads, "--limit", str(self.arguments.limit), "--repeat",
                       str(self.arguments.repeat))
            print(name, {t: round(r["analyze"], 4) for t, r in self.data["matrices"][name]["threads"].items()},
                  f"[{self.spent():.0f} s]", flush=True)
            self.write()

    def order(self):
        """Runs the orderings of METIS, Scotch and AMD, longest first."""
        with concurrent.futures.ThreadPoolExecutor(self.arguments.at_once) as pool:
            steps = [(name, other) for other in ("METIS", "Scotch", "AMD") for name in reversed(self.problems)]
            for name, other in steps:
                pool.submit(self.lines, name, "--no-analyze", "--others", other, "--scotch-rows",
                            str(self.arguments.scotch_rows))
        self.data["at_once"] = self.arguments.at_once
        self.write()
        print(f"others [{self.spent():.0f} s]", flush=True)

    def measure_libraries(self):
        most = max(int(t) for t in self.arguments.threads.split(","))
        for library in LIBRARIES:
            command = PEERS[library].command(Path(self.arguments.programs) / "peers")
            if not Path(command[0]).exists():
                print(f"{library}: its program is not there")
                continue
            for name, path in self.problems.items():
                if self.spent() > self.arguments.budget:
                    print(f"{name} {library}: left out, no time is left")
                    continue
                record = collect.run([*command, path, "--threads", str(most), "--analyze-only"], name, library, 60.0)
                seconds = record["phases"].get("analyze", {}).get("seconds")
                if seconds:
                    self.data["matrices"][name]["others"][library] = {
                        "seconds": min(seconds), "nnz_l": record.get("nnz_l"), "flops": record.get("flops")}
                print(f"{name} {library}: {seconds or record.get('failed')} [{self.spent():.0f} s]", flush=True)
            self.write()

    def write(self):
        Path(self.arguments.out).write_text(json.dumps(self.data, indent=1) + "\n", encoding="utf-8")


def run(arguments):
    measurement = Run(arguments)
    measurement.analyze()
    if not arguments.ours_only:
        measurement.order()
        measurement.measure_libraries()


def orders(arguments):
    vars(arguments).update(commit="", note="", budget=1e9)
    measurement = Run(arguments)
    clock = [] if arguments.wall else ["--cpu"]
    for name in measurement.problems:
        measurement.lines(name, "--no-analyze", "--others", arguments.others, "--orders", arguments.threads, "--repeat", "1", *clock)
    print(analyses_page.orders_table(measurement.data))


def take_others(data, name, of):
    """Adds orderings from an earlier run that this run lacks; they do not depend on the commit."""
    if not name:
        return
    of.update(json.loads(Path(name).read_text(encoding="utf-8")))
    for matrix, earlier in of["matrices"].items():
        for other, record in earlier["others"].items():
            if matrix in data["matrices"] and other not in LIBRARIES and other not in data["matrices"][matrix]["others"]:
                data["matrices"][matrix]["others"][other] = {**record, "earlier": "²"}


def report(arguments):
    data = json.loads(Path(arguments.results_of_run).read_text(encoding="utf-8"))
    others_of = {}
    take_others(data, arguments.others_of, others_of)
    earlier = Results(arguments.results)
    for name, matrix in data["matrices"].items():
        for library in LIBRARIES:
            milliseconds = collect.milliseconds(earlier.find(name, library), "analyze")
            if library not in matrix["others"] and milliseconds:
                record = earlier.find(name, library)
                matrix["others"][library] = {"seconds": milliseconds / 1e3, "nnz_l": record.get("nnz_l"), "earlier": "¹"}
    analyses_page.write(data, earlier.data, others_of, Path(arguments.out), Path(arguments.plots))


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("run")
    command.set_defaults(call=run)
    command.add_argument("matrices", nargs="*", help=f"{' '.join(TABLE)} otherwise")
    command.add_argument("--programs", required=True, help="folder of bench_analyses")
    command.add_argument("--data", action="append", default=[], help="folder of matrices; may be given again")
    command.add_argument("--out", default="analyses.json")
    command.add_argument("--threads", default="1,2,4,8,16")
    command.add_argument("--repeat", type=int, default=3, help="of analyses that take less than 1 s")
    command.add_argument("--limit", type=float, default=1e9, help="seconds a matrix, after which fewer threads are left out")
    command.add_argument("--budget", type=float, default=1e9, help="seconds after which no program is started")
    command.add_argument("--at-once", type=int, default=1, help="orderings of others at the same time")
    command.add_argument("--scotch-rows", type=int, default=2000000, help="rows of the largest matrix that Scotch orders")
    command.add_argument("--ours-only", action="store_true")
    command.add_argument("--note", default="", help="what else the machine did")
    command.add_argument("--commit", default="", help="of the programs; that of this checkout otherwise")
    command = commands.add_parser("orders")
    command.set_defaults(call=orders)
    command.add_argument("matrices", nargs="*", help=f"{' '.join(TABLE)} otherwise")
    command.add_argument("--programs", required=True, help="folder of bench_analyses")
    command.add_argument("--data", action="append", default=[], help="folder of matrices; may be given again")
    command.add_argument("--threads", default="1", help="of the dissection")
    command.add_argument("--others", default="METIS,AMD,Scotch", help="which of METIS, AMD, Scotch")
    command.add_argument("--wall", action="store_true", help="wall time in place of CPU seconds")
    command = commands.add_parser("report")
    command.set_defaults(call=report)
    command.add_argument("results_of_run")
    command.add_argument("--results", default="bench/results/performance.json", help="of compare.py")
    command.add_argument("--others-of", default="", help="analyses.json of an earlier run")
    command.add_argument("--out", default="bench/results/analyses.json")
    command.add_argument("--plots", default="docs/images/performance")
    return parser.parse_args()


if __name__ == "__main__":
    chosen = parse()
    chosen.call(chosen)
