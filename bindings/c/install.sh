#!/usr/bin/env bash
# Builds the library and installs it, on Linux and other systems with ELF.
#
#   bindings/c/install.sh [--target TRIPLE] [--no-build] [--libdir FOLDER] PREFIX
#
#   PREFIX/include          trust8.h, trust8.hpp
#   PREFIX/lib              libtrust8.a, libtrust8.so.N, and libtrust8.so, a link to that; trust8_* is all that they define
#   PREFIX/lib/pkgconfig    trust8.pc
#   PREFIX/lib/cmake        the package `trust8`, with the targets trust8::trust8 and trust8::static
#
# With `--libdir lib/x86_64-linux-gnu`, say, that folder takes the place of `lib`. With DESTDIR in the environment, as when a package
# is built, PREFIX lies in that folder.
#
# N is the number of the binary interface, TRUST8_ABI in the header. The files refer to each other by relative paths, so the
# folder can be moved. Environment: CARGO is the cargo to call (default: cargo), CARGO_TARGET_DIR the folder to compile in
# (default: bindings/c/target), and STRIP, LD, OBJCOPY and AR are binutils for the target (default: strip, ld, objcopy, ar).
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
target=() folder=release build=yes lib=lib
while [ $# -gt 1 ]; do
    case $1 in
        --target) target=(--target "$2") folder=$2/release && shift 2 ;;
        --no-build) build=no && shift ;;
        --libdir) lib=$2 && shift 2 ;;
        *) break ;;
    esac
done
[ $# -eq 1 ] && [[ $1 != -* && $lib != /* ]] || { sed -n '2,/^set/{/^#/s/^# \?//p}' "$0" >&2; exit 2; }
prefix=${DESTDIR-}$1
built=${CARGO_TARGET_DIR:-$here/target}/$folder
build() {
    "${CARGO:-cargo}" rustc --lib --release --manifest-path "$here/Cargo.toml" "${target[@]}" "$@"
}
if [ $build = yes ]; then
    # Functions begin where cache lines do: that makes a call for a short text half a nanosecond faster.
    build --crate-type cdylib -- -C llvm-args=-align-all-functions=6
    # The archive is compiled in many units. In a single one, all large constants would be in one section, and so in every program.
    build --crate-type staticlib --config 'profile.release.lto="thin"' --config profile.release.codegen-units=64
fi

version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$here/Cargo.toml")
abi=$(sed -n 's/^#define TRUST8_ABI \([0-9]*\)u$/\1/p' "$here/include/trust8.h")

libdir=$prefix/$lib
install -d "$prefix/include" "$libdir/pkgconfig" "$libdir/cmake/trust8"
install -m 644 "$here"/include/trust8.{h,hpp} "$prefix/include"
install -m 755 "$built/libtrust8_capi.so" "$libdir/libtrust8.so.$abi"
"${STRIP:-strip}" --strip-unneeded "$libdir/libtrust8.so.$abi"
# The archive gets one object, without what no function needs, and without the names of the standard library: a program that is
# linked with another library in Rust may have them too. Sections of constants stay apart, so that a linker can drop each. Tables for
# unwinding are left out: nothing unwinds, and they would be 8 KiB of every program.
merged=$built/libtrust8_merged
mapfile -t functions < <(sed -n 's/^[a-z].*[ *]\(trust8_[a-z0-9_]*\)(.*/\1/p' "$here/include/trust8.h")
"${LD:-ld}" -r --gc-sections --unique='.rodata*' "${functions[@]/#/--undefined=}" --whole-archive "$built/libtrust8_capi.a" -o "$merged.o"
"${OBJCOPY:-objcopy}" --strip-unneeded --wildcard --keep-global-symbol='trust8_*' \
    --remove-section={.llvmbc,.llvmcmd,.eh_frame,.rela.eh_frame} "$merged.o"
rm -f "$libdir/libtrust8.a"
"${AR:-ar}" rcs "$libdir/libtrust8.a" "$merged.o"
ln -sf "libtrust8.so.$abi" "$libdir/libtrust8.so"

# From a folder in the libraries' folder up to PREFIX.
up=../$(realpath --relative-to "$libdir" "$prefix")
cat >"$libdir/pkgconfig/trust8.pc" <<END
prefix=\${pcfiledir}/$up
includedir=\${prefix}/include
libdir=\${prefix}/$lib

Name: trust8
Description: UTF-8 validation with SIMD and exact errors
Version: $version
Cflags: -I\${includedir}
Libs: -L\${libdir} -ltrust8
END

cat >"$libdir/cmake/trust8/trust8-config.cmake" <<END
get_filename_component(_trust8_prefix "\${CMAKE_CURRENT_LIST_DIR}/../$up" ABSOLUTE)
if(NOT TARGET trust8::trust8)
  add_library(trust8::trust8 SHARED IMPORTED)
  set_target_properties(trust8::trust8 PROPERTIES
    IMPORTED_LOCATION "\${_trust8_prefix}/$lib/libtrust8.so.$abi"
    IMPORTED_SONAME "libtrust8.so.$abi"
    INTERFACE_INCLUDE_DIRECTORIES "\${_trust8_prefix}/include")
  add_library(trust8::static STATIC IMPORTED)
  set_target_properties(trust8::static PROPERTIES
    IMPORTED_LOCATION "\${_trust8_prefix}/$lib/libtrust8.a"
    INTERFACE_LINK_OPTIONS "-Wl,--gc-sections"
    INTERFACE_INCLUDE_DIRECTORIES "\${_trust8_prefix}/include")
endif()
unset(_trust8_prefix)
END

# As long as the first number is 0, the second one must be the same.
cat >"$libdir/cmake/trust8/trust8-config-version.cmake" <<END
set(PACKAGE_VERSION "$version")
if(PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE FALSE)
elseif("\${PACKAGE_FIND_VERSION_MAJOR}.\${PACKAGE_FIND_VERSION_MINOR}" VERSION_EQUAL "${version%.*}")
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
else()
  set(PACKAGE_VERSION_COMPATIBLE FALSE)
endif()
if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
  set(PACKAGE_VERSION_EXACT TRUE)
endif()
END
