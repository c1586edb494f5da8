#!/usr/bin/env bash
# Runs every minute: applies new credentials and keys, uploads the access log. A failed part does not stop the others.
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

remove_checked_urls || true
"$here/credentials.sh" | apply credentials.json || true
signing_keys | apply signing-keys.json || true
"$here/ship-logs.sh"
