#!/usr/bin/env bash
# Sends the access log to the store, in pieces of a minute. A piece keeps its name from when it was cut off until the store has it, so that one which
# is sent twice is one object, and is counted once.
set -euo pipefail
here=$(dirname -- "$(readlink -f -- "$0")")
# shellcheck source=settings.sh
source "$here/settings.sh"
shopt -s nullglob

# Cut off a turn ago: by now no worker of nginx writes to them any more.
for piece in "$logs"/*Z.jsonl; do
  gzip --stdout "$piece" >"$piece.part"
  mv "$piece.part" "$piece.gz"
  rm "$piece"
done

for piece in "$logs"/*Z.jsonl.gz; do
  status=$(ask "/access-logs/${piece##*/}" --upload-file "$piece" --output /dev/null --write-out '%{http_code}') || status=none
  case $status in
    # 412: an earlier try got through, and its answer was lost.
    200 | 412) rm "$piece" ;;
    *) echo "The store did not take an access log: $status" >&2 ;;
  esac
done

if [[ -s $logs/access.jsonl ]]; then
  mv "$logs/access.jsonl" "$logs/$(date --utc +%Y%m%dT%H%M%S.%NZ).jsonl"
  nginx -s reopen
fi
# A store that cannot be reached must not fill the disk.
find "$logs" -name '*Z.jsonl.gz' -mtime +14 -delete
