#!/usr/bin/env bash
# Runs the command and a selection of the tests under valgrind's memcheck, on the host backend. Errors and memory that is
# definitely, indirectly or possibly lost fail the run; scripts/valgrind.supp lists memory that other libraries keep.
# usage: valgrind.sh [--limit SECONDS] [BUILD]     (default build/valgrind, 600 seconds for each program)
# The AVX-512 kernels do not run, because valgrind emulates a processor without AVX-512.
set -uo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
limit=600
if [ "${1:-}" = --limit ]; then
  limit=${2:?--limit needs seconds}
  shift 2
fi
case ${1:-} in -*) die "usage: valgrind.sh [--limit SECONDS] [BUILD]" ;; esac
build=${1:-$root/build/valgrind}
cd "$root" || exit 1
command -v valgrind >/dev/null 2>&1 || die "valgrind is not installed"
suppressions=$root/scripts/valgrind.supp

# Every suppression must name another library and must not name our code.
if grep -n -i 'gpusupernodal' "$suppressions"; then die "a suppression names our own code"; fi
blocks=$(grep -c '^{' "$suppressions")
[ "$blocks" -eq "$(grep -c '^   obj:' "$suppressions")" ] || die "a suppression does not name the one library it is for"

mkdir -p "$build"
programs=(heap_faults_test cancel_test eigen_faults_test solver_test solver_allocation_test executor_test host_executor_test
  symbolic_parts_test)
[ -f "$build/build.ninja" ] || run_logged "$build/configure.log" cmake -S "$root" -B "$build" "${cmake_options[@]}" \
  -DCMAKE_BUILD_TYPE=RelWithDebInfo -DGPUSUPERNODAL_TESTS=ON -DGPUSUPERNODAL_CUDA=OFF -DGPUSUPERNODAL_PETSC=OFF || exit 1
run_logged "$build/build.log" cmake --build "$build" --target gpusupernodal_cli "${programs[@]}" || exit 1

export GPUSUPERNODAL_TEST_VALGRIND=1
failed=0
# check NAME COMMAND...: runs the command under memcheck and writes its output to BUILD/valgrind-NAME.log.
check() {
  local name=$1 log=$build/valgrind-$1.log begin=$SECONDS status summary
  shift
  timeout "$limit" valgrind --error-exitcode=9 --leak-check=full --show-leak-kinds=definite,indirect,possible \
    --errors-for-leak-kinds=definite,indirect,possible --suppressions="$suppressions" --fair-sched=yes "$@" >"$log" 2>&1
  status=$?
  if grep -q '0 tests from 0 test suites ran' "$log"; then status="0, but no test matches the filter"; fi
  summary=$(grep -o 'ERROR SUMMARY.*' "$log" | tail -n 1)
  say "$name: exit code $status, ${summary:-no summary} ($((SECONDS - begin)) s)"
  if [ "$status" != 0 ]; then
    tail -n 40 "$log"
    failed=1
  fi
}

command=$build/cli/gpusupernodal
check solve "$command" solve tests/data/bcsstk14.mtx.gz --backend host --threads 1
check solve-threads "$command" solve tests/data/bcsstk18.mtx.gz --backend host --threads 3
check analyze "$command" analyze tests/data/plbuckle.mtx.gz
check heap-faults "$build/tests/faults/heap_faults_test" --gtest_brief=1
check cancel "$build/tests/faults/cancel_test" --gtest_brief=1
check eigen-faults "$build/tests/faults/eigen_faults_test" --gtest_brief=1 --gtest_filter='*Allocator*'
check solver "$build/tests/solver/api/solver_test" --gtest_brief=1 --gtest_filter='*host_double*-*Threads*:*Condition*'
check allocation "$build/tests/solver/api/solver_allocation_test" --gtest_brief=1
check executor "$build/tests/solver/backend/executor_test" --gtest_brief=1 --gtest_filter='ExecutorFailure/host_double.ReportsTheEarlier*'
check host-executor "$build/tests/solver/host/run/host_executor_test" --gtest_brief=1 --gtest_filter='*GraphRunner*:*PivotMonitor*'
check symbolic-parts "$build/tests/solver/symbolic/symbolic_parts_test" --gtest_brief=1
exit $failed
