# shellcheck shell=bash
# Precedes the script of every step on the standard input of `sudo -n timeout -k 5 N bash -s`; the values follow as
# data. A step defines `perform`. If its result can be checked, it also defines `holds`, which is true when nothing has
# to be done.

set -Eeuo pipefail
umask 077
export LC_ALL=C DEBIAN_FRONTEND=noninteractive
# Both outputs go to one stream, so that the log is in order. Descriptor 3 is that stream inside a $(command).
exec 2>&1 3>&1
echo '##begun'
trap 'fail STEP_FAILED "The step failed at: ${BASH_COMMAND%%[[:space:]]*}"' ERR

# In tests, a folder instead of /. sudo passes the variable on only if its configuration allows it.
root=${VIDEO_SERVICE_ROOT:-}
run=$root/run/video-service

# Files of a proxy that nginx reads have this group, which its container gets: no group of the server has the number.
# The container's user 101 is that of another program on many servers.
nginx_group=10101

say() { printf '%s\n' "$*"; }

# fail CODE message: the service reads the step's error from this line.
fail() {
  trap - ERR
  printf '##error %s %s\n' "$1" "$2" >&3
  exit 70
}

value() { cat -- "$values/$1"; }
has_value() { [[ -f $values/$1 ]]; }

# value_like NAME PATTERN: the value, validated again where it is used.
value_like() {
  local text
  text=$(value "$1")
  [[ $text =~ ^($2)$ ]] || fail VALUES_INVALID "The value of $1 is invalid."
  printf '%s' "$text"
}

hostname_of_node() { value_like NODE_HOSTNAME '([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}'; }

# The image for the processor of the server, by digest.
image_to_run() {
  local name
  case $(uname -m) in
    x86_64) name=IMAGE_X86_64 ;;
    aarch64) name=IMAGE_ARM64 ;;
    *) fail ARCHITECTURE_UNSUPPORTED 'The server needs an x86-64 or a 64-bit ARM processor.' ;;
  esac
  value_like "$name" '[a-z0-9.-]+(:[0-9]{1,5})?(/[a-z0-9._-]+)+@sha256:[0-9a-f]{64}'
}

receive_values() {
  local name data
  values=$(mktemp -d "$run/values.XXXXXX")
  trap 'rm -rf -- "$values"' EXIT
  while read -r name data; do
    [[ $name == . ]] && return
    [[ $name =~ ^[A-Za-z0-9][A-Za-z0-9._-]*$ ]] || break
    printf '%s' "$data" | base64 --decode >"$values/$name"
  done
  fail VALUES_INVALID 'The values were not received completely.'
}

# place FILE MODE <content: replaces a file atomically.
place() {
  local next
  next=$(mktemp "$1.XXXXXX")
  cat >"$next"
  chmod "$2" "$next"
  mv -f -- "$next" "$1"
}

# A new machine in a cloud installs updates for minutes, during which another program cannot install anything.
lock_seconds=300

# unlocked COMMAND…: repeats a command of the package manager while another program holds its locks. Its output is
# shown when it fails.
unlocked() {
  local output until=$((SECONDS + lock_seconds)) said=''
  until output=$("$@" 2>&1); do
    if [[ ! $output =~ (^|[^a-z])lock([^a-z]|$) ]] || ((SECONDS >= until)); then
      say "$output"
      return 1
    fi
    [[ $said ]] || say 'Waiting for another program that installs packages.' >&3
    said=yes
    sleep 3
  done
}

update_packages() {
  command -v apt-get >/dev/null || return 0
  # Finishes an interrupted installation.
  unlocked dpkg --configure -a && unlocked apt-get -qq update
}

install_packages() {
  if command -v apt-get >/dev/null; then
    unlocked apt-get -qq -y --no-install-recommends install "$@"
  else
    dnf --quiet --assumeyes install "$@"
  fi
}

# Docker of Debian 11. Older ones lack parts of what the steps use.
oldest_docker=20

docker_version() { docker info --format '{{.ServerVersion}}'; }
docker_is_new_enough() {
  # Builds from git have other versions, and are newer.
  [[ ! $(docker_version) =~ ^([0-9]+)\. ]] || ((BASH_REMATCH[1] >= oldest_docker))
}

need_new_docker() {
  docker_is_new_enough || fail DOCKER_FAILED \
    "Docker $(docker_version) is too old: remove its packages and run the step docker, which installs that of the distribution."
}

# docker_or CODE MESSAGE ARGUMENT…: runs docker, with its errors in the log. A full disk has an error that says so.
docker_or() {
  local code=$1 message=$2
  shift 2
  if { docker "$@" 2>&1 >&4 | tee "$values/docker-errors" >&3; } 4>&1; then return; fi
  if grep --quiet --ignore-case 'no space left on device' "$values/docker-errors"; then
    fail DISK_TOO_SMALL 'The disk of Docker is full: free space, for example with "docker system prune", and run the step again.'
  fi
  fail "$code" "$message"
}

docker_answers() { docker info >/dev/null 2>&1; }

has_docker() { command -v docker >/dev/null; }

need_docker() {
  has_docker || fail DOCKER_FAILED 'The command docker is missing: run the step docker first.'
  docker_answers || fail DOCKER_FAILED 'The Docker engine does not respond: see "journalctl -u docker", or run the step docker again.'
  need_new_docker
}

main() {
  mkdir -p "$run"
  exec 9>"$run/lock"
  # The lock: a step may still be running on the server after its connection was lost.
  flock --wait 10 9 || fail NODE_BUSY 'Another step is still running on the server: try again later.'
  # Left by a killed run.
  rm -rf -- "$run"/values.*
  receive_values
  node=$(value_like NODE_ULID '[0-7][0-9A-HJKMNP-TV-Z]{25}')
  type=$(value_like NODE_TYPE 'worker|proxy')
  workers=$(value_like WORKERS '[1-9]|1[0-9]|20')
  config=$root/etc/video-service/$type
  state=$root/var/lib/video-service/$type
  if declare -F holds >/dev/null; then
    if holds; then
      say 'Nothing to do.'
      return
    fi
    perform </dev/null
    holds || fail STEP_FAILED 'The step finished without an error, but its result is missing.'
  else
    perform </dev/null
  fi
}
