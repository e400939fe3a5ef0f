#!/usr/bin/env bash
# Builds the wheel, and measures it on a cluster. It prints the tables of docs/spark.md. setup.sh and measure.py say what arguments
# and the environment change.
set -euo pipefail
# shellcheck source=bindings/python/spark/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
"$python" "$here/measure.py" "$@"
