# shellcheck shell=bash
# A worker has one file of settings; a proxy has a folder of files that is mounted into its container.

holds() {
  case $type in
    worker) worker_file_matches ;;
    proxy) [[ ! -e $config.previous ]] && proxy_files_match ;;
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

# In the format of Docker's --env-file: one setting per line, without quotes.
worker_settings() {
  local api token
  api=$(value_like API_URL 'https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[A-Za-z0-9._~/-]*)?')
  token=$(value_like WORKER_TOKEN '[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+')
  printf 'SYNC_URL=%s/api/workers/sync\nWORKER_TOKEN=%s\n' "$api" "$token"
  # The name is that in the container.
  if has_value CERTIFICATES; then printf 'NODE_EXTRA_CA_CERTS=/etc/video-service/authorities.pem\n'; fi
}

# Not a pipe: if the settings are invalid, no file must be written.
write_worker_file() {
  local settings
  settings=$(worker_settings)
  if has_value CERTIFICATES; then
    # Root in the container is not the user of the worker.
    place "$config/authorities.pem" 644 <"$values/CERTIFICATES"
  else
    rm -f -- "$config/authorities.pem"
  fi
  printf '%s\n' "$settings" | place "$config/worker.env" 600
}

worker_file_matches() {
  local file=$config/worker.env settings
  settings=$(worker_settings) && [[ -f $file && $(<"$file") == "$settings" && $(stat --format %a "$file") == 600 ]] &&
    { ! has_value CERTIFICATES || cmp --quiet "$values/CERTIFICATES" "$config/authorities.pem"; }
}

# The values that are files: names of settings are in capitals.
proxy_files() { (cd "$values" && printf '%s\n' [a-z0-9]*); }

proxy_files_match() {
  local name
  [[ -d $config && $(cd "$config" && printf '%s\n' *) == "$(proxy_files)" ]] || return 1
  while read -r name; do
    cmp --quiet -- "$values/$name" "$config/$name" || return 1
  done < <(proxy_files)
}

# A running nginx reloads the new files, or keeps the old ones if it rejects them. The old files are kept until then, so
# that an interrupted run can be repeated.
replace_proxy_files() {
  local running
  chgrp "$nginx_group" "$config"
  chmod 750 "$config"
  if [[ ! -e $config.previous ]]; then
    rm -rf -- "$config.copy"
    cp -a -- "$config" "$config.copy"
    mv -T -- "$config.copy" "$config.previous"
  fi
  copy_proxy_files "$values"
  running=$(running_proxy)
  if [[ $running ]]; then
    if ! docker exec video-service-proxy nginx -t -q; then
      copy_proxy_files "$config.previous"
      rm -rf -- "$config.previous"
      fail CONFIGURATION_REFUSED 'nginx rejected the new configuration and still uses the old one: see the end of the log.'
    fi
    docker exec video-service-proxy nginx -s reload
  fi
  rm -rf -- "$config.previous"
}

running_proxy() {
  has_docker || return 0
  docker ps --quiet --filter name=^video-service-proxy$ || fail DOCKER_FAILED 'The Docker engine does not respond.'
}

# copy_proxy_files FOLDER: makes the configuration equal to the files of the folder.
copy_proxy_files() {
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
