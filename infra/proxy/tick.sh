#!/usr/bin/env bash
# Once a minute: takes up new credentials and keys, and ships the access log. Each part is done whatever became of the others.
set -euo pipefail
here=$(dirname -- "$(readlink -f -- "$0")")
# shellcheck source=settings.sh
source "$here/settings.sh"
umask 077

exec 9>"$run/tick.lock"
flock 9

# take_up FILE <content: reads nothing, or the new content of a file that nginx reads. It stays as it is unless nginx accepts the new one.
take_up() {
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

# What the parameter store says; while it says nothing, what the last deployment has brought.
signing_keys() {
  ask /signing-keys --fail ||
    if [[ $configuration/signing-keys.json -nt $run/signing-keys.json ]]; then cat "$configuration/signing-keys.json"; fi
}

# What a worker has noted of links goes with it; after an hour a link is checked and noted again, so that notes do not outgrow the viewers.
forget_links() {
  local notes
  for notes in "$run"/links/*/; do
    [[ -e /proc/$(basename "$notes") ]] || rm -rf "$notes"
  done
  find "$run/links" -type f -mmin +60 -delete
}

forget_links || true
"$here/credentials.sh" | take_up credentials.json || true
signing_keys | take_up signing-keys.json || true
"$here/ship-logs.sh"
