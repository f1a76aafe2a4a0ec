#!/usr/bin/env bash
# The host wheel in a clean virtual environment: it must stand alone, without the library of this build or of the system. Runs
# the tests of the package against it, its type hints through mypy, and the notebook; scikit-sparse is compared where it can
# be installed. Exits 77 if packages cannot be fetched.
# usage: wheel.sh WORK
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
work=$(mkdir -p "${1:?usage: wheel.sh WORK}" && cd "$1" && pwd)
unset GPUSUPERNODAL_LIBRARY PYTHONPATH LD_LIBRARY_PATH
export PYTHONDONTWRITEBYTECODE=1
rm -rf "$work/venv" "$work/wheels"
python3 -m venv "$work/venv"
pip=("$work/venv/bin/pip" -q --disable-pip-version-check --retries 1 --timeout 30 install)
"${pip[@]}" numpy scipy scipy-stubs mypy nbclient nbformat ipykernel matplotlib >"$work/pip.log" 2>&1 || {
  tail -n 3 "$work/pip.log"
  echo "skipped: Python packages cannot be fetched"
  exit 77
}
# With the compiler's name and the warnings of the other builds, whose objects ccache then has.
CC=${CC:-cc} CXX=${CXX:-c++} CMAKE_ARGS=-DGPUSUPERNODAL_WERROR=ON bash "$root/scripts/wheels.sh" host "$work/wheels"
python3 "$here/contents.py" "$root" "$work"/wheels/*.whl "$work"/wheels/*.tar.gz
"${pip[@]}" "$work"/wheels/*.whl
# The last version of scikit-sparse with the interface that factor_test.py compares; it is built from source with CHOLMOD.
"${pip[@]}" scikit-sparse==0.4.16 >"$work/scikit-sparse.log" 2>&1 ||
  echo "scikit-sparse is not compared, because it cannot be installed: $(grep -im 1 'error' "$work/scikit-sparse.log")"
cd "$work"
for file in "$here"/*_test.py; do
  test=$(basename "$file" _test.py)
  status=0
  "$work/venv/bin/python" "$file" >"$work/$test.log" 2>&1 || status=$?
  tail -n 3 "$work/$test.log"
  [ "$status" -eq 0 ] || { [ "$test" = gpu ] && [ "$status" -eq 77 ]; } || exit 1
done
loaded=$("$work/venv/bin/python" -c "
import gpusupernodal
print([line.split()[-1] for line in open('/proc/self/maps') if 'libgpusupernodal' in line or 'libtbb' in line])")
echo "loaded: $loaded"
if printf '%s' "$loaded" | tr , '\n' | grep -v "$work/venv"; then
  echo "the wheel does not stand alone"
  exit 1
fi
(cd "$root" && "$work/venv/bin/mypy" --config-file pyproject.toml)
"$work/venv/bin/python" "$here/notebook.py" "$root/examples/python/cholesky.ipynb" "$work/cholesky.ipynb"
