#!/usr/bin/env bash
# Tests `trust8.spark` on a cluster: builds the wheel, starts a Master and two Workers on the loopback interface, and stops them.
#
#   bindings/python/spark/test.sh                          small sizes, some minutes
#   TRUST8_SPARK_FULL=1 bindings/python/spark/test.sh      a file of 2 GiB among 10,000, and a folder of 100,000 files
#
# setup.sh says what else the environment changes. Arguments go to pytest.
set -euo pipefail
# shellcheck source=bindings/python/spark/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
# The tests are copied, so that nothing of the source folder can be imported.
mkdir "$work/tests"
cp "$here"/*.py "$work/tests"
cd "$work/tests"
"$python" -m pytest --quiet -p no:cacheprovider --durations=5 "$@" test_cluster.py
