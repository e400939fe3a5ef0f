#!/usr/bin/env bash
# Runs a program for Windows (x86-64), as cargo's runner: tools/wine/run.sh PROGRAM [ARGUMENT...]
#
# TRUST8_WINE is the folder for what Wine needs: its drive, and a library that it lacks. `setup-cross.sh windows` installs Wine
# and the compiler.
set -euo pipefail
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
folder=${TRUST8_WINE:-$here/../../target/wine}
mkdir -p "$folder"
folder=$(realpath "$folder")
export WINEPREFIX=$folder/prefix WINEPATH=Z:${folder//\//\\} WINEDEBUG=${WINEDEBUG:--all}

if [ ! -e "$folder/ready" ]; then
    # The first of several programs prepares the folder, and the others wait.
    exec 9>"$folder/lock"
    flock 9
    if [ ! -e "$folder/ready" ]; then
        x86_64-w64-mingw32-gcc -O1 -shared -o "$folder/bcryptprimitives.dll" "$here/bcryptprimitives.c" -ladvapi32
        # Wine's drive is made by the first program that runs. What it prints then is no output of ours.
        /usr/lib/wine/wine64 wineboot --init >/dev/null 2>&1
        touch "$folder/ready"
    fi
    exec 9>&-
fi
exec /usr/lib/wine/wine64 "$@"
