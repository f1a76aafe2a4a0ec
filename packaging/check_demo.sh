#!/usr/bin/env bash
# scripts/demo.sh on a clean system, as a user with sudo, in a folder with a space in its name: the first time, again, without
# network, and where it must refuses. Needs root.
# usage: check_demo.sh WORK [--tests]      --tests: scripts/test.sh --quick as well; SUITE, MIRROR: see chroot.sh
# What is tried is a clone of the last commit.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../scripts/common.sh"
work=$(mkdir -p "${1:?usage: check_demo.sh WORK [--tests]}" && cd "$1" && pwd)
# shellcheck source=packaging/chroot.sh
. "$root/packaging/chroot.sh"
: >"$work/all.log"
system=$work/$suite
clone="/home/user/a clone"

# as_user COMMAND: a line for the shell of the user, in the clone.
as_user() {
  inside "$system" su -l user -c "export LC_ALL=C.UTF-8 && cd '$clone' && $1"
}
prepare() {
  inside "$system" apt-get -q update &&
    inside "$system" apt-get -q -y --no-install-recommends install sudo &&
    inside "$system" useradd --create-home --shell /bin/bash user &&
    git clone -q "file://$root" "$system$clone" && inside "$system" chown -R user: /home/user
}
# The demo with a full disk for its build.
without_space() {
  inside "$system" bash -c "mount -t tmpfs -o size=20m,uid=user tmpfs '$clone/build' && su -l user -c \"'$clone/scripts/demo.sh'\""
}
let_user_sudo() { echo 'user ALL=(ALL) NOPASSWD: ALL' >"$system/etc/sudoers.d/user"; }
# The demo with a matrix or without; its three answers must agree.
demo() { as_user "scripts/demo.sh ${1:-}" | tee "$work/demo.log" && grep -q 'the 3 answers agree' "$work/demo.log"; }

clean_system "$system"
say "clean system: $(sed -n 's/^PRETTY_NAME=//p' "$system/etc/os-release"), $(inside "$system" dpkg-query -f '.\n' -W | wc -l) packages"
check "sudo, a user, a clone in a folder with a space" prepare

check_refusal "packages missing, sudo refuses" 'sudo refuses to install them' as_user scripts/demo.sh
let_user_sudo
NETWORK=no check_refusal "packages missing, no network" 'does not reach the package archive' as_user scripts/demo.sh
check_refusal "no such file" 'is not a file$' as_user 'scripts/demo.sh nothing.mtx'
check_refusal "not a matrix" 'is not a Matrix Market file' as_user 'scripts/demo.sh README.md'

check "demo.sh, the first time" demo
check "demo.sh, again" demo
NETWORK=no check "demo.sh, without network" demo
check "demo.sh, another matrix" demo tests/data/bcsstk14.mtx.gz

printf '%%%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n2 2 -1\n' >"$system/tmp/indefinite.mtx"
check_refusal "not positive definite" 'not positive definite' as_user 'scripts/demo.sh /tmp/indefinite.mtx'
printf '%%%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n' >"$system/tmp/truncated.mtx"
check_refusal "truncated file" 'truncated.mtx' as_user 'scripts/demo.sh /tmp/truncated.mtx'
inside "$system" chown -R root: "$clone/build"
check_refusal "a build folder of someone else" 'cannot be written' as_user scripts/demo.sh
inside "$system" chown -R user: "$clone/build"
check_refusal "no space" 'MiB are free for .*, and building takes' without_space
inside "$system" mv /usr/bin/dpkg-query /usr/bin/dpkg-query.away
check_refusal "neither Debian nor Ubuntu" 'this is not Debian or Ubuntu' as_user scripts/demo.sh
inside "$system" mv /usr/bin/dpkg-query.away /usr/bin/dpkg-query

if [ "${2:-}" = --tests ]; then check "test.sh --quick" as_user 'GPUSUPERNODAL_TEST_CUDA=OFF scripts/test.sh --quick'; fi
