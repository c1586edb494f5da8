# shellcheck shell=bash
# By digest, so that every server has the same image, even if a tag was moved.

holds() {
  local image
  image=$(image_to_run) && docker image inspect --format '{{.Id}}' "$image" >/dev/null 2>&1
}

perform() {
  local image
  need_docker
  image=$(image_to_run)
  # Not in root's home, so that the login is deleted at the end of the step.
  export DOCKER_CONFIG=$values/docker
  mkdir -p "$DOCKER_CONFIG"
  if has_value REGISTRY; then log_in; fi
  say "Pulling $image"
  docker_or IMAGE_FAILED 'The image could not be pulled: see the end of the log.' pull --quiet "$image"
}

log_in() {
  local registry user
  registry=$(value_like REGISTRY '[a-z0-9.-]+(:[0-9]{1,5})?')
  user=$(value_like REGISTRY_USER '[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}')
  docker login --username "$user" --password-stdin "$registry" <"$values/REGISTRY_PASSWORD" ||
    fail IMAGE_FAILED 'The registry rejected the login.'
}
