"""Tests our program of the comparison on the host: all phases, in order, with a small backward error; a saved permutation is
used again.
usage: our_peer_test.py PROGRAM"""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = sys.argv.pop(1)
PHASES = ["load", "analyze", "factorize", "refactorize", "solve1", "solve3", "bits"]


def events(*arguments):
    command = [PROGRAM, "--mode", "host", "--rhs", "3", *arguments]
    return [json.loads(line) for line in subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()]


def fields(lines):
    merged = {}
    for line in lines:
        if line["event"] == "fields":
            merged.update(line)
    return merged


class OurPeer(unittest.TestCase):
    def test_reports_all_phases(self):
        lines = events("lap2d:40", "--solves", "2", "--factorizations", "4")
        self.assertEqual([e["phase"] for e in lines if e["event"] == "end"], PHASES)
        self.assertEqual(lines[-1], {"event": "done"})
        counts = {e["phase"]: len(e["seconds"]) for e in lines if e["event"] == "end"}
        self.assertEqual((counts["factorize"], counts["refactorize"], counts["solve1"], counts["solve3"]), (1, 4, 2, 2))
        found = fields(lines)
        self.assertEqual((found["n"], found["equal_bits"]), (1600, True))
        for phase in ("solve1", "solve3"):
            self.assertLess(found[f"backward_error_{phase}"], found["error_bound"])

    def test_stored_permutation_is_reused(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "order"
            first = fields(events("lap3d:9", "--permutation", str(file)))
            self.assertEqual(file.stat().st_size, 8 * 9 ** 3)
            self.assertNotIn("analyze_with_ordering", first)
            again = fields(events("lap3d:9", "--permutation", str(file)))
            self.assertEqual((again["nnz_l"], again["reorder"]), (first["nnz_l"], first["reorder"]))
            self.assertGreater(again["analyze_with_ordering"], 0.0)
            other = events("lap3d:8", "--permutation", str(file))
            self.assertEqual(other[-1]["event"], "failed")
            self.assertIn("is not a permutation", other[-1]["message"])

    def test_missing_file(self):
        self.assertEqual(events("nothing.mtx")[-1]["event"], "failed")


if __name__ == "__main__":
    unittest.main()
