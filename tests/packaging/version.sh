#!/usr/bin/env bash
# Checks that all places that state a version agree.
# usage: version.sh PREFIX VERSION SOVERSION
set -euo pipefail
# shellcheck source=tests/packaging/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
prefix=$1 version=$2 soversion=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# same WHAT FOUND EXPECTED: fails unless FOUND is EXPECTED.
same() { [ "$2" = "$3" ] || fail "$1 says $2, not $3"; }
library=$(find "$prefix" -name libgpusupernodal.so)
pc=$(find "$prefix" -name gpusupernodal.pc)
same "gpusupernodal --version" "$("$prefix/bin/gpusupernodal" --version)" "$version"
same "gpusupernodal.pc" "$(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --modversion gpusupernodal)" "$version"
cmake -S "$here/components" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" >"$work/log" || fail "$(cat "$work/log")"
same "the CMake package" "$(sed -n 's/^-- version=//p' "$work/log")" "$version"
same "the library's file" "$(basename "$(readlink -f "$library")")" "libgpusupernodal.so.$version"
same "the library's soname" "$(objdump -p "$library" | awk '$1 == "SONAME" { print $2 }')" "libgpusupernodal.so.$soversion"
echo "version: $version, everywhere"
