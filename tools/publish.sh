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

dry=()
[ "${1-}" != --dry-run ] || dry=(--dry-run --allow-dirty)
run cargo publish "${dry[@]}" --package=trust8 --package=trust8-{columns,counts,transcode,dialect,profile,tokio,arrow,cli}
# These two have workspaces of their own.
for folder in crates/datafusion bindings/c; do
    here=()
    if [ ${#dry[@]} -gt 0 ]; then
        # What they need is not published yet, so it is found in the checkout. A patch that is not needed would change the lock file.
        here=(--no-verify --config "patch.crates-io.trust8.path='$PWD'")
        for name in $(sed -n 's/^name = "trust8-\(.*\)"$/\1/p' $folder/Cargo.lock); do
            [ "crates/$name" = $folder ] || [ ! -d "crates/$name" ] || here+=(--config "patch.crates-io.trust8-$name.path='$PWD/crates/$name'")
        done
    fi
    run cargo publish "${dry[@]}" "${here[@]}" --manifest-path $folder/Cargo.toml
done
