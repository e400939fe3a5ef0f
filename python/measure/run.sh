#!/usr/bin/env bash
# Builds the wheel for each Python that is found, measures it, and writes docs/python.md and docs/python.svg.
#
#   python/measure/run.sh                  all versions
#   python/measure/run.sh 3.11 3.13        these
#
# It takes a minute for each version, besides compiling, on one core that nothing else should use. MEASURE_WITH is a command to
# run the measurement under, such as `taskset -c 1`.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
for version in "${@:-3.10 3.11 3.12 3.13}"; do
    for one in $version; do
        for python in "$(command -v "python$one" || true)" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$one".*/bin/python; do
            if [ -n "$python" ] && "$python" -c "import sys; sys.exit('%d.%d' % sys.version_info[:2] != '$one')" 2>/dev/null; then
                "$python" -m venv "$work/$one"
                "$work/$one/bin/pip" install --quiet maturin==1.16.0 pyarrow polars orjson pysimdjson
                "$work/$one/bin/maturin" build --release --locked --manifest-path "$here/../Cargo.toml" \
                    --interpreter "$work/$one/bin/python" --out "$work/wheels-$one"
                "$work/$one/bin/pip" install --quiet --no-index "$work/wheels-$one"/*.whl
                # shellcheck disable=SC2086 # MEASURE_WITH is a command with arguments
                ${MEASURE_WITH:-} "$work/$one/bin/python" "$here/figures.py" times >"$work/$one.times.json"
                "$work/$one/bin/python" "$here/figures.py" memory >"$work/$one.memory.json"
                break
            fi
        done
    done
done
python3 "$here/report.py" "$work"
