#!/usr/bin/env bash
# On a machine with a GPU: builds for it, runs all tests, compute-sanitizer on the small CUDA cases, and the bench, and
# writes one report, OUT/report.md, with the logs beside it. Goes on after a failing step; exits 1 at the end if one failed.
# usage: gpu-check.sh [--limit SECONDS] [--only STEP,STEP...] [--bench "MATRIX..."] [OUT]
#   --limit  for each step (default 600)      --only  of build, tests, sanitize, bench (default all)
#   --bench  files or generated matrices (default "tests/data/bcsstk18.mtx.gz lap3d:40 elas:20 lap2d:300")
#   OUT      default build/gpu-check
# Where packages cannot be installed, a folder .bundle made by scripts/offline-bundle.sh elsewhere is used.
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
# shellcheck disable=SC1091  # made elsewhere
[ ! -f .bundle/env.sh ] || . .bundle/env.sh

rows=()
failures=()
# check NAME COMMAND...: under the limit, with its output in OUT/NAME.log.
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

configure=(cmake -S "$root" -B "$build" "${cmake_options[@]}" -DCMAKE_BUILD_TYPE=Release -DGPUSUPERNODAL_CUDA=ON
  -DGPUSUPERNODAL_CUDA_ARCHITECTURES="$capability")
good=yes
if wanted build; then
  { check configure "${configure[@]}" && check build cmake --build "$build" -j "$(nproc)"; } || good=no
fi

if [ $good = yes ] && wanted tests; then
  # Tests that use the device share one GPU: a few at a time.
  check tests ctest --test-dir "$build" -j 4 --output-on-failure --no-tests=error --label-exclude '^(lint|docs|packaging)$'
fi

# sanitize TOOL FOLDER FILTER [LEFT OUT]: the tool over the tests of each program in a folder of tests, but for those that
# the filter LEFT OUT names, too. Sweeps are thinned out.
exclude=${GPUSUPERNODAL_CHECK_EXCLUDE:-*RealMatrices*:*GeneratedMatrices*:*AMillion*}
export GPUSUPERNODAL_TEST_EVERY=${GPUSUPERNODAL_TEST_EVERY:-41}
sanitize() {
  local tool=$1 filter=$3-$exclude${4:+:$4} program name
  for program in "$build/tests/$2"/*_test; do
    [ -x "$program" ] || continue
    # Plans are made without a device, which the sanitizer takes for a failure.
    case $program in *_plan_test) continue ;; esac
    "$program" --gtest_list_tests --gtest_filter="$filter" 2>/dev/null | grep -q '^  ' || continue
    name=$tool-$(basename "$program")
    check "$name" compute-sanitizer --tool "$tool" --error-exitcode 9 --print-limit 10 \
      "$program" --gtest_filter="$filter" --gtest_brief=1
    count "$name"
  done
}
# count NAME: adds to the last row how many tests passed, and what the tool found.
count() {
  local log=$out/$1.log passed skipped found
  passed=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$log")
  skipped=$(sed -n 's/^\[  SKIPPED \] \([0-9]*\) test.*/, \1 skipped/p' "$log")
  found=$(sed -n 's/^=* [A-Z]* SUMMARY: //p' "$log" | tail -n 1)
  rows[-1]+=" ${passed:-0} passed${skipped}; ${found:-no summary} |"
}
# Every test that uses the device. Racecheck is slow and sees shared memory, which the kernels alone use: they are its matter,
# and of the executor what runs each of them once more in the order that a factorization has.
if [ $good = yes ] && wanted sanitize; then
  if command -v compute-sanitizer >/dev/null 2>&1; then
    for tool in memcheck synccheck initcheck; do
      sanitize $tool kernels/cuda '*'
      sanitize $tool solver/cuda/run '*'
      sanitize $tool solver/backend '*/cuda_*'
      sanitize $tool solver/conformance '*/cuda_*'
      # A held device and long delays need launches that do not wait for each other, which the tools do not promise.
      sanitize $tool solver/api/cuda '*' '*HoldsTheDevice*:Determinism*'
    done
    sanitize memcheck solver/api '*/cuda_*'
    # One case makes an error on purpose, which memcheck would report.
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
    say "skipped: $(grep -c -E '\*\*\*Skipped' "$out/tests.log")"
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
