#!/usr/bin/env python3
"""Compares the command trust8 with the tools that people use instead, and fills the tables of docs/command.md.

    cargo build --release -p trust8-cli
    apt-get install moreutils icu-devtools ripgrep; pip install ftfy
    chrt -f 1 tools/measure-command.py [--rounds N] [--folder FOLDER] [--cpu N] [SECTION...]

`chrt`, if used, keeps other programs from the cores where the contestants run.

The sections are `file`, `files`, `tree`, `errors`, `work` and `mojibake`; without one, all are measured, a minute each. A table stands
between `<!-- NAME -->` and `<!-- end -->`, and begins with the CPU and the date. The files are made in FOLDER, the same ones each time, and
are removed at the end. The default is the system's folder for temporary files. It needs 1.2 GiB there, and 1 GiB of free memory to cache the
file. `mojibake` reads the texts of this system, and those of the folder that the environment variable TRUST8_CORPUS names.

In each round the contestants take turns, and the fastest round of each counts. So a disturbance hits one round of all
contestants, not all rounds of one. The exit code of every run is checked, and so is the exit code for a file with an error.
"""

import argparse
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile
import time
from datetime import date
from pathlib import Path

import cpu
from performance import markdown

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "command.md"
MIB = 1 << 20
GIB = 1 << 30
BLOCK = 1 << 24
FILES = 20_000
TREE_FILES = 30_000
ERRORS = 2_000_000
# Slow contestants read this much of the large file, and their time is multiplied.
PART = 64 * MIB
CORES = os.cpu_count()

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
KINDS = {
    "lines of ASCII": b"some text \xFF here\n",
    "letters of three scripts": "größe 日本 ".encode() + b"\xFF",
    "every other byte": b"a\xFF",
}

# Contestants: the exit code, the name, and the command, where T is trust8, F the file and D the folder.
FAST = [
    (0, "trust8 --threads 1", "T --quiet --threads 1 F"),
    (0, "trust8 --threads 1 --stats", "T --quiet --threads 1 --stats F"),
    (0, "cat FILE > /dev/null", "cat F"),
    (0, "cat FILE \\| cat > /dev/null", "cat F | cat"),
    (1, "rg 'no text has this'", "rg --threads 1 -a 'no text has this' F"),
]
SLOW = [
    (0, "isutf8", "isutf8 -q F"),
    (0, "iconv -f utf-8 -t utf-8", "iconv -f utf-8 -t utf-8 F"),
    (0, "uconv -f utf-8 -t utf-8", "uconv -f utf-8 -t utf-8 F"),
    (0, "wc -m", "wc -m F"),
    # grep stops at the first match if it writes to /dev/null.
    (1, "grep -axv '.*'", "grep -axv '.*' F | cat; exit ${PIPESTATUS[0]}"),
    (1, "rg -axv '.*'", "rg --threads 1 -axv '.*' F"),
]
BOTH = [(0, "trust8", "T --quiet F"), *(FAST[i] for i in (0, 2, 3))]
XARGS = "find D -type f -print0 | xargs -0 "
TREE = [
    (0, "trust8 --threads 1 TREE", "T --quiet --threads 1 D"),
    (0, "xargs trust8", XARGS + "T --threads 1 --quiet"),
    (0, "xargs cat", XARGS + "cat"),
    (0, "xargs isutf8", XARGS + "isutf8 -q"),
    (0, "xargs iconv", XARGS + "iconv -f utf-8 -t utf-8"),
    (0, "xargs uconv", XARGS + "uconv -f utf-8 -t utf-8"),
    (0, "xargs wc -m", XARGS + "wc -m"),
    # grep exits with 1 if no line matches, and xargs then exits with 123.
    (123, "xargs grep -axv '.*'", XARGS + "grep -axv '.*' | cat; exit ${PIPESTATUS[1]}"),
    (1, "rg -axv '.*' TREE", "rg --threads 1 -axv '.*' D"),
]
HIDDEN = [
    (0, "trust8 -HI --binary TREE", "T --quiet -HI --binary --threads N D"),
    (1, "rg -uuu 'no text has this' TREE", "rg -uuu -a --threads N 'no text has this' D"),
]
REPORTS = [
    (1, "short", "T --all --threads 1 --no-progress --format short F"),
    (1, "human", "T --all --threads 1 --no-progress --format human F"),
    (1, "json", "T --all --threads 1 --no-progress --format json F"),
    (1, "pipe", "cat F | T --all --threads 1 --no-progress --format short -"),
]
WORK = [
    (0, "cat FILE > /dev/null", "cat text"),
    (0, "trust8 fix --replace", "T fix --replace bad"),
    (0, "trust8 fix --unmojibake", "T fix --unmojibake text"),
    (0, "trust8 convert --from utf-8 --to utf-16le", "T convert --from utf-8 --to utf-16le text"),
    (0, "iconv -f utf-8 -t utf-16le", "iconv -f utf-8 -t utf-16le text"),
    (0, "trust8 convert --from utf-16le --to utf-8", "T convert --from utf-16le --to utf-8 utf-16"),
    (0, "iconv -f utf-16le -t utf-8", "iconv -f utf-16le -t utf-8 utf-16"),
]


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


def make_file(path, size):
    block = text(random.Random(8), WORDS, BLOCK)
    with open(path, "wb") as file:
        for _ in range(size // BLOCK):
            file.write(block)


def make_files(path):
    rng = random.Random(3629)
    for i in range(FILES):
        folder = path / f"module{i // 100:03}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"file{i % 100:02}.rs").write_bytes(text(rng, CODE, rng.randrange(200, 12_000)))


def make_tree(path):
    """Makes a tree like that of a project: in each folder some sources, a hidden file, an ignored file and a binary file."""
    rng = random.Random(2279)
    sources = [text(rng, CODE, rng.randrange(200, 12_000)) for _ in range(500)]
    # Pictures and object files begin with a NUL among the first bytes, and have no text.
    binaries = [b"\x7FELF\x02\x01\x01\0" + bytes(b & 0x7F for b in rng.randbytes(rng.randrange(500, 20_000))) for _ in range(100)]
    for i in range(TREE_FILES):
        folder = path / f"package{i // 1000:02}" / f"module{i // 50 % 20:02}"
        folder.mkdir(parents=True, exist_ok=True)
        match i % 50:
            case 0:
                name, data = ".hidden", sources[i % 500]
            case 1:
                name, data = ".gitignore", b"*.log\n"
            case 2 | 3:
                name, data = f"{i}.log", sources[i % 500]
            case 4 | 5 | 6:
                name, data = f"{i}.o", binaries[i % 100]
            case _:
                name, data = f"file{i}.rs", sources[(i * 7) % 500]
        (folder / name).write_bytes(data)


class Measure:
    """The program, the folder of the files, and how often and where contestants run."""

    def __init__(self, trust8, folder, rounds, core):
        self.trust8, self.folder, self.rounds, self.core, self.targets = trust8, folder, rounds, core, []

    def target(self, what, kind, wanted, measured):
        met = measured <= wanted if kind == "at most" else measured >= wanted
        self.targets.append([what, f"{kind} {wanted}", f"{measured:.2f}", "yes" if met else "**no**"])

    def run(self, command, threads=1, stdout=subprocess.DEVNULL):
        """Runs a command on one core or on all of them, and returns its time in seconds and what it did."""
        names = {"T": shlex.quote(self.trust8), "F": "file", "D": "tree", "N": str(threads)}
        command = re.sub(r"\b[TFDN]\b(?![-./])", lambda name: names[name[0]], command)
        # Without a pipe, bash becomes the program.
        command = command if re.search("[|;]", command) else f"exec {command}"
        cores = {self.core} if threads == 1 else range(CORES)
        start = time.perf_counter()
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            stdout=stdout,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "LC_ALL": "C.UTF-8"},
            preexec_fn=lambda: os.sched_setaffinity(0, cores),
        )
        return time.perf_counter() - start, done

    def race(self, contestants, threads=1):
        """Returns the fastest round of each contestant, in seconds."""
        best = {}
        for _ in range(self.rounds):
            for expected, name, command in contestants:
                seconds, done = self.run(command, threads)
                if done.returncode != expected:
                    sys.exit(f"{name}: exit code {done.returncode} instead of {expected}")
                best[name] = min(best.get(name, seconds), seconds)
        return best


def number(value):
    return f"{value:,}".replace(",", " ")


def table(best, size, unit, base):
    rows = []
    for name, seconds in best.items():
        rate = size / seconds
        label = f"**`{name}`**" if "trust8" in name else f"`{name}`"
        shown = f"{rate / 1e9:.2f}" if unit == "GB/s" else number(round(rate))
        rows.append([label, f"{seconds * 1e3:.1f}", shown, f"{seconds / best[base]:.2f}"])
    return markdown(["", "ms", unit, f"time relative to `{base}`"], rows)


def measure_file(measure):
    file = measure.folder / "file"
    make_file(file, PART)
    slow = measure.race(SLOW)
    with file.open("r+b") as spoiled:
        spoiled.seek(PART - 1)
        spoiled.write(b"\xFF")
    for valid, name, command in FAST + SLOW + BOTH:
        # The others do not validate.
        if not re.match("cat|wc|rg 'no", name) and measure.run(command)[1].returncode == valid:
            sys.exit(f"{name}: accepts a file that is not UTF-8")
    make_file(file, GIB)
    measure.run("cat F")
    one = measure.race(FAST) | {name: seconds * (GIB // PART) for name, seconds in slow.items()}
    ours, cat = one["trust8 --threads 1"], "cat FILE > /dev/null"
    fastest = min((name for _, name, _ in SLOW), key=one.get)
    measure.target("one file, one core: time relative to `cat`", "at most", 1.3, ours / one[cat])
    what = f"one file, one core: speed relative to `{fastest}`, the fastest other that validates"
    measure.target(what, "at least", 10, one[fastest] / ours)
    return {"file": table(one, GIB, "GB/s", cat), "file-on-all": table(measure.race(BOTH, CORES), GIB, "GB/s", cat)}


def measure_files(measure):
    make_files(measure.folder / "tree")
    measure.run(XARGS + "cat")
    both = measure.race([(0, "trust8 TREE", "T --quiet D"), TREE[0]], CORES)
    one = measure.race(TREE)
    fastest = min((name for name in one if not re.search("trust8|cat", name)), key=one.get)
    what = f"small files: speed relative to `{fastest}`, the fastest of the others"
    measure.target(what, "at least", 1, one[fastest] / one[TREE[0][1]])
    return {"files": table(one, FILES, "files/s", "xargs cat"),
            "files-on-all": table(both, FILES, "files/s", TREE[0][1])}


def measure_tree(measure):
    make_tree(measure.folder / "tree")
    measure.run(HIDDEN[0][2])
    one, on_all = measure.race(HIDDEN), measure.race(HIDDEN, CORES)
    for where, (ours, rg) in [("one core", one.values()), (f"all {CORES} cores", on_all.values())]:
        what = f"tree with `-HI --binary`, {where}: time relative to rg's time to read it"
        measure.target(what, "at most", 1.2, ours / rg)
    return {"tree": table(one, TREE_FILES, "files/s", HIDDEN[1][1])}


def measure_errors(measure):
    """Two million errors: in each format, and from a pipe."""
    rows = []
    for kind, unit in KINDS.items():
        (measure.folder / "file").write_bytes(unit * ERRORS)
        short, human, json, pipe = measure.race(REPORTS).values()
        numbers = [f"{value:.0f}" for value in (short * 1e3, human * 1e3, pipe * 1e3)]
        ratios = human / short, pipe / short, json / human
        rows.append([kind, *numbers, *[f"{value:.2f}" for value in ratios]])
        measure.target(f"two million errors, {kind}: `human` relative to `short`", "at most", 2, ratios[0])
        measure.target(f"two million errors, {kind}: from a pipe relative to a file", "at most", 1.1, ratios[1])
    heads = ["errors in", "`short`, ms", "`human`, ms", "`short` from a pipe, ms", "human / short", "pipe / file", "json / human"]
    return {"errors": markdown(heads, rows)}


def measure_work(measure):
    """Repairs and conversions, whose answers are checked."""
    file = measure.folder / "text"
    make_file(file, PART)
    data = file.read_bytes()
    (measure.folder / "bad").write_bytes(data + b"\xFF")
    (measure.folder / "utf-16").write_bytes(data.decode().encode("utf-16-le"))
    for _, name, command in WORK:
        output = measure.run(command, stdout=subprocess.PIPE)[1].stdout
        expected = data + "\uFFFD".encode() if "--replace" in name else data
        if output.decode("utf-16-le" if name.endswith("16le") else "utf-8").encode() != expected:
            sys.exit(f"{name}: wrong output")
    times = measure.race(WORK)
    return {"work": table(times, PART, "GB/s", "cat FILE > /dev/null")}


# Where there is real text on a system of Debian with Rust, Python and Node.js.
CORPORA = {
    "Python's standard library": ["/usr/lib/python3*"],
    "sources of Rust packages": ["~/.cargo/registry/src"],
    "Rust's documentation": ["~/.rustup/toolchains/1.*/share/doc", "~/.rustup/toolchains/stable*/share/doc"],
    "`/usr/share` (documentation, names, translations)": ["/usr/share/" + name for name in
        ("common-licenses", "doc", "fonts", "i18n", "iso-codes", "javascript", "lintian", "locale", "perl", "postgresql", "publicsuffix", "vim", "X11", "zoneinfo")],
}
# ftfy looks at this many lines of each corpus, because it is slow.
SAMPLE = 5_000
# What the WHATWG standard decodes each byte to. Python's codec lacks five of them.
WINDOWS_1252 = {
    byte: bytes([byte]).decode("windows-1252", "replace").replace("\uFFFD", chr(byte)) for byte in range(256)
}


def unmojibake(trust8, lines):
    """Returns what `trust8 fix --unmojibake` makes of the lines."""
    text = "".join(line + "\n" for line in lines).encode()
    fixed = subprocess.run([trust8, "fix", "--unmojibake"], input=text, capture_output=True, check=True).stdout
    return fixed.decode().split("\n")[:-1]


def valid_lines(patterns):
    """Returns all different lines of text files that are UTF-8 but not ASCII."""
    seen = {}
    for pattern in patterns:
        for root in sorted(Path("/").glob(os.path.expanduser(pattern).lstrip("/"))):
            for path in sorted(root.rglob("*")):
                if path.is_symlink() or not path.is_file():
                    continue
                data = path.read_bytes()
                if data.isascii() or b"\0" in data[:8000]:
                    continue
                try:
                    text = data.decode()
                except UnicodeDecodeError:
                    continue
                seen |= {line: None for line in text.split("\n") if not line.isascii() and len(line) < 10_000}
    return list(seen)


def measure_mojibake(measure):
    """Compares `fix --unmojibake` with ftfy, on real text and on the mojibake that decoding it as windows-1252 makes."""
    from ftfy import fix_encoding

    corpora, rows = dict(CORPORA), []
    if os.environ.get("TRUST8_CORPUS"):
        corpora = {"the texts in the folder `TRUST8_CORPUS`": [os.environ["TRUST8_CORPUS"]]} | corpora
    for name, patterns in corpora.items():
        lines = valid_lines(patterns)
        flagged = {line for line, new in zip(lines, unmojibake(measure.trust8, lines), strict=True) if line != new}
        print(*sorted(flagged), sep="\n", file=sys.stderr)
        good = [line for line in lines[:: len(lines) // SAMPLE + 1] if line not in flagged]
        bad = [line.encode().decode("latin-1").translate(WINDOWS_1252) for line in good]
        undone = unmojibake(measure.trust8, bad)
        wrong = sum(new not in (old, line) for new, old, line in zip(undone, good, bad))
        share = lambda answers: f"{100 * sum(new == old for new, old in zip(answers, good)) / max(1, len(good)):.2f} %"
        others = sum(fix_encoding(line) != line for line in good)
        count = number(len(good))
        rows.append([name, number(len(lines)), str(len(flagged)), f"{number(others)} of {count}", count, share(undone), str(wrong),
                     share(map(fix_encoding, bad))])
    heads = ["real text", "lines", "trust8 would change", "ftfy would change, of a sample of the others", "made mojibake",
             "undone by trust8", "wrongly", "by ftfy"]
    return {"mojibake": markdown(heads, rows)}


def main():
    sections = {name.removeprefix("measure_"): value for name, value in globals().items() if name.startswith("measure_")}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", metavar="SECTION", choices=[[], *sections])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", help="folder for the files")
    parser.add_argument("--cpu", type=int, default=CORES - 1, help="the core of what runs on one core")
    arguments = parser.parse_args()

    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()
    first_line = lambda *command: subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0]
    trust8 = str(target / "release" / "trust8")
    about = f"{cpu.name()}, {date.today():%-d %B %Y}"
    print("for the top of the page:", first_line(trust8, "--version"), first_line("rustc", "--version"), "with priority" * (os.sched_getscheduler(0) == os.SCHED_FIFO))
    measure = Measure(trust8, None, arguments.rounds, arguments.cpu)
    tables = {}
    for name in arguments.sections or sections:
        with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
            measure.folder = Path(folder)
            tables |= sections[name](measure)
    if not arguments.sections:
        tables["targets"] = markdown(["target", "wanted", "measured", "met"], measure.targets)
    for place, made in tables.items():
        print(place, about, made, sep="\n")
        pattern = rf"(?<=<!-- {place} -->\n).*?(?=<!-- end -->)"
        page, count = re.subn(pattern, lambda _: f"{about}:\n\n{made}", PAGE.read_text(), flags=re.DOTALL)
        assert count == 1, f"docs/command.md has {count} tables {place}"
        PAGE.write_text(page)


if __name__ == "__main__":
    main()
