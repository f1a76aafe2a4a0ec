#!/usr/bin/env bash
# Builds and runs the consumer in each C++ standard against an installed tree.
# usage: find_package.sh PREFIX COMPILER [CMAKE-OPTIONS...]      77: the compiler is not installed
set -euo pipefail
# shellcheck source=tests/packaging/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
prefix=$1 compiler=$2
shift 2
command -v "$compiler" >/dev/null 2>&1 || { echo "skipped: $compiler is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
consume "$work/consumer" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$compiler" "$@"
