#!/usr/bin/env bash
# Tests find_package with existing and missing components and versions.
# usage: components.sh PREFIX VERSION HAVE_CUDA HAVE_PETSC      the last two as CMake writes truth
set -euo pipefail
# shellcheck source=tests/packaging/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
prefix=$1 version=$2
[[ $3 =~ ^(ON|1|TRUE)$ ]] && cuda=yes || cuda=no
[[ $4 =~ ^(ON|1|TRUE)$ ]] && petsc=yes || petsc=no
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# configure PREFIX CMAKE-OPTIONS...: prints CMake's output in one line, because CMake breaks sentences.
configure() {
  local from=$1
  shift
  rm -rf "$work/build"
  cmake -S "$here/components" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$from" "$@" >"$work/log" 2>&1
  local status=$?
  tr -s ' \n' '  ' <"$work/log" >"$work/line"
  return $status
}
finds() { configure "$@" || { cat "$work/log"; fail "not found: $*"; }; }
# refuses SENTENCE PREFIX CMAKE-OPTIONS...: configuring must fail with the sentence.
refuses() {
  local sentence=$1
  shift
  if configure "$@"; then fail "found, which it must not be: $*"; fi
  grep -qF "$sentence" "$work/line" || { cat "$work/log"; fail "does not say \"$sentence\": $*"; }
}

finds "$prefix"
finds "$prefix" "-DWANTED=COMPONENTS;eigen" -DWANTED_VERSION="$version"
finds "$prefix" -DWANTED_VERSION="${version%.*}"
refuses "version \"99.0\"" "$prefix" -DWANTED_VERSION=99.0
refuses "Component eigen: Eigen 3.4 or newer was not found: install it" "$prefix" "-DWANTED=COMPONENTS;eigen" \
  -DCMAKE_DISABLE_FIND_PACKAGE_Eigen3=ON
finds "$prefix" -DCMAKE_DISABLE_FIND_PACKAGE_Eigen3=ON
refuses "Component fortran: no component has that name; the components are eigen, petsc, cuda, scalar types and forms." "$prefix" "-DWANTED=COMPONENTS;fortran"
finds "$prefix" "-DWANTED=OPTIONAL_COMPONENTS;fortran"

if [ "$cuda" = yes ]; then finds "$prefix" "-DWANTED=COMPONENTS;cuda"; fi
if [ "$petsc" = yes ]; then
  finds "$prefix" "-DWANTED=COMPONENTS;petsc"
  plugin=$(sed -n 's/^-- plugin=//p' "$work/log")
  [ -f "$plugin" ] || fail "gpusupernodal_PETSC_PLUGIN names no file: $plugin"
fi

# A copy of the tree without plugin and CUDA.
cp -a "$prefix" "$work/without"
find "$work/without" -name 'gpusupernodal-petsc-targets*.cmake' -delete
find "$work/without" -name gpusupernodal-config.cmake \
  -exec sed -i 's/^set(gpusupernodal_cuda_FOUND .*/set(gpusupernodal_cuda_FOUND OFF)/' {} +
finds "$work/without" "-DWANTED=COMPONENTS;eigen"
refuses "Component petsc: the PETSc plugin is not installed: install the package gpusupernodal-petsc, or build" \
  "$work/without" "-DWANTED=COMPONENTS;petsc"
refuses "Component cuda: this gpusupernodal was built without CUDA: build it with -DGPUSUPERNODAL_CUDA=ON" \
  "$work/without" "-DWANTED=COMPONENTS;petsc;cuda"
echo "components: as they should be (CUDA $cuda, PETSc $petsc)"
