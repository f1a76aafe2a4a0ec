#!/usr/bin/env bash
# A wheel with CUDA in a clean virtual environment, with the packages that it declares: its contents, the libraries that it
# needs and loads, what it says without a driver, and the tests of the package on the host. The loader's cache is not used, so
# that a CUDA toolkit of this machine is not found. Downloads about 1.2 GB, so continuous integration does not run it.
# usage: cuda_wheel.sh WHEEL WORK       WHEEL: made by scripts/wheels.sh cu12 or cu13
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
wheel=$(realpath "${1:?usage: cuda_wheel.sh WHEEL WORK}")
work=$(mkdir -p "${2:?usage: cuda_wheel.sh WHEEL WORK}" && cd "$2" && pwd)
loader=$(readelf -l "$(command -v bash)" | sed -n 's/.*Requesting program interpreter: \(.*\)]/\1/p')
rm -rf "$work/venv"
python3 -m venv "$work/venv"
"$work/venv/bin/pip" -q --disable-pip-version-check install "$wheel"
"$work/venv/bin/pip" --disable-pip-version-check list 2>/dev/null | grep -E '^(gpusupernodal|nvidia)'
du -sh "$work/venv" | sed 's|\t.*| in the virtual environment|'

# in_environment PROGRAM [ARGUMENT...]: runs it in the virtual environment.
in_environment() {
  env -i HOME="$work" LC_ALL=C.UTF-8 PATH=/usr/bin:/bin PYTHONDONTWRITEBYTECODE=1 \
    "$loader" --inhibit-cache --argv0 "$work/venv/bin/python" "$(realpath "$work/venv/bin/python")" "$@"
}
python3 "$here/contents.py" "$root" "$wheel"
cd "$work"
in_environment "$here/cuda_wheel.py"
for test in solver factor ldlt lu complex operator normal pcg batch system; do
  in_environment "$here/${test}_test.py" >"$work/$test.log" 2>&1 || { tail -n 20 "$work/$test.log"; exit 1; }
  echo "$test: $(tail -n 3 "$work/$test.log" | tr '\n' ' ')"
done
