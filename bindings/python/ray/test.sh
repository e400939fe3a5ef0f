#!/usr/bin/env bash
# Tests `trust8.ray` on a cluster: builds the wheel, starts a head without cores and two nodes, and stops them. Each node has an
# address of the loopback interface. Ray listens on all interfaces all the same, and asks for a token.
#
# ../spark/setup.sh says what the environment changes. Arguments go to pytest.
set -euo pipefail
FRAMEWORK=('ray[data]==2.60.0' 'pandas>=2.2,<3')
# shellcheck source=bindings/python/spark/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../spark/setup.sh"
mkdir "$work/tests"
cp "$here"/{checks,expected,faulty_files,processes}.py "$here"/../ray/*.py "$work/tests"
cd "$work/tests"
"$python" -m pytest --quiet -p no:cacheprovider --durations=5 "$@" test_ray.py
