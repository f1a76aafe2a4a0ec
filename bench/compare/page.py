"""Writes the page of results from a template whose {{names}} are replaced by results."""
import re
from pathlib import Path

import plots
import tables
from collect import milliseconds
from peers import OTHERS, expand

TEMPLATE = Path(__file__).resolve().with_name("performance.md.in")


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


def commits(results):
    """Text: the last commit, and the records that were measured at other commits."""
    last = results.data.get("commit", "unknown")
    odd = {}
    for record in results.data["records"]:
        if record.get("commit", last) != last:
            odd.setdefault(record["commit"], []).append(f"{record['problem']} ({record['peer']})")
    words = f"commit {last}"
    for commit, names in odd.items():
        words += f"; at commit {commit}: {', '.join(names)}"
    return words


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
    absent = [peer.label for peer in tables.PEERS.values() if all(r["peer"] != peer.name for r in results.data["records"])]
    if absent:
        lines.append(f"- Not in this run at all: {', '.join(absent)}.")
    return "\n".join(lines) or "Nothing is missing."


def fields(results):
    data = results.data
    machine = data.get("machine", {})
    return {
        "device": machine.get("device", "unknown"), "processor": machine.get("processor", "unknown"),
        "cores": str(machine.get("cores", "unknown")), "date": data.get("date", "unknown"), "commits": commits(results),
        "cap": f"{data.get('cap', 20):g}",
        **{f"ahead_{phase}": ahead(results, phase) for phase in tables.PHASES},
        "targets": tables.phases_table(results, tables.ROWS), "others": tables.phases_table(results, OTHERS),
        "fair": tables.fair_table(results, tables.ROWS + OTHERS), "memory": tables.memory_table(results, tables.ROWS + OTHERS),
        "analysis": tables.analysis_table(results, tables.ROWS + OTHERS), "peers": tables.others_table(results), "slopes": tables.slopes_table(results), "settings": tables.settings_table(results),
        "missing": missing(results),
    }


def fill(template, values):
    return re.sub(r"\{\{(\w+)\}\}", lambda match: values[match.group(1)], template)


def write(results, path, folder):
    path.write_text(fill(TEMPLATE.read_text(encoding="utf-8"), fields(results)), encoding="utf-8")
    plots.write_all(results, folder)
    results.write(folder / "results.json")
