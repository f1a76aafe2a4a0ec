#!/usr/bin/env bash
# Checks that a shared library exports names, and that all match a pattern.
# usage: symbols.sh NM LIBRARY PATTERN      PATTERN: an extended regular expression of demangled names
set -euo pipefail
names=$("$1" --dynamic --defined-only --demangle "$2" | sed -E 's/^[0-9a-f]+ . //' | sort -u)
[ -n "$names" ] || { echo "$2 exports nothing"; exit 1; }
foreign=$(grep -vE "$3" <<<"$names" || true)
[ -z "$foreign" ] || { printf 'exported by %s, and not ours to export:\n%s\n' "$2" "$foreign"; exit 1; }
# Solver's Impl is private.
private=$(grep -F '::Impl::' <<<"$names" || true)
[ -z "$private" ] || { printf 'exported by %s, and private:\n%s\n' "$2" "$private"; exit 1; }
echo "$(grep -cE "$3" <<<"$names") names exported, all allowed"
