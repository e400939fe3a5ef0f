#!/usr/bin/env python3
"""Measures what trust8 adds to a program, and how long it takes to compile; fails where a limit is exceeded.

    tools/size.py              programs for this machine
    tools/size.py --wasm       a WebAssembly module with simd128 as well (needs tools/setup-cross.sh wasm)

The programs are in tools/size. Each is built in the release profile, at opt-level 3, and stripped; what it weighs more than
the same program with the standard library's `from_utf8` is trust8's. The library is compiled for them with its default features,
up to three times, until one takes no longer than the limit.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The compiler orders functions by hashes of the names of their folders, and so a program's weight changes by up to 192 bytes. What is
# compiled is a copy in a folder that has the same name everywhere.
COPY = Path(tempfile.gettempdir()) / "trust8-size"
PROGRAMS = COPY / "tools" / "size"
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve() / "size"

# Bytes that a stripped program may grow by, and what a module may have. These limits only ever go down.
LIMITS = {"from_utf8": 36 * 1024, "stream_and_lossy": 64 * 1024}
# What a program with one profile weighs more than one with `from_utf8`: a constant one without context, and another one.
PROFILE_LIMITS = {"profile": 8 * 1024, "profile_in_context": 16 * 1024}
MODULE_LIMIT = 10 * 1024
# The processor's seconds to compile the library. A busy machine takes up to twice as long for the same work.
CPU_SECONDS = 9.0

failed = False


def report(what, value, limit, unit):
    global failed
    exceeded = value > limit
    failed |= exceeded
    print(f"{what:42} {value:>9,} {unit:7} limit {limit:>9,}{'  EXCEEDED' if exceeded else ''}")


def cargo(*arguments, **environment):
    subprocess.run(
        ["cargo", *arguments, "--quiet"],
        check=True,
        env={**os.environ, "CARGO_TARGET_DIR": str(TARGET), **environment},
    )


def copy():
    shutil.rmtree(COPY, ignore_errors=True)
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, names.split("\0")):
        if (ROOT / name).is_file():
            (COPY / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, COPY / name)


def programs():
    # What the environment of a CI run sets for tests must not change the programs, nor must the name of this folder, which stands
    # in the places of panics.
    flags = f"--remap-path-prefix={COPY}=trust8"
    cargo(
        "build", "--release", "--manifest-path", str(PROGRAMS / "Cargo.toml"), "--bins",
        CARGO_ENCODED_RUSTFLAGS=flags,
    )  # fmt: skip
    size = lambda name: (TARGET / "release" / name).stat().st_size
    print(f"{'std':42} {size('std'):>9,} bytes")
    for name, limit in LIMITS.items():
        report(f"{name}, more than std", size(name) - size("std"), limit, "bytes")
    for name, limit in PROFILE_LIMITS.items():
        report(f"{name}, more than from_utf8", size(name) - size("from_utf8"), limit, "bytes")


def module():
    environment = {
        "RUSTC": "/usr/bin/rustc",
        "RUSTC_BOOTSTRAP": "1",
        "RUSTFLAGS": "-Ctarget-feature=+simd128",
        "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER": "wasm-ld-22",
    }
    target = "wasm32-unknown-unknown"
    cargo(
        "+nightly", "build", "--profile", "wasm", "--manifest-path", str(PROGRAMS / "Cargo.toml"), "--lib",
        "--no-default-features", "--target", target, "-Zbuild-std=core,panic_abort",
        "-Zbuild-std-features=compiler-builtins-mem", **environment,
    )  # fmt: skip
    built = TARGET / target / "wasm" / "trust8_size.wasm"
    report("WebAssembly module with simd128", built.stat().st_size, MODULE_LIMIT, "bytes")


def compile_time():
    """Compiles the library as a dependency, with its default features. What counts is the processor's time: others may use it, too."""
    times = []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as folder:
            build = ["build", "--release", "--manifest-path", str(PROGRAMS / "Cargo.toml")]
            environment = {"CARGO_TARGET_DIR": folder, "RUSTFLAGS": ""}
            cargo(*build, "--package", "cfg-if", **environment)
            start, cpu = time.monotonic(), children_seconds()
            cargo(*build, "--package", "trust8", **environment)
            times.append((children_seconds() - cpu, time.monotonic() - start))
        if times[-1][0] <= CPU_SECONDS:
            break
    cpu, elapsed = min(times)
    report("compiled with default features", round(cpu, 1), CPU_SECONDS, "seconds")
    print(f"{'':42} {elapsed:>9.1f} seconds elapsed")


def children_seconds():
    times = os.times()
    return times.children_user + times.children_system


def main():
    copy()
    programs()
    if "--wasm" in sys.argv[1:]:
        module()
    compile_time()
    shutil.rmtree(COPY)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
