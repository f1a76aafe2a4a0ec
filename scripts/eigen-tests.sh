#!/usr/bin/env bash
# Downloads the source of the distribution's package eigen3 into FOLDER and prints the path of its tests. Needs no root
# rights and does not change the system's package sources. Reuses a source that was downloaded before.
# usage: eigen-tests.sh FOLDER
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
folder=${1:?usage: eigen-tests.sh FOLDER}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

# Lists the source archives of the system's package sources, for an apt with separate lists and caches.
list_source_archives() {
  local file
  mkdir -p apt/sources apt/state/lists/partial apt/cache/archives/partial
  : >apt/sources.list
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ ! -f "$file" ] || sed -n 's/^deb\(-src\)\? /deb-src /p' "$file" >>apt/sources.list
  done
  for file in /etc/apt/sources.list.d/*.sources; do
    [ ! -f "$file" ] || sed 's/^Types:.*/Types: deb-src/' "$file" >"apt/sources/$(basename "$file")"
  done
}

private_apt() {
  apt-get -q -o "Dir::Etc::sourcelist=$work/apt/sources.list" -o "Dir::Etc::sourceparts=$work/apt/sources" \
    -o "Dir::State=$work/apt/state" -o "Dir::Cache=$work/apt/cache" -o APT::Sandbox::User= "$@"
}

fetch() {
  cd "$work"
  list_source_archives
  private_apt update
  private_apt source --download-only eigen3
  mkdir tree
  tar xf eigen3_*.orig.tar.* -C tree --strip-components=1
  [ -e tree/test/sparse_solver.h ] || die "the source package eigen3 has no test/sparse_solver.h"
  rm -rf "$folder/eigen3"
  mv tree "$folder/eigen3"
}

if [ ! -e "$folder/eigen3/test/sparse_solver.h" ]; then
  command -v apt-get >/dev/null 2>&1 || die "there is no apt-get here to fetch the source package eigen3 with"
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  run_logged "$folder/fetch.log" fetch >&2
fi
say "$folder/eigen3/test"
