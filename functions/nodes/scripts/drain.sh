# shellcheck shell=bash
# The service gives a draining node nothing new. What is left is told to go, and hands its job back; a stopped container stays stopped over a reboot.

running() { docker ps --quiet --filter "label=video-service.node=$node"; }

holds() { ! docker_answers || [[ -z $(running) ]]; }

perform() {
  local containers
  mapfile -t containers < <(running)
  docker stop --time 30 "${containers[@]}" >/dev/null || fail CONTAINER_FAILED 'A container could not be stopped.'
  say "Stopped: ${#containers[@]}"
}
