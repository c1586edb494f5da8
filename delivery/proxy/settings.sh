# shellcheck shell=bash
# Paths. In the image they are those of `delivery/nginx/proxy-settings.ts`; tests set their own.
# shellcheck disable=SC2034

configuration=${PROXY_CONFIGURATION:-/etc/video-service}
run=${PROXY_RUN:-/tmp/video-service}
cache=${PROXY_CACHE:-/var/cache/nginx}
logs=${PROXY_LOGS:-/var/log/nginx}
# The agent of the host (AWS Systems Manager) writes and renews this file.
shared_credentials=${PROXY_SHARED_CREDENTIALS:-/etc/video-service-aws/credentials}
tick_seconds=${PROXY_TICK_SECONDS:-60}

# Debian does not add it to the PATH of users.
PATH=$PATH:/usr/sbin

nginx() { command nginx -c "$configuration/nginx.conf" "$@"; }

# ask PATH [option…]: sends a request to the server of nginx that signs requests with the credentials of the node.
ask() { curl --silent --max-time 300 --unix-socket "$run/origin.sock" "http://origin$1" "${@:2}"; }
