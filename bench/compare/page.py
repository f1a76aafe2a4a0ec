"""What pages may show of performance.json: each function of VIEWS gives the text of a marker (bench/pages.py)."""
import plots
import tables
from collect import milliseconds
from peers import OTHERS, PEERS, expand
from results import Results

SETS = {"targets": tables.ROWS, "others": OTHERS, "all": tables.ROWS + OTHERS}


def load(path):
    """The results for pages: our own figures of the last commit alone, others' of earlier runs with a mark."""
    results = Results(path)
    results.for_pages()
    return results


def ahead(results, phase):
    """Text: the number of rows on which our solver is faster than cuDSS, and the rows on which it is not."""
    behind, rows = [], 0
    for name in tables.measured(results, tables.ROWS):
        ours, theirs = (milliseconds(results.find(name, peer), phase) for peer in ("gpusupernodal", "cudss"))
        if ours and theirs:
            rows += 1
            if ours >= theirs:
                behind.append(name)
    words = f"{rows - len(behind)} of {rows} rows"
    return words + (f" (not on {', '.join(behind)})" if behind else "")


def behind(results):
    """The rows, further problems included, on which some phase is behind cuDSS."""
    found = [f"{tables.PHASES[phase]} of {name}" for name in tables.measured(results, SETS["all"]) for phase in tables.PHASES
             if (theirs := milliseconds(results.find(name, "cudss"), phase))
             and milliseconds(results.find(name, "gpusupernodal"), phase) >= theirs]
    return ", ".join(found) or "none"


def run(results):
    """Where and when all of it was measured that has no mark."""
    data = results.data
    machine = data.get("machine", {})
    return (f"{machine.get('device', 'unknown')}; {machine.get('cores', 'unknown')} cores of {machine.get('processor', 'unknown')}; "
            f"{data.get('date', 'unknown')}, commit {data.get('commit', 'unknown')}")


def missing(results):
    """Text: planned measurements that are missing, with reasons."""
    lines = []
    for record in results.data["records"]:
        reason = record.get("failed") or record.get("skipped")
        if reason:
            lines.append(f"- {record['problem']}, {tables.PEERS[record['peer']].label}: {' '.join(reason.split())}.")
    for peer in ("gpusupernodal", "cudss"):
        names = [name for name in expand(["targets", "others", "curves"]) if results.find(name, peer) is None]
        if names:
            lines.append(f"- {tables.PEERS[peer].label}, not in this run: {', '.join(names)}.")
    absent = [peer.label for peer in PEERS.values() if all(r["peer"] != peer.name for r in results.data["records"])]
    if absent:
        lines.append(f"- Not in this run at all: {', '.join(absent)}.")
    return "\n".join(lines) or "Nothing is missing."


def time(results, problem, phase, peer="gpusupernodal"):
    """Milliseconds of a phase."""
    value = milliseconds(results.find(problem, peer), phase)
    if value is None:
        raise ValueError(f"{phase} of {problem} by {peer} was not measured")
    return f"{tables.number(value)} ms"


def large(results, entries):
    """Our records of the problems whose L has at least that many entries."""
    found = [results.find(name, "gpusupernodal") for name in tables.measured(results, SETS["all"])]
    return [record for record in found if record["nnz_l"] >= float(entries)]


def span(values, digits):
    return f"{min(values):.{digits}f} to {max(values):.{digits}f}"


def solve_fraction(results, entries):
    """The fraction of the memory's speed at which solves of large problems read L."""
    return span([tables.floors(record)["solve1"] / milliseconds(record, "solve1") for record in large(results, entries)], 2)


def solve_rate(results, entries):
    """The speed at which solves of large problems read L."""
    return span([16e-9 * record["nnz_l"] / milliseconds(record, "solve1") for record in large(results, entries)], 1) + " TB/s"


def factor_rate(results, entries):
    """The speed of refactorizations of large problems."""
    return span([1e-9 * record["flops"] / milliseconds(record, "refactorize") for record in large(results, entries)], 1) + " TFLOP/s"


def large_count(results, entries):
    return str(len(large(results, entries)))


def host_ratio(results, peer, phase):
    """How many times as long another solver on the host takes as ours, over the problems that both have solved."""
    ratios = []
    for name in SETS["all"]:
        ours, theirs = (milliseconds(results.find(name, solver), phase) for solver in ("gpusupernodal-host", peer))
        if ours and theirs:
            ratios.append(theirs / ours)
    return f"{span(ratios, 1)} times as long on {len(ratios)} matrices"


def peak(_, what):
    """The fastest dgemm and the fastest reading of memory that were seen on the device."""
    return {"flops": f"{1e-12 * tables.PEAK_FLOPS:.1f} TFLOP/s", "bytes": f"{1e-12 * tables.PEAK_BYTES:.2f} TB/s"}[what]


VIEWS = {
    "run": run, "ahead": ahead, "behind": behind, "missing": missing, "time": time, "peak": peak,
    "solve_fraction": solve_fraction, "solve_rate": solve_rate, "factor_rate": factor_rate, "large_count": large_count,
    "host_ratio": host_ratio,
    "cap": lambda results: f"{results.data.get('cap', 20):g}",
    "cores": lambda results: str(results.data.get("machine", {}).get("cores", "unknown")),
    "phases": lambda results, names: tables.phases_table(results, SETS[names]),
    "fair": lambda results: tables.with_marks(results, tables.fair_table(results, SETS["all"])),
    "memory": lambda results: tables.with_marks(results, tables.memory_table(results, SETS["all"])),
    "analysis": lambda results: tables.analysis_table(results, SETS["all"]),
    "solvers": lambda results: tables.with_marks(results, tables.others_table(results, beside_ours=True)),
    "slopes": lambda results: tables.with_marks(results, tables.slopes_table(results)),
    "settings": tables.settings_table,
}


def write(results, results_file, folder):
    """The results and their plots; bench/pages.py then writes the pages."""
    results.write(results_file)
    folder.mkdir(parents=True, exist_ok=True)
    for name, drawing in plots.drawings(load(results_file)).items():
        (folder / f"{name}.svg").write_text(drawing, encoding="utf-8")
