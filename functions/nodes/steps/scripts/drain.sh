# shellcheck shell=bash
# A draining node gets no new jobs. This stops its containers; their workers return their jobs to the queue. A stopped
# container stays stopped after a reboot.

running() { docker ps --quiet --filter "label=video-service.node=$node"; }

# If the engine does not respond, containers may still be running.
holds() { ! has_docker || { docker_answers && [[ -z $(running) ]]; }; }

perform() {
  local containers
  need_docker
  mapfile -t containers < <(running)
  # A worker that was told to leave may have ended since the step began.
  ((${#containers[@]} == 0)) || docker stop --time 30 "${containers[@]}" >/dev/null \
    || fail CONTAINER_FAILED 'A container could not be stopped.'
  say "Stopped: ${#containers[@]}"
}
