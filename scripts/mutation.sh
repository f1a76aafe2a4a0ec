#!/usr/bin/env bash
# Checks that the tests detect broken lines: applies each mutation of tests/mutation/mutations.json by itself.
# usage: mutation.sh [PATTERN]       PATTERN: only mutations whose description matches it
# Works on a copy of the committed files in build/mutation.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
copy=$root/build/mutation/source
build=$root/build/mutation/build
rm -rf "$copy"
mkdir -p "$copy" "$build"
git -C "$root" archive HEAD | tar -x -C "$copy"
run_logged "$build.log" cmake -S "$copy" -B "$build" "${cmake_options[@]}" -DCMAKE_BUILD_TYPE=Release -DGPUSUPERNODAL_TESTS=ON \
  -DGPUSUPERNODAL_CUDA=OFF -DGPUSUPERNODAL_PETSC=OFF -DGPUSUPERNODAL_EXAMPLES=OFF -DGPUSUPERNODAL_BENCH=OFF
exec python3 "$root/tests/mutation/mutate.py" "$copy" "$build" "$@"
