#!/usr/bin/env bash
# Builds the examples as users who copied the folder would: against an installed package, without this source tree.
# Configures all; builds and runs two.
# usage: outside.sh BUILD WORK          BUILD: a finished build of gpusupernodal; WORK: a folder to work in
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${1:?usage: outside.sh BUILD WORK}
work=${2:?usage: outside.sh BUILD WORK}
rm -rf "$work"
mkdir -p "$work"

# logged COMMAND...: runs the command and shows its output only if it fails.
logged() { "$@" >"$work/log" 2>&1 || { cat "$work/log"; echo "failed: $*"; return 1; }; }

logged cmake --install "$build" --prefix "$work/installed"
cp -r "$here/../../examples" "$work/examples"
logged cmake -S "$work/examples" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/installed"
logged cmake --build "$work/build" --target example_allocator_and_stream example_eigen_direct
logged ctest --test-dir "$work/build" --output-on-failure --no-tests=error -R 'allocator_and_stream|eigen_direct'
listed=$(ctest --test-dir "$work/build" -N | grep -c 'Test *#')
echo "examples outside the tree: $listed tests configured, 2 built and run"
