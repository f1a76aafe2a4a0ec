#!/usr/bin/env bash
# Compiles the consumer by hand with the flags that pkg-config prints for an installed tree.
# usage: pkg_config.sh PREFIX [--static]
set -euo pipefail
# shellcheck source=tests/packaging/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
prefix=$1 static=${2:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

folder=$(dirname "$(find "$prefix" -name gpusupernodal.pc)")
[ -d "$folder" ] || fail "no gpusupernodal.pc under $prefix"
export PKG_CONFIG_PATH=$folder
library_folder=$(cd "$folder/.." && pwd)

# pkg-config escapes the space in the path as a shell does, so eval can read it.
eval "plugin=$(pkg-config --variable=petsc_plugin gpusupernodal)"
[ -z "$plugin" ] || [ -f "$plugin" ] || fail "petsc_plugin names no file: $plugin"

# compile COMPILER STANDARD MODULE SOURCE: compiles and links with the module's flags.
compile() {
  local compiler=$1 standard=$2 module=$3 source=$4 flags
  command -v "$compiler" >/dev/null 2>&1 || { echo "$compiler is not installed"; return 0; }
  flags=$(pkg-config ${static:+"$static"} --cflags --libs "$module")
  eval "$compiler -std=$standard -o '$work/$source' '$here/consumer/$source.cpp' $flags"
  LD_LIBRARY_PATH=$library_folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$work/$source" || fail "$source failed"
  echo "$module: compiled by $compiler as $standard, and ran"
}
compile g++ c++17 gpusupernodal consumer
compile clang++ c++20 gpusupernodal-eigen consumer_eigen
