# shellcheck shell=bash disable=SC2034 # the scripts that source this file use its variables
# Sourced by the scripts in this folder: makes an environment of Python with Spark and the wheel, and sets `python` to its
# interpreter and `work` to a folder that is removed at the end. `FRAMEWORK` has the packages to install in place of Spark.
#
# Environment: PYTHON is the interpreter to begin with (default: python3). TRUST8_WHEEL is a wheel that is built already.
# CARGO_TARGET_DIR is the folder to compile in. TRUST8_PYTHON_PROFILE=quick compiles in less time, and makes slower code.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
builder=
trap '[ -z "$builder" ] || kill "$builder" 2>/dev/null || true; rm -r "$work"' EXIT
if [ -z "${FRAMEWORK+set}" ]; then
    FRAMEWORK=(pyspark==4.3.0 'pandas>=2.2,<3')
    java -version 2>/dev/null || { echo "Spark needs Java 17 or later" >&2; exit 1; }
fi
"${PYTHON:-python3}" -m venv "$work/environment"
python=$work/environment/bin/python
# Most modules of these packages are never imported, so each is compiled when it is.
unset PYTHONDONTWRITEBYTECODE
packages() {
    "$python" -m pip install --quiet --disable-pip-version-check --no-compile "$@"
}
if [ -z "${TRUST8_WHEEL:-}" ]; then
    packages maturin==1.16.0
    profile=()
    if [ "${TRUST8_PYTHON_PROFILE:-}" = quick ]; then
        export CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16
        profile=(--config profile.release.package.trust8.opt-level=2)
        for package in memchr pyo3 pyo3-ffi trust8-arrow trust8-cli trust8-dialect trust8-profile trust8-transcode; do
            profile+=(--config "profile.release.package.$package.opt-level=0")
        done
    fi
    # The wheel is compiled while the packages come over the network.
    "$work/environment/bin/maturin" build --release --locked --manifest-path "$here/../Cargo.toml" --interpreter "$python" \
        --out "$work/wheel" "${profile[@]}" &
    builder=$!
fi
packages pytest==9.2.0 'pyarrow>=18' "${FRAMEWORK[@]}"
if [ -n "$builder" ]; then
    wait "$builder"
    builder=
    TRUST8_WHEEL=$(echo "$work"/wheel/*.whl)
fi
packages --no-index "$TRUST8_WHEEL"
