#!/usr/bin/env bash
# Runs all tests: lint, the build with warnings as errors and all its tests, configurations with other CMake versions
# and generators, a consumer of the installed package, and the host code under the address, undefined behaviour and
# thread sanitizers. Continues after a failed step.
# usage: test.sh [--quick]        --quick: skips the other configurations, the sanitizers and the consumer's own build
# Builds stay in build/ for the next run; logs are in build/logs. CUDA code is compiled for one architecture
# (GPUSUPERNODAL_TEST_CUDA_ARCHITECTURES, default 90) with the installed nvcc, or with one that scripts/cuda-toolkit.sh
# installs. GPUSUPERNODAL_TEST_CUDA=OFF skips it.
set -uo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
quick=no
case ${1:-} in
  "") ;;
  --quick) quick=yes ;;
  *) die "usage: test.sh [--quick]" ;;
esac
cd "$root" || exit 1
logs=$root/build/logs
mkdir -p "$logs"
jobs=$(nproc)
failed=()
summaries=()

# step NAME COMMAND...: runs the command in this shell, logs its output, prints its time and records a failure.
step() {
  local name=$1 log=$logs/$1.log begin=$SECONDS
  shift
  if "$@" >"$log" 2>&1; then
    say "ok      $name ($((SECONDS - begin)) s)"
    return 0
  fi
  say "FAILED  $name ($((SECONDS - begin)) s); what stands out and the end of $log:"
  grep -n -A 4 -E '^FAILED: |error: |Error at |ERROR: |: Failure$|\*\*\*(Timeout|Exception)' "$log" | cut -c 1-300 | head -n 80
  say "..."
  tail -n 30 "$log" | cut -c 1-300
  failed+=("$name")
  return 1
}

# beside COMMAND...: runs a command that has steps in the background, beside a build: most of these steps use one processor
# for most of their time. join waits for it and takes over its failures.
beside() {
  rm -f "$logs/beside.failed"
  (
    failed=()
    "$@"
    printf '%s\n' "${failed[@]}" >"$logs/beside.failed"
  ) &
  background=$!
}
join() {
  wait "$background"
  if [ -f "$logs/beside.failed" ]; then
    mapfile -t -O "${#failed[@]}" failed <"$logs/beside.failed"
  else
    failed+=("steps in the background, which ended early")
  fi
}

# build FOLDER TARGETS CMAKE-OPTIONS...: configures and builds. TARGETS is a list separated by spaces, or "all".
build() {
  local folder=$1 targets=$2
  shift 2
  # shellcheck disable=SC2086  # TARGETS is a list
  cmake -S "$root" -B "$folder" "${cmake_options[@]}" "$@" && cmake --build "$folder" -j "$jobs" --target $targets -- -k 0
}

# tests NAME FOLDER CTEST-OPTIONS...: runs ctest as a step and keeps its summary. A CTest test is a suite of GoogleTest, a program or
# a script.
tests() {
  local name=$1 folder=$2
  shift 2
  step "$name" ctest --test-dir "$folder" -j "$jobs" --output-on-failure --no-tests=error "$@"
  local result
  result=$(grep -E '^[0-9]+% tests passed' "$logs/$name.log" | tail -n 1)
  summaries+=("$name: ${result:-no test ran}" "  $(count_tests "$folder")")
  # ctest's summary has one line per label like "faults  =  12.34 sec*proc (56 tests)". The labels are the folders of
  # tests/.
  local groups
  groups=$(sed -nE 's/^([a-z][a-z/_]*) +=.*\(([0-9]+) tests?\)$/\1 \2/p' "$logs/$name.log" | paste -sd , | sed 's/,/, /g')
  summaries+=("  by group: ${groups:-none}")
}

choose_cuda() {
  cuda_options=(-DGPUSUPERNODAL_CUDA=OFF)
  if [ "${GPUSUPERNODAL_TEST_CUDA:-}" = OFF ]; then
    say "note    CUDA code is not compiled: GPUSUPERNODAL_TEST_CUDA=OFF"
    return
  fi
  local nvcc
  if ! nvcc=$(find_nvcc); then
    step cuda-toolkit install_cuda_toolkit || failed=("${failed[@]/cuda-toolkit/}")
    nvcc=$root/build/cuda-toolkit/toolkit/bin/nvcc
  fi
  if [ -x "$nvcc" ]; then
    export CUDACXX=$nvcc
    cuda_options=(-DGPUSUPERNODAL_CUDA=ON
      -DGPUSUPERNODAL_CUDA_ARCHITECTURES="${GPUSUPERNODAL_TEST_CUDA_ARCHITECTURES:-90}")
    say "note    CUDA code is compiled with $nvcc"
    if ! nvidia-smi -L >/dev/null 2>&1; then  # Nothing runs these kernels here, and optimizing takes most of the time.
      local fastest=-Xptxas=-O0
      if grep -q -e --Ofast-compile <<<"$("$nvcc" --help)"; then fastest=-Ofc=max; fi  # from CUDA 13 on
      cuda_options+=(-DCMAKE_CUDA_FLAGS="$fastest")
      say "note    CUDA code is compiled with $fastest: there is no device"
    fi
  else
    say "note    CUDA code is NOT compiled: no nvcc here, and none could be installed from the Python package index"
  fi
}
install_cuda_toolkit() {
  scripts/install-deps.sh --tests python3-pip:pip3 && scripts/cuda-toolkit.sh "$root/build/cuda-toolkit"
}

# Eigen's tests of sparse solvers come from the distribution's source package, a newer Eigen from the Python package
# index.
choose_eigen_tests() {
  eigen_options=()
  if step eigen-newest scripts/eigen-newest.sh "$root/build/eigen-newest"; then
    eigen_options+=(-DGPUSUPERNODAL_EIGEN_NEWEST="$(tail -n 1 "$logs/eigen-newest.log")")
  else
    failed=("${failed[@]/eigen-newest/}")
    say "note    A newer Eigen than the distribution's is NOT tried: its headers could not be fetched"
  fi
  if step eigen-tests scripts/eigen-tests.sh "$root/build/eigen-tests"; then
    eigen_options+=(-DGPUSUPERNODAL_EIGEN_TESTS="$root/build/eigen-tests/eigen3/test")
  else
    failed=("${failed[@]/eigen-tests/}")
    say "note    Eigen's own tests are NOT run: its source package could not be fetched"
  fi
}

lint() {
  local status=0
  python3 tests/lint/layers_test.py || status=1
  python3 tests/lint/layers.py || status=1
  bash tests/lint/format.sh || [ $? -eq 77 ] || status=1
  return $status
}

# What users do with the sources: other configurations, optional parts, the Python package, and the library in the consumer's
# own build. The compiler cache has most objects from the first build.
uses_of_sources() {
  step builds bash tests/packaging/builds.sh build/builds
  step parts bash tests/packaging/parts.sh build
  step python-wheel python_wheel
  step consumer-source bash tests/packaging/source.sh build
}

# Prints the Ninja targets of the test folders that run under the thread sanitizer.
threaded_targets() {
  local file
  for file in tests/solver/backend/CMakeLists.txt tests/solver/conformance/CMakeLists.txt tests/solver/host/run/CMakeLists.txt tests/solver/api/CMakeLists.txt \
    tests/faults/threads/CMakeLists.txt; do
    [ ! -f "$file" ] || printf '%s/all ' "$(dirname "$file")"
  done
}

# The Python package in a clean virtual environment; left out where packages cannot be fetched.
python_wheel() {
  local status=0
  scripts/install-deps.sh --tests python3-venv python3-pip:pip3 && bash tests/plugin/python/wheel.sh build/python-wheel || status=$?
  [ "$status" -eq 77 ] || return "$status"
}

step dependencies scripts/install-deps.sh --tests
choose_cuda
choose_eigen_tests
beside step lint lint
step build build build/ci all -DCMAKE_BUILD_TYPE=Release -DGPUSUPERNODAL_TESTS=ON -DGPUSUPERNODAL_CLI=ON -DGPUSUPERNODAL_WERROR=ON -DGPUSUPERNODAL_BENCH=ON \
  -DGPUSUPERNODAL_PETSC=ON -DGPUSUPERNODAL_MERGED_SOURCES=programs -DGPUSUPERNODAL_OPTIMIZED_PROGRAMS=OFF "${cuda_options[@]}" "${eigen_options[@]}"
built=$?
join
[ $built -ne 0 ] || tests tests build/ci --label-exclude '^lint$'

if [ "$quick" = no ]; then
  host_only=(-DGPUSUPERNODAL_TESTS=ON -DGPUSUPERNODAL_CLI=ON -DGPUSUPERNODAL_CUDA=OFF -DGPUSUPERNODAL_PETSC=OFF -DGPUSUPERNODAL_PETSC_COMPLEX=OFF
    -DGPUSUPERNODAL_EXAMPLES=OFF -DGPUSUPERNODAL_BENCH=OFF -DGPUSUPERNODAL_MERGED_SOURCES=all)
  # All of "undefined" but its checks of each access and of each pointer's arithmetic (null, alignment, object-size, vptr,
  # pointer-overflow). They take half of the time of the build, and the address sanitizer reports accesses through null and
  # outside of objects.
  undefined=shift,integer-divide-by-zero,unreachable,vla-bound,return,signed-integer-overflow,bounds,bool,enum,builtin
  undefined+=,nonnull-attribute,returns-nonnull-attribute
  sanitizer=(-DCMAKE_BUILD_TYPE=Debug "-DCMAKE_CXX_FLAGS_DEBUG=-O1 -g1" "${host_only[@]}")
  # Programs with sanitizers are large; lld links them in half of the time.
  if command -v ld.lld >/dev/null 2>&1; then sanitizer+=(-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld); fi
  beside uses_of_sources
  step build-asan build build/asan all "${sanitizer[@]}" -DGPUSUPERNODAL_SANITIZE="address,$undefined"
  asan=$?
  step build-tsan build build/tsan "$(threaded_targets)" "${sanitizer[@]}" -DGPUSUPERNODAL_SANITIZE=thread \
    -DGPUSUPERNODAL_THREADS=std
  tsan=$?
  join
  # Long sweeps over shapes and random patterns run a part of their cases, because sanitizers make them ten times slower.
  export GPUSUPERNODAL_TEST_EVERY=5
  [ $asan -ne 0 ] || tests tests-asan build/asan --label-exclude '^lint$'
  # Other scalars share the code that synchronizes threads, so one of two runs.
  export GPUSUPERNODAL_TEST_EVERY=17
  [ $tsan -ne 0 ] || tests tests-tsan build/tsan --label-regex '^(solver/(backend|conformance|host/run|api)|faults/threads)$' \
    --exclude-regex '(/1|/host_float)$'
fi

say "total $SECONDS s"
printf '%s\n' "${summaries[@]}"
count=0
for name in "${failed[@]}"; do
  [ -z "$name" ] || { say "failed: $name"; count=$((count + 1)); }
done
[ "$count" -eq 0 ]
