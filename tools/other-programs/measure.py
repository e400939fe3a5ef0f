#!/usr/bin/env python3
"""Measures whole programs with the standard library's validator, with simdutf8, and with trust8, and prints a table.

    tools/other-programs/measure.py             builds the programs and measures them
    tools/other-programs/measure.py --build     builds them, and stops there

The programs are in the package `adoption`, which is built once for each validator. A [patch] puts the validator in the place of simdutf8. The
builds take turns on one core, and the fastest time of each counts. Their answers must be the same. Building needs crates.io.
"""

import os
import shutil
import subprocess
import sys
from datetime import date
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PACKAGE = HERE / "adoption"
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve() / "other-programs" / "adoption"
TURNS = 15

# The replacement of simdutf8.
REPLACEMENTS = {"std": PACKAGE / "std", "simdutf8": None, "trust8": ROOT / "crates/simdutf8"}


def cargo(command, *arguments):
    process = ["cargo", command, "--manifest-path", str(PACKAGE / "Cargo.toml"), *arguments]
    environment = {**os.environ, "CARGO_TARGET_DIR": str(TARGET)}
    return subprocess.run(process, check=True, env=environment, text=True, stdout=subprocess.PIPE).stdout


def build(name, replacement):
    features = ["--no-default-features"] if name == "std" else []
    patch = ["--config", f"patch.crates-io.simdutf8.path='{replacement}'"] if replacement else []
    if patch:
        # The lock file names the crate that is replaced.
        cargo("update", "--quiet", "simdutf8", *patch)
    tree = cargo("tree", "--invert", "simdutf8", "--depth", "0", "--prefix", "none", *features, *patch).strip()
    if tree != "simdutf8 v0.1.5" + (f"+{name} ({replacement})" if replacement else ""):
        sys.exit(f"the patch did not take effect: {tree}")
    cargo("build", "--release", "--locked", *features, *patch)
    shutil.copy(TARGET / "release" / "adoption", TARGET / name)


def build_all():
    lock = PACKAGE / "Cargo.lock"
    before = lock.read_bytes()
    for name, replacement in REPLACEMENTS.items():
        try:
            build(name, replacement)
        finally:
            lock.write_bytes(before)


def measure(files):
    """Returns the fastest times in microseconds by program, language and build."""
    times, answers = {}, {}
    for turn in range(TURNS):
        # Each build comes first, second and third equally often.
        for name in sorted(REPLACEMENTS, key=lambda name: (list(REPLACEMENTS).index(name) + turn) % 3):
            output = subprocess.run([TARGET / name, "measure", files], check=True, text=True, stdout=subprocess.PIPE).stdout
            for line in output.splitlines():
                program, language, time, answer = line.split("\t")
                row = times.setdefault((program, language), {})
                row[name] = min(row.get(name, float("inf")), float(time))
                if answers.setdefault((program, language), answer) != answer:
                    sys.exit(f"{name} gives another answer: {program}, {language}")
    return times


def print_table(times):
    rustc = subprocess.run(["rustc", "--version"], check=True, text=True, stdout=subprocess.PIPE).stdout
    cpu = subprocess.run([ROOT / "tools/cpu.py"], check=True, text=True, stdout=subprocess.PIPE).stdout.strip()
    print(f"{cpu}, {date.today()}, {' '.join(rustc.split()[:2])}. Milliseconds.\n")
    print("| program | text | std | simdutf8 | trust8 | std / trust8 | simdutf8 / trust8 |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for (program, language), row in times.items():
        milliseconds = [f"{row[name] / 1000:.2f}" if name in row else "" for name in REPLACEMENTS]
        ratios = [f"{row[name] / row['trust8']:.2f}" if name in row else "" for name in ("std", "simdutf8")]
        print(f"| {' | '.join([program, language, *milliseconds, *ratios])} |")


if sys.argv[1:] not in ([], ["--build"]):
    sys.exit(__doc__)
build_all()
if not sys.argv[1:]:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    files = TARGET / "files"
    subprocess.run([TARGET / "std", "write", files], check=True)
    print_table(measure(files))
