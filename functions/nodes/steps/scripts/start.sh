# shellcheck shell=bash
# The containers have fixed names, and labels with their node and the hash of their configuration, so that a second run
# recognises them.

holds() {
  # The service gives the node only jobs for which this is enough.
  echo "##memory $(container_mebibytes)"
  docker_answers && [[ $(running_containers) == "$(expected_containers)" ]]
}

perform() {
  local number
  need_docker
  [[ -d $config ]] || fail CONTAINER_FAILED 'There is no configuration: run the step configure first.'
  if [[ $type == proxy ]]; then ensure_credentials_folder; fi
  for ((number = 1; number <= workers; number++)); do ensure_container "$number"; done
  remove_others
  remove_old_images
}

# The folder in which the AWS agent of the server, if there is one, writes short-lived credentials. A folder, since the
# agent may replace the file.
ensure_credentials_folder() {
  local folder=$root/etc/video-service-aws
  mkdir -p "$folder"
  chgrp "$nginx_group" "$folder"
  chmod 750 "$folder"
}

name_of() {
  case $type in
    worker) printf 'video-service-worker-%d' "$1" ;;
    proxy) printf 'video-service-proxy' ;;
  esac
}

# Lines of container name and configuration hash.
running_containers() {
  docker ps --no-trunc --filter "label=video-service.node=$node" --filter status=running \
    --format '{{.Names}} {{.Label "video-service.origin"}}' | sort
}

expected_containers() {
  local number
  for ((number = 1; number <= workers; number++)); do
    set_arguments "$number"
    printf '%s %s\n' "$(name_of "$number")" "$(configuration_hash)"
  done | sort
}

# The configuration hash of a container. The files of a proxy are not included, since it reloads them while it runs.
configuration_hash() {
  {
    printf '%s\0' "${arguments[@]}"
    if [[ $type == worker ]]; then cat -- "$config"/{worker.env,authorities.pem} 2>/dev/null || true; fi
  } | sha256sum | cut -c 1-64
}

# 400 MiB are for the system and Docker. Rounded to 64 MiB, since the kernel's share changes with updates.
container_mebibytes() {
  echo $((($(awk '/^MemTotal:/ { print int($2 / 1024) }' "$root/proc/meminfo") - 400) / workers / 64 * 64))
}

# set_arguments NUMBER: arguments of `docker run`, without labels and --detach.
set_arguments() {
  local image memory
  image=$(image_to_run)
  memory=$(container_mebibytes)
  arguments=(
    --name "$(name_of "$1")"
    --restart unless-stopped
    --init
    --read-only
    --cap-drop ALL
    --security-opt no-new-privileges
    --pids-limit 1024
    --memory "${memory}m"
    --memory-swap "${memory}m"
    --log-driver local
    --log-opt max-size=10m
    --log-opt max-file=3
    --tmpfs /tmp:rw,noexec,nosuid,nodev,size=64m
  )
  case $type in
    worker) add_worker_arguments "$1" ;;
    proxy) add_proxy_arguments ;;
  esac
  arguments+=("$image")
}

add_worker_arguments() {
  local hundredths=$(($(nproc) * 100 / workers))
  arguments+=(
    --cpus "$((hundredths / 100)).$(printf '%02d' $((hundredths % 100)))"
    --user 1000:1000
    --env-file "$config/worker.env"
    --env "WORKER_NAME=worker-$1"
    # An empty volume gets the owner that the folder has in the image.
    --mount "type=volume,source=video-service-scratch-$1,target=/scratch"
  )
  if [[ -f $config/authorities.pem ]]; then
    arguments+=(--mount "type=bind,source=$config/authorities.pem,target=/etc/video-service/authorities.pem,readonly")
  fi
  # The service on the same machine, without a public address: the loopback address of a container is another one.
  if grep --quiet --extended-regexp '^SYNC_URL=https?://(127\.|localhost[:/])' "$config/worker.env"; then
    arguments+=(--network host)
  fi
}

add_proxy_arguments() {
  local sockets
  arguments+=(
    --cpus "$(nproc)"
    --group-add "$nginx_group"
    --publish 80:8080
    --publish 443:8443
    --mount "type=bind,source=$config,target=/etc/video-service,readonly"
    --mount "type=bind,source=$root/etc/video-service-aws,target=/etc/video-service-aws,readonly"
    --mount "type=bind,source=$state/tls,target=/etc/video-service-tls,readonly"
    --mount "type=bind,source=$state/acme,target=/var/lib/acme,readonly"
    --mount "type=volume,source=video-service-cache,target=/var/cache/nginx"
    --mount "type=volume,source=video-service-logs,target=/var/log/nginx"
  )
  if has_value SERVICE_SOCKETS; then
    sockets=$(service_sockets)
    arguments+=(--mount "type=bind,source=$sockets,target=/run/video-service-sockets,readonly")
  fi
}

# Of a service on this machine. Its store and parameters are not reachable from the network of a container.
service_sockets() {
  local folder
  folder=$(value_like SERVICE_SOCKETS '(/[A-Za-z0-9._-]+)+')
  [[ -d $root$folder ]] || fail CONTAINER_FAILED \
    'The sockets of the service are not on this server: a proxy of a service on one machine must be on that machine.'
  printf '%s' "$root$folder"
}

ensure_container() {
  local name
  name=$(name_of "$1")
  set_arguments "$1"
  if running_containers | grep --quiet --line-regexp --fixed-strings "$name $(configuration_hash)"; then return; fi
  # Also a container of another node: a node that was deleted with force may have left it.
  remove_container "$name"
  docker_or CONTAINER_FAILED 'A container could not be started: see the end of the log.' run --detach --pull never \
    --label "video-service.node=$node" --label "video-service.origin=$(configuration_hash)" "${arguments[@]}" >/dev/null
  say "Started: $name"
}

remove_container() {
  docker container inspect --format '{{.Id}}' "$1" >/dev/null 2>&1 || return 0
  docker stop --time 30 "$1" >/dev/null
  docker rm --force "$1" >/dev/null
  say "Removed: $1"
}

# Removes containers of this node that are no longer needed, after the number of workers was reduced.
remove_others() {
  local name expected
  expected=$(expected_containers | cut -d ' ' -f 1)
  while read -r name; do
    grep --quiet --line-regexp --fixed-strings "$name" <<<"$expected" || remove_container "$name"
  done < <(docker ps --all --filter "label=video-service.node=$node" --format '{{.Names}}')
}

# The image of a worker has 660 MB. Docker does not remove images that a container uses.
remove_old_images() {
  local image repository other
  image=$(image_to_run)
  repository=${image%@*}
  while read -r other; do
    [[ $other == "$image" ]] || docker image rm "$other" >/dev/null 2>&1 || true
  done < <(docker image ls --digests --format '{{.Repository}}@{{.Digest}}' "$repository")
}
