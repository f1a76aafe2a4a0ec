#!/usr/bin/env bash
# The consumer with the library's source inside its project: a static library by add_subdirectory, which is then installed,
# moved and used by find_package and pkg-config; and a shared one by FetchContent. Builds the library twice.
# usage: source.sh WORK
set -euo pipefail
# shellcheck source=tests/packaging/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
work=$(mkdir -p "${1:?usage: source.sh WORK}" && cd "$1" && pwd)
source=(-DGPUSUPERNODAL_SOURCE="$(cd "$here/../.." && pwd)" -DGPUSUPERNODAL_CUDA=OFF -DGPUSUPERNODAL_PETSC=OFF
  -DCMAKE_BUILD_TYPE=Release)

echo "static, add_subdirectory"
consume "$work/static" "${source[@]}" -DGPUSUPERNODAL_SHARED=OFF -DGPUSUPERNODAL_INSTALL=ON
echo "static, installed and moved, find_package"
rm -rf "$work/first" "$work/moved here"
cmake --install "$work/static" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/moved here"
python3 "$here/no_build_path.py" "$work/moved here" "$here/../.." "$work/static"
bash "$here/find_package.sh" "$work/moved here" g++ -DCONSUMER_STANDARDS=17
echo "static, pkg-config"
bash "$here/pkg_config.sh" "$work/moved here" --static
echo "shared, FetchContent"
consume "$work/fetched" "${source[@]}" -DCONSUMER_FETCHES=ON -DCONSUMER_STANDARDS=20
