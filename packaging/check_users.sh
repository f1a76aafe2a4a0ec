#!/usr/bin/env bash
# What a new user types, on a clean system: installs the packages of docs/install.md, then follows README.md and docs/clusters.md, whose
# lines are read from the pages, in a fresh clone for each user up to the first answer. Prints the seconds of each step. Needs root.
# usage: check_users.sh WORK [USER...]      (default: eigen python petsc); SUITE, MIRROR: see chroot.sh
#   eigen: README's line, a project that finds the package, and the command; python: pip, then README's program;
#   petsc: the three commands without root, then a PETSc program that selects the solver by options.
# A file named by PIP_CERT, the certificates of a proxy, is copied to the system.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../scripts/common.sh"
work=$(mkdir -p "${1:?usage: check_users.sh WORK [USER...]}" && cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- eigen python petsc
# shellcheck source=packaging/chroot.sh
. "$root/packaging/chroot.sh"
: >"$work/all.log"
system=$work/$suite
jobs=${JOBS:-$(nproc)}

# packages_in ROW...: the packages in the rows of docs/install.md that begin so.
packages_in() {
  local row
  for row in "$@"; do
    grep "^| $row" "$root/docs/install.md" | awk -F '|' '{ printf "%s ", $3 }'
  done
}
packages_of() {
  case $1 in
    eigen) packages_in 'every build' library 'Eigen class' 'command line' && echo sudo ;;
    python) packages_in 'every build' library && echo python3-venv ca-certificates ;;
    petsc) packages_in 'every build' library 'PETSc plugin' && echo ;;
    *) die "there is no user $1; there are eigen, python and petsc" ;;
  esac
}
# shellcheck disable=SC2046  # a list
install_packages() { inside "$system" apt-get -q update && inside "$system" apt-get -q -y --no-install-recommends install $(packages_of "$1"); }
let_user_in() {
  inside "$system" bash -c 'id user 2>/dev/null || useradd --create-home --shell /bin/bash user'
  if [ -d "$system/etc/sudoers.d" ]; then echo 'user ALL=(ALL) NOPASSWD: ALL' >"$system/etc/sudoers.d/user"; fi
  if [ -n "${PIP_CERT:-}" ]; then cp "$PIP_CERT" "$system/home/user/pip-certificates"; fi
}
fresh_clone() {
  rm -rf "$system/home/user/gpusupernodal"
  git clone -q "file://$root" "$system/home/user/gpusupernodal" && inside "$system" chown -R user: /home/user
}
# as_user: runs the lines on standard input in the clone, in a shell that ends at the first failure.
as_user() {
  inside "$system" su -l user -c "export LC_ALL=C.UTF-8 CMAKE_BUILD_PARALLEL_LEVEL=$jobs PIP_DISABLE_PIP_VERSION_CHECK=1
    [ ! -e ~/pip-certificates ] || export PIP_CERT=~/pip-certificates
    cd gpusupernodal && bash -eo pipefail -s"
}
# block PAGE HEADING LANGUAGE: the first block of code in that language below the line with the heading.
block() {
  awk -v heading="$2" -v fence="\`\`\`$3" 'index($0, heading) { below = 1 } below && inside && /^```/ { exit } inside { print }
    below && $0 == fence { inside = 1 }' "$root/$1" | sed "s/-j 8/-j $jobs/"
}

# shellcheck disable=SC2016  # the quotes of Markdown
eigen_installs() { grep -o '`cmake -S \. -B build && [^`]*`' "$root/README.md" | head -n 1 | tr -d '`' | sed "s/-j 8/-j $jobs/" | as_user; }
eigen_solves() {
  printf '%s\n' 'cmake -S tests/packaging/consumer -B ~/consumer' 'cmake --build ~/consumer' \
    'ctest --test-dir ~/consumer --output-on-failure --no-tests=error' | as_user
}
command_solves() { echo 'gpusupernodal solve tests/data/bcsstk18.mtx.gz && gpusupernodal doctor' | as_user; }
python_installs() { printf '%s\n' 'python3 -m venv ~/venv' '. ~/venv/bin/activate' 'pip install .' | as_user; }
python_solves() {
  { echo '. ~/venv/bin/activate; cd ~; python - <<PROGRAM' && block README.md 'From **Python**' python &&
    printf '%s\n' 'print(factor, abs(A @ x - 1).max())' 'assert abs(A @ x - 1).max() < 1e-14' PROGRAM; } | as_user
}
petsc_installs() { block docs/clusters.md '## Three commands' sh | as_user; }
petsc_solves() {
  # shellcheck disable=SC2016  # for the shell inside
  { echo 'mpicc examples/petsc/solve.c examples/petsc/matrix_market.c -o your_program $(pkg-config --cflags --libs PETSc)' &&
    echo 'export OMPI_MCA_ess_singleton_isolated=1' && block docs/clusters.md 'Then any PETSc program' sh | sed -z 's/\\\n//; s/\n$//' &&
    echo ' -f tests/data/bcsstk18.mtx.gz -ksp_type preonly -ksp_view | tee petsc.log' &&
    echo 'grep "package used to perform factorization: gpusupernodal" petsc.log'; } | as_user
}

for user in "$@"; do
  clean_system "$system"
  say "$user on $(sed -n 's/^PRETTY_NAME=//p' "$system/etc/os-release")"
  check "packages: $(packages_of "$user")" install_packages "$user"
  check "a user" let_user_in
  check "git clone" fresh_clone
  check "$user: install" "${user}_installs"
  check "$user: first answer" "${user}_solves"
  if [ "$user" = eigen ]; then check "the command: first answer" command_solves; fi
done
