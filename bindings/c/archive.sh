#!/usr/bin/env bash
# Packs an installation for those who have no cargo:
#
#   bindings/c/archive.sh [--no-build] FOLDER
#
# FOLDER gets trust8-VERSION-MACHINE-linux.tar.gz, with the headers and libraries for this machine as install.sh installs them (see
# there for the environment), the examples, README and the licences.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
options=()
[ "${1-}" != --no-build ] || { options=(--no-build) && shift; }
[ $# -eq 1 ] && [[ $1 != -* ]] || { sed -n '2,/^set/{/^#/s/^# \?//p}' "$0" >&2; exit 2; }
name=trust8-$(sed -n 's/^version = "\(.*\)"$/\1/p' "$here/Cargo.toml")-$(uname -m)-linux

work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
DESTDIR= "$here/install.sh" "${options[@]}" "$work/$name"
cp -r "$here"/{examples,README.md,LICENSE-APACHE,LICENSE-MIT} "$work/$name"
mkdir -p "$1"
tar --create --gzip --sort=name --owner=0 --group=0 --numeric-owner --file "$1/$name.tar.gz" --directory "$work" "$name"
echo "$1/$name.tar.gz"
