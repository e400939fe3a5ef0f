#!/usr/bin/env python3
"""Compares the command trust8 with the tools that people use instead, and writes docs/command.md.

    cargo build --release -p trust8-cli
    apt-get install moreutils
    scripts/measure-command.py [--rounds N] [--folder FOLDER] [--out FILE]

The script makes a file of 1 GiB and a tree of 20,000 small files in FOLDER, the same ones each time, and removes them
at the end. The default is the system's folder for temporary files. It needs 1.2 GiB there, and 1 GiB of free memory to
cache the file.

In each round the contestants take turns, and the fastest round of each counts. So a disturbance hits one round of all
contestants, not all rounds of one. Slow contestants take up to a hundred times as long, and skip rounds. The exit code of
every run is checked, and so is the exit code for a file with an error.
"""

import argparse
import os
import platform
import random
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GIB = 1 << 30
BLOCK = 1 << 24
FILES = 20_000

# Text in six scripts. Three of four characters take two bytes or more.
WORDS = """
быстрая рыжая лиса прыгает через ленивую собаку и всё это на глазах у соседей
敏捷的棕色狐狸 跳过了那只 懒狗， 而另外十七只 在一旁看着 没有说话。
l'été dernier, où les élèves français étudiaient la géographie à côté du château
빠른 갈색 여우가 게으른 개를 뛰어넘는 동안 다른 열일곱 마리가 구경한다
قفز الثعلب البني السريع فوق الكلب الكسول بينما كان سبعة عشر آخرون يتفرجون
😀 🎉🎉 ok 👍🏽 naïve 🦊🐕 größer als erwartet
""".split()
# Words of a source tree. Most are ASCII; those of comments are not.
CODE = "let mut fn struct impl for match self return use pub // straße комментарий 注释 naïve".split()


def text(rng, words, size):
    """Returns lines of random words, `size` bytes in all."""
    lines = []
    length = 0
    while length < size:
        line = " ".join(rng.choices(words, k=12)) + "\n"
        lines.append(line)
        length += len(line.encode())
    data = "".join(lines).encode()[:size]
    # Decoding drops a character that the cut has split. Newlines replace it.
    data = data.decode(errors="ignore").encode()
    return data + b"\n" * (size - len(data))


def make_file(path, spoil=False):
    block = text(random.Random(8), WORDS, BLOCK)
    with open(path, "wb") as file:
        for _ in range(GIB // BLOCK):
            file.write(block)
        if spoil:
            file.seek(GIB - 1)
            file.write(b"\xFF")


def make_tree(path):
    rng = random.Random(3629)
    for i in range(FILES):
        folder = path / f"module{i // 100:03}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"file{i % 100:02}.rs").write_bytes(text(rng, CODE, rng.randrange(200, 12_000)))


def find(tree):
    return f"find {shlex.quote(str(tree))} -type f -print0"


def contestants_for_file(trust8, file):
    """Returns for each contestant its name, its command, the exit code for valid text, and its share of the rounds."""
    file = str(file)
    return [
        ("trust8", [trust8, "--quiet", file], 0, 1),
        ("trust8, one thread", [trust8, "--quiet", "--threads", "1", file], 0, 1),
        ("trust8 --stats", [trust8, "--quiet", "--stats", file], 0, 1),
        ("cat", ["cat", file], 0, 1),
        ("isutf8", ["isutf8", "-q", file], 0, 0.2),
        ("iconv -f utf-8 -t utf-8", ["iconv", "-f", "utf-8", "-t", "utf-8", file], 0, 0.2),
        ("grep -axv '.*'", ["grep", "-axv", ".*", file], 1, 0.2),
        ("wc -m", ["wc", "-m", file], 0, 0.2),
    ]


def contestants_for_tree(trust8, tree):
    def under_xargs(command):
        return ["sh", "-c", f"{find(tree)} | xargs -0 {command}"]

    return [
        ("trust8 TREE", [trust8, "--quiet", str(tree)], 0, 1),
        ("trust8 TREE, one thread", [trust8, "--quiet", "--threads", "1", str(tree)], 0, 1),
        ("xargs trust8", under_xargs(f"{shlex.quote(trust8)} --quiet"), 0, 1),
        ("xargs cat", under_xargs("cat"), 0, 1),
        ("xargs isutf8", under_xargs("isutf8 -q"), 0, 0.5),
        ("xargs iconv", under_xargs("iconv -f utf-8 -t utf-8"), 0, 0.5),
        # grep exits with 1 if no line matches, and xargs then exits with 123.
        ("xargs grep -axv '.*'", under_xargs("grep -axv '.*'"), 123, 0.5),
        ("xargs wc -m", under_xargs("wc -m"), 0, 0.5),
    ]


def is_grep(command):
    return command[0] == "grep" or command[0] == "sh" and "xargs -0 grep " in command[-1]


def run(command):
    """Runs a command, and returns its time in seconds and its exit code."""
    # GNU grep stops at the first match if it writes to /dev/null, so it writes to a pipe.
    with open(os.devnull, "wb") as sink:
        start = time.perf_counter()
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE if is_grep(command) else sink,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "LC_ALL": "C.UTF-8"},
        )
        if process.stdout:
            while process.stdout.read(1 << 16):
                pass
        code = process.wait()
        return time.perf_counter() - start, code


def race(contestants, rounds):
    """Returns the fastest round of each contestant, in seconds."""
    best = {}
    for turn in range(rounds):
        for name, command, expected, share in contestants:
            if turn < max(1, round(rounds * share)):
                seconds, code = run(command)
                if code != expected:
                    sys.exit(f"{name}: exit code {code} instead of {expected}")
                best[name] = min(best.get(name, seconds), seconds)
    return best


def check_on_invalid(contestants):
    """Exits if a contestant accepts a file that is not UTF-8."""
    for name, command, valid, _ in contestants:
        # These two do not validate.
        if name in ("cat", "wc -m"):
            continue
        _, code = run(command)
        if code == valid:
            sys.exit(f"{name}: exit code {code} for a file that is not UTF-8")


def table(best, size, unit, base):
    lines = [f"| | ms | {unit} | time relative to {base} |", "|---|---:|---:|---:|"]
    for name, seconds in best.items():
        rate = size / seconds
        shown = f"{rate / 1e9:.2f}" if unit == "GB/s" else f"{rate:,.0f}".replace(",", " ")
        label = f"**{name}**" if name.startswith("trust8") else name
        lines.append(f"| {label} | {seconds * 1e3:.1f} | {shown} | {seconds / best[base]:.2f} |")
    return "\n".join(lines)


def cpu():
    try:
        for line in open("/proc/cpuinfo"):
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def version(command):
    """Returns the first line that `command`, a program with --version, prints."""
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0]


def page(trust8, rounds, file_best, tree_best):
    others = ["isutf8", "iconv -f utf-8 -t utf-8", "grep -axv '.*'", "wc -m"]
    fastest = min(others, key=file_best.get)
    tree_others = ["xargs isutf8", "xargs iconv", "xargs grep -axv '.*'", "xargs wc -m"]
    tree_fastest = min(tree_others, key=tree_best.get)

    def target(what, wanted, ratio, met):
        return f"| {what} | {wanted} | {ratio:.2f} | {'yes' if met else '**no**'} |"

    times = file_best[fastest] / file_best["trust8"]
    reading = file_best["trust8"] / file_best["cat"]
    one = file_best["trust8, one thread"] / file_best["cat"]
    tree_times = tree_best[tree_fastest] / tree_best["trust8 TREE"]
    return f"""# The command, measured

`scripts/measure-command.py` writes this page. All contestants take turns, and the fastest of {rounds} rounds counts (slow
contestants run in a half or a fifth of them). The exit code of every run is checked. In a file with an error, every
contestant that validates has to find it.

![trust8 in a terminal: what is not UTF-8, where and why; conversion; and what a file is](command.svg)

- CPU: {cpu()}, {os.cpu_count()} cores
- {version(["rustc", "--version"])}; {version([trust8, "--version"])}, kernel {used_kernel(trust8)}
- {version(["cat", "--version"])}; {version(["grep", "--version"])}; {version(["iconv", "--version"])}; isutf8 of moreutils

## One file

The file has 1 GiB of text in six scripts, and is in the page cache.

{table(file_best, GIB, "GB/s", "cat")}

## Many files

The tree has 20,000 files of 200 to 12,000 bytes, mostly ASCII, in 200 folders. They are in the page cache.

{table(tree_best, FILES, "files/s", "xargs cat")}

## Targets

| target | wanted | measured | met |
|---|---:|---:|---|
{target(f"one file: speed relative to {fastest}, the fastest of the others", "at least 10", times, times >= 10)}
{target("one file: time relative to cat", "at most 1.20", reading, reading <= 1.2)}
{target("one file, one thread: time relative to cat", "at most 1.20", one, one <= 1.2)}
{target(f"many files: speed relative to {tree_fastest}, the fastest of the others", "more than 1", tree_times, tree_times > 1)}
"""


def used_kernel(trust8):
    """Returns the name of the kernel that `trust8 kernels` marks as used."""
    output = subprocess.run([trust8, "kernels"], capture_output=True, text=True, check=True).stdout
    for line in output.splitlines():
        if " used " in line:
            return line.split()[0]
    sys.exit("trust8 kernels: no kernel is marked as used")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--folder", help="folder for the files")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "command.md")
    arguments = parser.parse_args()

    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    trust8 = str(target.resolve() / "release" / "trust8")
    for program in (trust8, "isutf8", "iconv", "grep", "wc", "cat"):
        if not shutil.which(program):
            sys.exit(f"{program} is missing")

    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        folder = Path(folder)
        file, tree = folder / "file", folder / "tree"
        make_file(file, spoil=True)
        check_on_invalid(contestants_for_file(trust8, file))
        make_file(file)
        make_tree(tree)
        for command in (["cat", str(file)], ["sh", "-c", f"{find(tree)} | xargs -0 cat"]):
            run(command)
        file_best = race(contestants_for_file(trust8, file), arguments.rounds)
        tree_best = race(contestants_for_tree(trust8, tree), arguments.rounds)
    result = page(trust8, arguments.rounds, file_best, tree_best)
    arguments.out.write_text(result)
    print(result)


if __name__ == "__main__":
    main()
