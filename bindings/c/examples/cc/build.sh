#!/bin/sh
# Builds the examples with nothing but a compiler:
#
#   build.sh PREFIX      PREFIX is where trust8 is installed
set -eu
cd "$(dirname "$0")"
# The static library, so that the programs run wherever they are copied. `-ltrust8` would take the shared one. With the option for
# the linker, a program has only what it calls.
for program in arguments all_errors; do
    "${CC:-cc}" -std=c11 -O2 -s -Wl,--gc-sections -I "$1/include" "$program.c" "$1/lib/libtrust8.a" -o "$program"
done
