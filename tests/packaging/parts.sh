#!/usr/bin/env bash
# The optional parts of the build: what is left out, and what the configure output says, if a package is missing; and the
# library without any optional part, which must solve and say what it lacks. The compiler cache has most of its objects from
# the other builds.
# usage: parts.sh WORK      makes WORK/parts-…
set -euo pipefail
# shellcheck source=tests/packaging/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
root=$(cd "$here/../.." && pwd)
work=$(mkdir -p "${1:?usage: parts.sh WORK}" && cd "$1" && pwd)
options=("${consumer_options[@]}" -DCMAKE_BUILD_TYPE=Release -DGPUSUPERNODAL_CUDA=OFF)

# configure FOLDER CMAKE-OPTIONS...: in a new folder; the output is FOLDER.log, and FOLDER.line in one line.
configure() {
  local folder=$1 status=0
  shift
  rm -rf "$folder"
  cmake -S "$root" -B "$folder" "${options[@]}" "$@" >"$folder.log" 2>&1 || status=$?
  tr -s ' \n' '  ' <"$folder.log" >"$folder.line"
  return $status
}
says() {
  grep -qF -- "$2" "$1.line" || {
    tail -n 30 "$1.log"
    fail "$1: the output does not say \"$2\""
  }
}

# without PACKAGE PART SENTENCE: AUTO leaves the part out and says why; ON makes the same sentence an error.
without() {
  local folder=$work/parts-configured
  configure "$folder" -DGPUSUPERNODAL_PETSC=OFF -DCMAKE_DISABLE_FIND_PACKAGE_"$1"=ON || fail "without $1 the project does not configure"
  says "$folder" "gpusupernodal: without $3"
  if configure "$folder" -DGPUSUPERNODAL_PETSC=OFF -DCMAKE_DISABLE_FIND_PACKAGE_"$1"=ON -DGPUSUPERNODAL_"$2"=ON; then
    fail "GPUSUPERNODAL_$2=ON is accepted without $1"
  fi
  says "$folder" "GPUSUPERNODAL_$2=ON, but $1 was not found"
  if configure "$folder" -DGPUSUPERNODAL_PETSC=OFF -DCMAKE_DISABLE_FIND_PACKAGE_"$1"=ON -DGPUSUPERNODAL_TESTS=ON; then
    [ "$1" = CLI11 ] || fail "GPUSUPERNODAL_TESTS=ON is accepted without $1"
  else
    says "$folder" "The tests and benches of gpusupernodal need more: $1 was not found"
  fi
  echo "without $1: $3"
}

# needs PACKAGE SENTENCE: the project does not configure without it.
needs() {
  local folder=$work/parts-configured
  if configure "$folder" -DCMAKE_DISABLE_FIND_PACKAGE_"$1"=ON; then fail "the project configures without $1"; fi
  says "$folder" "$2"
  echo "without $1: an error"
}

without METIS METIS "the ordering metis: METIS was not found (Debian, Ubuntu: libmetis-dev)"
without nlohmann_json COST_FILES "files of cost figures: nlohmann_json was not found (Debian, Ubuntu: nlohmann-json3-dev)"
without Eigen3 EIGEN "the Eigen class: Eigen3 was not found (Debian, Ubuntu: libeigen3-dev)"
without CLI11 CLI "the command gpusupernodal: CLI11 was not found (Debian, Ubuntu: libcli11-dev)"
without ZLIB CLI "the command gpusupernodal: ZLIB was not found (Debian, Ubuntu: zlib1g-dev)"
needs TBB "oneTBB was not found: install it (Debian, Ubuntu: libtbb-dev)"

configure "$work/parts-configured" -DPKG_CONFIG_EXECUTABLE="$(command -v false)" || fail "without pkg-config the project does not configure"
says "$work/parts-configured" "gpusupernodal: without the PETSc plugin: pkg-config finds no module PETSc"
echo "without pkg-config: no PETSc plugin"

mkdir -p "$work/parts-old-petsc"
printf 'Name: PETSc\nDescription: too old\nVersion: 3.17.5\n' >"$work/parts-old-petsc/PETSc.pc"
old="the PETSc 3.17.5 that pkg-config finds (PKG_CONFIG_PATH) is older than 3.18"
PKG_CONFIG_PATH=$work/parts-old-petsc configure "$work/parts-configured" || fail "with an old PETSc the project does not configure"
says "$work/parts-configured" "gpusupernodal: without the PETSc plugin: $old"
if PKG_CONFIG_PATH=$work/parts-old-petsc configure "$work/parts-configured" -DGPUSUPERNODAL_PETSC=ON; then
  fail "GPUSUPERNODAL_PETSC=ON is accepted with an old PETSc"
fi
says "$work/parts-configured" "GPUSUPERNODAL_PETSC=ON, but $old"
echo "with an old PETSc: no PETSc plugin"
grep -q GPUSUPERNODAL_STD_FORMAT:INTERNAL=1 "$work/parts-configured/CMakeCache.txt" ||
  needs fmt "standard library has no std::format (GCC has it from 13 on), and fmt, which takes its place, was not found"

minimal=$work/parts-minimal
configure "$minimal" -DGPUSUPERNODAL_METIS=OFF -DGPUSUPERNODAL_LU_COLUMNS=OFF -DGPUSUPERNODAL_COST_FILES=OFF -DGPUSUPERNODAL_EIGEN=OFF -DGPUSUPERNODAL_CLI=OFF \
  -DGPUSUPERNODAL_PETSC=OFF -DGPUSUPERNODAL_WERROR=ON -DGPUSUPERNODAL_MERGED_SOURCES=all || fail "the library alone does not configure"
cmake --build "$minimal" >"$minimal.log" 2>&1 || { tail -n 40 "$minimal.log"; fail "the library alone does not build"; }
rm -rf "$minimal-installed"
cmake --install "$minimal" --prefix "$minimal-installed" >/dev/null
libraries=$(dirname "$(find "$minimal-installed" -name 'libgpusupernodal.so')")
[ ! -e "$minimal-installed/include/gpusupernodal/eigen.hpp" ] || fail "the header of the Eigen class is installed without the class"
if readelf -d "$libraries/libgpusupernodal.so" | grep -E 'NEEDED.*(metis|fmt|cuda|cublas)'; then fail "the library alone needs more than oneTBB"; fi
g++ -std=c++17 -Wall -Werror "$here/parts/minimal.cpp" -I"$minimal-installed/include" -L"$libraries" -lgpusupernodal \
  -Wl,-rpath,"$libraries" -o "$minimal/minimal"
"$minimal/minimal" || fail "the library without optional parts: see above"

# Wrong names of scalar types and forms.
for wrong in "SCALARS=double;half|GPUSUPERNODAL_SCALARS has \"half\"; it takes a list, separated by semicolons, of float, double," \
  "SCALARS=complex_double|GPUSUPERNODAL_SCALARS is \"complex_double\"; every build has float or double" \
  "FORMS=llt;qr|GPUSUPERNODAL_FORMS has \"qr\"; it takes a list, separated by semicolons, of llt, ldlt, lu" \
  "FORMS=lu|GPUSUPERNODAL_FORMS is \"lu\"; every build has llt"; do
  if configure "$work/parts-configured" "-DGPUSUPERNODAL_${wrong%%|*}"; then fail "GPUSUPERNODAL_${wrong%%|*} is accepted"; fi
  says "$work/parts-configured" "${wrong#*|}"
done
echo "wrong scalar types and forms: errors"

# Double and llt alone, then float without LU. Without optimization the linker notices calls of what is left out in dead code, too.
# reduce FOLDER CMAKE-OPTIONS...: configures such a library.
reduce() {
  local folder=$1
  shift
  configure "$folder" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 -DCMAKE_SHARED_LINKER_FLAGS=-Wl,--no-undefined -DGPUSUPERNODAL_MERGED_SOURCES=all \
    -DGPUSUPERNODAL_METIS=OFF -DGPUSUPERNODAL_COST_FILES=OFF -DGPUSUPERNODAL_EXAMPLES=OFF -DGPUSUPERNODAL_WERROR=ON "$@"
}
choices=$work/parts-choices
reduce "$choices" -DGPUSUPERNODAL_SCALARS=double -DGPUSUPERNODAL_FORMS=llt -DGPUSUPERNODAL_CLI=ON -DGPUSUPERNODAL_EIGEN=ON -DGPUSUPERNODAL_PETSC=OFF ||
  fail "the library for double and llt does not configure"
says "$choices" "gpusupernodal: without the PETSc plugin for complex scalars: "
says "$choices" "gpusupernodal: without LU by columns: it needs lu in GPUSUPERNODAL_FORMS"
cmake --build "$choices" >"$choices.log" 2>&1 || { tail -n 40 "$choices.log"; fail "the library for double and llt does not build"; }
rm -rf "$choices-installed"
cmake --install "$choices" --prefix "$choices-installed" >/dev/null
libraries=$(dirname "$(find "$choices-installed" -name 'libgpusupernodal.so')")
if nm -DC --defined-only "$libraries/libgpusupernodal.so" | grep -E 'Solver<(float|std::complex)'; then fail "the library for double has other scalar types"; fi
g++ -std=c++17 -Wall -Werror "$here/parts/choices.cpp" -I"$choices-installed/include" -L"$libraries" -lgpusupernodal \
  -Wl,-rpath,"$libraries" -o "$choices/choices"
"$choices/choices" || fail "the library for double and llt: see above"

# compiler_refuses SENTENCE FILE FLAGS...: with the library for double and llt.
compiler_refuses() {
  local sentence=$1 file=$2
  shift 2
  if g++ -std=c++17 -fsyntax-only "$here/parts/$file" -I"$choices-installed/include" "$@" 2>"$choices.log"; then
    fail "$file $* compiles with the library for double and llt"
  fi
  grep -qF "$sentence" "$choices.log" || { cat "$choices.log"; fail "the compiler's error does not say \"$sentence\""; }
}
compiler_refuses "was built without this scalar type: name it in the build option GPUSUPERNODAL_SCALARS" refused_scalar.cpp
read -ra eigen <<<"$(PKG_CONFIG_PATH=$libraries/pkgconfig pkg-config --cflags gpusupernodal-eigen)"
g++ -std=c++17 -fsyntax-only "$here/parts/eigen_form.cpp" -I"$choices-installed/include" "${eigen[@]}" -DEIGEN_FORM=LLT ||
  fail "the Eigen class for LLT does not compile with the library for double and llt"
compiler_refuses "was built without LDLT: name ldlt in the build option GPUSUPERNODAL_FORMS" eigen_form.cpp "${eigen[@]}" -DEIGEN_FORM=LDLT
compiler_refuses "was built without LU: name lu in the build option GPUSUPERNODAL_FORMS" eigen_form.cpp "${eigen[@]}" -DEIGEN_FORM=LU

# The command. It refuses before it reads a file: there is none.
"$choices/cli/gpusupernodal" info --json >"$choices.line"
says "$choices" '"double"'
if grep -qE '"(float|complex_float|complex_double|ldlt|lu)"' "$choices.line"; then fail "info names what the library does not have"; fi
# command_refuses SENTENCE ARGUMENTS...
command_refuses() {
  local sentence=$1
  shift
  if "$choices/cli/gpusupernodal" "$@" >"$choices.line" 2>&1; then fail "gpusupernodal $*: accepted"; fi
  cp "$choices.line" "$choices.log"
  says "$choices" "$sentence"
}
of_float="--precision float needs the scalar type float, but this library was built without it; it has double; build it with -DGPUSUPERNODAL_SCALARS='double;float'"
of_lu="the form is lu, but this library was built without it; it has llt; build it with -DGPUSUPERNODAL_FORMS='llt;lu'"
for arguments in solve "solve --method pcg" analyze multiply; do
  # shellcheck disable=SC2086  # words
  command_refuses "$of_float" $arguments missing.mtx --precision float
done
command_refuses "$of_lu" solve missing.mtx --form lu
command_refuses "$of_lu" analyze missing.mtx --form lu
"$choices/cli/gpusupernodal" solve lap2d:10 >/dev/null || fail "the command does not solve with the library for double and llt"
"$choices/cli/gpusupernodal" report "$root/tests/docs/data/indefinite.mtx" --json --seconds 2 >"$choices.line"
says "$choices" "LDLᵀ, which would take its place, was left out of this library; build it with -DGPUSUPERNODAL_FORMS='llt;ldlt'."

# The package.
# components STATUS LIST: configures a project that asks for the components.
components() {
  local status=0
  rm -rf "$work/parts-components"
  cmake -S "$here/components" -B "$work/parts-components" -G Ninja -DCMAKE_PREFIX_PATH="$choices-installed" "-DWANTED=COMPONENTS;$2" \
    >"$choices.log" 2>&1 || status=1
  tr -s ' \n' '  ' <"$choices.log" >"$choices.line"
  [ "$status" = "$1" ] || { cat "$choices.log"; fail "find_package with the components $2: the status is $status"; }
}
components 0 "double;llt"
components 1 "double;lu;float"
says "$choices" "Component lu: this gpusupernodal was built without lu: build it with -DGPUSUPERNODAL_FORMS='llt;lu'."
says "$choices" "Component float: this gpusupernodal was built without float: build it with -DGPUSUPERNODAL_SCALARS='double;float'."

python=
for candidate in python3 /usr/bin/python3; do  # Another interpreter than the distribution's may be first on PATH.
  if [ -z "$python" ] && "$candidate" -c "import numpy, scipy" 2>/dev/null; then python=$candidate; fi
done
if [ -n "$python" ]; then
  PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$root/plugin/python GPUSUPERNODAL_LIBRARY=$libraries/libgpusupernodal.so "$python" - <<'PY' || fail "Python, with the library for double and llt: see above"
import gpusupernodal

assert gpusupernodal.built_with("double") and not gpusupernodal.built_with("lu")
for dtype, form, sentence in (("complex128", "llt", "needs the scalar type complex_double"), ("float64", "lu", "the form is lu")):
    try:
        gpusupernodal.Solver(dtype=dtype, form=form)
    except gpusupernodal.Error as error:
        assert sentence in str(error), error
    else:
        raise SystemExit(f"{dtype}, {form}: accepted")
PY
else
  echo "left out: Python, as NumPy and SciPy are not installed"
fi

# What needs double, and the benches, which need everything. In the same folder as above, the compiler cache has the objects that
# do not depend on the choice.
few=(-DGPUSUPERNODAL_SCALARS=float "-DGPUSUPERNODAL_FORMS=llt;ldlt")
reduce "$choices" "${few[@]}" -DGPUSUPERNODAL_EIGEN=OFF || fail "the library for float, llt and ldlt does not configure"
says "$choices" "gpusupernodal: without the command gpusupernodal: it needs double in GPUSUPERNODAL_SCALARS"
if pkg-config --exists "PETSc >= 3.18"; then says "$choices" "gpusupernodal: without the PETSc plugin: it needs double in GPUSUPERNODAL_SCALARS"; fi
cmake --build "$choices" >"$choices.log" 2>&1 || { tail -n 40 "$choices.log"; fail "the library for float, llt and ldlt does not build"; }
for wrong in "CLI=ON|GPUSUPERNODAL_CLI=ON, but it needs double in GPUSUPERNODAL_SCALARS" \
  "BENCH=ON|GPUSUPERNODAL_BENCH=ON needs all scalar types and forms, but GPUSUPERNODAL_SCALARS is \"float\""; do
  if configure "$work/parts-configured" "${few[@]}" "-DGPUSUPERNODAL_${wrong%%|*}"; then fail "GPUSUPERNODAL_${wrong%%|*} is accepted without double"; fi
  says "$work/parts-configured" "${wrong#*|}"
done
echo "the libraries for double and llt, and for float, llt and ldlt: as they should be"
