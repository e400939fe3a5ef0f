#!/usr/bin/env bash
# Tests the C interface.
#
#   bindings/c/test.sh                          everything below
#   bindings/c/test.sh header install ...       these parts
#
#   header      the header is what the source says, and compiles alone, twice included, in C and C++
#   install     the library is installed; exports, soname and size are right; the examples build from there and run
#   suite       the tests in C and C++, with gcc and clang, against the installed libraries; and other libraries' answers
#   sanitize    the same with AddressSanitizer in the library, and with UndefinedBehaviorSanitizer
#   valgrind    the same under Valgrind
#   i686        the same for 32-bit x86
#   aarch64     the same for AArch64, emulated
#
# tools/setup-cross.sh installs what all this needs: `capi`, `valgrind`, `i686` and `aarch64`. Environment: CARGO_TARGET_DIR is
# the folder to compile in (default: bindings/c/target). TRUST8_TEST_SCALE=N tests one input in N where inputs are plentiful
# (default: 8); slow parts test fewer. TRUST8_CROSS_RUSTC is the compiler for other machines (default: Debian's).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

PARTS=(header install suite sanitize valgrind i686 aarch64)
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}
prefix=$CARGO_TARGET_DIR/prefix programs=$CARGO_TARGET_DIR/programs
host=$(rustc -vV | sed -n 's/^host: //p')
scale=${TRUST8_TEST_SCALE:-8}
WARNINGS=(-Wall -Wextra -Werror -pedantic)
OTHERS=$(pkg-config --cflags --libs glib-2.0 icu-uc 2>/dev/null || true)
mkdir -p "$programs"

fail() {
    echo "test.sh: $*" >&2
    exit 1
}

# Prints a command, and runs it.
run() {
    echo "\$ $*"
    "$@"
}

# Nothing unwinds, but the tables of the compiled `core` name a function for it. With link-time optimization they are gone.
NO_UNWINDING=-Wl,--defsym=rust_eh_personality=0

# Compiles the suite in C: compile_suite COMPILER OUT LIBRARY [OPTION...]
compile_suite() {
    local compiler=$1 out=$2 library=$3
    shift 3
    run "$compiler" -std=c11 -O1 "${WARNINGS[@]}" -Iinclude "$@" tests/suite/*.c "$library" -o "$out" -lpthread
}

# The same in two steps, for several libraries: compile_once COMPILER FOLDER, link_suite COMPILER FOLDER OUT LIBRARY [OPTION...]
compile_once() {
    local file
    rm -rf "$2"
    mkdir "$2"
    for file in tests/suite/*.c; do
        run "$1" -std=c11 -O1 "${WARNINGS[@]}" -Iinclude -c "$file" -o "$2/$(basename "$file" .c).o"
    done
}
link_suite() {
    local compiler=$1 objects=$2 out=$3
    shift 3
    run "$compiler" "$objects"/*.o "$@" -o "$out" -lpthread
}

# Cargo with settings that compile fast; conversions would take five times as long at a higher level than 0. The code is not what users
# get, but the C interface is the same.
fast_cargo() {
    cargo +nightly build --release --config profile.release.opt-level=1 --config 'profile.release.lto="off"' \
        --config profile.release.codegen-units=1 --config profile.release.package.trust8-transcode.opt-level=0 "$@"
}

# The same for another machine: cross_cargo TRIPLE [OPTION...]. The compiler builds `core` if it has none for the machine.
cross_cargo() {
    local rustc=${TRUST8_CROSS_RUSTC:-/usr/bin/rustc} core=()
    compgen -G "$("$rustc" --print target-libdir --target "$1")/libcore-*.rlib" >/dev/null || core=(-Zbuild-std=core)
    RUSTC=$rustc RUSTC_BOOTSTRAP=1 fast_cargo --config ../../tools/cross.toml --target "$1" --target-dir "$CARGO_TARGET_DIR/cross" "${core[@]}" \
        "${@:2}"
}

part_header() {
    run ./header.py --check
    local compiler code='#include "trust8.h"\n#include "trust8.h"\n'
    for compiler in "gcc -std=c99 -x c" "clang -std=c11 -x c" "g++ -std=c++98 -x c++" "clang++ -std=c++17 -x c++"; do
        # shellcheck disable=SC2086 # the options are words
        printf '%b' "$code" | run $compiler "${WARNINGS[@]}" -Iinclude -fsyntax-only -
    done
    code='#include "trust8.hpp"\n#include "trust8.hpp"\n'
    for compiler in g++ clang++; do
        printf '%b' "$code" | run $compiler -std=c++17 -x c++ "${WARNINGS[@]}" -Iinclude -fsyntax-only -
        # Before C++17, the message says what it needs. The compiler fails.
        { printf '%b' "$code" | $compiler -std=c++14 -x c++ -Iinclude -fsyntax-only - 2>&1 || true; } |
            grep 'trust8.hpp needs C++17' || fail "$compiler -std=c++14 does not say what trust8.hpp needs"
    done
    # The wrapper defines no macros.
    ! grep -n '^ *# *define' include/trust8.hpp || fail "trust8.hpp defines a macro"
}

part_install() {
    run ./install.sh "$prefix"
    local library=$prefix/lib/libtrust8.so abi declared exported size folder=$programs/examples
    abi=$(sed -n 's/^#define TRUST8_ABI \([0-9]*\)u$/\1/p' include/trust8.h)
    readelf --dynamic "$library" | grep --quiet --fixed-strings "[libtrust8.so.$abi]" || fail "the soname is not libtrust8.so.$abi"
    declared=$(sed -n 's/^[a-z].*[ *]\(trust8_[a-z0-9_]*\)(.*/\1/p' include/trust8.h | sort)
    exported=$(nm --dynamic --defined-only --format=posix "$library" | cut -d' ' -f1 | sort)
    [ "$declared" = "$exported" ] || fail "the library exports other names: $(diff <(echo "$declared") <(echo "$exported"))"
    exported=$(nm --extern-only --defined-only --format=posix "$prefix/lib/libtrust8.a" | sed -n 's/ .*//p' | grep -v : | sort)
    [ "$declared" = "$exported" ] || fail "the archive exports other names: $(diff <(echo "$declared") <(echo "$exported"))"
    ! nm --dynamic --undefined-only "$library" | grep -E 'malloc|calloc|realloc|free|_Unwind|__cxa_throw|St' ||
        fail "the library allocates or throws"
    size=$(stat --dereference --format=%s "$library")
    echo "the shared library has $size bytes"
    [ "$size" -lt $((1 << 20)) ] || fail "that is more than 1 MiB"
    size=$(awk -v size="$size" 'BEGIN { printf "%.1f MiB", size / 1024 / 1024 }')
    grep --quiet --fixed-strings "($size)" README.md || fail "it has $size, and README says otherwise"

    rm -rf "$programs/root"
    DESTDIR=$programs/root run ./install.sh --no-build "$programs/usr"
    diff -r "$prefix" "$programs/root$programs/usr" || fail "DESTDIR changes more than the place"
    ! ./install.sh --no-build --libdir /lib64 "$programs/usr" 2>/dev/null || fail "a folder outside of PREFIX is one inside"

    # The archive is complete, and works wherever it is unpacked.
    rm -rf "$programs/archive"
    run ./archive.sh --no-build "$programs/archive"
    tar --extract --gzip --file "$programs"/archive/trust8-*.tar.gz --directory "$programs/archive" --strip-components=1
    run "$programs/archive/examples/cc/build.sh" "$programs/archive"
    "$programs/archive/examples/cc/all_errors" <README.md || fail "the archive's example"

    # The examples are copied, as a user would do.
    rm -rf "$folder"
    cp -r examples "$folder"
    export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
    run "$folder/cc/build.sh" "$prefix"
    [ "$("$folder/cc/arguments" na$'\xC3\xAF've | head -n1)" = "1: 5 characters" ] || fail "cc/arguments"
    ! "$folder/cc/arguments" $'caf\xE9' || fail "cc/arguments accepts everything"
    size=$(stat --format=%s "$folder/cc/arguments")
    echo "a program with the archive has $size bytes"
    [ "$size" -lt $((136 << 10)) ] || fail "the linker has kept what the program does not call"
    # The first example of README, and an empty program.
    local small=$programs/small
    sed -n '/^```c$/,/^```$/p' README.md | grep -v '^```' | gcc -Wall -Werror -Iinclude -x c -c -o /dev/null - || fail "the examples of README"
    { sed -n '/^```c$/,/^```$/p; /^```$/q' README.md | grep -v '^```'; echo 'int main(int argc, char **argv) { check(argv[argc - 1], 3); }'; } >"$small.c"
    echo 'int main(void) { return 0; }' >"$small-empty.c"
    run gcc -s -Iinclude "$small.c" "$prefix/lib/libtrust8.a" -Wl,--gc-sections -o "$small"
    run gcc -s "$small-empty.c" -o "$small-empty"
    [ "$("$small" $'a\xFFb' | cut -c1-17)" = "line 1, column 2:" ] || fail "the example of README"
    size=$(($(stat --format=%s "$small") - $(stat --format=%s "$small-empty")))
    echo "a program that validates and explains has $size bytes more than an empty one"
    [ "$size" -le $((64 << 10)) ] || fail "that is more than 64 KiB"
    [ "$(printf 'a\nb\xFFc\n\xE2\x82' | "$folder/cc/all_errors" | cut -d: -f1)" = $'line 2, column 2\nline 3, column 1' ] ||
        fail "cc/all_errors"
    run make --directory "$folder/pkg-config"
    echo text | "$folder/pkg-config/standard_input" || fail "pkg-config/standard_input"
    [ "$(printf 'a\xE2\x82' | "$folder/pkg-config/standard_input" | cut -c1-25)" = "invalid UTF-8 at byte 1: " ] ||
        fail "pkg-config/standard_input"
    run cmake -S "$folder/cmake" -B "$folder/cmake/build" -DCMAKE_PREFIX_PATH="$prefix"
    run cmake --build "$folder/cmake/build"
    local program
    for program in lines lines_static; do
        [ "$(printf 'a\xFF' | "$folder/cmake/build/$program" 2>/dev/null)" = $'a\xEF\xBF\xBD' ] || fail "cmake/$program"
    done
    run meson setup "$folder/meson/build" "$folder/meson"
    run meson compile -C "$folder/meson/build"
    [ "$(printf 'a\xFF' | "$folder/meson/build/utf16" | od -An -tx1 | tr -d ' \n')" = 6100fdff ] || fail "meson/utf16"
}

part_suite() {
    run cargo test --manifest-path Cargo.toml
    local compiler
    for compiler in gcc clang; do
        compile_once $compiler "$programs/objects"
        link_suite $compiler "$programs/objects" "$programs/suite-$compiler" "$prefix/lib/libtrust8.a"
        link_suite $compiler "$programs/objects" "$programs/suite-shared-$compiler" "$prefix/lib/libtrust8.so" \
            -Wl,-rpath,"$prefix/lib"
    done
    TRUST8_TEST_SCALE=$scale run "$programs/suite-gcc"
    TRUST8_TEST_SCALE=$((scale * 8)) run "$programs/suite-clang"
    TRUST8_TEST_SCALE=$((scale * 8)) run "$programs/suite-shared-gcc"
    TRUST8_TEST_SCALE=$((scale * 8)) run "$programs/suite-shared-clang"
    for compiler in g++ clang++; do
        # The tests in C are C++ as well.
        run $compiler -std=c++17 "${WARNINGS[@]}" -Iinclude -fsyntax-only -x c++ tests/suite/*.c
        run $compiler -std=c++17 -O1 "${WARNINGS[@]}" -Iinclude tests/wrapper.cpp "$prefix/lib/libtrust8.a" -o "$programs/wrapper"
        run "$programs/wrapper"
        run $compiler -std=c++20 -O1 "${WARNINGS[@]}" -Iinclude tests/wrapper.cpp "$prefix/lib/libtrust8.a" -o "$programs/wrapper"
        run "$programs/wrapper"
    done
    # shellcheck disable=SC2086 # the options are words
    compile_suite gcc "$programs/others" "$prefix/lib/libtrust8.a" -DOTHER_LIBRARIES -Itests/suite tests/others/*.c $OTHERS -lunistring
    TRUST8_TEST_SCALE=$scale run "$programs/others"
}

part_sanitize() {
    # Debug assertions make the library check its own arithmetic: a panic ends the test.
    RUSTFLAGS="-Zsanitizer=address -Cdebug-assertions" run fast_cargo --target "$host" --target-dir "$CARGO_TARGET_DIR/asan"
    local compiler library=$CARGO_TARGET_DIR/asan/$host/release/libtrust8_capi.a
    local options=(-g -fsanitize=address,undefined -fno-sanitize-recover $NO_UNWINDING)
    for compiler in gcc clang; do
        compile_suite $compiler "$programs/suite-asan" "$library" "${options[@]}"
        TRUST8_TEST_SCALE=$((scale * 8)) run "$programs/suite-asan"
    done
    run g++ -std=c++20 -O1 "${WARNINGS[@]}" -Iinclude "${options[@]}" tests/wrapper.cpp "$library" -o "$programs/wrapper-asan"
    run "$programs/wrapper-asan"
}

part_valgrind() {
    TRUST8_TEST_SCALE=$((scale * 32)) run valgrind --quiet --error-exitcode=9 --leak-check=full "$programs/suite-gcc"
    run valgrind --quiet --error-exitcode=9 --leak-check=full "$programs/wrapper"
}

part_i686() {
    local triple=i686-unknown-linux-gnu root=/usr/i686-linux-gnu/lib
    # The kernels are those of x86-64, which `suite` has tested. Without the largest, the library compiles in half the time.
    RUSTFLAGS="--cfg trust8_without_avx512" run cross_cargo $triple
    compile_suite i686-linux-gnu-gcc "$programs/suite-i686" "$CARGO_TARGET_DIR/cross/$triple/release/libtrust8_capi.a" $NO_UNWINDING
    TRUST8_TEST_SCALE=$((scale * 8)) run $root/ld-linux.so.2 --library-path $root "$programs/suite-i686"
}

part_aarch64() {
    local triple=aarch64-unknown-linux-gnu
    # The emulator makes slow code slower.
    run cross_cargo $triple --config profile.release.package.trust8-transcode.opt-level=2
    compile_suite aarch64-linux-gnu-gcc "$programs/suite-aarch64" "$CARGO_TARGET_DIR/cross/$triple/release/libtrust8_capi.a" -static \
        $NO_UNWINDING
    TRUST8_TEST_SCALE=$((scale * 16)) run qemu-aarch64 "$programs/suite-aarch64"
}

[ $# -gt 0 ] || set -- "${PARTS[@]}"
for part in "$@"; do
    [[ " ${PARTS[*]} " == *" $part "* ]] || fail "no such part: $part"
done
for part in "$@"; do
    echo "--- $part"
    "part_$part"
done
