#!/bin/sh
# Builds the example with nothing but a compiler:
#
#   build.sh PREFIX [OUT]      PREFIX is where trust8 is installed
set -eu
cd "$(dirname "$0")"
# The static library, so that the program runs wherever it is copied. `-ltrust8` would take the shared one.
"${CC:-cc}" -std=c11 -O2 -I "$1/include" arguments.c "$1/lib/libtrust8.a" -o "${2:-arguments}"
