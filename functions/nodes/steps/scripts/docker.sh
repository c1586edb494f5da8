# shellcheck shell=bash
# Installs the distribution's Docker engine. An engine that is already installed is not changed.

holds() { docker_answers && docker_is_new_enough && systemctl --quiet is-enabled docker; }

perform() {
  has_docker || install_engine
  systemctl --quiet enable --now docker || fail DOCKER_FAILED 'The Docker service does not start: see "journalctl -u docker".'
  wait_for_engine
  need_new_docker
  say "Docker $(docker_version) is running."
}

install_engine() {
  say 'Installing Docker.'
  { update_packages && install_packages $(engine_packages); } ||
    fail DOCKER_FAILED 'Docker could not be installed: see the end of the log.'
  has_docker || fail DOCKER_FAILED 'The command docker is missing: install the package that has it, such as docker-cli.'
}

# Since Debian 13 the command is in a separate package, which the engine only recommends.
engine_packages() {
  if command -v apt-get >/dev/null; then
    echo docker.io
    apt-cache pkgnames docker-cli | grep --line-regexp docker-cli || true
  else
    echo docker
  fi
}

wait_for_engine() {
  local attempt
  for attempt in {1..30}; do
    docker_answers && return
    ((attempt < 30)) && sleep 1
  done
  fail DOCKER_FAILED 'The Docker engine does not respond: see "journalctl -u docker".'
}
