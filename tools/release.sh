#!/usr/bin/env bash
# Checks what a release needs besides the steps of .ci/run; docs/releasing.md is the checklist. The programs that check are compiled first, so
# CI has no time for it.
#
#   tools/release.sh                    all parts, also after one has failed; the last lines say which
#   tools/release.sh interface ...      these parts
#
#   links         the links of all documents and package pages
#   licences      licences and sources of all dependencies; cargo-vet's audits
#   interface     the public functions are those of tools/public-api.txt, and compatible with the last version
#   versions      the oldest versions of the dependencies that the manifests allow, and the oldest compiler
#   packages      each package, in the order in which they are published
#   pages         the documentation for each target that docs.rs builds
#   bill          the bills of materials
#   advisories    security advisories; where their list can't be reached, "not run". Git fetches it, so git's settings name a local copy:
#                 GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=url.file:///COPY.insteadOf GIT_CONFIG_VALUE_0=https://github.com/RustSec/advisory-db
#
# CARGO_TARGET_DIR is the folder to compile in (default: target).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
PARTS=(links licences interface versions packages pages bill advisories)
target=$(realpath --canonicalize-missing "${CARGO_TARGET_DIR:-target}")
host=$(rustc -vV | sed -n 's/^host: //p')
source tools/cross.sh
export PATH=$target/tools/bin:$PATH

# Installs programs of setup-tools.sh.
tools() {
    run tools/setup-tools.sh "$target/tools" "$@"
}

part_links() {
    run tools/links.py
}

part_licences() {
    local manifest
    tools deny vet
    for manifest in $(git ls-files '*Cargo.lock'); do
        run cargo-deny --manifest-path "${manifest%.lock}.toml" --workspace --config tools/deny.toml check bans licenses sources
    done
    # A dependency that is new needs an audit or an exemption: cargo vet regenerate exemptions
    run cargo vet --store-path tools/supply-chain --locked --no-registry-suggestions
}

part_interface() {
    local tag listing=tools/public-api.txt
    tools public-api
    cargo +nightly public-api --package trust8 --all-features -ss --target-dir "$target/public-api" >"$target/public-api.txt"
    run diff $listing "$target/public-api.txt" || {
        echo "If the change is intended: cp '$target/public-api.txt' $listing"
        return 1
    }
    # The last version. Before the first one, there is none to be compatible with.
    tag=$(git describe --tags --abbrev=0 --match 'v*' 2>/dev/null) || true
    [ -n "$tag" ] || { echo "no version has a tag yet, so there is none to be compatible with"; return; }
    tools semver
    CARGO_TARGET_DIR=$target/semver run cargo semver-checks --package trust8 --all-features --baseline-rev "$tag"
}

part_versions() {
    run tools/minimal-versions.py "$target/minimal"
    CARGO_TARGET_DIR=$target/minimal-target run cargo check --manifest-path "$target/minimal/Cargo.toml" \
        --package trust8 --package trust8-tokio --package trust8-cli --all-features
    # arrow-buffer 60.1.0 allows bytes 1.4, and calls a function that came with 1.9.
    run cargo update --manifest-path "$target/minimal/Cargo.toml" --package bytes --precise 1.9.0
    CARGO_TARGET_DIR=$target/minimal-target run cargo check --manifest-path "$target/minimal/Cargo.toml" \
        --package trust8-arrow --all-features
    if rustup run 1.88 rustc --version 2>/dev/null; then
        CARGO_TARGET_DIR=$target/msrv-1.88 run cargo +1.88 check --package trust8 --all-features
    else
        echo "Rust 1.88 is not installed; the step 'msrv' checks what it would compile"
    fi
}

part_packages() {
    CARGO_TARGET_DIR=$target/publish run tools/publish.sh --dry-run
}

part_pages() {
    local triple
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
}

part_bill() {
    tools sbom
    run tools/sbom.sh "$target/sbom"
}

part_advisories() {
    local manifest
    tools deny
    if ! run cargo-deny --config tools/deny.toml fetch db 2>&1 | tee "$target/advisories"; then # curl's words say that there is no network
        ! grep --quiet -E "Could(n't| not) (resolve|connect)|Failed to connect|timed out" "$target/advisories" || exit $NOT_RUN
        return 1
    fi
    for manifest in $(git ls-files '*Cargo.lock'); do
        run cargo-deny --manifest-path "${manifest%.lock}.toml" --workspace --config tools/deny.toml check advisories
    done
}

# The exit code of a part that this machine cannot run. That is a failure of a part that was named.
NOT_RUN=77
named=$#
[ $# -gt 0 ] || set -- "${PARTS[@]}"
for part in "$@"; do
    [[ " ${PARTS[*]} " == *" $part "* ]] || { echo "release.sh: no such part: $part" >&2; exit 2; }
done
results=() code=0
for part in "$@"; do
    echo "--- $part"
    # The subshell is not part of a condition, because bash ignores `set -e` there.
    set +e
    (
        set -e
        "part_$part"
    )
    ended=$?
    set -e
    case $part:$ended:$named in
        *:0:*) results+=("$part: ok") ;;
        advisories:$NOT_RUN:0) results+=("$part: not run") ;;
        *) results+=("$part: FAILED") code=1 ;;
    esac
done
printf '%s\n' "${results[@]}"
exit $code
