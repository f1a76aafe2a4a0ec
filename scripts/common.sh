# shellcheck shell=bash
# Functions and variables that the scripts share. Source this file.
# shellcheck disable=SC2034  # used by the scripts that source this file
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '%s\n' "$*"; }
die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# Prints the path of nvcc, if it is on PATH or where NVIDIA's packages install it.
find_nvcc() {
  local candidate
  for candidate in "${CUDACXX:-}" "$(command -v nvcc || true)" "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc"; do
    if [ -n "$candidate" ] && [ -x "$candidate" ]; then
      printf '%s\n' "$candidate"
      return 0
    fi
  done
  return 1
}

# Options of every configure step: Ninja, and ccache if installed.
# shellcheck disable=SC2034  # used by the scripts that source this file
cmake_options=(-G Ninja)
if command -v ccache >/dev/null 2>&1; then
  cmake_options+=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_CUDA_COMPILER_LAUNCHER=ccache)
  # Copies of the source in folders below the root share objects; those with line numbers too, whose debug information then
  # names the folder of the build that compiled them.
  export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$root} CCACHE_NOHASHDIR=${CCACHE_NOHASHDIR:-1}
  # What is not in the cache is not preprocessed a second time for its key.
  export CCACHE_DEPEND=${CCACHE_DEPEND:-1}
fi

# run_logged LOG COMMAND...: writes the output to LOG and shows the end of LOG if the command fails.
run_logged() {
  local log=$1
  shift
  "$@" >"$log" 2>&1 || {
    local status=$?
    tail -n 40 "$log"
    say "(all of it: $log)"
    return "$status"
  }
}

# count_tests FOLDER: prints how many tests of GoogleTest the last ctest in FOLDER ran, and how many of them were skipped.
count_tests() {
  local log=$1/Testing/Temporary/LastTest.log ran skipped
  ran=$(sed -nE 's/^\[=+\] ([0-9]+) tests? from .* ran\..*/\1/p' "$log" | awk '{ n += $1 } END { print n + 0 }')
  skipped=$(grep -c -E '^\[  SKIPPED \] .* \([0-9]+ ms\)$' "$log")
  say "tests in suites of GoogleTest: $ran, of which $skipped skipped"
}
