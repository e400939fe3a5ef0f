#!/usr/bin/env bash
# Starts a cluster on this machine, and shows what `trust8.spark` finds in a lake of 400 files. setup.sh and example.py say what the
# environment and the arguments change.
set -euo pipefail
[ "${1:-}" != --page ] || set -- --page "$(realpath "$2")"
# shellcheck source=bindings/python/spark/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
"$python" "$here/example.py" "$@"
