#!/usr/bin/env bash
# The container's program: nginx, and beside it what is done every minute.
set -euo pipefail
here=$(dirname -- "$(readlink -f -- "$0")")
# shellcheck source=settings.sh
source "$here/settings.sh"

umask 077
# Notes of links are named after workers, whose numbers come again in a container that is started again.
rm -rf "$run/links"
mkdir -p "$run/links"
cp "$configuration/signing-keys.json" "$run/signing-keys.json"
"$here/credentials.sh" >"$run/credentials.json"
# Without credentials nothing is fetched; what is cached is delivered all the same.
[[ -s $run/credentials.json ]] || echo '{}' >"$run/credentials.json"

command nginx -c "$configuration/nginx.conf" -g 'daemon off;' &
server=$!
# Viewers get to the end of what they are being sent.
stopping=''
trap 'stopping=yes; kill -QUIT "$server"' TERM INT QUIT

while [[ -z $stopping ]] && kill -0 "$server" 2>/dev/null; do
  "$here/tick.sh" || true
  sleep "$tick_seconds" &
  pause=$!
  # A signal ends the wait, too.
  wait -n "$server" "$pause" || true
  kill "$pause" 2>/dev/null || true
done
# Another signal ends the wait, and not nginx.
while true; do
  wait "$server" && status=0 || status=$?
  kill -0 "$server" 2>/dev/null || exit "$status"
done
