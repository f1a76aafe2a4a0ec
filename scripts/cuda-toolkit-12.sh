#!/usr/bin/env bash
# Puts together the parts of CUDA 12.4 that compiling and linking this project needs, in PREFIX, without root: NVIDIA's
# packages on the Python package index have libraries and headers of CUDA 12, but no compiler, so nvcc comes from Debian 13's
# packages (non-free), which are unpacked and not installed. About 1.5 GB, without a driver. Needs apt-get and pip.
# usage: cuda-toolkit-12.sh PREFIX               prints the path of nvcc; MIRROR: the archive of Debian
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
prefix=$(mkdir -p "${1:?usage: cuda-toolkit-12.sh PREFIX}" && cd "$1" && pwd)
toolkit=$prefix/toolkit
nvcc=$toolkit/bin/nvcc
if [ -x "$nvcc" ]; then
  say "$nvcc"
  exit 0
fi
command -v apt-get >/dev/null 2>&1 || die "apt-get is missing: this script unpacks packages of Debian"
python3 -m pip --version >/dev/null 2>&1 || die "pip is missing (Debian: apt-get install python3-pip)"
rm -rf "$prefix/made"
made=$prefix/made

# The package lists are kept in PREFIX, so that the sources of this machine stay as they are.
download_compiler() {
  local options
  mkdir -p "$prefix/apt/lists/partial" "$prefix/apt/cache/archives/partial" "$prefix/packages"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${MIRROR:-http://deb.debian.org/debian} trixie non-free" \
    >"$prefix/apt/sources.list"
  options=(-q -o "Dir::Etc::sourcelist=$prefix/apt/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$prefix/apt/lists"
    -o "Dir::Cache=$prefix/apt/cache" -o APT::Sandbox::User=root)
  apt-get "${options[@]}" update && (cd "$prefix/packages" && apt-get "${options[@]}" download nvidia-cuda-toolkit libnvvm4)
}
unpack_compiler() {
  local package
  mkdir -p "$made/bin" "$made/nvvm/bin" "$made/nvvm/libdevice" "$prefix/unpacked"
  for package in "$prefix"/packages/*.deb; do dpkg-deb -x "$package" "$prefix/unpacked"; done
  local there=$prefix/unpacked/usr/lib/nvidia-cuda-toolkit name
  for name in cudafe++ ptxas fatbinary nvlink bin2c __nvcc_device_query; do mv "$prefix/unpacked/usr/bin/$name" "$made/bin"; done
  mv "$there/bin/nvcc" "$there/bin/crt" "$made/bin"
  mv "$there/bin/cicc" "$made/nvvm/bin"
  mv "$there/libdevice/libdevice.10.bc" "$made/nvvm/libdevice"
  rm -rf "$prefix/unpacked" "$prefix/packages" "$prefix/apt"
}
# Debian's own profile names its folders; this one finds everything beside nvcc.
write_profile() {
  cat >"$made/bin/nvcc.profile" <<'PROFILE'
TOP = $(_HERE_)/..
CICC_PATH = $(TOP)/nvvm/bin
NVVMIR_LIBRARY_DIR = $(TOP)/nvvm/libdevice
PATH += $(CICC_PATH):$(_HERE_):
INCLUDES += "-I$(TOP)/include" $(_SPACE_)
LIBRARIES =+ $(_SPACE_) "-L$(TOP)/lib64"
PROFILE
}
# cuSOLVER and cuSPARSE count their versions on their own: these are those of CUDA 12.4.
download_libraries() {
  python3 -m pip --disable-pip-version-check --no-cache-dir install -q --root-user-action=ignore --no-deps --no-compile --target "$prefix/python" \
    nvidia-cuda-{runtime,cccl,nvcc}-cu12==12.4.* nvidia-{cublas,nvjitlink,nvtx}-cu12==12.4.* \
    nvidia-cusolver-cu12==11.6.1.* nvidia-cusparse-cu12==12.3.1.*
}
place_libraries() {
  local folder library
  mkdir -p "$made/include" "$made/lib64"
  for folder in "$prefix"/python/nvidia/*/; do
    if [ -d "$folder/include" ]; then cp -r "$folder/include/." "$made/include"; fi
    find "$folder" -path "*/lib/*" \( -name "*.so*" -o -name "*.a" \) -exec mv {} "$made/lib64" \;
  done
  # The compiler and CMake look for names without a version.
  for library in "$made"/lib64/*.so.*; do ln -sf "$(basename "$library")" "${library%%.so.*}.so"; done
  # CMake's first test of a compiler links the static runtime, which the packages lack, and the library of launches by kernels,
  # which nothing here uses. If the test fails, CMake does not know the compiler's own include folders.
  ln -sf "$(cd "$made/lib64" && ls libcudart.so.*)" "$made/lib64/libcudart_static.a"
  ar rcs "$made/lib64/libcudadevrt.a"
  rm -rf "$prefix/python"
}

download_compiler >&2
unpack_compiler
write_profile
download_libraries >&2
place_libraries
mv "$made" "$toolkit"
[ -x "$nvcc" ] || die "the packages brought no nvcc"
say "$nvcc"
