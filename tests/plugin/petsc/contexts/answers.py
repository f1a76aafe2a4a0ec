"""Reads the results of a run of a PETSc program: its solution and its failures."""
import math
import re
import struct

VEC_FILE_CLASSID = 1211214
NUMBER = r"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?"


def read_solution(folder, real="d", parts=1):
    """The solution that a program wrote to a folder, in doubles or floats (f), with two parts for complex scalars; [NaN], which
    never agrees, if it wrote none."""
    # TAO before PETSc 3.21 takes "binary:solution" as the name of a text file and appends each iterate to it.
    text = folder / "binary:solution"
    if text.exists():
        last = text.read_text().split("Vec Object")[-1]
        return [float(line) for line in last.splitlines() if re.fullmatch(rf"\s*{NUMBER}\s*", line)]
    return read_vectors(folder / "solution", real, parts) or [math.nan]


def read_vectors(path, real="d", parts=1):
    """The entries of all vectors in a file in PETSc's binary format, with 32- or 64-bit integers; [] without a file. Complex
    entries have two parts, the real one first."""
    data = path.read_bytes() if path.exists() else b""
    integer = ">q" if data[:8] == struct.pack(">q", VEC_FILE_CLASSID) else ">i"
    size = struct.calcsize(integer)
    entries, at = [], 0
    while at < len(data):
        (classid,), (count,) = struct.unpack_from(integer, data, at), struct.unpack_from(integer, data, at + size)
        if classid != VEC_FILE_CLASSID:
            raise ValueError(f"{path}: no vector")
        at += 2 * size
        entries += struct.unpack_from(f">{parts * count}{real}", data, at)
        at += struct.calcsize(f">{parts * count}{real}")
    return entries


def printed_numbers(text):
    """The output before PETSc's list of options."""
    text = re.split(r"#PETSc Option Table|WARNING! There are options", text)[0]
    return [float(word) for word in re.findall(rf"(?<![\w.]){NUMBER}(?![\w.])", text)]


def distance(answer, reference):
    """‖answer − reference‖₂ relative to ‖reference‖₂; infinite if their lengths differ or they are not finite."""
    if len(answer) != len(reference):
        return math.inf
    norm = math.sqrt(sum(value * value for value in reference))
    difference = math.sqrt(sum((a - b) ** 2 for a, b in zip(answer, reference)))
    result = difference / norm if norm > 0 else difference
    return result if math.isfinite(result) else math.inf


REFUSALS = ("Could not locate solver type", "Could not locate a solver type", "does not support factorization type",
            "does not support matrix type")


def petsc_error(output):
    """PETSc's error message: kind and description, without the advice that follows."""
    begin = re.search(r"^\[(\d+)\]PETSC ERROR: -+ Error Message -+$", output, re.M)
    if not begin:
        first = re.search(r"PETSC ERROR: (?!-)(.*)", output)
        return first.group(1) if first else ""
    lines = re.findall(rf"^\[{begin.group(1)}\]PETSC ERROR: (.*)$", output[begin.end():], re.M)
    kept = []
    for line in lines[1:] if lines and lines[0].startswith("See ") else lines:
        if re.match(r"See |WARNING|Option left|P[Ee][Tt][Ss]c Release|-----", line):
            break
        kept.append(line)
    return ": ".join(kept)


def has_device_matrices(log):
    """Whether -log_view counts a matrix that was copied to the device."""
    return re.search(r"^MatCUSPARSCopyTo +[1-9]", log, re.M) is not None


def not_used(log, variant):
    """What -log_view should show of gpusupernodal but does not."""
    factorizations = re.findall(r"^GpuSnFactor +[1-9].*", log, re.M)
    if not factorizations:
        return "no factorization of ours in -log_view"
    nothing = re.search(r"^Flops?: +0\.0+e\+00 ", log, re.M)  # In the whole program, as with matrices of order 0.
    if variant.backend == "cuda" and not nothing and not any(re.search(r" [1-9]\d*$", line) for line in factorizations):
        return "no flops of a factorization on the device in -log_view"
    return ""


def lost(output):
    """The leaks that -malloc_dump lists: bytes and place, each once, without the rank."""
    return set(re.findall(r"^\[ *\d+\] ?(\d+ bytes .*)", output, re.M))


def shortcoming(run, outcome, variant):
    """Why a run by itself fails, as one or two words and a sentence; ("", "") if it may pass."""
    sentence = petsc_error(outcome.output)
    if any(refusal in outcome.output for refusal in REFUSALS):
        return "not offered", sentence
    if "Requires PETSc be installed with" in outcome.output:
        return "not here", sentence
    if outcome.exit_code == 124:
        return "time limit", ""
    if outcome.exit_code != 0:
        return ("error" if sentence else "aborts"), sentence or f"exit code {outcome.exit_code}"
    if run.compare.startswith("says "):
        words = run.compare.split(maxsplit=1)[1]
        if words not in outcome.output:
            return "other answer", f"does not say: {words}"
    diverged = re.search(r"did not converge due to (DIVERGED_\w+).*(?:\n.*due to (\w+))?|\bDIVERGED_\w+", outcome.output)
    if diverged:
        return "diverged", " ".join(word for word in diverged.groups() if word) or diverged.group(0)
    left = re.findall(r"Option left: name:(-\S*(?:pc_type|solver_type|_view_solution)) ", outcome.output)
    if left:
        return "option unused", ", ".join(left)
    if variant.is_ours and not_used(outcome.log, variant):
        return "not used", not_used(outcome.log, variant)
    if variant.is_ours and lost(outcome.output):
        return "leak", min(lost(outcome.output))
    return "", ""
