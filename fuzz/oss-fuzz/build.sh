#!/bin/bash -eu
# Builds all fuzz targets as they are, for OSS-Fuzz: SRC has the project, and the targets go to OUT. SANITIZER is address, memory or
# undefined (default: address).
#
# The targets of fuzz/ share the dictionary and the seeds. `columns` and `arrays` read another form.
cd "${SRC:?}/trust8"
: "${OUT:?}"
case ${SANITIZER:=address} in
    undefined)
        # rustc has no such sanitizer. These are its checks: conditions of unsafe functions, overflow, and invalid values of enums.
        sanitizer=none
        export RUSTFLAGS="${RUSTFLAGS:-} -Zub-checks=yes -Coverflow-checks=yes"
        ;;
    # cargo-fuzz builds the standard library with it.
    memory) sanitizer=memory ;;
    *) sanitizer=address ;;
esac
cargo fuzz build --release --debug-assertions --sanitizer "$sanitizer"

triple=$(rustc -vV | sed -n 's/^host: //p')
seeds=$(mktemp -d)
RUSTFLAGS='' cargo run --manifest-path fuzz/Cargo.toml --example seeds -- "$seeds/all"
(cd "$seeds/all" && zip --quiet --recurse-paths "$seeds/seeds.zip" .)
for source in fuzz/fuzz_targets/*.rs; do
    name=$(basename "$source" .rs)
    cp "fuzz/target/$triple/release/$name" "$OUT/"
    cp fuzz/utf8.dict "$OUT/$name.dict"
    if [ "$name" != columns ] && [ "$name" != arrays ]; then
        cp "$seeds/seeds.zip" "$OUT/${name}_seed_corpus.zip"
    fi
done
