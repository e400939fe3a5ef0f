#!/usr/bin/env bash
# Installs what the tests for other machines need, on Debian bookworm (amd64). Installing needs root.
#
#   tools/setup-cross.sh [aarch64] [s390x] [i686] [wasm] [windows] [x86-64] [valgrind] [access] [capi] [debian] [java] [source]
#
# Without an argument, it installs all but `debian` and `java`.
#
#   aarch64, s390x   a linker, a C library, qemu, and the source of Rust's standard library
#   i686             the same without qemu: the CPU runs these programs itself
#   wasm             a linker, a C library, the source of the standard library, and Node unless there is one
#   windows          a linker and a C library for Windows, the source of the standard library, and Wine
#   source           the source of the standard library, to check the code for other systems
#   x86-64           qemu, for x86-64 CPUs that are older than this one
#   valgrind         Valgrind, and the debug symbols of the C library that it needs
#   java             a JDK, unless there is one
#   access           programs for access control lists and extended attributes, editors and a shell, for the tests of the command
#   debian           what builds a package of Debian
#   capi             clang, the programs that build the examples of the C interface, and the libraries that it is compared with
#
# The script skips what is already installed, so a second run does nothing. The compiler is Debian's (rustc-web), because Debian also
# packages the source of the standard library. The script does not touch rustup's toolchains. Where .ci/run can download rustup's nightly
# for a machine, it takes that, which is faster.
set -euo pipefail

fail() {
    echo "setup-cross.sh: $*" >&2
    exit 1
}

if [ $# -eq 0 ]; then
    set -- aarch64 s390x i686 wasm windows x86-64 valgrind access capi
fi

# What each machine needs. `node?nodejs` is needed unless there is a program `node`.
debian_rust="rustc-web libstd-rust-web-dev rust-web-src"
declare -A needs=(
    [aarch64]="$debian_rust qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross"
    [s390x]="$debian_rust qemu-user gcc-s390x-linux-gnu libc6-dev-s390x-cross"
    # gcc-multilib would do as well, but it conflicts with the other cross compilers.
    [i686]="$debian_rust gcc-i686-linux-gnu libc6-dev-i386-cross"
    [wasm]="$debian_rust lld-22 wasi-libc node?nodejs"
    [windows]="$debian_rust gcc-mingw-w64-x86-64-win32 wine64"
    [source]="$debian_rust"
    [x86-64]="qemu-user"
    [valgrind]="valgrind libc6-dbg"
    [java]="javac?default-jdk-headless"
    [access]="acl attr strace fish vim?vim-nox emacs?emacs-nox"
    [debian]="debhelper dpkg-dev fakeroot"
    [capi]="clang libclang-rt-14-dev cmake meson ninja-build pkgconf libglib2.0-dev libunistring-dev libicu-dev"
)
packages=()
for machine in "$@"; do
    [ -n "${needs[$machine]-}" ] || { echo "setup-cross.sh: no such machine: $machine" >&2; exit 2; }
    for package in ${needs[$machine]}; do
        [[ $package == *\?* ]] && command -v "${package%\?*}" >/dev/null || packages+=("${package#*\?}")
    done
done

# Sets `missing` to the packages that are not installed.
#
# dpkg knows a package once for each architecture that it is installed for, and it knows packages that are not
# installed at all, because another package mentions them. So the status and the architecture must match exactly.
find_missing() {
    local native known package
    native=$(dpkg --print-architecture)
    known=$(dpkg-query --show --showformat='<${db:Status-Status} ${Package}:${Architecture}>')
    missing=()
    for package in "${packages[@]}"; do
        if [[ $known != *"<installed $package:$native>"* && $known != *"<installed $package:all>"* && " ${missing[*]} " != *" $package "* ]]; then
            missing+=("$package")
        fi
    done
}

# rustc looks for the start-up code of a WebAssembly program in the first folder. Debian's C library has it in the
# second.
wasm_start=/usr/lib/rustlib/wasm32-wasip1/lib/self-contained
wasm_libc=/usr/lib/wasm32-wasi
lacks_wasm_start() {
    [[ " $* " == *" wasm "* && ! -e $wasm_start/crt1-command.o ]]
}

find_missing
if [ ${#missing[@]} -eq 0 ] && ! lacks_wasm_start "$@"; then
    exit 0
fi
if [ "$(id -u)" -ne 0 ]; then
    fail "only root can install ${missing[*]:-$wasm_start}"
fi

# CI runs this script in two lanes at once. The second one waits, and then there is less to install.
exec 9>/run/lock/trust8-setup
flock 9
find_missing

if [ ${#missing[@]} -gt 0 ]; then
    echo "setup-cross.sh: installing ${missing[*]}"
    # This updates Debian's own package lists alone, and keeps the lists of other sources. One of them that is out of reach would fail the
    # whole update.
    lists=()
    if [ -s /etc/apt/sources.list.d/debian.sources ]; then
        lists=(-o Dir::Etc::SourceList=sources.list.d/debian.sources -o Dir::Etc::SourceParts=-
            -o APT::Get::List-Cleanup=false)
    fi
    apt-get --quiet --quiet -o Acquire::Retries=3 "${lists[@]}" update
    DEBIAN_FRONTEND=noninteractive apt-get --quiet --quiet -o Acquire::Retries=3 -o Dpkg::Use-Pty=0 \
        install --yes --no-install-recommends "${missing[@]}" >/dev/null

    find_missing
    [ ${#missing[@]} -eq 0 ] || fail "still missing: ${missing[*]}"
fi

if lacks_wasm_start "$@"; then
    mkdir -p "$(dirname "$wasm_start")"
    # A link that points nowhere is replaced; a folder is not.
    ln --symbolic --force --no-target-directory "$wasm_libc" "$wasm_start"
    ! lacks_wasm_start "$@" || fail "still missing: $wasm_start/crt1-command.o"
fi
