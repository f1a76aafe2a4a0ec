#!/usr/bin/env bash
# Tests what scripts/demo.sh refuses before it installs or builds anything; packaging/check_demo.sh tests the rest on
# clean systems.
# usage: demo_refuses.sh SOURCE
set -euo pipefail
# shellcheck source=tests/packaging/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# refuses SENTENCE ARGUMENTS...: the script must fail with the sentence.
refuses() {
  local sentence=$1
  shift
  if "$source/scripts/demo.sh" "$@" >"$work/output" 2>&1; then fail "demo.sh $* did not fail"; fi
  grep -qF "$sentence" "$work/output" || { cat "$work/output"; fail "demo.sh $* does not say: $sentence"; }
}
: >"$work/empty.mtx"
head -c 1000 /dev/urandom >"$work/rubbish.mtx"
gzip -c "$source/LICENSE" >"$work/licence.mtx.gz"
refuses "usage: demo.sh [MATRIX.mtx[.gz]]" one two
refuses "nothing.mtx is not a file" "$work/nothing.mtx"
refuses "is not a file" "$work"
for name in empty.mtx rubbish.mtx licence.mtx.gz; do
  refuses "$name is not a Matrix Market file, plain or gzip: it does not begin with %%MatrixMarket" "$work/$name"
done
echo "demo.sh refuses what is no matrix"
