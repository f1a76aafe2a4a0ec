#!/usr/bin/env bash
# Installs the parts of a CUDA toolkit that compiling and linking this project needs into PREFIX, from NVIDIA's packages
# on the Python package index, for machines without a toolkit (Debian's CUDA 11.8 is too old). About 1.5 GB, without a
# driver.
# usage: cuda-toolkit.sh PREFIX [VERSION]        (default 13.0.2); prints the path of nvcc
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
prefix=${1:?usage: cuda-toolkit.sh PREFIX [VERSION]}
version=${2:-13.0.2}
[ "${version%%.*}" -ge 13 ] || die "the Python package index has no nvcc of CUDA $version: scripts/cuda-toolkit-12.sh makes a toolkit of CUDA 12.4"

mkdir -p "$prefix"
prefix=$(cd "$prefix" && pwd)
nvcc=$prefix/toolkit/bin/nvcc
if [ -x "$nvcc" ]; then
  say "$nvcc"
  exit 0
fi
python3 -m pip --version >/dev/null 2>&1 || die "pip is missing (Debian: apt-get install python3-pip)"

# List all parts by name: the meta package pins a version only for the requested parts.
parts=nvcc,crt,nvvm,cccl,cudart,cublas,cusolver,cusparse,nvjitlink,nvtx
python3 -m pip --disable-pip-version-check --no-cache-dir install -q --root-user-action=ignore --upgrade \
  --target "$prefix" "cuda-toolkit[$parts]==$version" >&2
toolkit=$(find "$prefix/nvidia" -mindepth 1 -maxdepth 1 -type d -name 'cu[0-9]*' | head -n 1)
[ -n "$toolkit" ] || die "the packages of CUDA $version do not have the expected layout under $prefix/nvidia"

# The wheels contain the versioned runtime libraries; compilers and CMake look for unversioned names in lib64.
for library in "$toolkit"/lib/*.so.*; do
  ln -sf "$(basename "$library")" "${library%%.so.*}.so"
done
ln -sfn lib "$toolkit/lib64"
ln -sfn "$toolkit" "$prefix/toolkit"
[ -x "$nvcc" ] || die "the packages of CUDA $version brought no nvcc"
say "$nvcc"
