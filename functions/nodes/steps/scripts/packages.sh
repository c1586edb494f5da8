# shellcheck shell=bash
# Only packages of the distribution, which signs and updates them: no additional keys or repositories.

if command -v apt-get >/dev/null; then
  packages=(ca-certificates curl openssl)
  is_installed() { [[ $(dpkg-query --show --showformat '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }
  install_packages() {
    # Finishes an interrupted installation.
    dpkg --configure -a &&
      apt-get -qq -o DPkg::Lock::Timeout=300 update &&
      apt-get -qq -y -o DPkg::Lock::Timeout=300 --no-install-recommends install "$@"
  }
else
  # Not curl: it conflicts with curl-minimal, which is installed and provides curl.
  packages=(ca-certificates openssl)
  is_installed() { rpm --query --quiet "$1"; }
  install_packages() { dnf --quiet --assumeyes install "$@"; }
fi

holds() {
  local package
  for package in "${packages[@]}"; do
    is_installed "$package" || return 1
  done
}

perform() {
  install_packages "${packages[@]}" || fail PACKAGES_FAILED 'The packages could not be installed: see the end of the log.'
  say "Installed: ${packages[*]}"
}
