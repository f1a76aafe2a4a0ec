#!/usr/bin/env bash
# Installs what is missing, builds, and solves a real matrix three ways: by the command line, by the Eigen class, and by
# name through a PETSc program that knows nothing of gpusupernodal; then compares the answers.
# usage: demo.sh [MATRIX.mtx[.gz]]       (default: tests/data/bcsstk18.mtx.gz; tests/data/README.md says what it is)
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
matrix=$(realpath "${1:-$root/tests/data/bcsstk18.mtx.gz}")
[ -f "$matrix" ] || die "$matrix is not a file"
build=$root/build/demo
work=$build/demo
mkdir -p "$work"

"$root/scripts/install-deps.sh"

say "building in $build (log: $work/build.log)"
begin=$SECONDS
build_demo() {
  cmake -S "$root" -B "$build" "${cmake_options[@]}" -DCMAKE_BUILD_TYPE=Release -DGPUSUPERNODAL_PETSC=ON \
    -DGPUSUPERNODAL_TESTS=OFF -DGPUSUPERNODAL_CUDA_ARCHITECTURES="$(cuda_architectures)"
  cmake --build "$build" -j "$(nproc)"
}
# The devices' own architectures; without a device one, so that the build says at run time why CUDA is not used.
cuda_architectures() {
  local found
  found=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | tr -d '. ' | sort -u | paste -sd ';') || found=
  printf '%s' "${found:-90}"
}
run_logged "$work/build.log" build_demo
say "built ($((SECONDS - begin)) s)"

right_hand_side=$work/b.mtx
python3 "$root/scripts/agree.py" rhs "$matrix" "$right_hand_side"

say ""
say "== 1. the command line: gpusupernodal solve $(basename "$matrix")"
"$build/cli/gpusupernodal" solve "$matrix" -o "$work/x_command.mtx"
"$build/cli/gpusupernodal" solve "$matrix" --json >"$work/solve.json"

say ""
say "== 2. Eigen: examples/demo_eigen.cpp"
"$build/examples/demo_eigen" "$matrix" "$work/x_eigen.mtx"

say ""
say "== 3. PETSc, by name: examples/petsc/solve.c"
plugin=$build/plugin/petsc/libgpusupernodal_petsc.so
"$build/examples/petsc/example_petsc_solve" -f "$matrix" -b "$right_hand_side" -o "$work/x_petsc.mtx" \
  -dll_append "$plugin" -ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type gpusupernodal -ksp_view

say ""
say "== the answers (b = A·ones)"
python3 "$root/scripts/agree.py" check "$matrix" "$right_hand_side" "command line=$work/x_command.mtx" \
  "Eigen=$work/x_eigen.mtx" "PETSc=$work/x_petsc.mtx"

python3 - "$work/solve.json" <<'PYTHON'
import json, sys
report = json.load(open(sys.argv[1]))
if report.get("backend") != "cuda":
    print(f"the host backend was used: {report.get('backend_reason') or 'no reason was given'}")
PYTHON
