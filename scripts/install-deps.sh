#!/usr/bin/env bash
# Installs missing build dependencies from the distribution's packages; needs neither network nor root rights if none is
# missing.
# usage: install-deps.sh [--tests] [PACKAGE...]
#        --tests: also the packages for the tests and the format check; PACKAGE: additional packages
# Supports Debian 12 and 13 and Ubuntu 24.04; on other systems it lists what to install.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Each entry is a package, or package:command if another package may provide the command.
packages=(g++:g++ cmake:cmake ninja-build:ninja pkg-config:pkg-config python3:python3 libmetis-dev libtbb-dev
  libeigen3-dev libcli11-dev nlohmann-json3-dev libfmt-dev zlib1g-dev libpetsc-real-dev)
case ${1:-} in
  --tests)
    packages+=(git:git libgtest-dev libbenchmark-dev libsuitesparse-dev libopenblas-dev clang-format:clang-format lld:ld.lld
      ccache:ccache libpetsc-complex-dev libslepc-real-dev python3-petsc4py-real 'libpetsc*-dev-examples' python3-scipy doxygen:doxygen python3-sphinx
      python3-myst-parser python3-breathe furo)
    shift
    ;;
  -*) die "usage: install-deps.sh [--tests] [PACKAGE...]" ;;
esac
packages+=("$@")

is_there() {
  local package=${1%%:*} command=${1#*:}
  if [ "$command" != "$1" ] && command -v "$command" >/dev/null 2>&1; then return 0; fi
  dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null | grep -x installed >/dev/null  # PACKAGE may be a pattern
}

if ! command -v dpkg-query >/dev/null 2>&1 || ! command -v apt-get >/dev/null 2>&1; then
  die "this is not Debian or Ubuntu: install what corresponds to ${packages[*]%%:*} (docs/install.md says what each is for)"
fi

missing=()
for package in "${packages[@]}"; do
  is_there "$package" || missing+=("${package%%:*}")
done
if [ ${#missing[@]} -eq 0 ]; then
  say "dependencies: all there"
  exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null 2>&1 ||
    die "these packages are missing, and installing them needs root or sudo: apt-get install ${missing[*]}"
  as_root=(sudo)
  sudo true || die "these packages are missing, and sudo refuses to install them: apt-get install ${missing[*]}"
fi

say "dependencies: installing ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y "$@"; }
# The package lists may be old or absent. If updating them fails, the installation below reports the missing packages.
apt update >"$log" 2>&1 || true
if ! apt install --no-install-recommends "${missing[@]}" >>"$log" 2>&1; then
  tail -n 20 "$log" >&2
  grep -qE 'Could not (resolve|connect)|Failed to fetch|Temporary failure' "$log" &&
    die "apt-get does not reach the package archive, and these are missing: ${missing[*]}"
  system=$(. /etc/os-release 2>/dev/null && echo "${PRETTY_NAME:-an unknown system}")
  die "apt-get could not install ${missing[*]} on $system; tested are Debian 12 and 13 and Ubuntu 24.04 (with 'universe')"
fi
say "dependencies: installed"
