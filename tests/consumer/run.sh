#!/usr/bin/env bash
# Builds and runs the consumer project as users would: against an installed package, moved after it was installed, by
# find_package and by pkg-config; and with --source, by add_subdirectory.
# usage: run.sh BUILD WORK          BUILD: a build folder of gpusupernodal; WORK: an empty or new folder
#        run.sh --source WORK
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mode=${1:?usage: run.sh BUILD|--source WORK}
work=$(mkdir -p "${2:?usage: run.sh BUILD|--source WORK}" && cd "$2" && pwd)

# configure_and_test NAME CMAKE-OPTIONS...: the build's output is shown when it fails.
configure_and_test() {
  local name=$1 log=$work/$1.log
  shift
  { cmake -S "$here" -B "$work/$name" -G Ninja -DCMAKE_BUILD_TYPE=Release "$@" && cmake --build "$work/$name"; } \
    >"$log" 2>&1 || { tail -40 "$log"; echo "consumer by $name: does not build"; return 1; }
  ctest --test-dir "$work/$name" --output-on-failure >"$log.test" 2>&1 || { cat "$log.test"; return 1; }
  echo "consumer by $name: built and ran"
}

if [ "$mode" = --source ]; then
  launcher=(); if command -v ccache >/dev/null; then launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
  configure_and_test add_subdirectory -DGPUSUPERNODAL_SOURCE="$here/../.." -DGPUSUPERNODAL_CUDA=OFF \
    -DGPUSUPERNODAL_PETSC=OFF "${launcher[@]}"
  exit
fi

rm -rf "$work/first" "$work/moved here"
cmake --install "$mode" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/moved here"
prefix="$work/moved here"
configure_and_test find_package -DCMAKE_PREFIX_PATH="$prefix"

pc=$(find "$prefix" -name gpusupernodal.pc)
[ -n "$pc" ] || { echo "consumer by pkg-config: no gpusupernodal.pc was installed"; exit 1; }
# pkg-config escapes the space of the path as a shell would, so that eval splits at the right places.
flags=$(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --cflags --libs gpusupernodal)
library_folder=$(cd "$(dirname "$pc")/.." && pwd)
eval "${CXX:-c++} -std=c++17 -o '$work/by_pkg_config' '$here/consumer.cpp' $flags"
LD_LIBRARY_PATH=$library_folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$work/by_pkg_config"
echo "consumer by pkg-config: built and ran"
