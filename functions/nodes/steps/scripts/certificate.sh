# shellcheck shell=bash
# One program gets and renews the certificate. This step runs it, and a systemd timer twice a day.

units=$root/etc/systemd/system

holds() {
  local settings
  settings=$(renewal_settings) &&
    [[ -f $state/renew.env && $(<"$state/renew.env") == "$settings" ]] &&
    cmp --quiet "$state/renew" <(renewal_program) &&
    { ! has_value CERTIFICATES || cmp --quiet "$values/CERTIFICATES" "$state/authorities.pem"; } &&
    certificate_is_good &&
    systemctl --quiet is-enabled video-service-renew.timer
}

perform() {
  local settings
  need_docker
  settings=$(renewal_settings)
  mkdir -p "$state/lego" "$state/acme" "$state/tls" "$units"
  # nginx, which is not root in its container, reads these files. It cannot read lego's folder.
  chmod 755 "$state/acme"
  chgrp "$nginx_group" "$state/tls"
  chmod 750 "$state/tls"
  if has_value CERTIFICATES; then
    place "$state/authorities.pem" 644 <"$values/CERTIFICATES"
  else
    rm -f -- "$state/authorities.pem"
  fi
  renewal_program | place "$state/renew" 700
  printf '%s\n' "$settings" | place "$state/renew.env" 600
  certificate_is_good || get_certificate
  renewal_service | place "$units/video-service-renew.service" 644
  renewal_timer | place "$units/video-service-renew.timer" 644
  systemctl daemon-reload
  systemctl --quiet enable --now video-service-renew.timer
}

certificate_is_good() {
  local file=$state/tls/certificate.pem
  [[ -f $file && -f $state/tls/key.pem ]] &&
    openssl x509 -noout -checkend $((30 * 24 * 3600)) -in "$file" >/dev/null &&
    openssl x509 -noout -checkhost "$(hostname_of_node)" -in "$file" | grep --quiet 'does match'
}

get_certificate() {
  local line
  # Lines of NAME=value with validated values.
  while read -r line; do export "${line?}"; done <"$state/renew.env"
  "$state/renew" || fail CERTIFICATE_FAILED \
    'No certificate was issued: the host name must resolve to this server, and port 80 must be open. See the end of the log.'
  say 'The certificate is installed.'
}

# value_or NAME PATTERN DEFAULT
value_or() { if has_value "$1"; then value_like "$1" "$2"; else printf '%s' "$3"; fi; }

renewal_settings() {
  local hostname image email directory
  hostname=$(hostname_of_node)
  image=$(image_to_run)
  email=$(value_or CERTIFICATE_EMAIL '[A-Za-z0-9_][A-Za-z0-9_.+-]{0,63}@[A-Za-z0-9.-]{1,253}' "webmaster@$hostname")
  directory=$(value_or ACME_DIRECTORY 'https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[A-Za-z0-9._~/-]*)?' \
    'https://acme-v02.api.letsencrypt.org/directory')
  printf '%s\n' "STATE=$state" "HOST_NAME=$hostname" "IMAGE=$image" "EMAIL=$email" "DIRECTORY=$directory" \
    "GROUP=$nginx_group"
}

# The text is constant, since both systemd and this step run it.
renewal_program() {
  cat <<'PROGRAM'
#!/usr/bin/env bash
# Gets the certificate of this proxy, or renews it in its last 30 days. Settings: renew.env in the same folder.
set -euo pipefail
umask 077

running=$(docker container inspect --format '{{.State.Running}}' video-service-proxy 2>/dev/null || true)
container=(
  --rm --read-only --cap-drop ALL --security-opt no-new-privileges --memory 256m --user 0:0 --entrypoint lego
  --mount "type=bind,source=$STATE/lego,target=/lego"
)
# The authority of the certificate may have a certificate of a private authority itself.
if [[ -f $STATE/authorities.pem ]]; then
  container+=(--mount "type=bind,source=$STATE/authorities.pem,target=/authorities.pem,readonly")
  container+=(--env LEGO_CA_CERTIFICATES=/authorities.pem)
fi
arguments=(--accept-tos --path /lego --server "$DIRECTORY" --email "$EMAIL" --domains "$HOST_NAME" --http)
if [[ $running == true ]]; then
  # nginx listens on port 80 and serves this folder.
  container+=(--mount "type=bind,source=$STATE/acme,target=/var/lib/acme")
  arguments+=(--http.webroot /var/lib/acme)
else
  container+=(--publish 80:8080)
  arguments+=(--http.port :8080)
fi
found=$STATE/lego/certificates/$HOST_NAME
if [[ -f $found.crt && -f $found.key ]]; then action=(renew --days 30); else action=(run); fi
docker run "${container[@]}" "$IMAGE" "${arguments[@]}" "${action[@]}"

cmp --quiet "$found.crt" "$STATE/tls/certificate.pem" && cmp --quiet "$found.key" "$STATE/tls/key.pem" && exit
for pair in key:key crt:certificate; do
  to=$STATE/tls/${pair#*:}.pem
  cp -- "$found.${pair%:*}" "$to.next"
  chgrp "$GROUP" "$to.next"
  chmod 640 "$to.next"
  mv -f -- "$to.next" "$to"
done
if [[ $running == true ]]; then docker exec video-service-proxy nginx -s reload; fi
PROGRAM
}

renewal_service() {
  cat <<UNIT
[Unit]
Description=Renews the certificate of the video service's proxy
After=docker.service network-online.target
Wants=network-online.target

[Service]
Type=oneshot
EnvironmentFile=$state/renew.env
ExecStart=$state/renew
UNIT
}

renewal_timer() {
  cat <<'UNIT'
[Unit]
Description=Renews the certificate of the video service's proxy

[Timer]
OnCalendar=*-*-* 03,15:00
RandomizedDelaySec=6h
Persistent=true

[Install]
WantedBy=timers.target
UNIT
}
