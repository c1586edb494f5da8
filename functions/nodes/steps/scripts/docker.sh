# shellcheck shell=bash
# Installs the distribution's Docker engine. An engine that is already installed is not changed.

holds() { docker_answers && systemctl --quiet is-enabled docker; }

perform() {
  has_docker || install_engine
  systemctl --quiet enable --now docker || fail DOCKER_FAILED 'The Docker service does not start: see "journalctl -u docker".'
  wait_for_engine
  say "Docker $(docker info --format '{{.ServerVersion}}') is running."
}

install_engine() {
  say 'Installing Docker.'
  if command -v apt-get >/dev/null; then
    dpkg --configure -a &&
      apt-get -qq -o DPkg::Lock::Timeout=300 update &&
      apt-get -qq -y -o DPkg::Lock::Timeout=300 --no-install-recommends install docker.io
  else
    dnf --quiet --assumeyes install docker
  fi || fail DOCKER_FAILED 'Docker could not be installed: see the end of the log.'
}

wait_for_engine() {
  local attempt
  for attempt in {1..30}; do
    docker_answers && return
    ((attempt < 30)) && sleep 1
  done
  fail DOCKER_FAILED 'The Docker engine does not respond: see "journalctl -u docker".'
}
