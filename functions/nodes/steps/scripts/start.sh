# shellcheck shell=bash
# Containers with names of ours, labelled with their node and with what they were made from, so that a second run sees that they are right.

holds() { docker_answers && [[ $(running_containers) == "$(wanted_containers)" ]]; }

perform() {
  local number
  need_docker
  [[ -d $config ]] || fail CONTAINER_FAILED 'There is no configuration: run the step configure first.'
  if [[ $type == proxy ]]; then ensure_credentials_folder; fi
  for ((number = 1; number <= workers; number++)); do ensure_container "$number"; done
  remove_others
  remove_old_images
}

# Where the AWS agent of the server, if it has one, writes short-lived credentials: a folder, since it may replace the file. The group is that of nginx
# in the container, which is not root there.
ensure_credentials_folder() {
  local folder=$root/etc/video-service-aws
  mkdir -p "$folder"
  chgrp 101 "$folder"
  chmod 750 "$folder"
}

wanted_image() { value_like IMAGE '[a-z0-9.-]+(:[0-9]{1,5})?(/[a-z0-9._-]+)+@sha256:[0-9a-f]{64}'; }

name_of() {
  case $type in
    worker) printf 'video-service-worker-%d' "$1" ;;
    proxy) printf 'video-service-proxy' ;;
  esac
}

# Lines of name and origin.
running_containers() {
  docker ps --no-trunc --filter "label=video-service.node=$node" --filter status=running \
    --format '{{.Names}} {{.Label "video-service.origin"}}' | sort
}

wanted_containers() {
  local number
  for ((number = 1; number <= workers; number++)); do
    set_arguments "$number"
    printf '%s %s\n' "$(name_of "$number")" "$(origin)"
  done | sort
}

# What a container is made from. A proxy takes new files over while it runs.
origin() {
  {
    printf '%s\0' "${arguments[@]}"
    if [[ $type == worker && -f $config/worker.env ]]; then cat -- "$config/worker.env"; fi
  } | sha256sum | cut -c 1-64
}

# set_arguments NUMBER: of `docker run`, without the labels and the way it is started.
set_arguments() {
  local image memory
  image=$(wanted_image)
  # 400 MiB are the system's and Docker's. In steps of 64, as what a kernel keeps for itself changes with its updates.
  memory=$((($(awk '/^MemTotal:/ { print int($2 / 1024) }' "$root/proc/meminfo") - 400) / workers / 64 * 64))
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
    # The image's owner of the folder becomes that of the empty volume.
    --mount "type=volume,source=video-service-scratch-$1,target=/scratch"
  )
}

add_proxy_arguments() {
  arguments+=(
    --cpus "$(nproc)"
    --publish 80:8080
    --publish 443:8443
    --mount "type=bind,source=$config,target=/etc/video-service,readonly"
    --mount "type=bind,source=$root/etc/video-service-aws,target=/etc/video-service-aws,readonly"
    --mount "type=bind,source=$state/tls,target=/etc/video-service-tls,readonly"
    --mount "type=bind,source=$state/acme,target=/var/lib/acme,readonly"
    --mount "type=volume,source=video-service-cache,target=/var/cache/nginx"
    --mount "type=volume,source=video-service-logs,target=/var/log/nginx"
  )
}

ensure_container() {
  local name
  name=$(name_of "$1")
  set_arguments "$1"
  if running_containers | grep --quiet --line-regexp --fixed-strings "$name $(origin)"; then return; fi
  # Whosever it is: the names are this service's, and a node that was dropped by force may have left its own.
  drop_container "$name"
  docker run --detach --pull never --label "video-service.node=$node" --label "video-service.origin=$(origin)" \
    "${arguments[@]}" >/dev/null || fail CONTAINER_FAILED 'A container could not be started: see the end of the log.'
  say "Started: $name"
}

drop_container() {
  docker container inspect --format '{{.Id}}' "$1" >/dev/null 2>&1 || return 0
  docker stop --time 30 "$1" >/dev/null
  docker rm --force "$1" >/dev/null
  say "Removed: $1"
}

# Those of this node that are not wanted any more: after fewer workers were asked for.
remove_others() {
  local name wanted
  wanted=$(wanted_containers | cut -d ' ' -f 1)
  while read -r name; do
    grep --quiet --line-regexp --fixed-strings "$name" <<<"$wanted" || drop_container "$name"
  done < <(docker ps --all --filter "label=video-service.node=$node" --format '{{.Names}}')
}

# Each image is a gigabyte or so. One that a container uses cannot be removed, which is right.
remove_old_images() {
  local image repository other
  image=$(wanted_image)
  repository=${image%@*}
  while read -r other; do
    [[ $other == "$image" ]] || docker image rm "$other" >/dev/null 2>&1 || true
  done < <(docker image ls --digests --format '{{.Repository}}@{{.Digest}}' "$repository")
}
