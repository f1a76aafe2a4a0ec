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
  cmake_options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_CUDA_COMPILER_LAUNCHER=ccache)
  # Copies of the source in folders below the root share objects.
  export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$root}
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
