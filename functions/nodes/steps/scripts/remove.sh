# shellcheck shell=bash
# Removes everything of the node. Docker and the packages stay, since other software may use them.

units=$root/etc/systemd/system

all() { docker ps --all --quiet --filter "label=video-service.node=$node"; }

holds() {
  [[ ! -e $config && ! -e $config.previous && ! -e $state ]] && { ! has_docker || { docker_answers && [[ -z $(all) ]]; }; }
}

perform() {
  if has_docker; then remove_containers; fi
  if [[ $type == proxy && -e $units/video-service-renew.timer ]]; then
    systemctl --quiet disable --now video-service-renew.timer
    rm -f -- "$units"/video-service-renew.{timer,service}
    systemctl daemon-reload
  fi
  rm -rf -- "$config" "$config.previous" "$config.copy" "$state"
  rmdir --ignore-fail-on-non-empty -- "${config%/*}" "${state%/*}" 2>/dev/null || true
  # The agent of the server may have credentials in it, which the step did not write.
  if [[ $type == proxy ]]; then rmdir --ignore-fail-on-non-empty -- "$root/etc/video-service-aws" 2>/dev/null || true; fi
  say 'Removed.'
}

remove_containers() {
  local containers images
  need_docker
  mapfile -t containers < <(all)
  if ((${#containers[@]} > 0)); then
    mapfile -t images < <(docker container inspect --format '{{.Image}}' "${containers[@]}" | sort --unique)
    docker rm --force --volumes "${containers[@]}" >/dev/null || fail CONTAINER_FAILED 'A container could not be removed.'
    # Other containers may use the image.
    docker image rm "${images[@]}" >/dev/null 2>&1 || true
  fi
  remove_volumes
}

remove_volumes() {
  local volumes
  case $type in
    worker) mapfile -t volumes < <(docker volume ls --quiet --filter name=^video-service-scratch-) ;;
    proxy) mapfile -t volumes < <(docker volume ls --quiet --filter name=^video-service-cache$ --filter name=^video-service-logs$) ;;
  esac
  ((${#volumes[@]} == 0)) || docker volume rm "${volumes[@]}" >/dev/null || fail CONTAINER_FAILED 'A volume could not be removed.'
}
