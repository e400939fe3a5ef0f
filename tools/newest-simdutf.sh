#!/bin/sh
# Puts the newest release of the C++ library simdutf into a copy of the crate `simdutf`, whose own is older, and prints the setting with
# which Cargo takes the copy. The copy's version names the release, and so does each report.
#
#     cargo bench -p trust8-measure --config "$(tools/newest-simdutf.sh)"
#     tools/newest-simdutf.sh v9.1.0         this release
#     tools/newest-simdutf.sh FOLDER         what is checked out there
#
# Cargo writes the copy into Cargo.lock: `git checkout Cargo.lock` takes it out again.
set -eu
cd "$(dirname "$0")/.."

ADDRESS=https://github.com/simdutf/simdutf
TO=$PWD/target/newest-simdutf

release=${1:-$(git ls-remote --tags --refs --sort=-version:refname $ADDRESS 'v*' | sed -n '1s|.*refs/tags/||p')}
rm -rf "$TO"
mkdir -p "$TO"
if [ -d "$release" ]; then
    git -C "$release" archive HEAD | tar -x --one-top-level="$TO/source"
else
    git clone --quiet --depth 1 --branch "$release" $ADDRESS "$TO/source" >&2
fi
version=$(sed -n 's/^#define SIMDUTF_VERSION "\(.*\)"/\1/p' "$TO/source/include/simdutf/simdutf_version.h")

crate=$(cargo metadata --format-version 1 --locked --manifest-path tools/measure/Cargo.toml |
    python3 -c 'import json, sys; print(*(p["manifest_path"] for p in json.load(sys.stdin)["packages"] if p["name"] == "simdutf"))')
cp -r "$(dirname "$crate")" "$TO/crate"
chmod -R u+w "$TO/crate"
# The crate defines functions of the same names as the library's own interface to C.
sed -i '/#include "simdutf_c.cpp"/d' "$TO/source/src/simdutf.cpp"
python3 "$TO/source/singleheader/amalgamate.py" --no-zip --no-readme --output-dir "$TO/crate/cpp" >"$TO/log" 2>&1
sed -i 's/-std=c++11/-std=c++17/' "$TO/crate/build.rs"
sed -i "1,/^version/s/^version = \"\([^\"+]*\).*\"/version = \"\1+simdutf.$version\"/" "$TO/crate/Cargo.toml"
setting="patch.crates-io.simdutf.path=\"$TO/crate\""
# Cargo keeps what Cargo.lock names until it is told otherwise.
cargo update --quiet --config "$setting" simdutf >&2
echo "$setting"
