# shellcheck shell=bash
# Read-only: checks the requirements of the other steps before the first of them changes anything.

mebibyte=1048576

perform() {
  check_system
  check_capacity
  check_clock
  check_api
}

check_system() {
  local name version major architecture
  # shellcheck source=/dev/null
  name=$(. "$root/etc/os-release" && printf '%s' "${ID:-}")
  # shellcheck source=/dev/null
  version=$(. "$root/etc/os-release" && printf '%s' "${VERSION_ID:-}")
  major=${version%%.*}
  case $name-${major:-0} in
    debian-1[1-9] | ubuntu-2[0-9] | amzn-2023) ;;
    *) fail SYSTEM_UNSUPPORTED 'The server needs Debian 11, Ubuntu 20.04 or newer, or Amazon Linux 2023.' ;;
  esac
  architecture=$(uname -m)
  case $architecture in
    x86_64 | aarch64) ;;
    *) fail ARCHITECTURE_UNSUPPORTED 'The server needs an x86-64 or a 64-bit ARM processor.' ;;
  esac
  say "ok: $name $version, $architecture, $(nproc) processors"
}

check_capacity() {
  local memory disk needed_memory=400 needed_disk=5000
  if [[ $type == worker ]]; then
    needed_memory=$((400 + 900 * workers))
    needed_disk=$((6000 + 4000 * workers))
  fi
  memory=$(awk '/^MemTotal:/ { print int($2 / 1024) }' "$root/proc/meminfo")
  disk=$(($(df --output=avail -B1 "$root/var/lib" | tail -n 1) / mebibyte))
  ((memory >= needed_memory)) ||
    fail MEMORY_TOO_SMALL "The server has $memory MiB of memory, but its containers need $needed_memory MiB."
  ((disk >= needed_disk)) || fail DISK_TOO_SMALL "/var/lib has $disk MiB of free space, but $needed_disk MiB are needed."
  say "ok: $memory MiB of memory, $disk MiB free"
  if [[ $type == worker ]]; then note_small_containers $(((memory - 400) / workers)); fi
}

# A ladder of 2160p needs up to 1,720 MiB (docs/encoding.md), one of 1080p 654 MiB.
note_small_containers() {
  (($1 >= 2000)) || say "note: each container gets $1 MiB, which is enough for 1080p. Jobs with renditions of 2160p, which need 2000 MiB, are left to other workers."
}

# Signatures of requests and URLs are valid for minutes only, and a wrong clock drifts further.
check_clock() {
  local off
  off=$(($(date +%s) - $(value_like NOW '[0-9]{10}')))
  ((off > -60 && off < 60)) || fail CLOCK_WRONG "The server's clock is off by $off s: synchronize it with NTP."
  say "ok: the clock is off by $off s"
}

check_api() {
  local url host port
  url=$(value_like API_URL 'https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[A-Za-z0-9._~/-]*)?')
  if command -v curl >/dev/null; then
    # The address is passed on standard input, so that it needs no quoting.
    {
      printf 'url = "%s"\n' "$url"
      if has_value CERTIFICATES; then printf 'cacert = "%s"\n' "$values/CERTIFICATES"; fi
    } | curl --silent --show-error --output /dev/null --max-time 15 --config - ||
      fail API_UNREACHABLE 'The server cannot reach the API: allow outgoing HTTPS connections, see the end of the log.'
  else
    [[ $url =~ ^(https?)://([^:/]+)(:([0-9]+))? ]]
    host=${BASH_REMATCH[2]}
    port=${BASH_REMATCH[4]:-$([[ ${BASH_REMATCH[1]} == https ]] && echo 443 || echo 80)}
    # Without curl, which the step packages installs.
    timeout 15 bash -c 'exec 3<>"/dev/tcp/$1/$2"' - "$host" "$port" 2>/dev/null ||
      fail API_UNREACHABLE 'The server cannot reach the API: allow outgoing HTTPS connections.'
  fi
  say 'ok: the API is reachable'
}
