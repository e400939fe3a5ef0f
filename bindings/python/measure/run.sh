#!/usr/bin/env bash
# Builds the wheel for each Python that is found, measures it, and writes docs/python.md and docs/python.svg.
#
#   bindings/python/measure/run.sh                  all versions
#   bindings/python/measure/run.sh 3.11 3.13        these
#
# It takes five minutes for each version, besides compiling, on one core that nothing else should use. MEASURE_WITH is a command to
# run the measurement under, such as `taskset -c 1`. MEASURE_IN is a folder for wheels and figures that stay. A wheel that is
# there is not built again, so everything can be built first, and measured later.
#
#   export MEASURE_IN=FOLDER; bindings/python/measure/run.sh --build && bindings/python/measure/run.sh
#
# On a CPU with AVX-512, `decode` is measured once more with the kernel for AVX2.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=
if [ "${1:-}" = --build ]; then
    build=1
    shift
fi
if [ -n "${MEASURE_IN:-}" ]; then
    work=$MEASURE_IN
    mkdir -p "$work"
else
    work=$(mktemp -d)
    trap 'rm -r "$work"' EXIT
fi

# Prints the interpreter of a version.
interpreter() {
    local candidate
    for candidate in "$(command -v "python$1" || true)" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$1".*/bin/python; do
        if [ -n "$candidate" ] && "$candidate" -c "import sys; sys.exit('%d.%d' % sys.version_info[:2] != '$1')" 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
}

# Makes an environment for a version, with the package.
environment() {
    if [ -e "$work/$1/built" ]; then
        return
    fi
    "$2" -m venv "$work/$1"
    "$work/$1/bin/pip" install --quiet --disable-pip-version-check maturin==1.16.0 pyarrow polars
    "$work/$1/bin/maturin" build --release --locked --manifest-path "$here/../Cargo.toml" \
        --interpreter "$work/$1/bin/python" --out "$work/$1/wheels"
    "$work/$1/bin/pip" install --quiet --disable-pip-version-check --no-index --no-deps --force-reinstall "$work/$1"/wheels/*.whl
    touch "$work/$1/built"
}

[ $# -gt 0 ] || set -- 3.10 3.11 3.12 3.13 3.14 3.15
for one in "$@"; do
    python=$(interpreter "$one")
    [ -n "$python" ] || continue
    environment "$one" "$python"
    [ -z "$build" ] || continue
    figures() {
        # shellcheck disable=SC2086 # MEASURE_WITH is a command with arguments
        ${MEASURE_WITH:-} "$work/$one/bin/python" "$here/figures.py" "${@:2}" >"$work/$one.$1.json"
    }
    figures times times
    MEASURE_WITH='' figures memory memory
    if [ "$("$work/$one/bin/python" -c 'import trust8; print(trust8.kernels()[0])')" = avx512 ]; then
        figures avx2 decode avx2
    fi
    for kernel in avx512 avx2; do
        figures "$kernel.cells" cells "$kernel" || rm "$work/$one.$kernel.cells.json"
    done
done
[ -n "$build" ] || python3 "$here/report.py" "$work"
