# shellcheck shell=bash
# From the distribution only: what it signs and keeps up to date needs no key and no repository of ours.

if command -v apt-get >/dev/null; then
  packages=(ca-certificates curl openssl)
  is_installed() { [[ $(dpkg-query --show --showformat '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }
  install_packages() {
    # First, what an installation that was cut off has left.
    dpkg --configure -a &&
      apt-get -qq -o DPkg::Lock::Timeout=300 update &&
      apt-get -qq -y -o DPkg::Lock::Timeout=300 --no-install-recommends install "$@"
  }
else
  # Never curl: the system has curl-minimal, which is curl, and conflicts with it.
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
