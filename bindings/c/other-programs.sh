#!/usr/bin/env bash
# Puts libtrust8 into programs that validate UTF-8, runs their own tests, and measures them end to end.
#
#   bindings/c/other-programs.sh [PREFIX]      PREFIX is where trust8 is installed (default: install it into a temporary folder)
#
# isutf8   moreutils' program, from Debian's source package. It is built twice: as it is, and with its function `is_utf8`
#          replaced by one that asks trust8_validate first, and asks the old function only about what comes after the valid text.
#          Its own tests must pass with both, and both must print the same about random files.
# glib     g_utf8_validate and g_utf8_validate_len are replaced in front of the installed glib, with LD_PRELOAD. glib's own tests
#          of them, from Debian's source package, must pass. (Calls inside of libglib itself are not replaced: they do not go
#          through the linker. Those of libgio and of programs are.)
#
# Nothing of theirs is kept in the repository. The script needs curl, a C compiler, pkg-config and libglib2.0-dev.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
prefix=$(realpath -m "${1:-$work/prefix}")
[ $# -gt 0 ] || "$here/install.sh" "$prefix"
cd "$work"
archive=http://deb.debian.org/debian/pool/main

# fetch NAME SHA256 ADDRESS
fetch() {
    curl --silent --show-error --fail --location --retry 3 --output "$1" "$3"
    echo "$2  $1" | sha256sum --check --quiet
}

# Prints the shortest of seven run times of a command, in milliseconds.
best_time() {
    local best=999999999 start elapsed
    for _ in 1 2 3 4 5 6 7; do
        start=$(date +%s%N)
        "$@" >/dev/null || true
        elapsed=$((($(date +%s%N) - start) / 1000))
        [ $elapsed -ge $best ] || best=$elapsed
    done
    echo "$((best / 1000)).$((best / 100 % 10)) ms"
}

# --- isutf8 -------------------------------------------------------------------------------------------

fetch moreutils.tar.gz 03872f42c22943b21c62f711b693c422a4b8df9d1b8b2872ef9a34bd5d13ad10 \
    $archive/m/moreutils/moreutils_0.67.orig.tar.gz
tar --extract --file moreutils.tar.gz
cp -r moreutils-0.67/is_utf8 before
cp -r moreutils-0.67/is_utf8 after
make --silent --directory before isutf8
cat >after/with_trust8.c <<'END'
#include <trust8.h>

#include "is_utf8.h"

int old_is_utf8(unsigned char *str, size_t len, char **message, int *faulty_bytes);

int is_utf8(unsigned char *str, size_t len, char **message, int *faulty_bytes) {
    trust8_error error;
    trust8_validate(str, len, &error);
    /* The old function sets the message and its position, both for valid text and for the error. */
    const int position = old_is_utf8(str + error.valid_up_to, len - error.valid_up_to, message, faulty_bytes);
    return *message == NULL ? position : position + (int)error.valid_up_to;
}
END
(
    cd after
    cc -O3 -c -Dis_utf8=old_is_utf8 is_utf8.c -o old.o
    cc -O3 -std=c11 -I"$prefix/include" main.c with_trust8.c old.o "$prefix/lib/libtrust8.a" -o isutf8
)

for program in before after; do
    echo "isutf8 $program: its own tests"
    (cd $program && ./test.sh >test.log 2>&1) || { tail -n 20 $program/test.log; echo "isutf8 $program: its tests fail"; exit 1; }
done

# Random files: text of several kinds. Three in four are spoiled.
python3 - <<'END'
import random
random.seed(8)
for number in range(400):
    kinds = random.choice(["abc\n", "é\n", "日本\n", "aé日😀\n"])
    text = bytearray("".join(random.choice(kinds) for _ in range(random.randrange(400))).encode())
    for _ in range(number % 4):
        if text:
            text[random.randrange(len(text))] = random.randrange(256)
    open(f"random{number}", "wb").write(text)
END
for program in before after; do
    $program/isutf8 --verbose random* >$program/said 2>&1 || true
done
cmp before/said after/said
echo "isutf8: both print the same about 400 random files ($(grep --count byte before/said) errors)"

python3 - <<'END'
for name, text in [("ascii", "The quick brown fox jumps over the lazy dog.\n"), ("russian", "Съешь же ещё этих мягких французских булок.\n"),
                   ("chinese", "人人生而自由，在尊严和权利上一律平等。\n")]:
    data = text.encode()
    open(f"{name}.txt", "wb").write(data * ((64 << 20) // len(data)))
END
for name in ascii russian chinese; do
    echo "isutf8, 64 MiB of $name: before $(best_time before/isutf8 $name.txt), after $(best_time after/isutf8 $name.txt)"
done

# --- glib ---------------------------------------------------------------------------------------------

fetch glib.tar.xz 069cf7e51cd261eb163aaf06c8d1754c6835f31252180aff5814e5afc7757fbc \
    $archive/g/glib2.0/glib2.0_2.74.6.orig.tar.xz
tar --extract --file glib.tar.xz --strip-components=3 --wildcards '*/glib/tests/utf8-validate.c' \
    '*/glib/tests/utf8-performance.c' '*/glib/tests/unicode-encoding.c' '*/glib/tests/utf8.txt'
cat >interpose.c <<'END'
#include <string.h>

#include <glib.h>
#include <trust8.h>

static gboolean validate(const char *text, size_t len, const char **end) {
    /* glib stops at a zero byte. */
    const char *const zero = memchr(text, 0, len);
    trust8_error error;
    const bool valid = trust8_validate(text, zero == NULL ? len : (size_t)(zero - text), &error);
    if (end != NULL) *end = text + error.valid_up_to;
    return valid && zero == NULL;
}

gboolean g_utf8_validate(const char *text, gssize len, const char **end) {
    return validate(text, len < 0 ? strlen(text) : (size_t)len, end);
}

gboolean g_utf8_validate_len(const char *text, gsize len, const char **end) {
    return validate(text, len, end);
}
END
cat >measure.c <<'END'
#include <stdio.h>
#include <string.h>

#include <glib.h>

/* Reads a file and validates each line, as a program does that reads a log or a list. */
int main(int argc, char **argv) {
    char *text;
    gsize len;
    if (argc < 2 || !g_file_get_contents(argv[1], &text, &len, NULL)) return 2;
    size_t valid = 0;
    for (char *line = text; line < text + len;) {
        char *const next = memchr(line, '\n', (size_t)(text + len - line));
        const size_t n = next == NULL ? (size_t)(text + len - line) : (size_t)(next - line);
        valid += g_utf8_validate_len(line, n, NULL);
        line += n + 1;
    }
    printf("%zu\n", valid);
    g_free(text);
    return 0;
}
END
# shellcheck disable=SC2046 # the options are words
cc -O2 -shared -fPIC -I"$prefix/include" interpose.c $(pkg-config --cflags glib-2.0) "$prefix/lib/libtrust8.a" -o interpose.so
for program in utf8-validate utf8-performance unicode-encoding measure; do
    # shellcheck disable=SC2046 # the options are words
    cc -O2 -w $program.c $(pkg-config --cflags --libs glib-2.0) -o $program
done
for test in utf8-validate unicode-encoding utf8-performance; do
    ./$test >before.log 2>&1 || { tail before.log; echo "glib: $test fails without trust8"; exit 1; }
    LD_PRELOAD=$work/interpose.so ./$test >after.log 2>&1 || { tail after.log; echo "glib: $test fails with trust8"; exit 1; }
    echo "glib: its test $test passes with trust8 in front ($(grep --count '^ok' after.log) checks)"
done
for name in ascii russian chinese; do
    echo "glib, a program that reads 64 MiB of $name and validates each line: before $(best_time ./measure $name.txt)," \
        "after $(best_time env LD_PRELOAD="$work/interpose.so" ./measure $name.txt)"
done
