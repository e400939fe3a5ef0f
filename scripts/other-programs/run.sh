#!/usr/bin/env bash
# Runs the tests of other crates that use simdutf8, with trust8 in its place. A package `driver` calls more such crates.
#
#   scripts/other-programs/run.sh            runs all of them
#   scripts/other-programs/run.sh driver     runs those that are named: `driver`, or a crate of the list below
#
# A [patch] replaces the package simdutf8 by a shim with that name, which only re-exports trust8's modules `basic` and
# `compat`. The script asks cargo whether the patch took effect. It needs crates.io and a few minutes, so neither
# `cargo test` nor CI runs it.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
export CARGO_TERM_COLOR=${CARGO_TERM_COLOR:-never}
work=${CARGO_TARGET_DIR:-$root/target}/other-programs
mkdir -p "$work"
work=$(cd "$work" && pwd)
export CARGO_TARGET_DIR=$work/target

# Each line is a crate, its version, and the arguments of `cargo test`. They choose the tests that the crate's package
# contains and that need neither the network nor a file that the package lacks. Each crate calls the stable functions of
# simdutf8.
crates=(
    "sonic-rs 0.5.10 --lib -- --skip test_node_from_files3"
    "fastwebsockets 0.10.0 --features simd,upgrade,unstable-split --lib --test upgrade --test split --test concurrency"
    "bytecheck 0.8.3 --features simdutf8 --lib"
    "ntex-bytes 1.14.0 --features simd --lib --tests"
    "tokio-websockets 0.11.4 --features client,server,sha1_smol,fastrand,simd --lib --tests"
)

for name in "$@"; do
    [[ $name == driver || " ${crates[*]%% *} " == *" $name "* ]] || { echo "run.sh: no such crate: $name" >&2; exit 2; }
done

# The shim has the version of simdutf8 that the other crates ask for.
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
# These have no effect here. trust8 always uses NEON, and has no other interface to export.
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

# Fails unless the package in this folder depends on the shim, and on no other simdutf8.
patch_took_effect() {
    local tree
    # A few crates have features that exclude each other. For these, the default features must do.
    tree=$(cargo tree --prefix none --edges normal,build,dev --target all --all-features 2>/dev/null ||
        cargo tree --prefix none --target all)
    tree=$(grep '^simdutf8 ' <<<"$tree" | sort --unique) || { echo "the tree has no simdutf8"; return 1; }
    echo "$tree"
    if grep --invert-match --fixed-strings "simdutf8 v0.1.5 ($shim)" <<<"$tree" >/dev/null; then
        echo "the patch did not take effect"
        return 1
    fi
}

patch() {
    printf '\n[patch.crates-io]\nsimdutf8 = { path = "%s" }\n' "$shim"
}

run_crate() {
    local name=$1 version=$2 source
    shift 2
    # Cargo unpacks the crate when another package depends on it, and says where.
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
        # One test needs a crate and files that the package lacks.
        perl -0pi -e 's/#\[test\]\s+#\[cfg\(not\(target_arch = "wasm32"\)\)\]\s+fn test_struct\b/#[cfg(any())]\n    fn test_struct/' src/serde/mod.rs
    fi
    # The crate's lock file names the other simdutf8. Its toolchain and its flags are not ours, and its lints do not matter
    # here.
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
    : >"$work/$name.log"
    # The subshell is not part of a condition, because bash ignores `set -e` there.
    set +e
    (
        set -e
        if [ "$name" = driver ]; then run_driver; else run_crate "${words[@]}"; fi
    )
    code=$?
    set -e
    passed=$(sed -n 's/^test result: .* \([0-9]*\) passed; .*/\1/p' "$work/$name.log" | awk '{ sum += $1 } END { print sum + 0 }')
    result=ok
    if [ $code -ne 0 ] || [ "$passed" -eq 0 ]; then
        result=FAILED failed=1
    fi
    done+=("$(printf '%-16s %-8s %4d tests passed  %s' "$name" "$([ "$name" = driver ] || echo "${words[1]}")" "$passed" "$result")")
done
echo
printf '%s\n' "${done[@]}"
exit $failed
