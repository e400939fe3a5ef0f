#!/usr/bin/env python3
"""Runs the benchmarks that simdutf8 and simdutf wrote for themselves, with trust8 in their place, and prints both as tables.

    tools/peers-benchmarks.py simdutf8 [FOLDER]             the newest commit, or the checkout in FOLDER
    tools/peers-benchmarks.py simdutf [FOLDER [LIPSUM]]     the same; LIPSUM is a checkout of unicode_lipsum, whose texts it reads

simdutf8's benchmark is built twice: as it is, and with the drop-in of crates/simdutf8 in its Cargo.toml. simdutf's is built twice, too: as it
is, and with one call replaced by the one of trust8's C library. Both builds run in turns, and a time is the minimum of all samples.
"""

import json
import math
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from performance import markdown

ROOT = Path(__file__).resolve().parent.parent
# Outside of this workspace, whose members the peers are not.
WORK = Path(tempfile.gettempdir()) / "trust8-peers-benchmarks"
ROUNDS = 2
# Seconds for each case, and no charts.
SHORT = ["--noplot", "--warm-up-time", "0.2", "--measurement-time", "0.5"]


def run(*command, cwd=ROOT):
    """Runs a command that must succeed, and returns what it printed."""
    return subprocess.run(command, cwd=cwd, check=True, stdout=subprocess.PIPE, text=True).stdout


def checkout(name, repository, folder):
    """Puts a checkout into the folder of this name, or restores the one that is there, and returns it with the commit's name."""
    to = WORK / name
    if not to.exists():
        run("git", "clone", "--quiet", folder or f"https://github.com/{repository}", str(to))
    run("git", "checkout", "--quiet", ".", cwd=to)
    return to, run("git", "describe", "--tags", "--always", cwd=to).strip()


def replace(file, old, new):
    """Replaces what must be in the file once."""
    text = file.read_text()
    assert text.count(old) == 1, f"{file} has {old!r} {text.count(old)} times"
    file.write_text(text.replace(old, new))


def table(peer, times):
    """Prints the times in ns of the peer and trust8, by text and length."""
    rows = [[text, f"{length:,}", f"{theirs:,.1f}", f"{ours:,.1f}", f"{theirs / ours:.2f}"] for (text, length), (theirs, ours) in sorted(times.items())]
    print(markdown(["text", "bytes", f"{peer}, ns", "trust8, ns", "ratio"], rows))
    ratios = [theirs / ours for theirs, ours in times.values()]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"Geometric mean {mean:.2f}, lowest {min(ratios):.2f}, {sum(ratio < 1 for ratio in ratios)} of {len(ratios)} below 1.")


def add(times, key, contestant, time):
    """Keeps the smaller time."""
    both = times.setdefault(key, [math.inf, math.inf])
    both[contestant] = min(both[contestant], time)


def simdutf8(folder=None):
    """Runs simdutf8's benchmark with criterion, whose samples are read from its files."""
    theirs, commit = checkout("simdutf8", "rusticstuff/simdutf8", folder)
    ours, _ = checkout("simdutf8-trust8", "rusticstuff/simdutf8", folder)
    replace(ours / "bench" / "Cargo.toml", 'path = ".."', f'path = "{ROOT / "crates" / "simdutf8"}"')
    times = {}
    for _ in range(ROUNDS):
        for contestant, tree in enumerate((theirs, ours)):
            run("cargo", "bench", "--quiet", "--bench", "throughput_basic", "--", *SHORT, cwd=tree / "bench")
            for file in (tree / "bench" / "target" / "criterion").glob("*/*/new/sample.json"):
                sample = json.loads(file.read_text())
                text, length = file.parts[-4], int(file.parts[-3])
                for time, iterations in zip(sample["times"], sample["iters"], strict=True):
                    add(times, (text, length), contestant, time / iterations)
    table(f"simdutf8 {commit}", times)


def simdutf(folder=None, lipsum=None):
    """Runs simdutf's benchmark on its texts in UTF-8."""
    theirs, commit = checkout("simdutf", "simdutf/simdutf", folder)
    ours, _ = checkout("simdutf-trust8", "simdutf/simdutf", folder)
    texts, _ = checkout("unicode_lipsum", "lemire/unicode_lipsum", lipsum)
    run("cargo", "build", "--quiet", "--release", "--manifest-path", "bindings/c/Cargo.toml", "--target-dir", str(WORK / "c"))
    source = ours / "benchmarks" / "src" / "benchmark.cpp"
    replace(source, "implementation.validate_utf8(data, size)", "(void)implementation, trust8_is_utf8(data, size)")
    source.write_text(f'#include "{ROOT}/bindings/c/include/trust8.h"\n{source.read_text()}')
    archive = next((WORK / "c" / "release").glob("libtrust8*.a"))
    times, gbs = {}, re.compile(r"([\d.]+) GB/s")
    for tree in (theirs, ours):
        link = f"-DCMAKE_CXX_STANDARD_LIBRARIES={archive}"
        run("cmake", "-B", "build", "-DCMAKE_BUILD_TYPE=Release", "-DSIMDUTF_BENCHMARK_BASE64=OFF", "-DSIMDUTF_TESTS=OFF", link, cwd=tree)
        run("cmake", "--build", "build", "--target", "benchmark", cwd=tree)
    kernel = re.search(r"System: (\w+)", run(theirs / "build" / "benchmarks" / "benchmark", "--random-utf8", "64", "-P", "validate_utf8+", "-I", "1"))
    for _ in range(ROUNDS):
        for file in sorted(texts.glob("*/*.utf8.txt")):
            length = file.stat().st_size
            for contestant, tree in enumerate((theirs, ours)):
                program = tree / "build" / "benchmarks" / "benchmark"
                printed = run(program, "-P", f"validate_utf8+{kernel[1]}", "-I", "2000", "-F", file)
                assert "declared invalid" not in printed, printed
                add(times, (file.name.split(".")[0], length), contestant, length / float(gbs.search(printed)[1]))
    table(f"simdutf {commit}, {kernel[1]}", times)


if __name__ == "__main__":
    WORK.mkdir(parents=True, exist_ok=True)
    {"simdutf8": simdutf8, "simdutf": simdutf}[sys.argv[1]](*sys.argv[2:])
