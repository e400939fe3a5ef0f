#!/usr/bin/env python3
"""Measures whole programs with the standard library's validator, with simdutf8, and with trust8, and prints the data of docs/adoption.md.

    tools/other-programs/measure.py             builds the programs and measures them
    tools/other-programs/measure.py --build     builds them, and stops there

The programs are in the package `adoption`, which is built once for each validator. A [patch] puts the validator in the place of simdutf8. The
builds take turns on one core, trust8's also without AVX-512, and the fastest time of each counts. Their answers must be the same. x86-64 only.
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
TURNS = 32

# The replacement of simdutf8. The builds take turns, and the last with another kernel.
REPLACEMENTS = {"std": PACKAGE / "std", "simdutf8": None, "trust8": ROOT / "crates/simdutf8"}
RUNS = {**{name: [name] for name in REPLACEMENTS}, "trust8 with AVX2": ["trust8", "avx2"]}


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
        # Each comes first, second, third and fourth equally often.
        for name in sorted(RUNS, key=lambda name: (list(RUNS).index(name) + turn) % len(RUNS)):
            build, *kernel = RUNS[name]
            output = subprocess.run([TARGET / build, "measure", files, *kernel], check=True, text=True, stdout=subprocess.PIPE).stdout
            for line in output.splitlines():
                program, language, time, answer = line.split("\t")
                row = times.setdefault((program, language), {})
                row[name] = min(row.get(name, float("inf")), float(time))
                if answers.setdefault((program, language), answer) != answer:
                    sys.exit(f"{name} gives another answer: {program}, {language}")
    return times


def print_data(times):
    rustc = subprocess.run(["rustc", "--version"], check=True, text=True, stdout=subprocess.PIPE).stdout
    cpu = subprocess.run([ROOT / "tools/cpu.py"], check=True, text=True, stdout=subprocess.PIPE).stdout.strip()
    print(f"# command: tools/other-programs/measure.py\n# date: {date.today()}\n# CPU: {cpu}\n# compiler: {' '.join(rustc.split()[:2])}")
    print(f"# all: milliseconds, the fastest of {TURNS} turns with eight runs each\nprogram,text,{','.join(RUNS)}")
    for (program, language), row in times.items():
        print(",".join([program, language, *(f"{row[name] / 1000:.3f}" if name in row else "" for name in RUNS)]))


if sys.argv[1:] not in ([], ["--build"]):
    sys.exit(__doc__)
build_all()
if not sys.argv[1:]:
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    files = TARGET / "files"
    subprocess.run([TARGET / "std", "write", files], check=True)
    print_data(measure(files))
