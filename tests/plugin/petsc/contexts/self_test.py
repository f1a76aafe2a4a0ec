"""Tests the checks of runs: each kind of failure is produced here and must be reported."""
import math
import pathlib
import struct
import sys
import tempfile
import types

import answers
import run


def outcome(text="converged", code=0, log="GpuSnFactor            2 1.0\n"):
    return types.SimpleNamespace(output=text, exit_code=code, log=log, answer=[1.0])


def word(compare="ksp", solver="gpusupernodal", **given):
    return answers.shortcoming(types.SimpleNamespace(compare=compare), outcome(**given), run.variant_of(solver))[0]


def shortcomings():
    yield word(), ""
    yield word(code=1), "aborts"
    yield word(code=124), "time limit"
    yield word(code=76, text="[0]PETSC ERROR: --- Error\n[0]PETSC ERROR: Zero pivot\n"), "error"
    yield word(code=92, text="[0]PETSC ERROR: Could not locate solver type x\n"), "not offered"
    yield word(text="Linear solve did not converge due to DIVERGED_ITS iterations 3"), "diverged"
    yield word(text="Option left: name:-sub_pc_factor_mat_solver_type value: x"), "option unused"
    yield word(text="Option left: name:-ksp_rtol value: 1"), ""
    yield word(log=""), "not used"
    yield word(log="GpuSnFactor            0 1.0"), "not used"
    yield word(log="", solver="mumps"), ""
    yield word(log="GpuSnFactor 2 1.0 0.00e+00 0\n", solver="gpusupernodal-cuda"), "not used"
    yield word(log="GpuSnFactor 2 1.0 0.00e+00 100\n", solver="gpusupernodal-cuda"), ""
    yield word(log="GpuSnFactor 2 1.0 0.00e+00 nan\n", solver="gpusupernodal-cuda"), "not used"
    yield word(text="dense: right\n[ 0] 32 bytes PetscStrallocpy() at str.c:203"), "leak"
    yield word(code=56, text="[0]PETSC ERROR: Requires PETSc be installed with ParMETIS"), "not here"
    yield word("says right", text="dense: right"), ""
    yield word("says right", text="dense: wrong"), "other answer"


def of_devices():
    nothing = "GpuSnFactor 1 1.0 1.7e-05 1.0 0.00e+00 0.0 0\n"
    yield word(log=nothing, solver="gpusupernodal-cuda"), "not used"
    yield word(log="Flops:                0.000e+00     0.000\n" + nothing, solver="gpusupernodal-cuda"), ""
    yield word(log="Flops:                5.000e+00     1.000\n" + nothing, solver="gpusupernodal-cuda"), "not used"
    yield word(text="[ 0] 32 bytes f() at a.c:1", log="", solver="cusparse"), ""
    yield answers.lost("[ 0] 32 bytes f() at a.c:1\n[ 1] 32 bytes f() at a.c:1\n[0]48 bytes g() at b.c:2"), {
        "32 bytes f() at a.c:1", "48 bytes g() at b.c:2"}
    for options, wanted in (("-n 3", run.DEVICE_TYPES), ("-mat_type sbaij", ""), ("@pc_bddc_coarse_", run.DEVICE_TYPES_OF_DOMAINS)):
        yield run.device_types(types.SimpleNamespace(options=options)), wanted


class Programs(run.Runner):
    """Returns the given outcome instead of starting a program."""

    def __init__(self, said, precision):
        super().__init__(types.SimpleNamespace(precision=precision, scalars="real"), ".")
        self.said = said

    def start(self, run_, solver):
        return self.said[solver]


def judgements():
    """Verdict on a run with CUDA's types, given references with an answer and leaked memory each."""
    def judged(ours, reference, device_reference, solver="gpusupernodal-device", precision="double"):
        log = "GpuSnFactor 1 1.0 1e-5 1.0 1e+5 1.0 100\n"
        said = {name: run.Outcome(0, text, answer, log) for name, (answer, text) in
                {solver: ours, run.REFERENCE: reference, run.DEVICE_REFERENCE: device_reference}.items()}
        a_run = run.Run("preonly", "ex1", 1, "ksp", 1e-9, "@")
        return Programs(said, precision).judge(a_run, solver)["result"]

    lost = "[ 0] 96 bytes f() at vec.h:344"
    more = lost + "\n[ 0] 8 bytes g() at plugin.cpp:1"
    yield judged(([1.0], ""), ([1.0], ""), ([2.0], "")), "pass"
    yield judged(([2.0], ""), ([1.0], ""), ([2.0], "")), "pass"
    yield judged(([3.0], ""), ([1.0], ""), ([2.0], "")), "other answer"
    yield judged(([2.0], ""), ([1.0], ""), ([2.0], ""), "gpusupernodal-cuda"), "other answer"
    yield judged(([1.0], lost), ([1.0], ""), ([1.0], lost)), "pass"
    yield judged(([1.0], lost), ([1.0], ""), ([1.0], "")), "leak"
    yield judged(([1.0], more), ([1.0], ""), ([1.0], lost)), "leak"
    yield judged(([1.0], lost), ([1.0], ""), ([1.0], lost), "gpusupernodal-cuda"), "leak"
    for precision, bound in (("double", 1e-9), ("single", run.SINGLE_BOUND)):
        near, far = [1 + 0.9 * bound], [1 + 1.1 * bound]
        yield judged((near, ""), ([1.0], ""), ([1.0], ""), "gpusupernodal", precision), "pass"
        yield judged((far, ""), ([1.0], ""), ([1.0], ""), "gpusupernodal", precision), "other answer"
    gave_up = "DIVERGED_ITS"
    yield judged(([1.0], gave_up), ([1.0], gave_up), ([1.0], ""), "gpusupernodal"), "diverged"
    yield judged(([1.0], gave_up), ([1.0], gave_up), ([1.0], ""), "gpusupernodal", "single"), "no reference"
    yield judged(([1.0], gave_up), ([1.0], ""), ([1.0], ""), "gpusupernodal", "single"), "diverged"
    yield judged(([1.0], lost), ([1.0], gave_up), ([1.0], ""), "gpusupernodal", "single"), "leak"


def options():
    yield run.with_solver("-ksp_type cg @", "x"), "-ksp_type cg -pc_type cholesky -pc_factor_mat_solver_type x"
    yield run.with_solver("@sub_", "x"), "-sub_pc_type cholesky -sub_pc_factor_mat_solver_type x"
    yield run.with_solver("@sub_", run.REFERENCE), "-sub_pc_type lu -sub_pc_factor_mat_solver_type petsc"
    yield run.with_solver("-mat_type sbaij @", run.REFERENCE), "-mat_type sbaij -pc_type cholesky -pc_factor_mat_solver_type petsc"
    yield (run.with_solver("@@a_", run.REFERENCE),
           "-a_pc_type redundant -a_redundant_pc_type lu -a_redundant_pc_factor_mat_solver_type petsc")
    yield run.with_solver("-mat_solver_type SOLVER", run.REFERENCE), "-mat_solver_type petsc"
    yield run.with_solver("-mat_solver_type SOLVER", "x", "b"), "-mat_solver_type x -mat_gpusupernodal_backend b"
    yield run.with_solver("@a_", "x", "", "lu"), "-a_pc_type lu -a_pc_factor_mat_solver_type x"
    lu = run.variant_of("gpusupernodal-lu")
    yield (lu.solver, lu.factorization), ("gpusupernodal", "lu")
    yield run.variant_of("superlu_dist-lu").solver, "superlu_dist"
    for program, text, wanted in (("ex2", "-m 3 @", True), ("ex2", "-mat_type sbaij @", False), ("ex2", "-ksp_pc_side symmetric @", False),
                                  ("direct", "-s SOLVER", False), (run.BLOCK_PROGRAMS[0], "@", False),
                                  (run.BLOCK_PROGRAMS[0], "-dm_mat_type aij @", True)):
        yield lu.can_do(types.SimpleNamespace(program=program, options=text)), wanted
    yield run.in_single("-ksp_rtol 1e-10 -tao_gatol 1e-8 -alpha 1e-3 @"), "-ksp_rtol 1e-5 -tao_gatol 1e-3 -alpha 1e-3 @"
    yield (run.with_solver("@a_ @b_", "x", "cuda").count("_mat_gpusupernodal_backend cuda"), 2)
    yield answers.has_device_matrices("MatCUSPARSCopyTo       1 1.0 1e-3\n"), True
    yield answers.has_device_matrices("MatCUSPARSCopyTo       0 0.0 0\n"), False


def against_records():
    """A run fails if it does not pass, unless it ended in the same way when it was recorded; and if it passes, unless it did then."""
    one = run.Run("preonly", "ex1", 1, "ksp", 1e-9, "@")
    for now, before, count in (("pass", {}, 0), ("error", {}, 1), ("not here", {}, 0), ("error", {one: "error"}, 0),
                               ("leak", {one: "error"}, 1), ("pass", {one: "error"}, 1), ("error", {one: "pass"}, 1),
                               ("pass", {one: "pass"}, 0), ("not here", {one: "error"}, 0)):
        yield len(run.failures([(one, {"x": {"result": now}})], "x", before, run.ACCEPTED)), count


def numbers():
    yield answers.distance([3, 4], [3, 4]), 0
    yield answers.distance([3, 4.5], [3, 4]), 0.1
    yield answers.distance([3], [3, 4]), math.inf
    yield answers.distance([math.nan], [3]), math.inf
    yield answers.distance([], []), 0
    yield answers.printed_numbers("Norm 1.5e-3, 2 iterations of ex2.c\n#PETSc Option Table entries:\n-n 7"), [1.5e-3, 2]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        yield str(answers.read_solution(folder)), "[nan]"
        for integer in "iq":
            (folder / "solution").write_bytes(struct.pack(f">2{integer}2d", answers.VEC_FILE_CLASSID, 2, 0.5, -3))
            yield answers.read_solution(folder), [0.5, -3]
        (folder / "solution").write_bytes(struct.pack(">2i2f", answers.VEC_FILE_CLASSID, 2, 0.5, -3))
        yield answers.read_solution(folder, "f"), [0.5, -3]
        (folder / "solution").write_bytes(struct.pack(">2i4d", answers.VEC_FILE_CLASSID, 2, 0.5, -3, 1, 2))
        yield answers.read_solution(folder, parts=2), [0.5, -3, 1, 2]
        (folder / "binary:solution").write_text("Vec Object: 1 MPI process\n  type: seq\n1.\nVec Object:\n  type: seq\n2.\n-3e-05\n")
        yield answers.read_solution(folder), [2, -3e-5]


def main():
    wrong = [(got, wanted) for check in (shortcomings, of_devices, judgements, options, against_records, numbers) for got, wanted in check() if got != wanted]
    for got, wanted in wrong:
        print(f"{got!r}, not {wanted!r}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
