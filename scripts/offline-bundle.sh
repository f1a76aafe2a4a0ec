#!/usr/bin/env bash
# Packs headers, libraries and CMake files of the build's packages into one folder, for a machine of the same
# architecture that has compiler, CMake and CUDA, but cannot install packages (many GPU nodes).
# usage: offline-bundle.sh [OUT]     (default: .bundle, which scripts/gpu-check.sh uses)
# On that machine, `. OUT/env.sh` sets the search paths of CMake, compiler, linker, loader and pkg-config.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
out=${1:-$root/.bundle}
packages=(libmetis-dev libtbb-dev libeigen3-dev libcli11-dev nlohmann-json3-dev libfmt-dev zlib1g-dev libgtest-dev)
"$root/scripts/install-deps.sh" "${packages[@]}"

# Shared libraries are in separate packages: add all installed packages from the same source packages.
all=("${packages[@]}")
for package in "${packages[@]}"; do
  source=$(dpkg-query -W -f='${source:Package}' "$package")
  mapfile -t -O ${#all[@]} all < <(dpkg-query -W -f='${Package} ${source:Package} ${db:Status-Status}\n' |
    awk -v source="$source" '$2 == source && $3 == "installed" { print $1 }')
done

rm -rf "$out"
mkdir -p "$out"
dpkg -L "${all[@]}" | grep -E '^(/usr)?/(include|lib|share/(cmake|eigen3|pkgconfig))' | sort -u | while read -r file; do
  [ -f "$file" ] || continue
  # Packages may list files in /lib although Debian has merged it into /usr/lib.
  target=$out/usr/${file#/}
  target=${target/\/usr\/usr\///usr/}
  mkdir -p "$(dirname "$target")"
  # An absolute link would be broken on the other machine, so copy its target.
  case $(readlink "$file" || true) in
    /*) cp -L "$file" "$target" ;;
    *) cp -P "$file" "$target" ;;
  esac
done

cat >"$out/env.sh" <<ENV
bundle=\$(cd "\$(dirname "\${BASH_SOURCE[0]}")" && pwd)
libraries=\$bundle/usr/lib/$(gcc -dumpmachine)
export CMAKE_PREFIX_PATH=\$bundle/usr\${CMAKE_PREFIX_PATH:+:\$CMAKE_PREFIX_PATH}
export CPATH=\$bundle/usr/include\${CPATH:+:\$CPATH}
export LIBRARY_PATH=\$libraries\${LIBRARY_PATH:+:\$LIBRARY_PATH}
export LD_LIBRARY_PATH=\$libraries\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}
export PKG_CONFIG_PATH=\$libraries/pkgconfig\${PKG_CONFIG_PATH:+:\$PKG_CONFIG_PATH}
ENV
say "$out: $(du -sh "$out" | cut -f1)"
