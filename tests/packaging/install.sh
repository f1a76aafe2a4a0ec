#!/usr/bin/env bash
# Installs a build and moves the folder, so that no file can depend on its old place.
# usage: install.sh BUILD PREFIX
set -euo pipefail
build=${1:?usage: install.sh BUILD PREFIX}
prefix=${2:?usage: install.sh BUILD PREFIX}
rm -rf "$prefix" "$prefix.first"
cmake --install "$build" --prefix "$prefix.first" >/dev/null
mv "$prefix.first" "$prefix"
[ -n "$(find "$prefix" -name libgpusupernodal.so)" ]
