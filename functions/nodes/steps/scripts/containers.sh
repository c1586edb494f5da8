# shellcheck shell=bash
# Prints one line of JSON for each container of the node.

perform() {
  has_docker || return 0
  docker ps --all --filter "label=video-service.node=$node" --format \
    '{"id":{{json .ID}},"name":{{json .Names}},"image":{{json .Image}},"state":{{json .State}},"status":{{json .Status}},"createdAt":{{json .CreatedAt}}}' ||
    fail DOCKER_FAILED 'The Docker engine does not respond.'
}
