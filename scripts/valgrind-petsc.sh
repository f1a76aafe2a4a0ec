#!/usr/bin/env bash
# Runs PETSc programs with the plugin under valgrind's memcheck. PETSc, MPI and their libraries have errors and leaks,
# so the run fails only for those whose call stack contains a function of ours.
# usage: valgrind-petsc.sh [BUILD]        a build with the plugin and its tests (default build/ci)
set -uo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
build=$(cd "${1:-$root/build/ci}" && pwd) || die "usage: valgrind-petsc.sh [BUILD]"
command -v valgrind >/dev/null 2>&1 || die "valgrind is not installed"
plugin=$build/plugin/petsc/libgpusupernodal_petsc.so
contexts=$build/tests/plugin/petsc/contexts
[ -e "$contexts/petsc_direct" ] || die "$build has no programs of PETSc's: build tests/plugin/petsc/contexts/all there"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
logs=$build/valgrind-petsc
mkdir -p "$logs"
failed=0

# Prints the paragraphs of valgrind's logs that contain our name, except the command line's.
ours() { sed -E 's/^==[0-9]+== ?//' "$@" | awk 'BEGIN { RS = "" } /gpusupernodal/ && !/Command: / { print $0 "\n" }'; }

# under_valgrind NAME RANKS COMMAND...: runs each rank under memcheck and writes our paragraphs of the logs to
# NAME.ours.
under_valgrind() {
  local name=$1 ranks=$2 status launcher=()
  shift 2
  [ "$ranks" = 1 ] || launcher=(mpiexec -n "$ranks")
  rm -f "$logs/$name".*
  # --keep-debuginfo: otherwise frames of libraries that MPI has closed would get names from our library, which is
  # loaded at the same addresses.
  timeout 600 "${launcher[@]}" valgrind --leak-check=full --show-leak-kinds=definite,indirect,possible --num-callers=40 \
    --fair-sched=yes --keep-debuginfo=yes --log-file="$logs/$name.%p" "$@" -dll_append "$plugin" >"$logs/$name.out" 2>&1
  status=$?
  ours "$logs/$name".[0-9]* >"$logs/$name.ours"
  return $status
}

# check NAME RANKS COMMAND...: requires exit code 0 and no errors or leaks of ours.
check() {
  local name=$1 begin=$SECONDS status
  under_valgrind "$@"
  status=$?
  say "$name: exit code $status, errors and leaks of ours: $(grep -c '^$' "$logs/$name.ours") ($((SECONDS - begin)) s)"
  if [ "$status" != 0 ] || [ -s "$logs/$name.ours" ]; then
    tail -n 20 "$logs/$name.out"
    head -n 40 "$logs/$name.ours"
    failed=1
  fi
}

solver=gpusupernodal
cholesky="-pc_type cholesky -pc_factor_mat_solver_type $solver"
for operation in repeat sparse halves error info; do
  check "direct-$operation" 1 "$contexts/petsc_direct" -operation "$operation" -mat_solver_type "$solver"
done
check direct-sparse-on-2 2 "$contexts/petsc_direct" -operation sparse -mat_solver_type "$solver"
check direct-error-on-2 2 "$contexts/petsc_direct" -operation error -mat_solver_type "$solver" -mat_type sbaij
check direct-dense-on-2-together 2 "$contexts/petsc_direct" -operation dense -mat_solver_type "$solver" -mat_gpusupernodal_distribute all
# shellcheck disable=SC2086  # options are words
check blocks 1 "$contexts/petsc_ksp_ksp_tests_ex49" -mat_type baij -bs 4 -herm 0 $cholesky
check newton 1 "$contexts/petsc_snes_tutorials_ex5" -da_grid_x 9 -da_grid_y 9 -pc_type asm -pc_asm_blocks 2 \
  -sub_pc_type cholesky -sub_pc_factor_mat_solver_type "$solver" -snes_view

# Check that a lost factor is detected.
under_valgrind lost 1 "$contexts/petsc_direct" -keep -mat_solver_type "$solver"
[ -s "$logs/lost.ours" ] || die "a program that loses a factor passes as well"
exit $failed
