#!/usr/bin/env python3
"""Compares solvers, with one process per solver and problem, and writes JSON, Markdown and SVG.

compare.py run --programs BUILD/bench/peers --data FOLDER --out results.json targets=gpusupernodal,cudss small=eigen
compare.py report results.json [more.json ...]
compare.py table results.json

A plan is PROBLEMS=PEERS, both lists with commas; `compare.py list` names the sets of problems and the peers. For each problem
the peers run one after the other, round after round. `--skip-measured` goes on with a run that was cut off or split.
`report` writes bench/results/performance.json and the plots; then bench/pages.py --write writes the pages."""
import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import collect  # noqa: E402
import page  # noqa: E402
import tables  # noqa: E402
from peers import PEERS, SETS, expand, locate  # noqa: E402
from results import Results  # noqa: E402


class Run:
    def __init__(self, arguments):
        self.arguments = arguments
        self.results = Results(arguments.out)
        for path in arguments.merge:
            self.results.merge(Results(path))
        self.results.earlier = {Results.key(r) for r in self.results.data["records"]}
        self.results.stamp(arguments.cap, arguments.commit)
        self.left, self.end = [], time.monotonic() + arguments.budget
        self.permutations = Path(arguments.permutations or Path(arguments.out).resolve().parent / "permutations")
        self.permutations.mkdir(parents=True, exist_ok=True)

    def steps(self):
        """Yields (round, problem, peer): for each problem all rounds, in each round every peer once."""
        seen = {}
        for plan in self.arguments.plan:
            problems, _, peers = plan.partition("=")
            for problem in expand(problems.split(",")):
                for peer in peers.split(","):
                    if peer not in PEERS:
                        sys.exit(f"there is no peer {peer}")
                    seen.setdefault(problem, {})[peer] = None
        for problem, peers in seen.items():
            for round_ in range(self.arguments.rounds):
                for peer in peers:
                    yield round_, problem, PEERS[peer]

    def why_not(self, problem, peer, round_):
        if self.arguments.only and peer.name not in self.arguments.only and problem not in self.arguments.only:
            return "not requested"
        old = self.results.find(problem, peer.name)
        if old and self.arguments.skip_measured and Results.key(old) in self.results.earlier:
            return "measured before"
        if round_ > 0 and old and ("failed" in old or collect.was_stopped(old)):
            return "not in the round before"
        if not Path(peer.command(self.arguments.programs)[0]).exists():
            return "its program is not there"
        return ""

    def hopeless(self, problem, peer):
        """Returns a problem with fewer flops on which the peer was stopped, or None."""
        ours = self.results.find(problem, "gpusupernodal") or {}
        for record in self.results.data["records"]:
            smaller = self.results.find(record["problem"], "gpusupernodal") or {}
            if record["peer"] == peer.name and collect.was_stopped(record) and smaller.get("flops", 0) < ours.get("flops", 0):
                return record["problem"]
        return None

    def command(self, peer, path, problem):
        file = self.permutations / (problem.replace(":", "_").replace("/", "_") + ".perm")
        return [*peer.command(self.arguments.programs), path, "--threads", str(self.arguments.threads), "--cap",
                str(self.arguments.cap), "--permutation", str(file), *(["--quick"] if self.arguments.quick else [])]

    def measure(self, problem, peer):
        smaller = self.hopeless(problem, peer)
        if smaller:
            return {"problem": problem, "peer": peer.name, "phases": {}, "skipped": f"longer than the cap on {smaller} already"}
        path = locate(problem, self.arguments.data)
        if path is None:
            return {"problem": problem, "peer": peer.name, "phases": {}, "failed": "there is no such file"}
        record = collect.run(self.command(peer, path, problem), problem, peer.name, self.arguments.cap)
        record["commit"] = self.results.data["commit"]
        return record

    def all(self):
        for round_, problem, peer in self.steps():
            reason = self.why_not(problem, peer, round_)
            if reason:
                continue
            if time.monotonic() > self.end:
                self.left.append(f"{problem} {peer.name}")
                continue
            begin = time.monotonic()
            record = self.measure(problem, peer)
            self.results.add(record)
            self.results.write(self.arguments.out)
            print(f"{problem} {peer.name}: {tables.summary(record)} [{time.monotonic() - begin:.1f} s]", flush=True)
        if self.left:
            print("left for another run:", ", ".join(self.left))


def run(arguments):
    Run(arguments).all()


def report(arguments):
    results = Results()
    for path in arguments.results:
        results.merge(Results(path))
    page.write(results, Path(arguments.out), Path(arguments.plots))


def table(arguments):
    results = Results()
    for path in arguments.results:
        results.merge(Results(path))
    print("\n\n".join(tables.all_tables(results)))


def list_names(_):
    for name, problems in SETS.items():
        print(f"{name}: {' '.join(problems)}")
    print("peers:", " ".join(PEERS))


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("run")
    command.set_defaults(call=run)
    command.add_argument("plan", nargs="+", help="PROBLEMS=PEERS")
    command.add_argument("--programs", required=True, help="folder of the peers' programs")
    command.add_argument("--data", action="append", default=[], help="folder of matrices; may be given again")
    command.add_argument("--out", default="results.json", help="continued if it exists")
    command.add_argument("--merge", action="append", default=[], help="results to begin with")
    command.add_argument("--only", action="append", default=[], help="a peer or a problem; may be given again")
    command.add_argument("--skip-measured", action="store_true", help="leave alone what the results have")
    command.add_argument("--rounds", type=int, default=1)
    command.add_argument("--cap", type=float, default=20.0, help="seconds of a phase")
    command.add_argument("--quick", action="store_true", help="three repetitions, and no comparison of bits")
    command.add_argument("--threads", type=int, default=0, help="host threads; 0: all")
    command.add_argument("--budget", type=float, default=1e9, help="seconds after which no program is started")
    command.add_argument("--permutations", default="", help="folder for our permutations; beside the results otherwise")
    command.add_argument("--commit", default="", help="of the programs; that of this checkout otherwise")
    for name, call in (("report", report), ("table", table)):
        command = commands.add_parser(name)
        command.set_defaults(call=call)
        command.add_argument("results", nargs="+")
        if name == "report":
            command.add_argument("--out", default="bench/results/performance.json")
            command.add_argument("--plots", default="docs/images/performance")
    commands.add_parser("list").set_defaults(call=list_names)
    return parser.parse_args()


if __name__ == "__main__":
    chosen = parse()
    chosen.call(chosen)
