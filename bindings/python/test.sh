#!/usr/bin/env bash
# Builds the wheel for each Python on this machine, installs it into a new environment, and tests it there, outside of the
# source folder: pytest, with the examples of the documentation, and mypy.
#
#   bindings/python/test.sh                 all versions of Python from 3.10 on that are found, all inputs
#   bindings/python/test.sh 3.11 3.14t      these versions; with a t, the free-threaded build
#   bindings/python/test.sh --two           the oldest and the newest of those that are found
#   bindings/python/test.sh --abi3 3.12     only the build with the stable interface of the interpreter
#
# Of the last version, the tests of strings and of memory also run with the build for the stable interface.
#
# Versions are found as pythonX.Y on the path, in the folders of pyenv, and as python3. At least two must be found, or those
# that are named. Environment: TRUST8_TEST_SCALE divides the number of inputs. CARGO_TARGET_DIR is the folder to compile in.
# TRUST8_PYTHON_PROFILE=quick compiles in less time, and makes slower code. TRUST8_COMMAND is the command, to compare with.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
MATURIN=maturin==1.16.0
TESTS=(pytest==9.2.0 'hypothesis>=6.100,<6.169' mypy==2.4.1 typing_extensions)
# What the tests compare with, and give columns to. Tests of a package that has no wheel for a version of Python are skipped.
OTHERS=(numpy pyarrow polars duckdb nanoarrow mutf8 ftfy)

features=() wanted=() two= complete=
for argument in "$@"; do
    case $argument in
        --abi3) features=(--features abi3) ;;
        --two) two=1 ;;
        *) wanted+=("$argument") ;;
    esac
done

work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

# Prints the interpreter of a version, if it runs.
interpreter() {
    local candidate
    for candidate in "$(command -v "python$1" || true)" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$1".*/bin/python \
        "$(command -v python3 || true)"; do
        if [ -n "$candidate" ] && "$candidate" -c "import sys, venv, ensurepip; sys.exit('%d.%d%s' % (*sys.version_info[:2], 't' * ('t' in sys.abiflags)) != '$1')" 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
}

versions=()
for version in "${wanted[@]:-3.10 3.11 3.12 3.13 3.14 3.14t 3.15 3.15t}"; do
    # Without names, this is one word with all versions.
    for one in $version; do
        if [ -n "$(interpreter "$one")" ]; then
            versions+=("$one")
        elif [ ${#wanted[@]} -gt 0 ]; then
            echo "there is no Python $one here" >&2
            exit 1
        fi
    done
done
echo "Python: ${versions[*]}"
if [ ${#wanted[@]} -eq 0 ] && [ ${#versions[@]} -lt 2 ]; then
    echo "fewer than two versions of Python were found" >&2
    exit 1
fi

if [ -n "$two" ]; then
    versions=("${versions[0]}" "${versions[-1]}")
fi

# A package of the library that is missing in the list of those with loops would be twenty times as slow.
for package in $(sed -n 's/^name = "\(trust8.*\)"$/\1/p' "$here/Cargo.lock" | grep -v trust8-python); do
    grep --quiet --fixed-strings "[profile.release.package.$package]" "$here/Cargo.toml" || { echo "Cargo.toml does not optimise $package" >&2; exit 1; }
done

profile=()
if [ "${TRUST8_PYTHON_PROFILE:-}" = quick ]; then
    # Of all that is compiled, the library has to be fast, and what the tests call most not slow.
    export CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16
    for level in trust8{,-counts,-transcode}=2 trust8-{python,profile}=1 {memchr,pyo3,trust8-{arrow,cli,columns,dialect}}=0; do
        profile+=(--config "profile.release.package.${level/=/.opt-level=}")
    done
fi
for version in "${versions[@]}"; do
    python=$(interpreter "$version")
    echo "=== Python $version ($python)"
    "$python" -m venv "$work/$version"
    bin=$work/$version/bin
    # Python compiles what it imports, which is a fraction of what these packages have.
    install=("$bin/pip" install --quiet --disable-pip-version-check --no-compile)
    "${install[@]}" "$MATURIN" "${TESTS[@]}"
    # All at once, or, if one has no wheel, one by one.
    "${install[@]}" --only-binary :all: "${OTHERS[@]}" 2>/dev/null && complete=$version || for package in "${OTHERS[@]}"; do
        "${install[@]}" --only-binary :all: "$package" 2>/dev/null || echo "no $package for Python $version"
    done
    "$bin/maturin" build --release --locked --manifest-path "$here/Cargo.toml" --interpreter "$bin/python" \
        --out "$work/wheels-$version" "${features[@]}" "${profile[@]}"
    "${install[@]}" --no-index "$work/wheels-$version"/*.whl
    "$bin/maturin" sdist --manifest-path "$here/Cargo.toml" --out "$work/sdist-$version"
    # The tests are copied, so that nothing of the source folder can be imported.
    cp -r "$here/tests" "$work/tests-$version"
    cp "$here/README.md" "$work/tests-$version"
    (
        cd "$work/tests-$version"
        "$bin/python" -m pytest --quiet -p no:cacheprovider .
        "$bin/mypy" --strict --no-error-summary uses.py
        "$bin/python" -m mypy.stubtest trust8._trust8 --ignore-missing-stub
    )
done
[ -n "$complete" ] || [ -z "$two" ] || { echo "neither version of Python has all of ${OTHERS[*]}: too much was skipped" >&2; exit 1; }
last=${versions[-1]}
if [ ${#features[@]} -eq 0 ] && [ "${last#3.}" != 10 ]; then
    echo "=== Python $last, stable interface"
    bin=$work/$last/bin
    "$bin/maturin" build --release --locked --manifest-path "$here/Cargo.toml" --interpreter "$bin/python" \
        --out "$work/wheels-stable" --features abi3 "${profile[@]}"
    "${install[@]}" --no-index --no-deps --force-reinstall "$work"/wheels-stable/*.whl
    (
        cd "$work/tests-$last"
        "$bin/python" -c 'from trust8 import _trust8; assert _trust8.STABLE_ABI'
        "$bin/python" -m pytest --quiet -p no:cacheprovider test_decode.py test_functions.py test_memory.py
    )
fi
echo "bindings/python/test.sh: ${versions[*]} passed"
