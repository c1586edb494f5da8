# shellcheck shell=bash
# By digest: the same bytes on every server, whatever a tag has come to mean since.

wanted_image() { value_like IMAGE '[a-z0-9.-]+(:[0-9]{1,5})?(/[a-z0-9._-]+)+@sha256:[0-9a-f]{64}'; }

holds() {
  local image
  image=$(wanted_image) && docker image inspect --format '{{.Id}}' "$image" >/dev/null 2>&1
}

perform() {
  local image
  need_docker
  image=$(wanted_image)
  # Here and not in root's home, so that the login ends with the step.
  export DOCKER_CONFIG=$values/docker
  mkdir -p "$DOCKER_CONFIG"
  if has_value REGISTRY; then log_in; fi
  say "Pulling $image"
  docker pull --quiet "$image" || fail IMAGE_FAILED 'The image could not be pulled: see the end of the log.'
}

log_in() {
  local registry user
  registry=$(value_like REGISTRY '[a-z0-9.-]+(:[0-9]{1,5})?')
  user=$(value_like REGISTRY_USER '[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}')
  docker login --username "$user" --password-stdin "$registry" <"$values/REGISTRY_PASSWORD" ||
    fail IMAGE_FAILED 'The registry refused the login.'
}
