# shellcheck shell=bash
# Where things are: in the image as `functions/delivery/nginx/proxy-settings.ts` says, in tests in a folder of their own.
# shellcheck disable=SC2034

configuration=${PROXY_CONFIGURATION:-/etc/video-service}
run=${PROXY_RUN:-/tmp/video-service}
logs=${PROXY_LOGS:-/var/log/nginx}
# As the AWS agent of the host writes and renews it.
shared_credentials=${PROXY_SHARED_CREDENTIALS:-/etc/video-service-aws/credentials}
tick_seconds=${PROXY_TICK_SECONDS:-60}

# Debian keeps it off the PATH of users.
PATH=$PATH:/usr/sbin

nginx() { command nginx -c "$configuration/nginx.conf" "$@"; }

# ask PATH [option…]: a request to the part of nginx that signs with the node's credentials.
ask() { curl --silent --max-time 300 --unix-socket "$run/origin.sock" "http://origin$1" "${@:2}"; }
