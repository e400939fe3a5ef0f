#!/usr/bin/env bash
# Builds the recipes in packaging/ from this checkout, and compiles an example with each package:
#
#   bindings/c/packages.sh debian|conan|vcpkg...      these (default: the first two, and vcpkg if VCPKG_ROOT is set)
#
# They need cargo. `debian` needs debhelper (tools/setup-cross.sh debian), `conan` installs Conan into a folder of its own, and `vcpkg`
# needs the program vcpkg and its repository, which VCPKG_ROOT names; with VCPKG_FORCE_SYSTEM_BINARIES=1 it uses this machine's CMake.
# CARGO_TARGET_DIR is the folder to work in (default: target here).
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(realpath --canonicalize-missing "${CARGO_TARGET_DIR:-$here/target}/packages")
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$here/Cargo.toml")
mkdir -p "$work"

fail() {
    echo "packages.sh: $*" >&2
    exit 1
}

# Compiles an example with the pkg-config file in a folder, and runs it.
try_pkg_config() {
    local options
    options=$(PKG_CONFIG_PATH=$1 pkg-config --cflags --libs trust8)
    # shellcheck disable=SC2086 # the options are words
    cc "$here/examples/cc/arguments.c" $options -Wl,-rpath,"$(dirname "$1")" -o "$work/arguments"
    [ "$("$work/arguments" text)" = "1: 4 characters" ] || fail "the example"
}

build_debian() {
    local source=$work/debian/trust8-$version crates
    grep --quiet "^trust8 ($version-" "$here/packaging/debian/changelog" || fail "debian/changelog has another version than Cargo.toml"
    rm -rf "$work/debian"
    mkdir -p "$source"
    (cd "$here/../.." && git ls-files -z --cached --others --exclude-standard | tar --create --null --files-from=-) | tar --extract --directory "$source"
    cp -r "$here/packaging/debian" "$source"
    # A build of Debian fetches nothing. So the crates are part of the source.
    mkdir "$source/.cargo"
    (cd "$source" && cargo vendor --quiet --locked --manifest-path bindings/c/Cargo.toml vendor >.cargo/config.toml)
    # rustup's cargo is no package, so the dependencies on packages are not checked.
    (cd "$source" && CARGO_TARGET_DIR=$work/debian/target dpkg-buildpackage --no-sign --build=binary -d)
    for package in "$work"/debian/*.deb; do
        dpkg-deb --info "$package"
        dpkg-deb --extract "$package" "$work/debian/root"
    done
    try_pkg_config "$work/debian/root/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)/pkgconfig"
}

build_conan() {
    local conan=$work/conan/bin/conan shared
    [ -x "$conan" ] || { python3 -m venv "$work/conan" && "$work/conan/bin/pip" install --quiet --disable-pip-version-check conan==2.34.0; }
    export CONAN_HOME=$work/conan-home
    [ -e "$CONAN_HOME/profiles/default" ] || "$conan" profile detect
    for shared in False True; do
        "$conan" create "$here/packaging/conan" -o "trust8/*:shared=$shared"
        # Conan compiles the test beside its recipe.
        rm -rf "$here"/packaging/conan/test_package/{build,CMakeUserPresets.json}
    done
}

build_vcpkg() {
    : "${VCPKG_ROOT:?the checkout of vcpkg}"
    vcpkg install trust8 --overlay-ports="$here/packaging/vcpkg" --x-install-root="$work/vcpkg" --x-buildtrees-root="$work/vcpkg-build" \
        --x-packages-root="$work/vcpkg-packages"
    try_pkg_config "$work"/vcpkg/*-linux/lib/pkgconfig
}

[ $# -gt 0 ] || set -- debian conan ${VCPKG_ROOT:+vcpkg}
for recipe in "$@"; do
    [[ $(type -t "build_$recipe") == function ]] || fail "no such recipe: $recipe"
    echo "--- $recipe"
    "build_$recipe"
done
