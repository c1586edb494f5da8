# shellcheck shell=bash
# Only packages of the distribution, which signs and updates them: no additional keys or repositories.

if command -v apt-get >/dev/null; then
  packages=(ca-certificates curl openssl)
  is_installed() { [[ $(dpkg-query --show --showformat '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }
else
  # Not curl: it conflicts with curl-minimal, which is installed and provides curl.
  packages=(ca-certificates openssl)
  is_installed() { rpm --query --quiet "$1"; }
fi

holds() {
  local package
  for package in "${packages[@]}"; do
    is_installed "$package" || return 1
  done
}

perform() {
  { update_packages && install_packages "${packages[@]}"; } || fail PACKAGES_FAILED 'The packages could not be installed: see the end of the log.'
  say "Installed: ${packages[*]}"
}
