#!/usr/bin/env bash
# Checks the source: format, lints, imports, lists, and phrases in documents. CARGO_TARGET_DIR is the folder to compile in (default: target).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
target=$(realpath --canonicalize-missing "${CARGO_TARGET_DIR:-target}")
source tools/cross.sh

# Checks that a target without SIMD has no warnings. Miri is such a target, and build.rs believes that it compiles for Miri.
check_without_simd() {
    local features
    export CARGO_CFG_MIRI=1 RUSTFLAGS="-D warnings"
    for features in "" alloc std memchr serde alloc,std,memchr,serde; do
        run cargo check --package trust8 --target-dir "$target/no-simd" --no-default-features --features "$features"
    done
    for features in "" alloc std serde; do
        run cargo check "${LIBRARIES[@]}" --target-dir "$target/no-simd" --no-default-features --features "$features"
    done
    unset CARGO_CFG_MIRI RUSTFLAGS
}

[ -x "$target/zizmor/bin/pip" ] || run python3 -m venv "$target/zizmor"
run "$target/zizmor/bin/pip" install --quiet --disable-pip-version-check --no-compile zizmor==1.32.0
run "$target/zizmor/bin/zizmor" --offline --quiet --pedantic .github
run tools/imports.py --self-test
run tools/imports.py
run tools/performance.py --check
run tools/trusted.py
run tools/prose.py --self-test
run tools/prose.py
run tools/lists.py
run cargo fmt --all --check
for manifest in bindings/{c,c/measure,python,web,web/guess} crates/{datafusion,datafusion/measure,simdutf8} fuzz tools/{proofs,tests-nostd}; do
    run cargo fmt --manifest-path $manifest/Cargo.toml --check
done
run rustfmt --check --edition 2024 tools/*.rs tools/codegen/*.rs tools/other-programs/driver/*/*.rs \
    tools/other-programs/adoption/{,std/}src/*.rs
# With one profile, that of the tests, all of these check the crates that they need once, and `test` finds the C++ peer compiled.
run cargo clippy "${ALL[@]}" --all-targets --profile test -- -D warnings
run cargo clippy --package trust8 --all-targets --no-default-features --profile test -- -D warnings
run cargo clippy "${LIBRARIES[@]}" --no-default-features --features alloc --profile test -- -D warnings
check_without_simd
# Nothing is linked, so a name is enough in the place of libFuzzer, which is 26 files of C++.
export CUSTOM_LIBFUZZER_PATH=$target/libfuzzer.a
run cargo clippy --manifest-path fuzz/Cargo.toml --target-dir "$target" --profile test --config 'profile.test.package."*".opt-level=0' \
    -- -D warnings
# The web page compiles files of the command.
for manifest in bindings/c bindings/web{,/guess} tools/tests-nostd; do
    run cargo clippy --manifest-path $manifest/Cargo.toml --target-dir "$target" -- -D warnings
done
run cargo clippy --manifest-path crates/simdutf8/Cargo.toml --target-dir "$target" --no-default-features -- -D warnings
run cargo clippy --manifest-path crates/simdutf8/Cargo.toml --target-dir "$target" --all-targets --all-features \
    -- -D warnings
