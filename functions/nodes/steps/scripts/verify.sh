# shellcheck shell=bash
# A crashing container is restarted again and again, and looks healthy in between: so its uptime is checked.

min_uptime_seconds=5
timeout_seconds=60

perform() {
  local attempt
  need_docker
  for ((attempt = 0; attempt < timeout_seconds; attempt += 5)); do
    if all_are_stable && proxy_answers && proxy_delivers; then
      say "ok: $(containers --filter status=running | wc -l) containers run"
      return
    fi
    sleep 5
  done
  show_logs
  fail NOT_HEALTHY "${reason:-The containers do not stay up: see the end of the log.}"
}

containers() { docker ps --all --filter "label=video-service.node=$node" "$@" --format '{{.Names}}'; }

all_are_stable() {
  local name started count=0
  while read -r name; do
    [[ $(docker container inspect --format '{{.State.Status}}' "$name") == running ]] || return 1
    started=$(docker container inspect --format '{{.State.StartedAt}}' "$name")
    (($(date +%s) - $(date --date "$started" +%s) >= min_uptime_seconds)) || return 1
    count=$((count + 1))
  done < <(containers)
  ((count == workers))
}

proxy_answers() {
  [[ $type == proxy ]] || return 0
  local hostname answer
  hostname=$(hostname_of_node)
  reason='The proxy is running, but does not respond to /healthz with the name of this node.'
  answer=$(request "$hostname" /healthz) && [[ $answer == *"$node"* ]]
}

# A file of the bucket: the proxy may run without a way to the store, or without the permission to read it.
proxy_delivers() {
  [[ $type == proxy ]] || return 0
  local hostname path answer
  hostname=$(hostname_of_node)
  path=$(value_like SAMPLE_PATH '/s/[A-Za-z0-9._/-]{1,512}')
  reason='The proxy is running, but does not deliver a file of the bucket: check its credentials and its way to the store.'
  answer=$(request "$hostname" "$path") && [[ $answer == "$node" ]]
}

# request HOSTNAME PATH: over TLS, as viewers do. The certificate must be that of the step certificate.
request() {
  printf 'url = "https://%s%s"\nresolve = "%s:443:127.0.0.1"\n' "$1" "$2" "$1" |
    curl --silent --show-error --max-time 5 --cacert "$state/tls/certificate.pem" --config -
}

show_logs() {
  local name
  while read -r name; do
    say "--- $name"
    docker logs --tail 20 "$name" || true
  done < <(containers)
}
