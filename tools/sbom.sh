#!/usr/bin/env bash
# Writes the bills of materials of what a release has as files: the command, the Python package and the library for C.
#
#   tools/sbom.sh FOLDER      FOLDER gets trust8-cli.cdx.json, trust8-python.cdx.json and trust8-capi.cdx.json (CycloneDX)
#
# It needs cargo-cyclonedx (tools/setup-tools.sh), and installs it in target/tools if it is not on PATH.
set -euo pipefail
[ $# -eq 1 ] || { sed -n '2,/^set/{/^#/s/^# \?//p}' "$0" >&2; exit 2; }
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
command -v cargo-cyclonedx >/dev/null || {
    "$root/tools/setup-tools.sh" "$root/target/tools" sbom
    export PATH=$root/target/tools/bin:$PATH
}
# The program writes beside each manifest of a workspace, so it works on a copy.
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
(cd "$root" && git ls-files -z | tar --create --null --files-from=-) | tar --extract --directory "$work"
for package in crates/cli:trust8-cli bindings/python:trust8-python bindings/c:trust8-capi; do
    manifest=$work/${package%:*} name=${package#*:}
    cargo cyclonedx --quiet --format json --spec-version 1.5 --override-filename "$name.cdx" --manifest-path "$manifest/Cargo.toml"
    # The names of what is in the checkout are those of the copy.
    sed "s|$work|.|g" "$manifest/$name.cdx.json" >"$folder/$name.cdx.json"
done
