#!/usr/bin/env bash
# Checks that clang-format would change nothing. Versions format differently, so only the one named here is used;
# without it, or outside a git checkout, the check is skipped (exit 77) with a message.
set -euo pipefail
version=14
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

tool=$(command -v "clang-format-$version" || true)
if [ -z "$tool" ] && clang-format --version 2>/dev/null | grep -q "version $version\."; then tool=clang-format; fi
if [ -z "$tool" ]; then echo "format: skipped, clang-format $version is not installed"; exit 77; fi
if ! git rev-parse --git-dir >/dev/null 2>&1; then echo "format: skipped, not a git checkout"; exit 77; fi

mapfile -d '' files < <(git ls-files -z -- '*.hpp' '*.cpp' '*.cu' '*.cuh' '*.inl')
"$tool" --dry-run -Werror --ferror-limit=1 "${files[@]}"
echo "format: ${#files[@]} files as clang-format $version wants them"
