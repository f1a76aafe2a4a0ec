#!/usr/bin/env bash
# Downloads the headers of a newer Eigen than the distribution's into FOLDER, from a Python package that contains them,
# and prints their path. Reuses headers that were downloaded before.
# usage: eigen-newest.sh FOLDER [VERSION]        (default 5.0.1.1, which has Eigen 5.0.1)
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
folder=${1:?usage: eigen-newest.sh FOLDER [VERSION]}
version=${2:-5.0.1.1}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
headers=$folder/$version/eigency/eigen

if [ ! -e "$headers/Eigen/Version" ]; then
  python3 -m pip --version >/dev/null 2>&1 || die "pip is missing (Debian: apt-get install python3-pip)"
  rm -rf "${folder:?}/$version" "$folder"/eigency-*
  # Only the headers are used, so the package's interpreter and platform do not matter.
  python3 -m pip -q --disable-pip-version-check download --no-deps --only-binary :all: --python-version 3.11 \
    --platform manylinux_2_28_x86_64 -d "$folder" "eigency==$version" >&2
  python3 -m zipfile -e "$folder"/eigency-*.whl "$folder/$version"
  [ -e "$headers/Eigen/Version" ] || die "eigency $version has no Eigen of version 5 or newer"
fi
say "$headers"
