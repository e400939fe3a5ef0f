#!/usr/bin/env python3
"""Makes mistakes in the kernels' loops, one after the other, and checks that each is noticed.

A mistake is noticed if tools/mutations/src/main.rs finds a wrong verdict, panics, or does not end. One whose text is gone is a failure.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve() / "mutations"

# File, what is there, and the mistake.
MISTAKES = [
    ("check.rs", "*before = Before { text: now, forbids };", ""),
    ("check.rs", "&block[S::LANES..], &mut before", "&block[2 * S::LANES..], &mut before"),
    ("long.rs", "        at += step;", "        at += 2 * step;"),
    ("long.rs", "array_at::<{ CONTEXT + BLOCK_BYTES }>(chunk, i * BLOCK_BYTES)", "array_at::<{ CONTEXT + BLOCK_BYTES }>(chunk, (i + 1) * BLOCK_BYTES)"),
    ("long.rs", "0 if S::LANES > 16 => BlockChoice::TwoByte,", "0..=1 if S::LANES > 16 => BlockChoice::TwoByte,"),
    ("filter.rs", "for k in 0..N / S::LANES {", "for k in 0..N.min(BLOCK_BYTES) / S::LANES {"),
    ("filter.rs", "s.or(others, overlong(s, smallest))", "others"),
    ("long.rs", "(list, LARGEST_AT_END)", "(list, LARGEST_BEFORE_TWO_BYTE)"),
    ("filter.rs", "listed += GROUP_BLOCKS;", "listed += GROUP_BLOCKS / 2;"),
    ("filter.rs", "left = &left[BLOCK_BYTES..];", "left = &left[BLOCK_BYTES.min(left.len() - 2 * BLOCK_BYTES) + BLOCK_BYTES..];"),
    ("filter.rs", "(u64::from(is_reached), 0);", "(u64::from(is_reached & false), 0);"),
    ("filter.rs", "let mut list = u64::from(before >> 7);", "let mut list = u64::from(before & 0);"),
    ("filter.rs", "eight_blocks(s, group, 8 * BLOCK_BYTES)", "eight_blocks(s, group, 0)"),
    ("filter.rs", "two_blocks(s, group, at + 6 * BLOCK_BYTES)", "two_blocks(s, group, at + 4 * BLOCK_BYTES)"),
    ("filter.rs", "one_block(s, group, at + BLOCK_BYTES)", "one_block(s, group, at)"),
    ("filter.rs", "s.splat(0x80 + 1)", "s.splat(0x80 - 1)"),
    ("ascii.rs", "at += 4 * S::LANES;", "at += 5 * S::LANES;"),
    ("../bitplanes/planes.rs", "const OWN_BYTES: usize = 64 - CONTEXT;", "const OWN_BYTES: usize = 65 - CONTEXT;"),
]  # fmt: skip


def noticed(tree):
    """Builds the comparison in `tree`, and returns whether it finds something wrong, or None if it does not compile."""
    manifest = tree / "tools" / "mutations" / "Cargo.toml"
    environment = {**os.environ, "CARGO_TARGET_DIR": str(TARGET), "CARGO_INCREMENTAL": "0", "RUSTFLAGS": "-Awarnings"}
    if subprocess.run(["cargo", "build", "--quiet", "--manifest-path", str(manifest)], env=environment).returncode:
        return None
    try:
        return subprocess.run([TARGET / "debug" / "trust8-mutations"], capture_output=True, timeout=120).returncode != 0
    except subprocess.TimeoutExpired:
        return True


def main():
    failures, flags = 0, Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        shutil.copy(ROOT / "build.rs", tree)
        # Only the library is copied: neither the workspace's other members nor examples and tests.
        manifest = (ROOT / "Cargo.toml").read_text().split("[dev-dependencies]")[0]
        lines = [line for line in manifest.splitlines() if not line.startswith(("members =", "default-members ="))]
        (tree / "Cargo.toml").write_text("\n".join(lines))
        shutil.copytree(ROOT / "src", tree / "src")
        shutil.copytree(ROOT / "tools" / "mutations", tree / "tools" / "mutations")
        if noticed(tree) is not False:
            sys.exit("the comparison fails without a mistake")
        for file, right, wrong in MISTAKES:
            path = tree / "src/kernel/lookup" / file
            source = path.read_text()
            says = "NOT THERE"
            if "planes" in file and "avx512_vbmi2" not in flags:
                says = "not tested, for want of AVX-512"
            elif right in source:
                path.write_text(source.replace(right, wrong, 1))
                says = {True: "noticed", False: "NOT NOTICED", None: "NOT COMPILED"}[noticed(tree)]
                path.write_text(source)
            failures += says.startswith("NOT")
            print(f"{says}: {file}: {right}  ->  {wrong}")
    print(f"{failures} mistakes were not noticed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
