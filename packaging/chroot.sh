# shellcheck shell=bash
# Clean systems to try packages and scripts in, made by debootstrap; to be sourced, by root, after scripts/common.sh and
# with `work` set to the folder of logs.
# shellcheck disable=SC2154
# Which system: SUITE (bookworm, trixie, jammy, noble; this machine's own if not set) and MIRROR (the distribution's if not set).
suite=${SUITE:-$(. /etc/os-release && echo "${VERSION_CODENAME:-bookworm}")}
case $suite in
  jammy | noble) mirror=${MIRROR:-http://archive.ubuntu.com/ubuntu} components=main,universe script=gutsy ;;
  *) mirror=${MIRROR:-http://deb.debian.org/debian} components=main script=sid ;;
esac

# clean_system FOLDER: a minimal system there, copied from one that is kept in FOLDER.base.
clean_system() {
  local folder=$1 scripts=/usr/share/debootstrap/scripts options=()
  [ "$(id -u)" -eq 0 ] || die "debootstrap and chroot need root"
  command -v debootstrap >/dev/null 2>&1 || die "debootstrap is missing: apt-get install debootstrap"
  # Without the archive's key, which another distribution may not have, the packages come unverified.
  case $suite in
    jammy | noble) [ -e /usr/share/keyrings/ubuntu-archive-keyring.gpg ] || options=(--no-check-gpg) ;;
  esac
  if [ ! -e "$folder.base/made" ]; then
    rm -rf "$folder.base"
    run_logged "$folder.debootstrap.log" debootstrap --variant=minbase --components="$components" "${options[@]}" \
      "$suite" "$folder.base" "$mirror" "$scripts/$script" || die "debootstrap of $suite from $mirror failed"
    touch "$folder.base/made"
  fi
  rm -rf "$folder"
  cp -a "$folder.base" "$folder"
}

# inside FOLDER COMMAND...: runs it as root of that system; its mounts and what it starts end with it.
# NETWORK=no takes the network away.
inside() {
  local folder=$1 network=()
  shift
  if [ "${NETWORK:-yes}" = no ]; then network=(--net); fi
  # shellcheck disable=SC2016  # expanded by the shell inside
  unshare --mount --pid --fork "${network[@]}" bash -c '
    folder=$1; shift
    mount -t proc proc "$folder/proc" && mount --rbind /dev "$folder/dev" && mount --rbind /sys "$folder/sys" || exit 1
    exec chroot "$folder" env -i HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
      PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"' inside "$folder" "$@"
}

# check WHAT COMMAND...: says ok, or shows the output and ends.
check() {
  local what=$1 begin=$SECONDS
  shift
  run_logged "$work/last.log" "$@" || die "FAILED: $what"
  cat "$work/last.log" >>"$work/all.log"
  say "ok      $what ($((SECONDS - begin)) s)"
}
# check_refusal WHAT SENTENCE COMMAND...: the command must fail, and say that.
check_refusal() {
  local what=$1 sentence=$2
  shift 2
  if "$@" >"$work/last.log" 2>&1; then
    tail -n 20 "$work/last.log"
    die "FAILED: $what: it did not fail"
  fi
  grep -qE -- "$sentence" "$work/last.log" || { tail -n 20 "$work/last.log"; die "FAILED: $what: it does not say: $sentence"; }
  cat "$work/last.log" >>"$work/all.log"
  say "ok      $what: $(grep -E -- "$sentence" "$work/last.log" | tail -n 1)"
}
