#!/usr/bin/env bash
# Fuzzes the readers of Matrix Market files and the checks of the C++ interface with clang's libFuzzer and the address
# and undefined behaviour sanitizers, starting from the corpora in tests/fuzz/corpus. A finding is an error; the message
# names its input. Without a finding and with --keep, the minimised corpora replace the old ones.
# usage: fuzz.sh [--keep] [EXECUTIONS] [TARGET...]     default: 1000000 executions of each target, reader and solver
# The build stays in build/fuzz (GPUSUPERNODAL_FUZZ_BUILD); its folder fuzz holds logs and findings.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

keep=no
if [ "${1:-}" = --keep ]; then
  keep=yes
  shift
fi
executions=${1:-1000000}
[[ $executions =~ ^[0-9]+$ ]] || die "usage: fuzz.sh [--keep] [EXECUTIONS] [TARGET...]"
targets=("${@:2}")
[ "${#targets[@]}" -gt 0 ] || targets=(reader solver)
for target in "${targets[@]}"; do
  [[ $target =~ ^(reader|solver)$ ]] || die "there is no target $target, only reader and solver"
done
command -v clang++ >/dev/null 2>&1 || die "clang++ is needed (Debian, Ubuntu: apt-get install clang)"

build=${GPUSUPERNODAL_FUZZ_BUILD:-$root/build/fuzz}
work=$build/fuzz
corpora=$root/tests/fuzz/corpus
pack=$root/tests/fuzz/pack_corpus.py
mkdir -p "$work"
run_logged "$work/configure.log" cmake -S "$root" -B "$build" "${cmake_options[@]}" -DCMAKE_BUILD_TYPE=Release -DGPUSUPERNODAL_TESTS=ON \
  -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ -DGPUSUPERNODAL_FUZZ=ON -DGPUSUPERNODAL_CUDA=OFF \
  -DGPUSUPERNODAL_PETSC=OFF -DGPUSUPERNODAL_EXAMPLES=OFF -DGPUSUPERNODAL_CLI=OFF
run_logged "$work/build.log" cmake --build "$build" -j "$(nproc)" --target "${targets[@]/#/fuzz_}"

# Small inputs and a limit on single allocations, so that a reader that trusts the sizes in a file is a finding.
limits() {
  case $1 in
    reader) printf '%s\n' -max_len=400 -malloc_limit_mb=8 "-dict=$root/tests/fuzz/matrix_market.dict" ;;
    solver) printf '%s\n' -max_len=160 -len_control=30 -entropic=0 -malloc_limit_mb=64 ;;
  esac
}

# Short stack traces and a small quarantine of freed memory make each execution faster.
export ASAN_OPTIONS=malloc_context_size=6:quarantine_size_mb=16:max_malloc_fill_size=64${ASAN_OPTIONS:+:$ASAN_OPTIONS}
for target in "${targets[@]}"; do
  found=$work/$target
  mapfile -t options < <(limits "$target")
  mkdir -p "$found"
  [ ! -f "$corpora/$target.hex" ] || python3 "$pack" unpack "$corpora/$target.hex" "$found"
  log=$work/$target.log
  say "$target: $executions executions, log in $log"
  "$build/tests/fuzz/fuzz_$target" "${options[@]}" -runs="$executions" -rss_limit_mb=2048 -timeout=20 -print_final_stats=1 \
    -artifact_prefix="$work/$target-finding-" "$found" >"$log" 2>&1 || {
    tail -n 40 "$log"
    die "$target: a finding; its input is $(find "$work" -name "$target-finding-*" -newer "$work/build.log" | tail -n 1)"
  }
  grep -E 'stat::number_of_executed_units|stat::average_exec_per_sec|stat::peak_rss_mb' "$log"
  say "$target: no finding"
  if [ "$keep" = yes ]; then
    rm -rf "$work/$target-minimal"
    mkdir "$work/$target-minimal"
    # Keep inputs that reach new branches, not those that only change how often a branch is taken.
    run_logged "$work/$target-merge.log" "$build/tests/fuzz/fuzz_$target" "${options[@]}" -use_counters=0 -merge=1 \
      "$work/$target-minimal" "$found"
    python3 "$pack" pack "$work/$target-minimal" "$corpora/$target.hex"
    say "$target: $(wc -l <"$corpora/$target.hex") inputs kept in $corpora/$target.hex"
  fi
done
