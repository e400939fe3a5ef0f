#!/usr/bin/env bash
# Installs what the test runs for other machines need, on Debian bookworm (amd64), as root:
#
#   scripts/setup-cross.sh [aarch64] [s390x] [i686] [wasm] [x86-64] [valgrind]   (no argument: all)
#
#   aarch64, s390x   a linker, a C library, qemu, and Rust's standard library or its source
#   i686             the same without qemu: the CPU runs it
#   wasm             a linker, a C library, the standard library's source, and Node unless there is one
#   x86-64           qemu, for older models of this machine's own kind
#   valgrind         what its name says
#
# What is there already is left alone, so running it again costs nothing. The compiler is Debian's
# (packages rustc-web and so on), because it comes with a standard library for AArch64 and the source
# of it for the rest; rustup's toolchains are not touched.
set -euo pipefail

if [ $# -eq 0 ]; then
    set -- aarch64 s390x i686 wasm x86-64 valgrind
fi

packages=()
for machine in "$@"; do
    case $machine in
        aarch64)
            packages+=(rustc-web libstd-rust-web-dev libstd-rust-web-dev:arm64 qemu-user
                gcc-aarch64-linux-gnu libc6-dev-arm64-cross)
            ;;
        s390x)
            packages+=(rustc-web libstd-rust-web-dev rust-web-src qemu-user
                gcc-s390x-linux-gnu libc6-dev-s390x-cross)
            ;;
        i686)
            # Not gcc-multilib, which cannot be installed beside the other cross compilers.
            packages+=(rustc-web libstd-rust-web-dev rust-web-src gcc-i686-linux-gnu libc6-dev-i386-cross)
            ;;
        wasm)
            packages+=(rustc-web libstd-rust-web-dev rust-web-src lld-22 wasi-libc)
            command -v node >/dev/null || packages+=(nodejs)
            ;;
        x86-64)
            packages+=(qemu-user)
            ;;
        valgrind)
            packages+=(valgrind libc6-dbg)
            ;;
        *)
            echo "setup-cross.sh: no such machine: $machine" >&2
            exit 2
            ;;
    esac
done

is_installed() {
    [[ $(dpkg-query --show --showformat='${db:Status-Status} ' "$1" 2>/dev/null) == *installed\ * ]]
}

missing=()
for package in "${packages[@]}"; do
    is_installed "$package" || missing+=("$package")
done
# Where rustc looks for a WebAssembly program's start-up code, and the folder where the C library has it.
wasm_start=/usr/lib/rustlib/wasm32-wasip1/lib/self-contained
wasm_libc=/usr/lib/wasm32-wasi
link_wasm_start() {
    if [ -d $wasm_libc ] && [ ! -e $wasm_start ]; then
        mkdir -p "$(dirname $wasm_start)"
        ln -s $wasm_libc $wasm_start
    fi
}

if [ ${#missing[@]} -eq 0 ]; then
    link_wasm_start
    exit 0
fi

echo "setup-cross.sh: installing ${missing[*]}"
if [ "$(id -u)" -ne 0 ]; then
    echo "setup-cross.sh: only root can do that" >&2
    exit 1
fi

case " ${missing[*]} " in
    *:arm64*) dpkg --add-architecture arm64 ;;
esac

# Only Debian's own list of packages: another one may know nothing of a foreign architecture, and
# would fail the whole update.
lists=()
if [ -s /etc/apt/sources.list.d/debian.sources ]; then
    lists=(-o Dir::Etc::SourceList=sources.list.d/debian.sources -o Dir::Etc::SourceParts=-)
fi
apt-get --quiet --quiet -o Acquire::Retries=3 "${lists[@]}" update
DEBIAN_FRONTEND=noninteractive apt-get --quiet --quiet -o Acquire::Retries=3 -o Dpkg::Use-Pty=0 \
    install --yes --no-install-recommends "${missing[@]}" >/dev/null

for package in "${missing[@]}"; do
    is_installed "$package" || { echo "setup-cross.sh: $package is still missing" >&2; exit 1; }
done
link_wasm_start
