# shellcheck shell=bash
# The service gives a draining node nothing new. What is left is told to go, and hands its job back; a stopped container stays stopped over a reboot.

running() { docker ps --quiet --filter "label=video-service.node=$node"; }

# An engine that does not answer may still have containers that run.
holds() { ! has_docker || { docker_answers && [[ -z $(running) ]]; }; }

perform() {
  local containers
  need_docker
  mapfile -t containers < <(running)
  docker stop --time 30 "${containers[@]}" >/dev/null || fail CONTAINER_FAILED 'A container could not be stopped.'
  say "Stopped: ${#containers[@]}"
}
