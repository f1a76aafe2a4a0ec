#!/usr/bin/env bash
# For a machine with a GPU: builds for it, runs all tests, compute-sanitizer on the small CUDA cases and the benchmark,
# and writes the report OUT/report.md and the logs. Continues after a failed step; exits 1 at the end if a step failed.
# usage: gpu-check.sh [--limit SECONDS] [--only STEP,STEP...] [--bench "MATRIX..."] [OUT]
#   --limit  for each step (default 600)      --only  of build, tests, sanitize, bench (default all)
#   --bench  files or generated matrices (default "tests/data/bcsstk18.mtx.gz lap3d:40 elas:20 lap2d:300")
#   OUT      default build/gpu-check
# If packages cannot be installed, uses a folder .bundle that scripts/offline-bundle.sh made on another machine.
set -uo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
limit=600
only=build,tests,sanitize,bench
bench="tests/data/bcsstk18.mtx.gz lap3d:40 elas:20 lap2d:300"
out=$root/build/gpu-check
while [ $# -gt 0 ]; do
  case $1 in
    --limit) limit=${2:?--limit needs seconds}; shift 2 ;;
    --only) only=${2:?--only needs names of steps}; shift 2 ;;
    --bench) bench=${2?--bench needs matrices}; shift 2 ;;
    -*) die "usage: gpu-check.sh [--limit SECONDS] [--only STEP,STEP...] [--bench \"MATRIX...\"] [OUT]" ;;
    *) out=$1; shift ;;
  esac
done
mkdir -p "$out"
out=$(cd "$out" && pwd)
rm -f "$out"/*.log
cd "$root" || exit 1
build=${GPUSUPERNODAL_CHECK_BUILD:-$root/build/gpu}
# shellcheck disable=SC1091  # made on another machine
[ ! -f .bundle/env.sh ] || . .bundle/env.sh

rows=()
failures=()
# check NAME COMMAND...: runs the command under the time limit and writes its output to OUT/NAME.log.
check() {
  local name=$1 log=$out/$1.log begin=$SECONDS result=passed status
  shift
  timeout --kill-after=10 "$limit" "$@" >"$log" 2>&1
  status=$?
  if [ $status -eq 124 ] || [ $status -eq 137 ]; then
    result="stopped after $limit s"
  elif [ $status -ne 0 ]; then
    result="failed ($status)"
  fi
  [ $status -eq 0 ] || failures+=("$name")
  rows+=("| $name | $result | $((SECONDS - begin)) |")
  say "$name: $result ($((SECONDS - begin)) s)"
  return $status
}
wanted() { case ",$only," in *",$1,"*) return 0 ;; *) return 1 ;; esac; }

capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | tr -d '. ')
[ -n "$capability" ] || die "nvidia-smi finds no GPU here"
nvcc=$(find_nvcc) || die "no nvcc on PATH or in /usr/local/cuda; CUDA 12.0 or newer is needed"
export CUDACXX=$nvcc

configure=(cmake -S "$root" -B "$build" "${cmake_options[@]}" -DCMAKE_BUILD_TYPE=Release -DGPUSUPERNODAL_TESTS=ON -DGPUSUPERNODAL_CUDA=ON
  -DGPUSUPERNODAL_CUDA_ARCHITECTURES="$capability")
good=yes
if wanted build; then
  { check configure "${configure[@]}" && check build cmake --build "$build" -j "$(nproc)"; } || good=no
fi

if [ $good = yes ] && wanted tests; then
  # Tests share one GPU, so only a few run in parallel.
  check tests ctest --test-dir "$build" -j 4 --output-on-failure --no-tests=error --label-exclude '^(lint|docs|packaging)$'
fi

# sanitize TOOL FOLDER FILTER [EXCLUDED]: runs the tool on the tests of each program in FOLDER that match FILTER and not
# EXCLUDED. Sweeps run only every k-th case.
exclude=${GPUSUPERNODAL_CHECK_EXCLUDE:-*RealMatrices*:*GeneratedMatrices*:*AMillion*}
export GPUSUPERNODAL_TEST_EVERY=${GPUSUPERNODAL_TEST_EVERY:-41}
sanitize() {
  local tool=$1 filter=$3-$exclude${4:+:$4} program name
  for program in "$build/tests/$2"/*_test; do
    [ -x "$program" ] || continue
    # Plans are made without a device, and compute-sanitizer fails for programs that do not use one.
    case $program in *_plan_test) continue ;; esac
    "$program" --gtest_list_tests --gtest_filter="$filter" 2>/dev/null | grep -q '^  ' || continue
    name=$tool-$(basename "$program")
    check "$name" compute-sanitizer --tool "$tool" --error-exitcode 9 --print-limit 10 \
      "$program" --gtest_filter="$filter" --gtest_brief=1
    count "$name"
  done
}
# count NAME: adds the number of passed tests and the tool's findings to the last row.
count() {
  local log=$out/$1.log passed skipped found
  passed=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$log")
  skipped=$(sed -n 's/^\[  SKIPPED \] \([0-9]*\) test.*/, \1 skipped/p' "$log")
  found=$(sed -n 's/^=* [A-Z]* SUMMARY: //p' "$log" | tail -n 1)
  rows[-1]+=" ${passed:-0} passed${skipped}; ${found:-no summary} |"
}
# Runs every test that uses the device. Racecheck is slow and checks shared memory, which only the kernels use. So it
# runs on the kernels' tests and on those executor tests that run each kernel in the order of a factorization.
if [ $good = yes ] && wanted sanitize; then
  if command -v compute-sanitizer >/dev/null 2>&1; then
    for tool in memcheck synccheck initcheck; do
      sanitize $tool kernels/cuda '*'
      sanitize $tool solver/cuda/run '*'
      sanitize $tool solver/backend '*/cuda_*'
      sanitize $tool solver/conformance '*/cuda_*'
      # The excluded tests hold the device or delay work, and need concurrent launches, which the tools do not
      # guarantee.
      sanitize $tool solver/api/cuda '*' '*HoldsTheDevice*:Determinism*'
    done
    sanitize memcheck solver/api '*/cuda_*'
    # The excluded case causes an error on purpose, which memcheck would report.
    sanitize memcheck solver/api "Backends/SolverOnDevice*" '*LeavesTheCallersErrors*'
    sanitize memcheck faults 'Schedules/Capture*:Schedules/CudaGraphs*'
    sanitize racecheck kernels/cuda '*'
    sanitize racecheck solver/cuda/run '*FailedPivotIs*:*DeviceDataOnTheCallersStream*:*ManyRightHandSides*'
    GPUSUPERNODAL_TEST_EVERY=401 sanitize racecheck solver/conformance '*/cuda_float*:*/cuda_double*'
  else
    failures+=(compute-sanitizer)
    rows+=("| compute-sanitizer | not installed | 0 | |")
  fi
fi

if [ $good = yes ] && wanted bench && [ -n "$bench" ]; then
  # shellcheck disable=SC2086  # a list
  for matrix in $bench; do
    check "bench-$(basename "$matrix" | tr ':' '-')" "$build/cli/gpusupernodal" bench "$matrix" --backend cuda --rhs 1,16
  done
fi

commit=${GPUSUPERNODAL_CHECK_COMMIT:-$(git rev-parse --short HEAD 2>/dev/null || echo "not a git checkout")}
{
  say "# GPU check"
  say ""
  say "| what | |"
  say "|---|---|"
  say "| date | $(date -u '+%Y-%m-%d %H:%M UTC') |"
  say "| commit | $commit$(git diff --quiet 2>/dev/null || echo ', with changes') |"
  say "| GPU | $(nvidia-smi --query-gpu=name,memory.total --format=csv,noheader | head -n 1) |"
  say "| driver | $(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -n 1) |"
  say "| CUDA | $("$nvcc" --version | grep -o 'release [^,]*, V[0-9.]*') |"
  say "| compiled for | $capability |"
  say "| host | $(nproc) threads, $(grep -m 1 'model name' /proc/cpuinfo | cut -d: -f2 | xargs) |"
  say ""
  say "| step | result | s | counts |"
  say "|---|---|---|---|"
  printf '%s\n' "${rows[@]}"
  if [ -f "$out/tests.log" ] && wanted tests; then
    say ""
    say '```'
    grep -E '^[0-9]+% tests passed|^Total Test time' "$out/tests.log"
    count_tests "$build"
    say '```'
  fi
  for log in "$out"/bench-*.log; do
    [ -f "$log" ] || continue
    say ""
    say "\`$(basename "$log" .log)\`"
    say ""
    say '```'
    cat "$log"
    say '```'
  done
  for name in "${failures[@]}"; do
    say ""
    say "## Failed: $name"
    say ""
    say '```'
    tail -n 60 "$out/$name.log" 2>/dev/null
    say '```'
  done
} >"$out/report.md"
say "report: $out/report.md; ${#failures[@]} failed"
[ ${#failures[@]} -eq 0 ]
