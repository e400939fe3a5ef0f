#!/usr/bin/env bash
# Publishes all packages on crates.io, in the order in which they need each other.
#
#   tools/publish.sh                publishes them, with the token in CARGO_REGISTRY_TOKEN
#   tools/publish.sh --dry-run      packs them, and compiles what needs no package with its own lock file
#
# CARGO_TARGET_DIR is the folder to compile in (default: target).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export CARGO_TARGET_DIR
CARGO_TARGET_DIR=$(realpath --canonicalize-missing "${CARGO_TARGET_DIR:-target}")
source tools/cross.sh

dry=() patches=()
if [ "${1-}" = --dry-run ]; then
    dry=(--dry-run --allow-dirty)
    # The last two find here what is not published yet.
    patches=(--no-verify --config "patch.crates-io.trust8.path='$PWD'")
    for name in columns counts dialect profile transcode; do
        patches+=(--config "patch.crates-io.trust8-$name.path='$PWD/crates/$name'")
    done
fi
run cargo publish "${dry[@]}" --package=trust8 --package=trust8-{columns,counts,transcode,dialect,profile,tokio,arrow,cli}
for manifest in crates/datafusion bindings/c; do
    run cargo publish "${dry[@]}" "${patches[@]}" --manifest-path $manifest/Cargo.toml
done
