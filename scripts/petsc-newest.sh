#!/usr/bin/env bash
# Installs a PETSc release from the Python package index into PREFIX, with CUDA if a toolkit is found, and runs the
# plugin's tests with it. Building PETSc takes about ten minutes on two cores; later runs reuse it.
# usage: petsc-newest.sh PREFIX [VERSION]        (default 3.26.1)
#   PETSC_CUDA=OFF disables CUDA; PETSC_CUDA_ARCHITECTURE (default 90) is the CUDA architecture.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
prefix=${1:?usage: petsc-newest.sh PREFIX [VERSION]}
version=${2:-3.26.1}
mkdir -p "$prefix"
prefix=$(cd "$prefix" && pwd)
case $prefix in *" "*) die "PETSc's own configure cannot install into a path with a space: $prefix" ;; esac
"$root/scripts/install-deps.sh" --tests make:make libopenmpi-dev python3-pip:pip3

install_petsc() {
  local work cuda=(--with-cuda=0) nvcc
  work=$(mktemp -d)
  # shellcheck disable=SC2064  # expand the folder now
  trap "rm -rf '$work'" EXIT
  if [ "${PETSC_CUDA:-}" != OFF ] && nvcc=$(find_nvcc); then
    cuda=(--with-cuda=1 --with-cudac="$nvcc" --with-cuda-dir="$(dirname "$(dirname "$nvcc")")"
      --with-cuda-arch="${PETSC_CUDA_ARCHITECTURE:-90}")
  fi
  cd "$work"
  python3 -m pip -q --disable-pip-version-check download --no-deps --no-binary :all: -d . "petsc==$version"
  tar xzf petsc-*.tar.gz
  cd petsc-*/
  python3 ./configure PETSC_ARCH=opt --prefix="$prefix" --with-cc=mpicc --with-cxx=mpicxx --with-fc=0 --with-debugging=0 \
    COPTFLAGS=-O2 CXXOPTFLAGS=-O2 --with-blaslapack-lib="-llapack -lblas" --with-x=0 "${cuda[@]}"
  make -j"$(nproc)" PETSC_DIR="$PWD" PETSC_ARCH=opt all
  make PETSC_DIR="$PWD" PETSC_ARCH=opt install
}

if [ -e "$prefix/lib/libpetsc.so" ]; then
  say "PETSc is already installed: $prefix"
else
  say "installing PETSc $version into $prefix (log: $prefix/install.log)"
  run_logged "$prefix/install.log" install_petsc
fi

export PKG_CONFIG_PATH=$prefix/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
say "PETSc $(pkg-config --modversion PETSc)"
build=$root/build/petsc-$(pkg-config --modversion PETSc)
build_and_test() {
  cmake -S "$root" -B "$build" "${cmake_options[@]}" -DCMAKE_BUILD_TYPE=Release -DGPUSUPERNODAL_TESTS=ON -DGPUSUPERNODAL_PETSC=ON \
    -DGPUSUPERNODAL_CUDA_ARCHITECTURES="${PETSC_CUDA_ARCHITECTURE:-90}"
  cmake --build "$build" -j "$(nproc)" --target plugin/petsc/all examples/petsc/all tests/plugin/petsc/all \
    tests/plugin/petsc/contexts/all
  ctest --test-dir "$build" --output-on-failure --no-tests=error --label-regex '^plugin/petsc$'
}
run_logged "$prefix/tests.log" build_and_test
grep -E '^[0-9]+% tests passed' "$prefix/tests.log"
