#!/usr/bin/env python3
"""Makes mistakes in the index arithmetic of the kernels' loops, one after the other, and checks that each is noticed.

    tools/mutations.py           all mistakes for the kernels that this CPU can run
    tools/mutations.py lookup    those in files whose path contains the word

These are the mistakes that tools/proofs/build.rs lacks, most of them in files that it does not copy.

A mistake is noticed if tools/mutations/src/main.rs finds a wrong verdict, panics, or does not end. A mistake whose text is no longer in
the source is a failure, so the list stays true to the loops.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve() / "mutations"
KERNEL = "src/kernel/"

# File, what is there, and the mistake.
MISTAKES = [
    ("lookup/check.rs", "*before = Before { text: now, forbids };", ""),
    ("lookup/check.rs", "&block[S::LANES..], &mut before", "&block[2 * S::LANES..], &mut before"),
    ("lookup/long.rs", "        at += step;", "        at += 2 * step;"),
    ("lookup/long.rs", "array_at::<{ CONTEXT + BLOCK_BYTES }>(chunk, i * BLOCK_BYTES)", "array_at::<{ CONTEXT + BLOCK_BYTES }>(chunk, (i + 1) * BLOCK_BYTES)"),
    ("lookup/long.rs", "0 if S::LANES > 16 => BlockChoice::TwoByte,", "0..=1 if S::LANES > 16 => BlockChoice::TwoByte,"),
    ("lookup/filter.rs", "for k in 0..N / S::LANES {", "for k in 0..N.min(BLOCK_BYTES) / S::LANES {"),
    ("lookup/filter.rs", "s.or(others, overlong(s, smallest))", "others"),
    ("lookup/long.rs", "(list, LARGEST_AT_END)", "(list, LARGEST_BEFORE_TWO_BYTE)"),
    ("lookup/filter.rs", "let mut list = u64::from(before >> 7);", "let mut list = u64::from(before & 0);"),
    ("lookup/filter.rs", "listed += GROUP_BLOCKS;", "listed += GROUP_BLOCKS / 2;"),
    ("lookup/filter.rs", "eight_blocks(s, group, 8 * BLOCK_BYTES)", "eight_blocks(s, group, 0)"),
    ("lookup/filter.rs", "two_blocks(s, group, at + 6 * BLOCK_BYTES)", "two_blocks(s, group, at + 4 * BLOCK_BYTES)"),
    ("lookup/filter.rs", "one_block(s, group, at + BLOCK_BYTES)", "one_block(s, group, at)"),
    ("lookup/filter.rs", "left = &left[BLOCK_BYTES..];", "left = &left[BLOCK_BYTES.min(left.len() - 2 * BLOCK_BYTES) + BLOCK_BYTES..];"),
    ("lookup/filter.rs", "(u64::from(is_reached), 0);", "(u64::from(is_reached & false), 0);"),
    ("lookup/filter.rs", "s.splat(0x80 + 1)", "s.splat(0x80 - 1)"),
    ("lookup/ascii.rs", "at += 4 * S::LANES;", "at += 5 * S::LANES;"),
    ("bitplanes/planes.rs", "const OWN_BYTES: usize = 64 - CONTEXT;", "const OWN_BYTES: usize = 65 - CONTEXT;"),
]  # fmt: skip


def noticed(tree):
    """Builds the comparison in `tree`, and returns whether it finds something wrong, or None if it does not compile."""
    manifest = tree / "tools" / "mutations" / "Cargo.toml"
    environment = {**os.environ, "CARGO_TARGET_DIR": str(TARGET), "CARGO_INCREMENTAL": "0", "RUSTFLAGS": "-Awarnings"}
    if subprocess.run(["cargo", "build", "--quiet", "--manifest-path", str(manifest)], env=environment).returncode:
        return None
    try:
        run = subprocess.run([TARGET / "debug" / "trust8-mutations"], capture_output=True, timeout=120)
    except subprocess.TimeoutExpired:
        return True
    return run.returncode != 0


def main():
    word = sys.argv[1] if len(sys.argv) > 1 else ""
    flags = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        for name in ("Cargo.toml", "build.rs"):
            shutil.copy(ROOT / name, tree / name)
        # Only the library is copied: neither the workspace's other members nor examples and tests.
        manifest = (tree / "Cargo.toml").read_text().split("[dev-dependencies]")[0]
        lines = [line for line in manifest.splitlines() if not line.startswith(("members =", "default-members ="))]
        (tree / "Cargo.toml").write_text("\n".join(lines))
        shutil.copytree(ROOT / "src", tree / "src")
        shutil.copytree(ROOT / "tools" / "mutations", tree / "tools" / "mutations")
        if noticed(tree) is not False:
            sys.exit("the comparison fails without a mistake")
        for file, right, wrong in MISTAKES:
            if word not in file:
                continue
            if "planes" in file and "avx512_vbmi2" not in flags:
                print(f"not tested, for want of AVX-512: {file}: {right}")
                continue
            path = tree / KERNEL / file
            source = path.read_text()
            if source.count(right) == 0:
                print(f"NOT THERE: {file}: {right}")
                failures += 1
                continue
            path.write_text(source.replace(right, wrong, 1))
            result = noticed(tree)
            path.write_text(source)
            if result is not True:
                print(f"{'NOT COMPILED' if result is None else 'NOT NOTICED'}: {file}: {right}  ->  {wrong}")
                failures += 1
            else:
                print(f"noticed: {file}: {right}  ->  {wrong}")
    print(f"{failures} mistakes were not noticed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
