#!/bin/sh
# Installs ffmpeg and other packages, its arguments, into an image of Debian 13. A rebuild installs the security fixes
# of the distribution. With FFMPEG_SUITE=forky, they come from the release in preparation as it was on one day: its
# encoders are newer, and every build installs the same versions, each checked by its hash in the signed index of that
# day. docs/encoding.md says what differs.
set -eu
suite=${FFMPEG_SUITE:-}
mirror=${FFMPEG_MIRROR:-http://snapshot.debian.org/archive/debian/20261030T140000Z}
# By their source packages, whose versions are the same for every architecture.
versions='ffmpeg 7:9.0.2-4
libvpx 1.17.0-1
svt-av1 4.2.0+dfsg-3
x264 2:0.165.3223+git20250910.0480cb0-1
x265 4.2-3'

if [ -n "$suite" ]; then
  # The index of a day expires a week later.
  cat >/etc/apt/sources.list.d/ffmpeg.sources <<END
Types: deb
URIs: $mirror
Suites: $suite
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
Check-Valid-Until: no
END
fi
apt-get update
apt-get install --yes --no-install-recommends ${suite:+--target-release "$suite"} ffmpeg "$@"
rm -rf /etc/apt/sources.list.d/ffmpeg.sources /var/lib/apt/lists/* /var/cache/apt/*

if [ "$suite" = forky ]; then
  dpkg-query --show --showformat '${source:Package} ${source:Version}\n' >/tmp/installed
  echo "$versions" | while read -r version; do
    grep --quiet --line-regexp --fixed-strings "$version" /tmp/installed || {
      echo "install-ffmpeg.sh: $mirror has another version than $version, with which the encodes were tested" >&2
      exit 1
    }
  done
  rm /tmp/installed
fi

ffmpeg -hide_banner -encoders >/tmp/encoders
for encoder in aac libopus libsvtav1 libvpx-vp9 libwebp libx264 libx265 mjpeg; do
  grep --quiet --word-regexp "$encoder" /tmp/encoders || {
    echo "install-ffmpeg.sh: ffmpeg has no encoder $encoder" >&2
    exit 1
  }
done
rm /tmp/encoders
