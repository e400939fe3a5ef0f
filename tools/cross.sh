# shellcheck shell=bash
# Sourced by .ci/run, tools/lint.sh and tools/release.sh: the libraries, the compilers for other machines, and the steps of .ci/run that test there. `target` is the folder to
# compile in, `host` this machine's triple.

# The nightly compiler for Miri and for other machines. Not every one has Miri.
NIGHTLY=nightly-2026-10-30

# The packages that convert, check and count with kernels.
LIBRARIES=(--package=trust8 --package=trust8-{columns,counts,dialect,profile,transcode})
# The workspace; and what README's `cargo test --all-features` leaves out. Commands with the same list share what they compile: fewer
# packages would get other features of the crates that they need.
ALL=(--workspace --all-features)
REST=(--package trust8-arrow --package trust8-measure --package trust8-tests-all --all-features)

# Prints a command, and runs it.
run() {
    echo "\$ $*"
    "$@"
}

# Runs a command that checks files, with each of its exit codes. The files are in the step's folder.
exit_codes() {
    local file expected code
    printf 'caf\xC3\xA9\n' >"$folder/valid"
    printf 'caf\xE9\n' >"$folder/invalid"
    for file in valid:0 invalid:1 missing:2; do
        expected=${file#*:} code=0
        run "$@" "$folder/${file%:*}" || code=$?
        [ "$code" -eq "$expected" ] || { echo "exit code $code instead of $expected"; return 1; }
    done
}

# Installs that compiler into a folder that leaves rustup's toolchains alone, with the standard library for a machine if rustup has it:
# install_nightly [TRIPLE]. Fails if the compiler can't be downloaded.
install_nightly() (
    export RUSTUP_HOME=$target/rustup RUSTUP_TOOLCHAIN=$NIGHTLY
    mkdir -p "$RUSTUP_HOME"
    # The lanes share the folder, so they take turns.
    exec 9<"$RUSTUP_HOME"
    flock 9
    cargo miri --version >/dev/null 2>&1 ||
        run rustup toolchain install "$NIGHTLY" --no-self-update --profile minimal --component miri --component rust-src || return
    if [ $# -gt 0 ] && grep --quiet --line-regexp --fixed-strings "$1" <<<"$(rustup target list)"; then
        run rustup target add "$1"
    fi
)

# Chooses the compiler for another machine: use_cross TRIPLE. It is that nightly, which compiles in less than half the time of
# Debian's, or Debian's where the nightly can't be downloaded. `std` becomes the options that build the standard library, if the
# compiler has none for the machine.
use_cross() {
    cross_rustc=/usr/bin/rustc std=()
    ! install_nightly "$1" || cross_rustc=$target/rustup/toolchains/$NIGHTLY-$host/bin/rustc
    compgen -G "$("$cross_rustc" --print target-libdir --target "$1")/libcore-*.rlib" >/dev/null ||
        std=(-Zbuild-std=std,panic_abort -Zbuild-std-features=panic-unwind)
}

# Runs rustup's nightly cargo with the compiler that `use_cross` has chosen.
cross_cargo() {
    RUSTC=$cross_rustc RUSTDOC=${cross_rustc/%rustc/rustdoc} RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR=$target/cross \
        cargo +nightly "$1" --config tools/cross.toml "${@:2}"
}

# Runs the tests of another machine, as one program (tools/tests-all/tests/all.rs):
#
#   test_elsewhere TRIPLE KERNELS SCALE [OPTION...]
#
# `KERNELS` are those that must be available there. `SCALE` divides the number of inputs. The options choose features. Only the packages under test and the tests
# are optimised; optimising everything else would take longer than it saves, also proptest, which makes few inputs here.
#
# The unit tests compare the operations of an instruction set with arrays, so they run where there is one that no other machine
# has.
test_elsewhere() {
    local triple=$1 unit_tests=
    export TRUST8_REQUIRE_KERNELS=$2 TRUST8_TEST_SCALE=$3
    use_cross "$triple"
    case $2 in neon* | simd128*) unit_tests=yes ;; esac
    echo "--- $triple: the kernels must be $TRUST8_REQUIRE_KERNELS"
    local settings=(--target "$triple" "${std[@]}" --config 'profile.test.package."*".opt-level=0'
        --config profile.test.package.proptest.opt-level=0 --config profile.test.package.core.opt-level=1) crate
    # The standard library that comes with a compiler has no assertions of its own either.
    [ ${#std[@]} -eq 0 ] || for crate in core alloc std; do
        settings+=(--config "profile.test.package.$crate.debug-assertions=false"
            --config "profile.test.package.$crate.overflow-checks=false")
    done
    run cross_cargo test --package trust8-tests-all "${settings[@]}" --test all "${@:4}"
    [ -z "$unit_tests" ] || run cross_cargo test --package trust8 --package trust8-transcode "${settings[@]}" --lib
    # Programs for i686 and Windows run on this CPU.
    case $triple in
        aarch64-* | s390x-* | wasm32-*) checked emulator "$2" ;;
    esac
}

# Prepares what programs for Windows need: a linker, and Wine, which runs them.
use_wine() {
    run tools/setup-cross.sh windows
    export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=x86_64-w64-mingw32-gcc
    export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=$PWD/tools/wine/run.sh TRUST8_WINE=$target/wine
    # No emulator runs these programs, so what is compiled in less time is fast enough.
    export CARGO_PROFILE_TEST_OPT_LEVEL=1
}

# The same tests on older CPUs, which an emulator stands in for. A kernel with an instruction that such a CPU lacks
# ends in SIGILL here instead of on a user's machine. The emulator has no AVX-512.
#
# The tests with guard pages are left out, and counted. In qemu 7.2, a masked load (VPMASKMOVD) touches the bytes that its mask leaves
# out, and faults. No CPU does that. `test` runs these tests on the real CPU.
step_old-cpus() {
    [[ $host == x86_64-* ]] || cannot_run "for x86-64 only"
    run tools/setup-cross.sh x86-64
    run cargo build --release --manifest-path tools/tests-nostd/Cargo.toml --target-dir "$target/nostd"
    local model test suite=(--lib --test kernel --test stream --test transcode
        -- simd:: kernel:: codec:: stream:: runs:: boundary:: repair:: kernels:: rfc:: differential:: borders:: regressions:: validator::)
    export TRUST8_TEST_SCALE=256 CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER
    for model in core2duo=scalar Nehalem=sse4.2,scalar Haswell=avx2,sse4.2,scalar Skylake-Client=avx2,sse4.2,scalar; do
        export TRUST8_REQUIRE_KERNELS=${model#*=}
        CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER="qemu-x86_64 -cpu ${model%=*}"
        echo "--- ${model%=*}: the kernels must be $TRUST8_REQUIRE_KERNELS"
        # The program without std fails unless its best kernel is this one. The tests try all available kernels.
        run qemu-x86_64 -cpu "${model%=*}" "$target/nostd/release/nostd" "${TRUST8_REQUIRE_KERNELS%%,*}"
        # The whole suite runs once for SSE4.2 and once for AVX2.
        case $model in
            Nehalem* | Haswell*)
                run_filtered cargo test --all-features "${suite[@]}"
                ;;
            *) run_filtered cargo test --all-features --test kernel kernels:: ;;
        esac
        checked emulator "$TRUST8_REQUIRE_KERNELS"
    done
    for test in kernel transcode; do
        cargo test --all-features --test $test -- --list guard_pages:: 2>/dev/null
    done | grep ': test$' >"$work/left-out"
    echo "left out under the emulator, which touches bytes that a load masks: $(wc -l <"$work/left-out") tests with guard pages"
}

# Valgrind tracks which bits were never written, and which bytes of the heap are allocated. It hides AVX-512 from
# programs.
step_memcheck() {
    [[ $kernels == *avx2,* ]] || cannot_run "this CPU lacks AVX2"
    run tools/setup-cross.sh valgrind
    export TRUST8_REQUIRE_KERNELS=avx2,sse4.2,scalar TRUST8_TEST_SCALE=256
    export CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER="valgrind --quiet --error-exitcode=9 --leak-check=no"
    run_filtered cargo test --all-features --lib --test kernel --test text \
        -- simd:: kernel:: codec:: stream:: runs:: boundary:: repair:: kernels:: heap:: borders:: copy::
    checked Valgrind "$TRUST8_REQUIRE_KERNELS"
}

step_aarch64() {
    local triple=aarch64-unknown-linux-gnu
    run tools/setup-cross.sh aarch64
    # This compiler comes without Clippy. Its own warnings count.
    export RUSTFLAGS="-D warnings"
    test_elsewhere $triple neon,scalar 1024
    run cross_cargo build --release --manifest-path tools/tests-nostd/Cargo.toml --target $triple
    run qemu-aarch64 -L /usr/aarch64-linux-gnu "$target/cross/$triple/release/nostd" neon
    unset RUSTFLAGS
    RUSTC=$cross_rustc run tools/codegen/check.py --target $triple
    RUSTC=$cross_rustc run tools/codegen/check.py --target $triple --self-test
}

# 32-bit x86, on this CPU; without `all-pairs`, as the command has conversions. `wasm` has all pairs with 32 bits.
step_i686() {
    run tools/setup-cross.sh i686
    # No emulator runs these tests, so what is compiled in less time is fast enough.
    export CARGO_PROFILE_TEST_OPT_LEVEL=1
    test_elsewhere i686-unknown-linux-gnu "$kernels" 4096 --no-default-features --features std,trust8-transcode/faulty
}

# Big-endian.
step_s390x() {
    run tools/setup-cross.sh s390x
    # What `test` asserts does not depend on the order of bytes, and takes a quarter of the time to compile.
    export CARGO_PROFILE_TEST_DEBUG_ASSERTIONS=false CARGO_PROFILE_TEST_OVERFLOW_CHECKS=false
    test_elsewhere s390x-unknown-linux-gnu scalar 8192
}

# Windows, in Wine: the library's unit tests, and the command with its exit codes. A file is repaired where it is. `systems` runs
# the other tests of the library.
step_windows() {
    local triple=x86_64-pc-windows-gnu command
    use_wine
    use_cross $triple
    export TRUST8_REQUIRE_KERNELS=$kernels TRUST8_TEST_SCALE=1024
    run cross_cargo test "${LIBRARIES[@]}" --target $triple "${std[@]}" \
        --config 'profile.test.package."*".opt-level=0' \
        --config profile.test.package.core.opt-level=1 --lib
    run cross_cargo build --package trust8-cli --target $triple "${std[@]}"
    command=(tools/wine/run.sh "$target/cross/$triple/debug/trust8.exe")
    exit_codes "${command[@]}"
    run "${command[@]}" fix --in-place --from windows-1252 "$folder/invalid"
    run cmp "$folder/valid" "$folder/invalid"
}

# Other systems. For Windows, the tests of the library run; its unit tests are in `windows`. For those for which nothing can be
# linked here, the library and the command are checked as far as the compiler does it.
step_systems() {
    local triple
    use_wine
    test_elsewhere x86_64-pc-windows-gnu "$kernels" 512
    for triple in aarch64-apple-darwin x86_64-unknown-freebsd x86_64-unknown-netbsd x86_64-unknown-openbsd; do
        use_cross $triple
        run cross_cargo check --package trust8 --package trust8-cli --target $triple "${std[@]}"
    done
}

# WebAssembly with SIMD, in Node's engine. A panic ends the program there, so the first test that fails is the last.
step_wasm() {
    # Tests run in the folder of their package. V8 cannot see the stack below a fast call, and Node's WASI may collect garbage in one
    # (nodejs/node#46777). What uses a moved object then crashes, even after the last test.
    export CARGO_TARGET_WASM32_WASIP1_RUNNER="node --no-warnings --no-turbo-fast-api-calls $PWD/tools/wasi-run.mjs"
    run tools/setup-cross.sh wasm
    run node --version
    test_elsewhere wasm32-wasip1 simd128,scalar 512
}
