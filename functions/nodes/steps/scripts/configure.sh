# shellcheck shell=bash
# A worker has one file of settings, a proxy a folder of files that is mounted into its container.

# nginx in the container, which is not root there.
nginx_group=101

holds() {
  case $type in
    worker) worker_file_is_right ;;
    proxy) [[ ! -e $config.previous ]] && proxy_files_are_right ;;
  esac
}

perform() {
  mkdir -p "$config"
  case $type in
    worker) write_worker_file ;;
    proxy) replace_proxy_files ;;
  esac
  say "Written: $config"
}

# In the form of Docker's --env-file: no quotes, one line each.
worker_settings() {
  local api token
  api=$(value_like API_URL 'https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[A-Za-z0-9._~/-]*)?')
  token=$(value_like WORKER_TOKEN '[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+')
  printf 'SYNC_URL=%s/api/workers/sync\nWORKER_TOKEN=%s\n' "$api" "$token"
}

# Not one pipe: what cannot be made up must not become a file.
write_worker_file() {
  local settings
  settings=$(worker_settings)
  printf '%s\n' "$settings" | place "$config/worker.env" 600
}

worker_file_is_right() {
  local file=$config/worker.env settings
  settings=$(worker_settings) && [[ -f $file && $(<"$file") == "$settings" && $(stat --format %a "$file") == 600 ]]
}

# What has been sent under a name of a file: names of settings are in capitals.
proxy_files() { (cd "$values" && printf '%s\n' [a-z0-9]*); }

proxy_files_are_right() {
  local name
  [[ -d $config && $(cd "$config" && printf '%s\n' *) == "$(proxy_files)" ]] || return 1
  while read -r name; do
    cmp --quiet -- "$values/$name" "$config/$name" || return 1
  done < <(proxy_files)
}

# A running nginx takes the new files over, or goes on with the old ones. Until it has, those are beside the new: a run that was cut starts again.
replace_proxy_files() {
  local running
  chgrp "$nginx_group" "$config"
  chmod 750 "$config"
  if [[ ! -e $config.previous ]]; then
    rm -rf -- "$config.copy"
    cp -a -- "$config" "$config.copy"
    mv -T -- "$config.copy" "$config.previous"
  fi
  take_proxy_files "$values"
  running=$(running_proxy)
  if [[ $running ]]; then
    if ! docker exec video-service-proxy nginx -t -q; then
      take_proxy_files "$config.previous"
      rm -rf -- "$config.previous"
      fail CONFIGURATION_REFUSED 'nginx refused the new configuration and goes on with the old one: see the end of the log.'
    fi
    docker exec video-service-proxy nginx -s reload
  fi
  rm -rf -- "$config.previous"
}

running_proxy() {
  has_docker || return 0
  docker ps --quiet --filter name=^video-service-proxy$ || fail DOCKER_FAILED 'The Docker engine does not answer.'
}

# take_proxy_files FOLDER: the same files as there, and no others.
take_proxy_files() {
  local file
  shopt -s nullglob
  for file in "$1"/[a-z0-9]*; do
    [[ -f $file ]] || continue
    place "$config/${file##*/}" 640 <"$file"
    chgrp "$nginx_group" "$config/${file##*/}"
  done
  for file in "$config"/*; do
    [[ -f $1/${file##*/} ]] || rm -f -- "$file"
  done
  shopt -u nullglob
}
