# Functions of the packaging tests; to be sourced.
# shellcheck disable=SC2034  # used by the scripts that source this file
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
fail() {
  printf '%s\n' "$*" >&2
  exit 1
}

# The consumers have little to compile; ccache serves repeated compilations.
# shellcheck disable=SC2034
consumer_options=(-G Ninja)
if command -v ccache >/dev/null 2>&1; then consumer_options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi

# consume FOLDER CMAKE-OPTIONS...: configures the consumer in a new FOLDER, builds and runs it.
consume() {
  local folder=$1 log=$1.log
  shift
  rm -rf "$folder"
  { cmake -S "$here/consumer" -B "$folder" "${consumer_options[@]}" "$@" && cmake --build "$folder" &&
    ctest --test-dir "$folder" --output-on-failure --no-tests=error; } >"$log" 2>&1 || {
    tail -n 60 "$log"
    fail "the consumer in $folder does not build or run"
  }
  grep -E '^[0-9]+% tests passed' "$log"
}
