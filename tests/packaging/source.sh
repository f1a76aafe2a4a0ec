#!/usr/bin/env bash
# Builds the consumer with the library's source in its project: as a static library by add_subdirectory, which is then
# installed, moved and used by find_package and pkg-config; and as a shared one by FetchContent. Builds the library
# twice, with the options of scripts/test.sh and in folders as deep as build/ci, so that ccache has its objects.
# usage: source.sh WORK      makes WORK/consumer-…
set -euo pipefail
# shellcheck source=tests/packaging/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
work=$(mkdir -p "${1:?usage: source.sh WORK}" && cd "$1" && pwd)
root=$(cd "$here/../.." && pwd)
source=(-DGPUSUPERNODAL_SOURCE="$root" -DGPUSUPERNODAL_CUDA=OFF -DGPUSUPERNODAL_PETSC=OFF
  -DCMAKE_BUILD_TYPE=Release -DGPUSUPERNODAL_WERROR=ON)

echo "static, add_subdirectory"
consume "$work/consumer-static" "${source[@]}" -DGPUSUPERNODAL_SHARED=OFF -DGPUSUPERNODAL_INSTALL=ON
echo "static, installed and moved, find_package"
rm -rf "$work/consumer-installed" "$work/consumer moved here"
cmake --install "$work/consumer-static" --prefix "$work/consumer-installed" >/dev/null
mv "$work/consumer-installed" "$work/consumer moved here"
python3 "$here/no_build_path.py" "$work/consumer moved here" "$root" "$work/consumer-static"
bash "$here/find_package.sh" "$work/consumer moved here" g++ -DCONSUMER_STANDARDS=17
echo "static, pkg-config"
bash "$here/pkg_config.sh" "$work/consumer moved here" --static
echo "shared, FetchContent"
consume "$work/consumer-fetched" "${source[@]}" -DCONSUMER_FETCHES=ON -DCONSUMER_STANDARDS=20
