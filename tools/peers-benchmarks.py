#!/usr/bin/env python3
"""Runs the benchmarks that simdutf8 and simdutf wrote for themselves, with trust8 in their place, and prints both as tables.

    tools/peers-benchmarks.py simdutf8[-avx2] [FOLDER]      the newest commit, or the checkout in FOLDER; -avx2 leaves AVX-512 out of both
    tools/peers-benchmarks.py simdutf [FOLDER [LIPSUM]]     the same; LIPSUM is a checkout of unicode_lipsum, whose texts it reads

simdutf8's benchmark is built twice: as it is, and with the drop-in of crates/simdutf8 in its Cargo.toml. simdutf's is built twice, too: as it
is, and with one call replaced by the one of trust8's C library. Both builds run in turns, and a time is the minimum of all samples. What is
built stays in a temporary folder.
"""

import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from performance import markdown

ROOT = Path(__file__).resolve().parent.parent
# Outside of this workspace, whose members the peers are not.
WORK = Path(tempfile.gettempdir()) / "trust8-peers-benchmarks"
ROUNDS = 2
# Seconds for each case, no charts, and hardly any statistics.
SHORT = ["--noplot", "--warm-up-time", "0.1", "--measurement-time", "0.3", "--nresamples", "1001"]


def run(*command, cwd=ROOT):
    """Runs a command that must succeed, and returns what it printed."""
    return subprocess.run(command, cwd=cwd, check=True, stdout=subprocess.PIPE, text=True).stdout


def checkout(name, repository, folder):
    """Puts a checkout into the folder of this name, unless it is there, and returns it with the commit's name and date."""
    to = WORK / name
    if not to.exists():
        run("git", "clone", "--quiet", folder or f"https://github.com/{repository}", str(to))
    return to, run("git", "log", "-1", "--format=%h of %cs", cwd=to).strip()


def replace(file, old, new):
    """Replaces what must be in the file once, unless it has been replaced before."""
    text = file.read_text()
    if new not in text:
        assert text.count(old) == 1, f"{file} has {old!r} {text.count(old)} times"
        file.write_text(text.replace(old, new))


def table(peer, times):
    """Prints how many times as fast as the peer trust8 is, by text and length, if that was measured; and both, if each text has one length."""
    texts = {}
    for (text, length), (theirs, ours) in sorted(times.items()):
        texts.setdefault(text, []).append((length, theirs, ours))
    lengths = [length for length, _, _ in max(texts.values(), key=len)]
    # Empty text and an error have one length.
    texts = {text: times for text, times in texts.items() if len(times) == len(lengths)}
    ratios = [theirs / ours for times in texts.values() for _, theirs, ours in times]
    if len(lengths) == 1:
        heads = ["bytes", f"{peer}, GB/s", "trust8, GB/s", "ratio"]
        cells = lambda length, theirs, ours: [f"{length:,}", f"{length / theirs:.1f}", f"{length / ours:.1f}", f"{theirs / ours:.2f}"]
    else:
        heads = [f"{length:,} bytes" for length in lengths]
        cells = lambda _, theirs, ours: [f"{theirs / ours:.2f}"]
    print(markdown(["text", *heads], [[text, *(cell for time in times for cell in cells(*time))] for text, times in texts.items()]))
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"{peer}: geometric mean {mean:.2f}, lowest {min(ratios):.2f}, {sum(ratio < 1 for ratio in ratios)} of {len(ratios)} below 1.")


def add(times, key, contestant, time):
    """Keeps the smaller time."""
    both = times.setdefault(key, [math.inf, math.inf])
    both[contestant] = min(both[contestant], time)


def simdutf8(peer, folder=None):
    """Runs simdutf8's benchmark with criterion, whose samples are read from its files."""
    theirs, commit = checkout(peer, "rusticstuff/simdutf8", folder)
    ours, _ = checkout(f"{peer}-trust8", "rusticstuff/simdutf8", folder)
    if peer.endswith("avx2"):
        replace(theirs / "build.rs", "if avx512_stable() {", "if false {")
        os.environ["RUSTFLAGS"] = "--cfg trust8_without_avx512"
    replace(ours / "bench" / "Cargo.toml", 'path = ".."', f'path = "{ROOT / "crates" / "simdutf8"}"')
    for tree in (theirs, ours):
        run("cargo", "bench", "--quiet", "--bench", "throughput_basic", "--no-run", cwd=tree / "bench")
    times = {}
    for _ in range(ROUNDS):
        for contestant, tree in enumerate((theirs, ours)):
            run("cargo", "bench", "--quiet", "--bench", "throughput_basic", "--", *SHORT, cwd=tree / "bench")
            for file in (tree / "bench" / "target" / "criterion").glob("*/*/new/sample.json"):
                sample = json.loads(file.read_text())
                least = min(time / count for time, count in zip(sample["times"], sample["iters"], strict=True))
                add(times, (file.parts[-4], int(file.parts[-3])), contestant, least)
    table(f"{peer} {commit}", times)


def build_simdutf(tree, programs):
    """Builds simdutf's benchmark as it is, and with trust8 in one place."""
    run("git", "checkout", "--quiet", ".", cwd=tree)
    run("cargo", "build", "--quiet", "--release", "--manifest-path", "bindings/c/Cargo.toml", "--target-dir", str(WORK / "c"))
    library = next((WORK / "c" / "release").glob("libtrust8*.a"))
    options = ["-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_CXX_STANDARD_LIBRARIES={library}"]
    options += [f"-DSIMDUTF_{part}" for part in ("BENCHMARKS=ON", "BENCHMARK_BASE64=OFF", "TESTS=ON", "TOOLS=OFF")]
    run("cmake", "-B", "build", *options, cwd=tree)
    source = tree / "benchmarks" / "src" / "benchmark.cpp"
    for program in programs:
        run("cmake", "--build", "build", "--target", "benchmark", cwd=tree)
        shutil.copy(tree / "build" / "benchmarks" / "benchmark", program)
        replace(source, "implementation.validate_utf8(data, size)", "trust8_is_utf8(data, size)")
        source.write_text(f'#include "{ROOT}/bindings/c/include/trust8.h"\n{source.read_text()}')


def simdutf(folder=None, lipsum=None):
    """Runs simdutf's benchmark on its texts in UTF-8."""
    tree, commit = checkout("simdutf", "simdutf/simdutf", folder)
    texts, _ = checkout("unicode_lipsum", "lemire/unicode_lipsum", lipsum)
    programs = [WORK / "simdutf-as-it-is", WORK / "simdutf-with-trust8"]
    if not all(program.exists() for program in programs):
        build_simdutf(tree, programs)
    times, gbs = {}, re.compile(r"([\d.]+) GB/s")
    kernel = re.search(r"System: (\w+)", run(programs[0], "--random-utf8", "64", "-P", "validate_utf8+", "-I", "1"))
    for _ in range(ROUNDS):
        for file in sorted(texts.glob("*/*.utf8.txt")):
            length = file.stat().st_size
            for contestant, program in enumerate(programs):
                printed = run(program, "-P", f"validate_utf8+{kernel[1]}", "-I", "2000", "-F", file)
                assert "declared invalid" not in printed, printed
                add(times, (file.name.split(".")[0], length), contestant, length / float(gbs.search(printed)[1]))
    table(f"simdutf {commit}, {kernel[1]}", times)


if __name__ == "__main__":
    WORK.mkdir(parents=True, exist_ok=True)
    peer, *folders = sys.argv[1:]
    simdutf(*folders) if peer == "simdutf" else simdutf8(peer, *folders)
