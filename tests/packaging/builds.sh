#!/usr/bin/env bash
# Tests the configurations in which users build: CMake's generators with the oldest supported, the installed and the
# newest CMake, with and without CUDA; each compiles one file per language. Then tests unusable CUDA toolkits: the build
# must do without them and say why, and must fail if CUDA was requested.
# usage: builds.sh WORK [CMAKE-OPTIONS...]      WORK: for other versions of CMake and for builds; kept for the next run
# Other versions of CMake come from the Python package index; a version that cannot be fetched is skipped with a
# message.
set -euo pipefail
# shellcheck source=tests/packaging/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
root=$(cd "$here/../.." && pwd)
work=$(mkdir -p "${1:?usage: builds.sh WORK [CMAKE-OPTIONS...]}" && cd "$1" && pwd)
shift
options=(-DCMAKE_BUILD_TYPE=Release -DGPUSUPERNODAL_CUDA_ARCHITECTURES=90 "$@")
if command -v ccache >/dev/null 2>&1; then
  options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_CUDA_COMPILER_LAUNCHER=ccache)
fi
quick=(-DGPUSUPERNODAL_PETSC=OFF -DGPUSUPERNODAL_TESTS=OFF -DGPUSUPERNODAL_CLI=OFF -DGPUSUPERNODAL_EXAMPLES=OFF)
nvcc=$(command -v "${CUDACXX:-nvcc}" || command -v "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" || true)
if [ "${GPUSUPERNODAL_TEST_CUDA:-}" = OFF ]; then nvcc=; fi

# fetch_cmake NAME REQUIREMENT: prints the path of a CMake from the package index; fails if it is not available.
fetch_cmake() {
  local folder=$work/cmake-$1
  if [ ! -x "$folder/bin/cmake" ]; then
    rm -rf "$folder"
    python3 -m pip -q --disable-pip-version-check --retries 1 --timeout 20 install --no-cache-dir \
      --root-user-action=ignore --target "$folder" "$2" >"$work/cmake-$1.log" 2>&1 || return 1
  fi
  [ -x "$folder/bin/cmake" ] || return 1
  # The package's bin/cmake is a Python script that needs its module on the path; this is the program itself.
  printf '%s\n' "$folder/cmake/data/bin/cmake"
}

# configure CMAKE FOLDER CMAKE-OPTIONS...: configures in a new folder; the output goes to FOLDER.log, and as one line to
# FOLDER.line.
configure() {
  local cmake=$1 folder=$2 status=0
  shift 2
  rm -rf "$folder"
  "$cmake" -S "$root" -B "$folder" "${options[@]}" "$@" >"$folder.log" 2>&1 || status=$?
  tr -s ' \n' '  ' <"$folder.log" >"$folder.line"
  return $status
}

# compile_one BUILD GENERATOR FOLDER TARGET SOURCE: compiles one source of a target that FOLDER defines.
compile_one() {
  local command=(make -C "$1/$3" "$5.o")
  if [ "$2" = Ninja ]; then command=(ninja -C "$1" "${3:+$3/}CMakeFiles/$4.dir/$5.o"); fi
  "${command[@]}" >>"$1.log" 2>&1 || {
    tail -n 40 "$1.log"
    fail "$5 does not compile in $1"
  }
}

# works CMAKE GENERATOR CUDA: the configuration must build; CUDA is ON or OFF.
works() {
  local cmake=$1 generator=$2 cuda=$3 version folder
  version=$("$cmake" --version | sed -n 's/^cmake version //p')
  folder=$work/$version-${generator// /-}-$cuda
  configure "$cmake" "$folder" -G "$generator" -DGPUSUPERNODAL_CUDA="$cuda" -DGPUSUPERNODAL_BENCH=ON -DGPUSUPERNODAL_TESTS=ON || {
    tail -n 40 "$folder.log"
    fail "CMake $version, $generator, CUDA $cuda: the project does not configure"
  }
  grep -q "gpusupernodal: CUDA $cuda" "$folder.line" || fail "CMake $version, $generator: the build is not one with CUDA $cuda"
  compile_one "$folder" "$generator" "" gpusupernodal_objects base/arena_lease.cpp
  compile_one "$folder" "$generator" tests/solver/c c_interface_test problem.c
  if [ "$cuda" = ON ]; then compile_one "$folder" "$generator" "" gpusupernodal_objects kernels/cuda/trace.cu; fi
  echo "CMake $version, $generator, CUDA $cuda: configured, one file of each language compiled"
}

# falls_back NAME SENTENCE NVCC: CUDA is left out with the sentence if it was not requested; otherwise the sentence is
# an error.
falls_back() {
  local name=$1 sentence=$2 folder=$work/$1
  configure cmake "$folder" "${quick[@]}" -DCMAKE_CUDA_COMPILER="$3" || {
    tail -n 40 "$folder.log"
    fail "$name: the project does not configure without CUDA"
  }
  grep -qF "Only the host backend is built: $sentence" "$folder.line" || {
    cat "$folder.log"
    fail "$name: the output does not say \"$sentence\""
  }
  grep -q 'gpusupernodal: CUDA OFF' "$folder.line" || fail "$name: the build is one with CUDA"
  if configure cmake "$folder" "${quick[@]}" -DCMAKE_CUDA_COMPILER="$3" -DGPUSUPERNODAL_CUDA=ON; then
    fail "$name: GPUSUPERNODAL_CUDA=ON is accepted"
  fi
  grep -qF "GPUSUPERNODAL_CUDA=ON, but $sentence" "$folder.line" || {
    cat "$folder.log"
    fail "$name, GPUSUPERNODAL_CUDA=ON: the error does not say \"$sentence\""
  }
  echo "$name: the host backend, and an error with GPUSUPERNODAL_CUDA=ON"
}

# pretend NAME LINES: writes a script that acts as a compiler; prints its path.
pretend() {
  printf '#!/bin/sh\n%s\n' "$2" >"$work/nvcc-$1"
  chmod +x "$work/nvcc-$1"
  printf '%s\n' "$work/nvcc-$1"
}

cmakes=(cmake)
for version in '==3.22.*' '>=4'; do
  name=oldest
  if [ "$version" = '>=4' ]; then name=newest; fi
  if cmake=$(fetch_cmake "$name" "cmake$version"); then
    cmakes+=("$cmake")
  else
    echo "left out: cmake$version, which cannot be fetched from the Python package index ($work/cmake-$name.log)"
  fi
done
generators=()
command -v make >/dev/null 2>&1 && generators+=("Unix Makefiles") || echo "left out: Makefiles, as make is not installed"
command -v ninja >/dev/null 2>&1 && generators+=(Ninja) || echo "left out: Ninja, which is not installed"
[ ${#generators[@]} -gt 0 ] || fail "neither make nor ninja is installed"
[ -n "$nvcc" ] || echo "left out: CUDA, as no nvcc is installed"

# Tests the generators concurrently: configuring uses one processor.
for cmake in "${cmakes[@]}"; do
  running=()
  for generator in "${generators[@]}"; do
    (
      works "$cmake" "$generator" OFF
      if [ -n "$nvcc" ]; then works "$cmake" "$generator" ON; fi
    ) &
    running+=($!)
  done
  for job in "${running[@]}"; do wait "$job"; done
done

falls_back does-not-run "$work/nvcc-does-not-run --version fails (1 it does not run)" \
  "$(pretend does-not-run 'echo it does not run >&2; exit 1')"
falls_back absent "$work/nvcc-absent --version fails" "$work/nvcc-absent"
falls_back too-old "$work/nvcc-too-old is of CUDA 11.8, and 12.0 or newer is needed" \
  "$(pretend too-old 'echo "Cuda compilation tools, release 11.8, V11.8.89"')"
# shellcheck disable=SC2016  # a line of the script, which expands it
falls_back compiles-nothing "the toolkit of $work/nvcc-compiles-nothing does not build a small program" \
  "$(pretend compiles-nothing 'test "$1" = --version && exit 0; echo "error: it compiles nothing" >&2; exit 1')"
if [ -n "$nvcc" ]; then
  # Everything except the headers of cuBLAS, as in a partially installed toolkit.
  falls_back lacks-a-header "the toolkit of $work/nvcc-lacks-a-header does not build a small program" \
    "$(pretend lacks-a-header "for word in \"\$@\"; do case \$word in *check.cu) echo 'fatal error: cublas_v2.h: No such file'; exit 1;; esac; done
exec $nvcc \"\$@\"")"
fi
echo "builds: all as they should be"
