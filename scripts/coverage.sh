#!/usr/bin/env bash
# Measures the lines of solver/ and kernels/host that the tests run; fails below 90 % line coverage.
# usage: coverage.sh [BELOW]         BELOW: another percentage
# The report is build/coverage/report/index.html. The preset "coverage" does not compile device code.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
below=${1:-90}
build=$root/build/coverage
"$root/scripts/install-deps.sh" --tests gcovr:gcovr
mkdir -p "$build/report"
cd "$root"
run_logged "$build/build.log" cmake --preset coverage
run_logged "$build/build.log" cmake --build "$build" -j "$(nproc)"
find "$build" -name '*.gcda' -delete
run_logged "$build/tests.log" ctest --test-dir "$build" -j "$(nproc)" --output-on-failure --label-exclude '^(lint|tests/docs|docs|packaging)$'
gcovr --root "$root" --object-directory "$build" --filter "$root/solver/" --filter "$root/kernels/host/" -j "$(nproc)" \
  --exclude-unreachable-branches --gcov-ignore-parse-errors --html-details "$build/report/index.html" \
  --txt "$build/report/report.txt" --print-summary --fail-under-line "$below"
