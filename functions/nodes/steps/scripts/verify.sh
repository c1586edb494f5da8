# shellcheck shell=bash
# A crashing container is restarted again and again, and looks healthy in between: so its uptime is checked.

min_uptime_seconds=5
timeout_seconds=60

perform() {
  local attempt
  need_docker
  for ((attempt = 0; attempt < timeout_seconds; attempt += 5)); do
    if all_are_stable && proxy_answers; then
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

# Over TLS with its host name, as viewers do. The certificate must be that of the step certificate.
proxy_answers() {
  [[ $type == proxy ]] || return 0
  local hostname answer
  hostname=$(value_like NODE_HOSTNAME '([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}')
  reason='The proxy is running, but does not respond to /healthz with the name of this node.'
  answer=$(printf 'url = "https://%s/healthz"\nresolve = "%s:443:127.0.0.1"\n' "$hostname" "$hostname" |
    curl --silent --show-error --max-time 5 --cacert "$state/tls/certificate.pem" --config -) &&
    [[ $answer == *"$node"* ]]
}

show_logs() {
  local name
  while read -r name; do
    say "--- $name"
    docker logs --tail 20 "$name" || true
  done < <(containers)
}
