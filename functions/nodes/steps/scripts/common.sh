# shellcheck shell=bash
# Ahead of every step. Sent to `sudo -n timeout -k 5 N bash -s`; the values follow on the same standard input, as data.
# A step defines `perform`, and where its result can be seen, `holds`, which is true when there is nothing to do.

set -Eeuo pipefail
umask 077
export LC_ALL=C DEBIAN_FRONTEND=noninteractive
# One stream, so that the log has the order in which things happened; and a way to it out of a $(command).
exec 2>&1 3>&1
echo '##begun'
trap 'fail STEP_FAILED "The step broke off at: ${BASH_COMMAND%%[[:space:]]*}"' ERR

# A folder instead of / for tests; sudo passes it on only where it was told to.
root=${VIDEO_SERVICE_ROOT:-}
run=$root/run/video-service

say() { printf '%s\n' "$*"; }

# fail CODE sentence: what the service reads of this line is the step's error.
fail() {
  trap - ERR
  printf '##error %s %s\n' "$1" "$2" >&3
  exit 70
}

value() { cat -- "$values/$1"; }
has_value() { [[ -f $values/$1 ]]; }

# value_like NAME PATTERN: the value, held to its form once more, here where it is used.
value_like() {
  local text
  text=$(value "$1")
  [[ $text =~ ^($2)$ ]] || fail VALUES_INVALID "The value of $1 has not the form it must have."
  printf '%s' "$text"
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
  fail VALUES_INVALID 'The values did not arrive whole.'
}

# place FILE MODE <content: the whole new file or the old one, at every moment.
place() {
  local next
  next=$(mktemp "$1.XXXXXX")
  cat >"$next"
  chmod "$2" "$next"
  mv -f -- "$next" "$1"
}

docker_answers() { docker info >/dev/null 2>&1; }

has_docker() { command -v docker >/dev/null; }

need_docker() {
  has_docker || fail DOCKER_FAILED 'There is no Docker on the server: run the step docker first.'
  docker_answers || fail DOCKER_FAILED 'The Docker engine does not answer: see "journalctl -u docker", or run the step docker again.'
}

main() {
  mkdir -p "$run"
  exec 9>"$run/lock"
  # Whoever lost the connection to a step may come back while it still runs.
  flock --wait 10 9 || fail NODE_BUSY 'Another step still runs on the server: try again in a while.'
  # Left by a run that was killed.
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
    holds || fail STEP_FAILED 'The step went through, and what it is for is not so.'
  else
    perform </dev/null
  fi
}
