#!/usr/bin/env bash
# Builds the Debian packages on this machine, installs them on a clean system of the same release, and uses each: the
# command, the PETSc plugin by name, and the development files. Then lintian, and removal without a trace. Needs root.
# usage: check_deb.sh WORK      WORK keeps the packages (WORK/packages), the system and the log; SUITE, MIRROR: see chroot.sh
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../scripts/common.sh"
work=$(mkdir -p "${1:?usage: check_deb.sh WORK}" && cd "$1" && pwd)
# shellcheck source=packaging/chroot.sh
. "$root/packaging/chroot.sh"
: >"$work/all.log"
system=$work/$suite

build_packages() {
  rm -rf "$work/packages"
  (cd "$root" && cmake --preset package -B "$work/build" "${cmake_options[@]:2}") &&
    cmake --build "$work/build" -j "$(nproc)" &&
    (cd "$work/build" && cpack -B "$work/packages") && rm -rf "$work/packages/_CPack_Packages"
}
# On this machine: the clean system has no compiler yet, as its users have none.
build_petsc_program() {
  # shellcheck disable=SC2046  # pkg-config's words
  mpicc "$root/examples/petsc/solve.c" "$root/examples/petsc/matrix_market.c" -o "$work/solve" \
    $(pkg-config --cflags --libs PETSc)
}
install_in_system() { inside "$system" apt-get -q -y --no-install-recommends install "$@"; }
install_ours() {
  local name files=()
  # shellcheck disable=SC2086  # a pattern, as the library's package is named after its binary interface
  for name in "$@"; do files+=("/packages/$(cd "$work/packages" && echo $name"_"*.deb)"); done
  install_in_system "${files[@]}"
}
solve() { inside "$system" gpusupernodal solve /data/bcsstk18.mtx.gz; }
solve_in_petsc() {
  local plugin
  plugin=$(cd "$system" && find usr/lib -name libgpusupernodal_petsc.so)
  inside "$system" /data/solve -f /data/bcsstk18.mtx.gz -dll_append "/$plugin" -ksp_type preonly \
    -pc_type cholesky -pc_factor_mat_solver_type gpusupernodal -ksp_view | tee "$work/petsc.log" &&
    grep -q 'package used to perform factorization: gpusupernodal' "$work/petsc.log" &&
    grep -qE '^solve 0: CONVERGED_ITS, iterations 1' "$work/petsc.log"
}
consume_by_cmake() {
  inside "$system" bash -c 'cmake -S /data/packaging/consumer -B /tmp/consumer -G Ninja && cmake --build /tmp/consumer &&
    ctest --test-dir /tmp/consumer --output-on-failure --no-tests=error'
}
consume_by_pkg_config() {
  # shellcheck disable=SC2016  # for the shell inside
  inside "$system" bash -c 'cd /tmp && g++ -std=c++17 /data/packaging/consumer/consumer_eigen.cpp -o by_pkg_config \
    $(pkg-config --cflags --libs gpusupernodal-eigen) && ./by_pkg_config'
}
# Tags that are left. An upload to the distribution would close a bug: initial-upload-…. Without DEBFULLNAME and DEBEMAIL
# the packages name no maintainer: bogus-mail-host, root-in-contact. CPack writes scripts that call ldconfig, which does no harm
# beside our trigger: maintscript-calls-ldconfig.
lint() {
  local allowed='initial-upload-closes-no-bugs|bogus-mail-host|root-in-contact|maintscript-calls-ldconfig'
  inside "$system" bash -c 'lintian --allow-root --tag-display-limit 0 /packages/*.deb' | tee "$work/lintian.log"
  ! grep -E '^[EW]: ' "$work/lintian.log" | grep -vE "$allowed"
}
remove() {
  inside "$system" bash -c 'apt-get -q -y purge "*gpusupernodal*"'
  ! find "$system/usr" "$system/etc" "$system/var/lib/dpkg/info" -name '*gpusupernodal*' | grep .
}

check "the packages build" build_packages
check "a PETSc program builds" build_petsc_program
clean_system "$system"
cp -a "$work/packages" "$system/packages"
mkdir "$system/data"
cp -a "$root/tests/data/bcsstk18.mtx.gz" "$root/tests/packaging" "$work/solve" "$system/data"
say "clean system: $(sed -n 's/^PRETTY_NAME=//p' "$system/etc/os-release"), $(inside "$system" dpkg-query -f '.\n' -W | wc -l) packages"

check "package lists" inside "$system" apt-get -q update
check "install the library and the command" install_ours "libgpusupernodal[0-9]*" gpusupernodal
check "gpusupernodal solves a matrix" solve
check "install the PETSc plugin" install_ours gpusupernodal-petsc
check "a PETSc program loads it and solves by name" solve_in_petsc
check "install the development files" install_ours libgpusupernodal-dev
check "install a compiler" install_in_system g++ cmake ninja-build pkg-config libeigen3-dev
check "a project builds by find_package and runs, C++17 and C++20" consume_by_cmake
check "a program builds by pkg-config and runs" consume_by_pkg_config
check "install lintian" install_in_system lintian
check "lintian finds no error and no warning that is not explained" lint
check "removal leaves nothing" remove
(cd "$work/packages" && stat -c '%s %n' -- *.deb)
