#!/usr/bin/env bash
# Copies what decides which kernels are compiled, and a macro for intrinsics, from the library to the packages that need the same.
#
#   tools/copies.sh            writes the copies
#   tools/copies.sh --check    fails if a copy differs
set -euo pipefail
case "$*" in '' | --check) ;; *) echo "usage: copies.sh [--check]" >&2; exit 2 ;; esac
cd "$(dirname "${BASH_SOURCE[0]}")/.."

for copy in crates/{transcode,profile}/{build.rs,src/simd/sets.rs} crates/transcode/src/simd/intrinsics.rs; do
    if [ "${1-}" = --check ]; then
        cmp "${copy#*/*/}" "$copy"
    else
        cp "${copy#*/*/}" "$copy"
    fi
done
