#!/usr/bin/env bash
# The program of the container: nginx, and a task every minute.
set -euo pipefail
here=$(dirname -- "$(readlink -f -- "$0")")
# shellcheck source=settings.sh
source "$here/settings.sh"

umask 077
# Files of checked URLs are named after process ids, which repeat after a restart of the container.
rm -rf "$run/checked-urls"
mkdir -p "$run/checked-urls" "$cache/denied"
cp "$configuration/signing-keys.json" "$run/signing-keys.json"
"$here/credentials.sh" >"$run/credentials.json"
# Without credentials only cached files are delivered.
[[ -s $run/credentials.json ]] || echo '{}' >"$run/credentials.json"

command nginx -c "$configuration/nginx.conf" -g 'daemon off;' &
server=$!
# Graceful shutdown: nginx finishes the responses in progress.
stopping=''
trap 'stopping=yes; kill -QUIT "$server"' TERM INT QUIT

while [[ -z $stopping ]] && kill -0 "$server" 2>/dev/null; do
  "$here/tick.sh" || true
  sleep "$tick_seconds" &
  pause=$!
  # A signal also ends the wait.
  wait -n "$server" "$pause" || true
  kill "$pause" 2>/dev/null || true
done
# Another signal ends the wait, but not nginx.
while true; do
  wait "$server" && status=0 || status=$?
  kill -0 "$server" 2>/dev/null || exit "$status"
done
