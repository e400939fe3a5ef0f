#!/usr/bin/env bash
# Installs libtrust8 into a temporary folder, measures it, and writes docs/data/capi-CPU.csv, from which tools/performance.py makes docs/capi.md.
# With --quick it takes fewer rounds, and prints the data. It needs a C++ compiler and Debian's libglib2.0-dev, libunistring-dev, libicu-dev and
# pkg-config. TRUST8_CORE is the core to measure on.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export TRUST8_PREFIX
TRUST8_PREFIX=$(mktemp -d)
trap 'rm -r "$TRUST8_PREFIX"' EXIT
"$here/../install.sh" "$TRUST8_PREFIX"
cargo run --release --manifest-path "$here/Cargo.toml" -- --bench "$@"
