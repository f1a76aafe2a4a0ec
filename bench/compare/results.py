"""The results file: machine and date of the measurements, and one record per problem and peer."""
import datetime
import json
import os
import platform
import re
import subprocess
from pathlib import Path

from collect import join


def output_of(command):
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=30, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""


def processor():
    try:
        return re.search(r"model name\s*:\s*(.*)", Path("/proc/cpuinfo").read_text(encoding="utf-8")).group(1)
    except (OSError, AttributeError):
        return platform.machine()


def describe_machine():
    device = output_of(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]).splitlines()
    return {"processor": processor(), "cores": len(os.sched_getaffinity(0)), "device": device[0] if device else "none"}


def current_commit():
    here = Path(__file__).resolve().parent
    return output_of(["git", "-C", str(here), "rev-parse", "--short", "HEAD"]) or "unknown"


class Results:
    def __init__(self, path=None):
        self.data = {"records": []}
        if path and Path(path).exists():
            self.data = json.loads(Path(path).read_text(encoding="utf-8"))
        self.earlier = {self.key(r) for r in self.data["records"]}
        self.marks = {}  # commit → mark, where for_pages found records of earlier runs

    @staticmethod
    def key(record):
        return record["problem"], record["peer"]

    def find(self, problem, peer):
        return next((r for r in self.data["records"] if self.key(r) == (problem, peer)), None)

    def add(self, record):
        """Adds a record: joins it with other rounds of this run, replaces a record of an earlier run."""
        old = self.find(*self.key(record))
        if old is None:
            self.data["records"].append(record)
            return
        new = record if self.key(record) in self.earlier else join(old, record)
        self.earlier.discard(self.key(record))
        self.data["records"][self.data["records"].index(old)] = new

    def merge(self, other):
        """Adds all of another file; its records replace those of the same problem and peer."""
        for record in other.data["records"]:
            old = self.find(*self.key(record))
            if old is not None:
                self.data["records"].remove(old)
            self.data["records"].append(record)
        self.data.update({k: v for k, v in other.data.items() if k != "records"})

    def for_pages(self):
        """Leaves out what our own solver took at other commits than the last, and marks what others took in such runs."""
        last = self.data.get("commit")
        old = [r for r in self.data["records"] if r.get("commit", last) != last]
        self.data["records"] = [r for r in self.data["records"] if r not in old or not r["peer"].startswith("gpusupernodal")]
        commits = list(dict.fromkeys(r["commit"] for r in old if not r["peer"].startswith("gpusupernodal")))
        self.marks = dict(zip(commits, "¹²³⁴⁵⁶⁷⁸⁹"))
        for record in old:
            record["mark"] = self.marks.get(record["commit"], "")

    def stamp(self, cap, commit):
        self.data.update(machine=describe_machine(), cap=cap, commit=commit or current_commit(),
                         date=datetime.date.today().isoformat())

    def write(self, path):
        """Writes the file with one record per line."""
        partial = Path(f"{path}.part")
        parts = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in self.data.items() if key != "records"]
        parts.append('"records": [\n' + ",\n".join(json.dumps(record) for record in self.data["records"]) + "\n]")
        partial.write_text("{" + ",\n".join(parts) + "}\n", encoding="utf-8")
        partial.replace(path)
