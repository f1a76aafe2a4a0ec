#!/usr/bin/env bash
# Installs missing packages, builds, and solves a real matrix in three ways: with the command line, with the Eigen
# class, and by name through a PETSc program that does not mention gpusupernodal. Then compares the solutions.
# usage: demo.sh [MATRIX.mtx[.gz]]       (default: tests/data/bcsstk18.mtx.gz, described in tests/data/README.md)
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
[ $# -le 1 ] || die "usage: demo.sh [MATRIX.mtx[.gz]]"
matrix=${1:-$root/tests/data/bcsstk18.mtx.gz}
build=$root/build/demo
work=$build/demo
space_needed=150 # MiB: twice what a build with CUDA takes

check_matrix() {
  [ -f "$matrix" ] || die "$matrix is not a file"
  [ -r "$matrix" ] || die "$matrix cannot be read"
  matrix=$(realpath "$matrix")
  local header
  header=$(gzip -cdf -- "$matrix" 2>/dev/null | head -c 14 | tr -d '\0' || true)
  [ "${header,,}" = "%%matrixmarket" ] ||
    die "$matrix is not a Matrix Market file, plain or gzip: it does not begin with %%MatrixMarket"
}
# Fails early instead of after minutes of compiling.
check_build_folder() {
  local cache=$build/CMakeCache.txt
  if ! mkdir -p "$work" 2>/dev/null || ! touch "$work/build.log" 2>/dev/null || { [ -e "$cache" ] && [ ! -w "$cache" ]; }; then
    die "$build cannot be written: run this as who owns it, or in a copy of $root"
  fi
  local free
  free=$(($(df -Pk "$build" | awk 'NR == 2 { print $4 }') / 1024))
  [ -e "$build/cli/gpusupernodal" ] || [ "$free" -ge "$space_needed" ] ||
    die "$free MiB are free for $build, and building takes up to $space_needed MiB"
  # A copied checkout may contain the build of its original, which CMake refuses.
  local configured_for
  configured_for=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$cache" 2>/dev/null || true)
  if [ -n "$configured_for" ] && [ "$configured_for" != "$root" ]; then
    say "$build was made for $configured_for: starting over"
    rm -rf "$build"
    mkdir -p "$work"
  fi
}
check_matrix
check_build_folder
"$root/scripts/install-deps.sh"

say "building in $build (log: $work/build.log)"
begin=$SECONDS
build_demo() {
  cmake -S "$root" -B "$build" "${cmake_options[@]}" -DCMAKE_BUILD_TYPE=Release -DGPUSUPERNODAL_PETSC=ON \
    -DGPUSUPERNODAL_CLI=ON -DGPUSUPERNODAL_CUDA_ARCHITECTURES="$(cuda_architectures)" &&
    cmake --build "$build" -j "$(nproc)"
}
# Prints the architectures of the devices; without a device prints 90, so that the program says at run time why CUDA is
# not used.
cuda_architectures() {
  local found
  found=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | tr -d '. ' | sort -u | paste -sd ';') || found=
  printf '%s' "${found:-90}"
}
run_logged "$work/build.log" build_demo || die "the build failed"
say "built ($((SECONDS - begin)) s)"

say ""
say "== 1. the command line: gpusupernodal solve $(basename "$matrix")"
"$build/cli/gpusupernodal" solve "$matrix" -o "$work/x_command.mtx"
"$build/cli/gpusupernodal" solve "$matrix" --json >"$work/solve.json"

say ""
say "== 2. Eigen: examples/demo_eigen.cpp"
"$build/examples/demo_eigen" "$matrix" "$work/x_eigen.mtx"

say ""
say "== 3. PETSc, by name: examples/petsc/solve.c"
right_hand_side=$work/b.mtx
python3 "$root/scripts/agree.py" rhs "$matrix" "$right_hand_side"
plugin=$build/plugin/petsc/libgpusupernodal_petsc.so
# A single process: Open MPI needs neither its daemon nor a network interface.
export OMPI_MCA_ess_singleton_isolated=1
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
