"""Runs a peer's program for one problem and reads its events (bench/peers/events.hpp)."""
import json
import os
import queue
import statistics
import subprocess
import threading
import time

# Multiples of the cap after which a phase is stopped; 1 for other phases. Loading and analysis may take longer, because
# all other phases need them.
PATIENCE = {"load": 3.0, "analyze": 3.0}


class Record:
    """Collects the events of one peer on one problem."""

    def __init__(self, problem, peer):
        self.data = {"problem": problem, "peer": peer, "phases": {}}
        self.running, self.began, self.finished = None, time.monotonic(), False

    def take(self, event):
        kind = event.pop("event", None)
        if kind == "begin":
            self.running, self.began = event["phase"], time.monotonic()
        elif kind == "end":
            self.data["phases"][event.pop("phase")] = event
            self.running, self.began = None, time.monotonic()
        elif kind == "fields":
            self.data.update({k: v for k, v in event.items() if k not in ("problem", "peer", "phases")})
        elif kind == "failed":
            self.data["failed"] = event["message"]
        elif kind == "done":
            self.finished = True

    def stop_at(self, cap):
        return self.began + cap * PATIENCE.get(self.running, 1.0)

    def stopped(self, cap):
        """Records that the program was stopped: the running phase takes longer than its limit."""
        if self.running:
            self.data["phases"][self.running] = {"seconds": [], "capped": True, "longer_than": cap * PATIENCE.get(self.running, 1.0)}
        self.finished = True


def reader(stream, lines):
    for line in stream:
        lines.put(line)
    lines.put(None)


def run(command, problem, peer, cap, environment=None):
    """Runs one program and returns its record. Stops the program if a phase exceeds its limit."""
    record = Record(problem, peer)
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env={**os.environ, **(environment or {})})
    lines, errors = queue.Queue(), []
    threads = [threading.Thread(target=reader, args=(process.stdout, lines), daemon=True),
               threading.Thread(target=lambda: errors.append(process.stderr.read()), daemon=True)]
    for thread in threads:
        thread.start()
    while True:
        try:
            line = lines.get(timeout=max(0.0, record.stop_at(cap) - time.monotonic()))
        except queue.Empty:
            record.stopped(cap)
            process.kill()
            break
        if line is None:
            break
        try:
            record.take(json.loads(line))
        except (ValueError, KeyError):
            record.data["failed"] = f"a line that is no event: {line.strip()[:200]}"
    status = process.wait()
    threads[1].join(timeout=5)
    if not record.finished and "failed" not in record.data:
        record.data["failed"] = f"ended with status {status} in {record.running or 'no phase'}: {''.join(errors).strip()[-300:]}"
    return record.data


def was_stopped(record):
    """Whether the program was stopped in some phase."""
    return any("longer_than" in phase for phase in record["phases"].values())


def join(old, new):
    """Joins the records of two rounds: all repetitions of both, other values from the later."""
    joined = {**old, **new, "phases": dict(old["phases"])}
    for name, phase in new["phases"].items():
        before = joined["phases"].get(name)
        if before and before.get("seconds") and "seconds" in phase:
            phase = {**phase, "seconds": before["seconds"] + phase["seconds"], "capped": before["capped"] or phase["capped"]}
        joined["phases"][name] = phase
    if "equal_bits" in old and "equal_bits" in new:
        joined["equal_bits"] = old["equal_bits"] and new["equal_bits"]
    return joined


def milliseconds(record, phase):
    """Median time of a phase in milliseconds; None if not measured. If the analysis read its permutation from disk, the
    time of the analysis that computed it counts."""
    if record is None:
        return None
    if phase == "analyze" and "analyze_with_ordering" in record:
        return 1e3 * record["analyze_with_ordering"]
    seconds = record["phases"].get(phase, {}).get("seconds")
    return 1e3 * statistics.median(seconds) if seconds else None


def is_capped(record, phase):
    return bool(record) and bool(record["phases"].get(phase, {}).get("capped"))
