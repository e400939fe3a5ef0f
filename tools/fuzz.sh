#!/usr/bin/env bash
# Does what `cargo fuzz run` does, without that program:
#
#   tools/fuzz.sh SECONDS [TARGET...]          fuzzes each target for this time; without a target, all of them
#   tools/fuzz.sh --keep SECONDS [TARGET...]   also minimises what each has found into fuzz/corpus/TARGET.tar.xz
#
# The targets are compiled with libFuzzer's instrumentation and AddressSanitizer. Each one goes through the inputs kept by earlier runs and the seeds,
# and then looks for inputs that reach other code. TRUST8_FUZZ_TEXTS is a folder of real texts, whose parts become seeds too. What is
# kept may have parts of them, so look at their licence before you commit it.
# CARGO_TARGET_DIR is the folder to compile in (default: target). What is found between two runs stays there as well. A failing input goes
# to fuzz-run/artifacts in that folder, and ends the script.
set -euo pipefail
# Cargo calls this script for each crate (see below). Only the project's crates count what is covered: others compile faster without.
if [ -n "${TRUST8_COVERAGE-}" ]; then
    [[ ${CARGO_PKG_NAME-} != trust8* || " $* " != *" --target "* ]] || set -- "$@" $TRUST8_COVERAGE
    exec "$@"
fi
cd "$(dirname "${BASH_SOURCE[0]}")/.."

keep=no
[ "${1-}" != --keep ] || { keep=yes && shift; }
[[ ${1-} =~ ^[0-9]+$ ]] || { echo "usage: fuzz.sh [--keep] SECONDS [TARGET...]" >&2; exit 2; }
seconds=$1
shift
[ $# -gt 0 ] || set -- $(basename --suffix=.rs fuzz/fuzz_targets/*.rs)

folder=$(realpath --canonicalize-missing "${CARGO_TARGET_DIR:-target}/fuzz-run")
host=$(rustc -vV | sed -n 's/^host: //p')
programs=$folder/$host/release

export RUSTFLAGS="-Zsanitizer=address -Cdebug-assertions -Ccodegen-units=1 --cfg=fuzzing"
coverage="-Cpasses=sancov-module$(printf ' -Cllvm-args=-sanitizer-coverage-%s' level=4 inline-8bit-counters pc-table trace-compares)"
# Clang has libFuzzer compiled.
libfuzzer=$(clang --print-file-name "libclang_rt.fuzzer-$(uname -m).a" 2>/dev/null || true)
[ ! -f "$libfuzzer" ] || export CUSTOM_LIBFUZZER_PATH=$libfuzzer
# The targets use many other crates, which need not be fast. The library is optimised as usual, or an execution takes seconds. So is
# libFuzzer, which each comparison calls. Optimising the conversions and the command takes longer than a short run. A report names
# functions without debug information.
optimised=()
for level in {libfuzzer-sys,trust8{,-columns,-counts,-dialect,-profile}}=2 trust8-arrow=1 encoding_rs=$((seconds < 60 ? 0 : 1)) \
    trust8-transcode=$((seconds < 60 ? 0 : 2)) trust8-cli=$((seconds < 60 ? 0 : 1)); do
    optimised+=(--config "profile.release.package.${level/=/.opt-level=}")
done
TRUST8_COVERAGE=$coverage RUSTC_WRAPPER=$PWD/tools/fuzz.sh cargo +nightly build --release --manifest-path fuzz/Cargo.toml \
    --target "$host" --target-dir "$folder" \
    --bins --example seeds --config profile.release.opt-level=1 --config 'profile.release.package."*".opt-level=0' \
    "${optimised[@]}" --config profile.release.debug=false
rm -rf "$folder/seeds"
"$programs/examples/seeds" "$folder/seeds" ${TRUST8_FUZZ_TEXTS:+"$TRUST8_FUZZ_TEXTS"}
mkdir -p "$folder/artifacts" fuzz/corpus

for name in "$@"; do
    program=$programs/$name found=$folder/corpus/$name kept=$folder/kept/$name merged=$folder/merged/$name
    archive=fuzz/corpus/$name.tar.xz
    rm -rf "$kept" "$merged"
    mkdir -p "$found" "$kept" "$merged"
    [ ! -e "$archive" ] || tar --extract --file "$archive" --directory "$kept"
    echo "--- $name, $seconds s"
    "$program" -dict=fuzz/utf8.dict -print_final_stats=1 -verbosity=0 -max_total_time="$seconds" \
        -artifact_prefix="$folder/artifacts/" "$found" "$kept" "$folder/seeds" 2>&1 | tee "$folder/log"
    # A run goes through all seeds at least, and sees what they reach.
    awk -v least="$(find "$folder/seeds" -type f | wc -l)" '/instrumented for coverage/ { least = 1e9 }
        /^stat::number_of_executed_units:/ { n = $2 } END { exit n < least }' "$folder/log"
    [ $keep = yes ] || continue
    # The seeds are written anew each time. Of what was found, the least that covers the rest is kept.
    cp "$folder"/seeds/* "$merged"
    "$program" -merge=1 -set_cover_merge=1 -verbosity=0 "$merged" "$found" "$kept"
    (cd "$folder/seeds" && printf '%s\0' *) | (cd "$merged" && xargs --null rm)
    tar --create --xz --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --file "$archive" --directory "$merged" .
    echo "kept: $(find "$merged" -type f | wc -l) inputs, $(stat --format=%s "$archive") bytes"
done
