#!/usr/bin/env bash
# Other people's programs with trust8 in simdutf8's place: their own tests, and a program that drives them.
#
#   scripts/other-programs/run.sh            all of them
#   scripts/other-programs/run.sh driver     only those that are named: driver, or a crate of the list below
#
# A [patch] replaces the package simdutf8 by a shim of that name, which does nothing but re-export trust8's modules `basic` and
# `compat`. That it took effect is read from cargo's own tree. Needs crates.io, and some minutes; no part of `cargo test`.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
export CARGO_TERM_COLOR=${CARGO_TERM_COLOR:-never}
work=${CARGO_TARGET_DIR:-$root/target}/other-programs
mkdir -p "$work"
work=$(cd "$work" && pwd)
export CARGO_TARGET_DIR=$work/target

# Crate, version, and the arguments of `cargo test`: those of its tests that its package contains and that need no network and
# no files that were left out of it. All call simdutf8's stable functions, by way of the crate's own code.
crates=(
    "sonic-rs 0.5.10 --lib -- --skip test_node_from_files3"
    "fastwebsockets 0.10.0 --features simd,upgrade,unstable-split --lib --test upgrade --test split --test concurrency"
    "bytecheck 0.8.3 --features simdutf8 --lib"
    "ntex-bytes 1.14.0 --features simd --lib --tests"
    "tokio-websockets 0.11.4 --features client,server,sha1_smol,fastrand,simd --lib --tests"
)

# The package that stands in for simdutf8, of the version that the others ask for.
shim=$work/simdutf8
mkdir -p "$shim/src"
cat >"$shim/Cargo.toml" <<END
[package]
name = "simdutf8"
version = "0.1.5"
edition = "2024"

[features]
default = ["std"]
std = ["trust8/std"]
# Of no effect here: NEON is always used, and there is no other interface to show.
aarch64_neon = []
aarch64_neon_prefetch = []

[dependencies]
trust8 = { path = "$root", default-features = false }

[workspace]
END
cat >"$shim/src/lib.rs" <<END
//! trust8 under the name of simdutf8.
#![no_std]
pub use trust8::{basic, compat};
END

# Says that every simdutf8 in the package in this folder is the shim, and has trust8 below it.
patch_took_effect() {
    local tree
    tree=$(cargo tree --edges normal,build,dev --target all --all-features --invert trust8 2>/dev/null || cargo tree --invert trust8)
    echo "$tree" | head -n 4
    grep --quiet "simdutf8 v0.1.5 ($shim)" <<<"$tree" || { echo "the patch did not take effect"; return 1; }
    if cargo tree --prefix none --all-features 2>/dev/null | grep '^simdutf8 ' | grep --invert-match --fixed-strings "$shim"; then
        echo "the line above is another simdutf8"
        return 1
    fi
}

patch() {
    printf '\n[patch.crates-io]\nsimdutf8 = { path = "%s" }\n' "$shim"
}

run_crate() {
    local name=$1 version=$2 source
    shift 2
    # Where cargo has unpacked it.
    mkdir -p "$work/fetch/src"
    : >"$work/fetch/src/lib.rs"
    printf '[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2024"\n[dependencies]\n%s = "=%s"\n[workspace]\n' \
        "$name" "$version" >"$work/fetch/Cargo.toml"
    source=$(cd "$work/fetch" && cargo metadata --format-version 1 --quiet | python3 -c '
import json, pathlib, sys
packages = json.load(sys.stdin)["packages"]
print(pathlib.Path(next(p["manifest_path"] for p in packages if p["name"] == sys.argv[1])).parent)' "$name")
    rm -rf "${work:?}/$name"
    cp -r "$source" "$work/$name"
    cd "$work/$name"
    if [ "$name" = sonic-rs ]; then
        # One test needs a crate and files that are not in the package.
        perl -0pi -e 's/#\[test\]\s+#\[cfg\(not\(target_arch = "wasm32"\)\)\]\s+fn test_struct\b/#[cfg(any())]\n    fn test_struct/' src/serde/mod.rs
    fi
    # Neither its lock, which has the other simdutf8, nor its toolchain and flags; its lints are its own business.
    rm -rf Cargo.lock rust-toolchain rust-toolchain.toml .cargo
    { printf '\n[workspace]\n'; patch; } >>Cargo.toml
    patch_took_effect
    RUSTFLAGS="--cap-lints=allow" cargo test --no-fail-fast "$@" 2>&1 | tee "$work/$name.log" | grep -E '^(test result|     Running|error)'
}

run_driver() {
    rm -rf "$work/driver"
    cp -r "$here/driver" "$work/driver"
    cd "$work/driver"
    patch >>Cargo.toml
    patch_took_effect
    cargo test 2>&1 | tee "$work/driver.log" | grep -E '^(test |     Running|error)'
}

failed=0 done=()
for crate in "${crates[@]}" driver; do
    read -ra words <<<"$crate"
    name=${words[0]}
    [ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
    echo
    echo "=== $crate"
    # A subshell of its own, not in a condition, where `set -e` would be off.
    set +e
    (
        set -e
        if [ "$name" = driver ]; then run_driver; else run_crate "${words[@]}"; fi
    )
    code=$?
    set -e
    passed=$(sed -n 's/^test result: .* \([0-9]*\) passed; .*/\1/p' "$work/$name.log" 2>/dev/null | awk '{ sum += $1 } END { print sum + 0 }')
    result=ok
    [ $code -eq 0 ] && [ "$passed" -gt 0 ] || { result=FAILED failed=1; }
    done+=("$(printf '%-16s %-8s %4d tests passed  %s' "$name" "$([ "$name" = driver ] || echo "${words[1]}")" "$passed" "$result")")
done
echo
printf '%s\n' "${done[@]}"
exit $failed
