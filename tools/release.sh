#!/usr/bin/env bash
# Checks what a release needs besides the steps of .ci/run; docs/releasing.md is the checklist. The programs that check are compiled first, so
# CI has no time for it. CARGO_TARGET_DIR is the folder to compile in (default: target).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
target=$(realpath --canonicalize-missing "${CARGO_TARGET_DIR:-target}")
host=$(rustc -vV | sed -n 's/^host: //p')
source tools/cross.sh

listing=tools/public-api.txt
run tools/links.py
# The last version. Before the first one, there is none to be compatible with.
tag=$(git describe --tags --abbrev=0 --match 'v*' 2>/dev/null) || true
run tools/setup-tools.sh "$target/tools" ${tag:+semver}
export PATH=$target/tools/bin:$PATH

echo "--- licences and sources"
for manifest in $(git ls-files '*Cargo.lock'); do
    run cargo-deny --manifest-path "${manifest%.lock}.toml" --workspace --config tools/deny.toml check bans licenses sources
done

# A dependency that is new needs an audit or an exemption: cargo vet regenerate exemptions
run cargo vet --store-path tools/supply-chain --locked --no-registry-suggestions

echo "--- the public functions"
cargo +nightly public-api --package trust8 --all-features -ss --target-dir "$target/public-api" >"$target/public-api.txt"
run diff $listing "$target/public-api.txt" || {
    echo "If the change is intended: cargo +nightly public-api --package trust8 --all-features -ss >$listing"
    exit 1
}
if [ -n "$tag" ]; then
    CARGO_TARGET_DIR=$target/semver run cargo semver-checks --package trust8 --all-features --baseline-rev "$tag"
else
    echo "no version has a tag yet, so there is none to be compatible with"
fi

echo "--- the oldest versions of what the packages depend on"
run tools/minimal-versions.py "$target/minimal"
CARGO_TARGET_DIR=$target/minimal-target run cargo check --manifest-path "$target/minimal/Cargo.toml" \
    --package trust8 --package trust8-tokio --package trust8-cli --all-features
# arrow-buffer 60.0.0 allows bytes 1.4, and calls a function that came with 1.9.
run cargo update --manifest-path "$target/minimal/Cargo.toml" --package bytes --precise 1.9.0
CARGO_TARGET_DIR=$target/minimal-target run cargo check --manifest-path "$target/minimal/Cargo.toml" \
    --package trust8-arrow --all-features

echo "--- the oldest compiler"
if rustup run 1.88 rustc --version 2>/dev/null; then
    CARGO_TARGET_DIR=$target/msrv-1.88 run cargo +1.88 check --package trust8 --all-features
else
    echo "Rust 1.88 is not installed; the step 'msrv' checks what it would compile"
fi

echo "--- the packages, in the order in which they are published"
run cargo publish --dry-run --allow-dirty --package=trust8 --package=trust8-{columns,counts,transcode,dialect,profile,tokio,arrow,cli}
# These two have workspaces of their own. Until the packages above are published, they find them here.
publish=(run cargo publish --dry-run --no-verify --allow-dirty --target-dir "$target/publish"
    --config "patch.crates-io.trust8.path='$PWD'")
for name in columns counts dialect profile transcode; do
    publish+=(--config "patch.crates-io.trust8-$name.path='$PWD/crates/$name'")
done
"${publish[@]}" --manifest-path crates/datafusion/Cargo.toml
"${publish[@]}" --manifest-path bindings/c/Cargo.toml

echo "--- the documentation as docs.rs builds it"
run tools/setup-cross.sh aarch64 source
export RUSTDOCFLAGS="-D warnings --cfg docsrs"
for triple in $(sed -n '/^\[package.metadata.docs.rs\]/,/^$/s/^targets = //p' Cargo.toml | tr -d '[],"'); do
    if [ "$triple" = "$host" ]; then
        run cargo +nightly doc --package trust8 --no-deps --all-features --target-dir "$target/docsrs"
    else
        use_cross "$triple"
        run cross_cargo doc --package trust8 --no-deps --all-features --target "$triple" "${std[@]}"
    fi
done

# Last, because the list of advisories cannot be fetched everywhere. A release needs it.
echo "--- advisories"
run cargo-deny fetch db
for manifest in $(git ls-files '*Cargo.lock'); do
    run cargo-deny --manifest-path "${manifest%.lock}.toml" --workspace --config tools/deny.toml check --disable-fetch advisories
done
