#!/usr/bin/env bash
# Runs the tests of other crates that use simdutf8, first as they are, then with trust8 in the place of simdutf8. Each test
# must have the same outcome both times. A package `driver` calls more such crates.
#
#   tools/other-programs/run.sh            runs all of them
#   tools/other-programs/run.sh driver     runs those that are named: `driver`, or a crate of the list below
#
# A [patch] replaces the package simdutf8 by crates/simdutf8. The script asks cargo whether the patch took effect. It needs
# crates.io and up to an hour, so neither `cargo test` nor CI runs it.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
export CARGO_TERM_COLOR=${CARGO_TERM_COLOR:-never}
work=${CARGO_TARGET_DIR:-$root/target}/other-programs
mkdir -p "$work"
work=$(cd "$work" && pwd)
export CARGO_TARGET_DIR=$work/target CARGO_PROFILE_DEV_DEBUG=false CARGO_PROFILE_TEST_DEBUG=false CARGO_INCREMENTAL=0

# Each line is a crate, its version, and the arguments of `cargo test`. They choose the tests that the crate's package
# contains and that need no network. Some of these tests fail because the package lacks a file; they have to fail both times.
# `simdutf8` means the integration tests of simdutf8 itself.
crates=(
    "simdutf8 0.1.5 --features public_imp,aarch64_neon"
    "encoding_rs 0.8.44 --lib --features serde,alloc"
    "simd-json 0.19.0 --lib --tests"
    "sonic-rs 0.5.10 --lib -- --skip test_node_from_files3"
    "bson 3.1.0 --lib --features serde -- --skip serial_test"
    "maxminddb 0.27.3 --lib --features simdutf8"
    "arrow-json 60.1.0 --lib"
    "parquet 60.1.0 --lib"
    "fastwebsockets 0.10.0 --features simd,upgrade,unstable-split --lib --test upgrade --test split --test concurrency"
    "bytecheck 0.8.3 --features simdutf8 --lib"
    "ntex-bytes 1.14.0 --features simd --lib --tests"
    "tokio-websockets 0.11.4 --features client,server,sha1_smol,fastrand,simd --lib --tests"
)

for name in "$@"; do
    [[ $name == driver || " ${crates[*]%% *} " == *" $name "* ]] || { echo "run.sh: no such crate: $name" >&2; exit 2; }
done

shim=$root/crates/simdutf8

# Fails unless the package in this folder depends on the shim, and on no other simdutf8.
patch_took_effect() {
    local tree
    # A few crates have features that exclude each other. For these, the default features must do.
    tree=$(cargo tree --prefix none --edges normal,build,dev --target all --all-features 2>/dev/null ||
        cargo tree --prefix none --target all)
    tree=$(grep '^simdutf8 ' <<<"$tree" | sort --unique) || { echo "the tree has no simdutf8"; return 1; }
    echo "$tree"
    if grep --invert-match --fixed-strings "simdutf8 v0.1.5+trust8 ($shim)" <<<"$tree" >/dev/null; then
        echo "the patch did not take effect"
        return 1
    fi
}

# Makes the package `$work/NAME` from what crates.io has. Its toolchain and flags are not ours.
unpack() {
    local name=$1 version=$2 source
    # Cargo unpacks the crate when another package depends on it.
    mkdir -p "$work/fetch/src"
    : >"$work/fetch/src/lib.rs"
    printf '[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2024"\n[dependencies]\n%s = "=%s"\n[workspace]\n' \
        "$name" "$version" >"$work/fetch/Cargo.toml"
    (cd "$work/fetch" && cargo fetch --quiet)
    source=$(printf '%s\n' "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/"$name-$version" | head -1)
    rm -rf "${work:?}/$name"
    cp -r "$source" "$work/$name"
    cd "$work/$name"
    rm -rf rust-toolchain rust-toolchain.toml .cargo
    # The newest versions of what bson's tests use do not compile together.
    [ "$name" = bson ] || rm -f Cargo.lock
    case $name in
        sonic-rs)
            # One test needs a crate and files that the package lacks.
            perl -0pi -e 's/#\[test\]\s+#\[cfg\(not\(target_arch = "wasm32"\)\)\]\s+fn test_struct\b/#[cfg(any())]\n    fn test_struct/' src/serde/mod.rs
            ;;
        simdutf8)
            # Only the tests stay. They call whichever simdutf8 the patch leaves.
            rm -r src examples
            mkdir src
            : >src/lib.rs
            cat >Cargo.toml <<END
[package]
name = "tests-of-simdutf8"
version = "0.0.0"
edition = "2018"
[features]
default = ["std"]
std = ["simdutf8/std"]
public_imp = ["simdutf8/public_imp"]
aarch64_neon = ["simdutf8/aarch64_neon"]
[dependencies]
simdutf8 = { version = "=$version", default-features = false }
END
            ;;
    esac
    printf '\n[workspace]\n' >>Cargo.toml
}

# Runs `cargo test` with these arguments, and keeps what it prints.
run_tests() {
    local log=$1
    shift
    # The lints of other crates do not matter here.
    RUSTFLAGS="--cap-lints=allow ${flags-}" cargo test --no-fail-fast "$@" 2>&1 | tee "$log" |
        grep -E '^(test result|     Running|error)' || true
}

# Prints each test with its outcome.
outcomes() {
    sed -n -E 's/^(test .* \.\.\. (ok|FAILED|ignored)).*/\1/p' "$1" | LC_ALL=C sort
}

count() {
    outcomes "$1" | grep --count " $2\$" || true
}

failed=0 table=()
for crate in "${crates[@]}" "driver 0.0.0"; do
    read -ra words <<<"$crate"
    name=${words[0]} version=${words[1]}
    [ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
    echo
    echo "=== $crate"
    without=$work/$name.without.log with=$work/$name.with.log
    : >"$without" >"$with"
    # The subshell is not part of a condition, because bash ignores `set -e` there.
    set +e
    (
        set -e
        if [ "$name" = driver ]; then
            rm -rf "$work/driver"
            cp -r "$here/driver" "$work/driver"
            cd "$work/driver"
        else
            unpack "$name" "$version"
        fi
        if [ "$name" = simdutf8 ]; then flags="-Ctarget-cpu=native"; fi
        echo "--- as it is"
        run_tests "$without" "${words[@]:2}"
        echo "--- with trust8"
        printf '\n[patch.crates-io]\nsimdutf8 = { path = "%s" }\n' "$shim" >>Cargo.toml
        # The lock file names the other simdutf8. All other versions stay.
        cargo update --quiet simdutf8
        patch_took_effect
        run_tests "$with" "${words[@]:2}"
        diff <(outcomes "$without") <(outcomes "$with")
    )
    code=$?
    set -e
    result=same
    if [ $code -ne 0 ] || [ "$(count "$with" ok)" -eq 0 ]; then
        result=DIFFERENT failed=1
    fi
    table+=("$(printf '| %s | %s | %d | %d | %d | %s |' "$name" "$version" "$(count "$without" ok)" "$(count "$with" ok)" \
        "$(count "$with" FAILED)" "$result")")
done
echo
echo "| crate | version | passed as it is | passed with trust8 | failed both times | outcomes |"
echo "|---|---|---:|---:|---:|---|"
printf '%s\n' "${table[@]}"
exit $failed
