#!/usr/bin/env bash
# Prints the credentials of the node as JSON for nginx; nothing if there are none.
set -euo pipefail
# shellcheck source=settings.sh
source "$(dirname -- "$(readlink -f -- "$0")")/settings.sh"

if [[ -r $shared_credentials ]]; then
  # An INI file. Values with characters that credentials cannot have are dropped.
  awk '
    { name = value = $0; sub(/ *=.*/, "", name); sub(/^[^=]*= */, "", value); sub(/ *$/, "", value) }
    value !~ /^[A-Za-z0-9+\/=_-]+$/ { next }
    name == "aws_access_key_id" { id = value }
    name == "aws_secret_access_key" { secret = value }
    name == "aws_session_token" { token = value }
    END {
      if (id != "" && secret != "")
        printf "{\"accessKeyId\":\"%s\",\"secretAccessKey\":\"%s\",\"sessionToken\":\"%s\"}", id, secret, token
    }
  ' "$shared_credentials"
elif [[ -r $configuration/credentials.json ]]; then
  cat "$configuration/credentials.json"
fi
