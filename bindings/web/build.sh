#!/usr/bin/env bash
# Builds the WebAssembly modules, with and without SIMD, and the page in bindings/web/dist.
#
#   bindings/web/build.sh
#
# The npm package is then complete in bindings/web/npm, and any file server can serve bindings/web/dist. CARGO_TARGET_DIR is the folder to compile
# in (default: bindings/web/target). What is missing is installed (tools/setup-cross.sh wasm).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

../../tools/setup-cross.sh wasm
LIMIT=$((60 * 1024))
TARGET=wasm32-unknown-unknown
target=${CARGO_TARGET_DIR:-$PWD/target}

# Compiles the module with the given target feature, and puts it where the npm package expects it: module NAME FEATURE
module() {
    RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 \
        CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=wasm-ld-22 \
        RUSTFLAGS="-Ctarget-feature=$2 -Clink-arg=--export=__heap_base --remap-path-prefix=$(dirname "$PWD")=trust8" \
        cargo +nightly build --quiet --release --locked --target "$TARGET" --target-dir "$target/$1" \
        --package trust8-web -Zbuild-std=core,panic_abort -Zbuild-std-features=compiler-builtins-mem
    cp "$target/$1/$TARGET/release/trust8_web.wasm" "npm/$1.wasm"
    local size compressed
    size=$(stat --format=%s "npm/$1.wasm") compressed=$(gzip --best --stdout "npm/$1.wasm" | wc -c)
    echo "$1.wasm: $size bytes, $compressed compressed with gzip (limit: $LIMIT)"
    [ "$compressed" -le "$LIMIT" ]
}

module trust8 +simd128
module trust8-scalar -simd128
# The command's guesses, which need the standard library.
rustup target add --toolchain stable "$TARGET"
RUSTFLAGS="--remap-path-prefix=$(dirname "$PWD")=trust8" \
    cargo +stable build --quiet --release --locked --target "$TARGET" --target-dir "$target/guess" --package trust8-web-guess
guess=$target/guess/$TARGET/release/trust8_web_guess.wasm
echo "guess.wasm: $(stat --format=%s "$guess") bytes, $(gzip --best --stdout "$guess" | wc -c) compressed with gzip"
node npm/generate.mjs
cp ../../LICENSE-APACHE ../../LICENSE-MIT npm/
rm -rf dist
mkdir dist dist/trust8
cp page/* dist/
cp npm/core.js npm/file.js npm/*.wasm dist/trust8/
cp "$guess" dist/trust8/guess.wasm
