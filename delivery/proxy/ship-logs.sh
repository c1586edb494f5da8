#!/usr/bin/env bash
# Uploads the access log in pieces of one minute. A piece keeps its name until it is stored, so a repeated upload writes
# the same object, which is counted once.
set -euo pipefail
here=$(dirname -- "$(readlink -f -- "$0")")
# shellcheck source=settings.sh
source "$here/settings.sh"
shopt -s nullglob

# Pieces that the previous run closed: no worker of nginx writes to them any more.
for piece in "$logs"/*Z.jsonl; do
  gzip --stdout "$piece" >"$piece.part"
  mv "$piece.part" "$piece.gz"
  rm "$piece"
done

for piece in "$logs"/*Z.jsonl.gz; do
  status=$(ask "/access-logs/${piece##*/}" --upload-file "$piece" --output /dev/null --write-out '%{http_code}') || status=none
  case $status in
    # 412: an earlier upload succeeded, but its response was lost.
    200 | 412) rm "$piece" ;;
    *) echo "The store refused an access log: $status" >&2 ;;
  esac
done

if [[ -s $logs/access.jsonl ]]; then
  mv "$logs/access.jsonl" "$logs/$(date --utc +%Y%m%dT%H%M%S.%NZ).jsonl"
  nginx -s reopen
fi
# Limits the disk usage while the store is unreachable.
find "$logs" -name '*Z.jsonl.gz' -mtime +14 -delete
