#!/usr/bin/env bash
# Runs every minute: applies new credentials and keys, removes denied objects, uploads the access log. A failed part
# does not stop the others.
set -euo pipefail
here=$(dirname -- "$(readlink -f -- "$0")")
# shellcheck source=settings.sh
source "$here/settings.sh"
umask 077

exec 9>"$run/tick.lock"
flock 9

# apply FILE <content: replaces a file that nginx reads. Empty input, or content that nginx refuses, changes nothing.
apply() {
  local file=$run/$1
  cat >"$file.next"
  if [[ ! -s $file.next ]] || cmp --silent "$file.next" "$file"; then
    rm -f "$file.next"
    return 0
  fi
  cp "$file" "$file.previous"
  mv "$file.next" "$file"
  if nginx -t -q; then
    nginx -s reload
  else
    mv "$file.previous" "$file"
  fi
  rm -f "$file.previous"
}

# The keys of the parameter store, or of the last deployment if the store does not answer.
signing_keys() {
  ask /signing-keys --fail ||
    if [[ $configuration/signing-keys.json -nt $run/signing-keys.json ]]; then cat "$configuration/signing-keys.json"; fi
}

# Removes the files of checked URLs of workers that have exited, and those older than an hour, to limit their number.
remove_checked_urls() {
  local folder
  for folder in "$run"/checked-urls/*/; do
    [[ -e /proc/$(basename "$folder") ]] || rm -rf "$folder"
  done
  find "$run/checked-urls" -type f -mmin +60 -delete
}

# Deletes the cached objects of denied videos, at most once an hour, because that reads the start of every cached file.
remove_denied_objects() {
  local denied=$cache/denied swept=$run/denied-objects-removed
  find "$denied" -type f -mtime +8 -delete
  [[ -z $(find "$swept" -mmin -60 2>/dev/null) ]] || return 0
  [[ -d $cache/objects && -n $(find "$denied" -type f -mmin -120 -print -quit) ]] || return 0
  touch "$swept"
  # nginx stores the key of an object in a line before its content.
  find "$cache/objects" -type f -print0 |
    LC_ALL=C nice xargs -0 --no-run-if-empty grep --text --max-count=1 --with-filename --null '^KEY: videos/' |
    while IFS= read -r -d '' file && IFS=/ read -r _ video _; do
      if [[ -e $denied/$video ]]; then rm -f -- "$file"; fi
    done
}

remove_checked_urls || true
remove_denied_objects || true
"$here/credentials.sh" | apply credentials.json || true
signing_keys | apply signing-keys.json || true
"$here/ship-logs.sh"
