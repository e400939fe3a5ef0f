#!/usr/bin/env python3
"""Compares the command trust8 with the tools that people use instead, and writes docs/command.md.

    cargo build --release -p trust8-cli
    apt-get install moreutils icu-devtools ripgrep; pip install ftfy
    chrt -f 1 tools/measure-command.py [--rounds N] [--folder FOLDER] [--cpu N] [SECTION...]

`chrt`, if used, keeps other programs from the cores where the contestants run.

The sections are `file`, `files`, `tree`, `errors`, `many`, `mojibake` and `work`. Each takes about a minute, and keeps its result in
target/measure-command.json. The page is written from these results as soon as all are there; without a section, all are
measured. `work` can be written alone, and needs only iconv. The files are made in FOLDER, the same ones each time, and are removed at the end. The default is the system's folder
for temporary files. It needs 1.2 GiB there, and 1 GiB of free memory to cache the file. `mojibake` reads the texts of this system,
and those of the folder that the environment variable TRUST8_CORPUS names.

In each round the contestants take turns, and the fastest round of each counts. So a disturbance hits one round of all
contestants, not all rounds of one. The exit code of every run is checked, and so is the exit code for a file with an error.
"""

import argparse
import json
import os
import random
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from datetime import date
from pathlib import Path

import cpu

ROOT = Path(__file__).resolve().parent.parent
MIB = 1 << 20
GIB = 1 << 30
BLOCK = 1 << 24
FILES = 20_000
TREE_FILES = 30_000
ERRORS = 2_000_000
MANY_ERRORS = 10_000_000
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


def make_file(path, size, spoil=False):
    block = text(random.Random(8), WORDS, BLOCK)
    with open(path, "wb") as file:
        for _ in range(size // BLOCK):
            file.write(block)
        if spoil:
            file.seek(size - 1)
            file.write(b"\xFF")


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


def find(tree):
    return f"find {shlex.quote(str(tree))} -type f -print0"


def is_grep(command):
    """Whether the command stops at the first match if it writes to /dev/null. So it writes to a pipe."""
    return command[0] == "grep" or command[0] == "sh" and "xargs -0 grep " in command[-1]


def run(command, cpus, stdin=None):
    """Runs a command on the cores `cpus`, and returns its time in seconds and its exit code."""
    with open(os.devnull, "wb") as sink:
        start = time.perf_counter()
        process = subprocess.Popen(
            command,
            stdin=stdin,
            stdout=subprocess.PIPE if is_grep(command) else sink,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "LC_ALL": "C.UTF-8"},
            preexec_fn=(lambda: os.sched_setaffinity(0, cpus)) if cpus else None,
        )
        if process.stdout:
            while process.stdout.read(1 << 16):
                pass
        code = process.wait()
        return time.perf_counter() - start, code


def race(contestants, rounds, cpus):
    """Returns the fastest round of each contestant, in seconds. A contestant is a name, a command, and its exit code."""
    best = {}
    for _ in range(rounds):
        for name, command, expected in contestants:
            seconds, code = run(command, cpus)
            if code != expected:
                sys.exit(f"{name}: exit code {code} instead of {expected}")
            best[name] = min(best.get(name, seconds), seconds)
    return best


NEVER = "no text has this"


def fast_on_file(trust8, file):
    """Returns those whose time is near that of reading the file."""
    file = str(file)
    return [
        ("trust8 --threads 1", [trust8, "--quiet", "--threads", "1", file], 0),
        ("trust8 --threads 1 --stats", [trust8, "--quiet", "--threads", "1", "--stats", file], 0),
        ("cat FILE > /dev/null", ["cat", file], 0),
        ("cat FILE \\| cat > /dev/null", ["sh", "-c", f"cat {shlex.quote(file)} | cat"], 0),
        (f"rg '{NEVER}'", ["rg", "--threads", "1", "-a", NEVER, file], 1),
    ]


def slow_on_file(file):
    file = str(file)
    return [
        ("isutf8", ["isutf8", "-q", file], 0),
        ("iconv -f utf-8 -t utf-8", ["iconv", "-f", "utf-8", "-t", "utf-8", file], 0),
        ("uconv -f utf-8 -t utf-8", ["uconv", "-f", "utf-8", "-t", "utf-8", file], 0),
        ("wc -m", ["wc", "-m", file], 0),
        ("grep -axv '.*'", ["grep", "-axv", ".*", file], 1),
        ("rg -axv '.*'", ["rg", "--threads", "1", "-axv", ".*", file], 1),
    ]


def on_both_cores(trust8, file):
    file = str(file)
    return [
        ("trust8", [trust8, "--quiet", file], 0),
        ("trust8 --threads 1", [trust8, "--quiet", "--threads", "1", file], 0),
        ("cat FILE > /dev/null", ["cat", file], 0),
        ("cat FILE \\| cat > /dev/null", ["sh", "-c", f"cat {shlex.quote(file)} | cat"], 0),
    ]


def check_on_invalid(contestants):
    """Exits if a contestant accepts a file that is not UTF-8."""
    for name, command, valid in contestants:
        # These do not validate.
        if name.startswith(("cat ", "wc ", f"rg '{NEVER}'")):
            continue
        if run(command, None)[1] == valid:
            sys.exit(f"{name}: accepts a file that is not UTF-8")


def measure_file(trust8, folder, rounds, one):
    file, part = folder / "file", folder / "part"
    make_file(part, PART, spoil=True)
    check_on_invalid(fast_on_file(trust8, part) + slow_on_file(part) + on_both_cores(trust8, part))
    make_file(part, PART)
    make_file(file, GIB)
    run(["cat", str(file)], None)
    slow = race(slow_on_file(part), rounds, one)
    return {
        "one": race(fast_on_file(trust8, file), rounds, one) | {name: s * (GIB // PART) for name, s in slow.items()},
        "both": race(on_both_cores(trust8, file), rounds, None),
    }


def measure_files(trust8, folder, rounds, one):
    tree = folder / "files"
    make_files(tree)

    def under_xargs(command):
        return ["sh", "-c", f"{find(tree)} | xargs -0 {command}"]

    trust8_one = ("trust8 --threads 1 TREE", [trust8, "--quiet", "--threads", "1", str(tree)], 0)
    contestants = [
        trust8_one,
        ("xargs trust8", under_xargs(f"{shlex.quote(trust8)} --threads 1 --quiet"), 0),
        ("xargs cat", under_xargs("cat"), 0),
        ("xargs isutf8", under_xargs("isutf8 -q"), 0),
        ("xargs iconv", under_xargs("iconv -f utf-8 -t utf-8"), 0),
        ("xargs uconv", under_xargs("uconv -f utf-8 -t utf-8"), 0),
        ("xargs wc -m", under_xargs("wc -m"), 0),
        # grep exits with 1 if no line matches, and xargs then exits with 123.
        ("xargs grep -axv '.*'", under_xargs("grep -axv '.*'"), 123),
        ("rg -axv '.*' TREE", ["rg", "--threads", "1", "-axv", ".*", str(tree)], 1),
    ]
    both = [("trust8 TREE", [trust8, "--quiet", str(tree)], 0), trust8_one]
    run(contestants[2][1], None)
    return {"one": race(contestants, rounds, one), "both": race(both, rounds, None)}


def measure_tree(trust8, folder, rounds, one):
    tree = folder / "tree"
    make_tree(tree)

    def contestants(threads):
        return [
            ("trust8 -HI --binary TREE", [trust8, "--quiet", "-HI", "--binary", "--threads", threads, str(tree)], 0),
            (f"rg -uuu '{NEVER}' TREE", ["rg", "-uuu", "-a", "--threads", threads, NEVER, str(tree)], 1),
        ]

    run(contestants("1")[0][1], None)
    return {
        "one": race(contestants("1"), rounds, one),
        "both": race(contestants(str(CORES)), rounds, None),
    }


KINDS = {
    "lines of ASCII": b"some text \xFF here\n",
    "letters of three scripts": "größe 日本 ".encode() + b"\xFF",
    "every other byte": b"a\xFF",
}


def report(trust8, file, form):
    return [trust8, "--all", "--threads", "1", "--no-progress", "--format", form, str(file)]


def measure_errors(trust8, folder, rounds, one):
    """Returns the times for two million errors: in each format, and from a pipe."""
    times = {}
    for kind, unit in KINDS.items():
        file = folder / "errors"
        file.write_bytes(unit * ERRORS)
        from_pipe = f"cat {shlex.quote(str(file))} | {shlex.join(report(trust8, '-', 'short'))}"
        contestants = [
            ("short", report(trust8, file, "short"), 1),
            ("human", report(trust8, file, "human"), 1),
            ("pipe", ["sh", "-c", from_pipe], 1),
        ]
        times[kind] = race(contestants, rounds, one)
    return times


def measure_many(trust8, folder, _rounds, one):
    """Returns the times for ten million errors."""
    times = {}
    for kind, unit in KINDS.items():
        file = folder / "errors"
        file.write_bytes(unit * MANY_ERRORS)
        times[kind] = race([(form, report(trust8, file, form), 1) for form in ("short", "human")], 1, one)
    return times


def measure_work(trust8, folder, rounds, one):
    """Returns the times for repairs and conversions, and for JSON of two million errors."""
    bad, utf16, errors = folder / "bad", folder / "utf-16", folder / "errors"
    make_file(bad, PART, spoil=True)
    utf16.write_bytes(bad.read_bytes()[:-1].decode().encode("utf-16-le"))
    text = folder / "text"
    text.write_bytes(bad.read_bytes()[:-1])

    def both(source, target, file):
        return [
            (f"trust8 convert --from {source} --to {target}", [trust8, "convert", "--from", source, "--to", target, str(file)], 0),
            (f"iconv -f {source} -t {target}", ["iconv", "-f", source, "-t", target, str(file)], 0),
        ]

    contestants = [
        ("cat FILE > /dev/null", ["cat", str(text)], 0),
        ("trust8 fix", [trust8, "fix", str(bad)], 0),
        ("trust8 fix --unmojibake", [trust8, "fix", "--unmojibake", str(text)], 0),
        *both("utf-8", "utf-16le", text),
        *both("utf-16le", "utf-8", utf16),
    ]
    for name, command, _ in contestants:
        output = subprocess.run(command, capture_output=True).stdout
        expected = (bad.read_bytes()[:-1] + "\uFFFD".encode()) if name == "trust8 fix" else text.read_bytes()
        if output.decode("utf-16-le" if name.endswith("16le") else "utf-8").encode() != expected:
            sys.exit(f"{name}: wrong output")
    result = {"cpu": cpu.name(), "date": time.strftime("%B %Y"), "times": race(contestants, rounds, one), "json": []}
    for unit in KINDS.values():
        errors.write_bytes(unit * ERRORS)
        best = race([(form, report(trust8, errors, form), 1) for form in ("json", "human")], rounds, one)
        result["json"].append(best["json"] / best["human"])
    return result


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


def measure_mojibake(trust8, _folder, _rounds, _one):
    """Compares `fix --unmojibake` with ftfy, on real text and on the mojibake that decoding it as windows-1252 makes."""
    from ftfy import fix_encoding

    result = {"corpora": {}, "flagged": {}}
    corpora = dict(CORPORA)
    if os.environ.get("TRUST8_CORPUS"):
        corpora = {"the texts in the folder `TRUST8_CORPUS`": [os.environ["TRUST8_CORPUS"]]} | corpora
    for name, patterns in corpora.items():
        lines = valid_lines(patterns)
        flagged = [(line, new) for line, new in zip(lines, unmojibake(trust8, lines), strict=True) if line != new]
        result["flagged"][name] = [[line, new] for line, new in flagged]
        sample = lines[:: len(lines) // SAMPLE + 1]
        known = {line for line, _ in flagged}
        good = [line for line in sample if line not in known]
        bad = [line.encode().decode("latin-1").translate(WINDOWS_1252) for line in good]
        undone = unmojibake(trust8, bad)
        result["corpora"][name] = {
            "lines": len(lines),
            "flagged": len(flagged),
            "sample": len(good),
            "ftfy_flagged": sum(fix_encoding(line) != line for line in good),
            "undone": sum(new == old for new, old in zip(undone, good)),
            "wrong": sum(new not in (old, line) for new, old, line in zip(undone, good, bad)),
            "ftfy_undone": sum(fix_encoding(line) == old for line, old in zip(bad, good)),
        }
        print(name, result["corpora"][name], file=sys.stderr)
    return result


def number(value):
    return f"{value:,}".replace(",", " ")


def table(best, size, unit, base):
    lines = [f"| | ms | {unit} | time relative to `{base}` |", "|---|---:|---:|---:|"]
    for name, seconds in best.items():
        rate = size / seconds
        shown = f"{rate / 1e9:.2f}" if unit == "GB/s" else number(round(rate))
        label = f"**`{name}`**" if "trust8" in name else f"`{name}`"
        lines.append(f"| {label} | {seconds * 1e3:.1f} | {shown} | {seconds / best[base]:.2f} |")
    return "\n".join(lines)


def table_of_errors(times):
    lines = ["| errors in | `short`, ms | `human`, ms | human / short | `short` from a pipe, ms | pipe / file |",
             "|---|---:|---:|---:|---:|---:|"]
    for kind, best in times.items():
        short, human, pipe = (best[key] * 1e3 for key in ("short", "human", "pipe"))
        lines.append(f"| {kind} | {short:.0f} | {human:.0f} | {human / short:.2f} | {pipe:.0f} | {pipe / short:.2f} |")
    return "\n".join(lines)


def table_of_mojibake(result):
    lines = ["| real text | lines | trust8 would change | ftfy would change, of a sample of the others | made mojibake | undone by trust8 | wrongly | by ftfy |",
             "|---|---:|---:|---:|---:|---:|---:|---:|"]
    for name, c in result["corpora"].items():
        share = lambda count: f"{100 * count / max(1, c['sample']):.2f} %"
        shown = f"{number(c['ftfy_flagged'])} of {number(c['sample'])}"
        lines.append(f"| {name} | {number(c['lines'])} | {c['flagged']} | {shown} | {number(c['sample'])} | "
                     f"{share(c['undone'])} | {c['wrong']} | {share(c['ftfy_undone'])} |")
    return "\n".join(lines)


def version(command):
    """Returns the first line that `command`, a program with --version, prints."""
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0]


def used_kernel(trust8):
    """Returns the name of the kernel that `trust8 kernels` marks as used."""
    output = subprocess.run([trust8, "kernels"], capture_output=True, text=True, check=True).stdout
    for line in output.splitlines():
        if " used " in line:
            return line.split()[0]
    sys.exit("trust8 kernels: no kernel is marked as used")


def targets(results):
    one, files, tree = results["file"]["one"], results["files"]["one"], results["tree"]
    ours = "trust8 --threads 1"
    others = [name for name in one if "trust8" not in name and "cat" not in name and NEVER not in name]
    fastest = min(others, key=one.get)
    xargs = [name for name in files if "trust8" not in name and "cat" not in name]
    fastest_of_files = min(xargs, key=files.get)
    ours_in_tree, rg = tree["one"]
    errors, many = results["errors"].values(), results["many"].values()
    rows = [
        ("one file, one core: time relative to `cat`", 1.3, one[ours] / one["cat FILE > /dev/null"], "at most"),
        (f"one file, one core: speed relative to `{fastest}`, the fastest other that validates", 10, one[fastest] / one[ours], "at least"),
        (f"small files: speed relative to `{fastest_of_files}`, the fastest of the others", 1, files[fastest_of_files] / files["trust8 --threads 1 TREE"], "at least"),
        ("tree with `-HI --binary`, one core: time relative to rg's time to read it", 1.2, tree["one"][ours_in_tree] / tree["one"][rg], "at most"),
        ("tree with `-HI --binary`, all cores: the same", 1.2, tree["both"][ours_in_tree] / tree["both"][rg], "at most"),
        ("ten million errors: `human` relative to `short`, in the worst case", 2, max(e["human"] / e["short"] for e in many), "at most"),
        ("two million errors: from a pipe relative to a file, in the worst case", 1.1, max(e["pipe"] / e["short"] for e in errors), "at most"),
    ]
    lines = ["| target | wanted | measured | met |", "|---|---:|---:|---|"]
    for what, wanted, measured, kind in rows:
        met = measured <= wanted if kind == "at most" else measured >= wanted
        lines.append(f"| {what} | {kind} {wanted} | {measured:.2f} | {'yes' if met else '**no**'} |")
    return "\n".join(lines)


WORK = "## Repairs, conversions and JSON"


def section_of_work(work):
    cat = work["times"]["cat FILE > /dev/null"]
    items = [f"- `{name}`: {seconds / cat:.1f}" for name, seconds in work["times"].items() if seconds != cat]
    return f"""{WORK}

{PART // MIB} MiB of the same text on one core ({work["cpu"]}, {work["date"]}), relative to the time of `cat`:

{chr(10).join(items)}
- `--format json`, relative to `human`, three kinds of errors: {", ".join(f"{ratio:.2f}" for ratio in work["json"])}

"""


def with_section(page, section):
    """Returns the page with this section in place of the old one."""
    start = page.index(WORK)
    return page[:start] + section + page[page.index("\n## ", start) + 1:]


def page(trust8, rounds, results):
    tools = ["cat", "grep", "iconv", "rg", "uconv"]
    file, files, tree = results["file"], results["files"], results["tree"]
    return f"""# The command, measured

`tools/measure-command.py` writes this page. All contestants take turns, and the fastest of {rounds} rounds counts. The exit code
of every run is checked. In a file with an error, every contestant that validates has to find it.

- {cpu.name()}, {date.today():%-d %B %Y}, {CORES} cores{ALONE if results.get("alone") else ""}
- {version(["rustc", "--version"])}; {version([trust8, "--version"])}, kernel {used_kernel(trust8)}
- {"; ".join(version([tool, "--version"]) for tool in tools)}; isutf8 of moreutils

## Targets

{targets(results)}

## One file

The file has 1 GiB of text in six scripts, and is in the page cache. All run on one core. Contestants after `rg` in the table are
slow: they read {PART // MIB} MiB of it, and their time is multiplied by {GIB // PART}. `rg '{NEVER}'` finds nothing, and reads
everything.

{table(file["one"], GIB, "GB/s", "cat FILE > /dev/null")}

All {CORES} cores, in the same run. trust8 has one thread for each, unless it is told otherwise.

{table(file["both"], GIB, "GB/s", "cat FILE > /dev/null")}

## Many small files

The tree has {number(FILES)} files of 200 to 12 000 bytes, mostly ASCII, in 200 folders. They are in the page cache. All run on one
core.

{table(files["one"], FILES, "files/s", "xargs cat")}

All {CORES} cores:

{table(files["both"], FILES, "files/s", "trust8 --threads 1 TREE")}

## A tree with hidden, ignored and binary files

The tree has {number(TREE_FILES)} files: sources, hidden files, files that `.gitignore` excludes, and binary files. trust8 validates
all of them; rg searches all of them for a text that none has. One core, with one thread each:

{table(tree["one"], TREE_FILES, "files/s", list(tree["one"])[1])}

## Files with many errors

`trust8 --all --threads 1`, on one core, with two million errors. A pipe is what `cat` writes to, on the same core.

{table_of_errors(results["errors"])}

With ten million errors, measured once, `human` takes {", ".join(f"{e['human'] / e['short']:.2f}" for e in results["many"].values())} times as long as `short`.

{section_of_work(results["work"])}## Mojibake

`fix --unmojibake` changes lines that were decoded as windows-1252 once too often. Good text must stay, and what changes must
become exactly what it was. ftfy's `fix_encoding` is the comparison: it knows more encodings, and decides by statistics. Real text
is all different lines of files that are UTF-8 but not ASCII. A sample of its lines is then decoded as windows-1252, which makes
mojibake of them.

{table_of_mojibake(results["mojibake"])}

The lines of real text that trust8 would change are mojibake, or text about mojibake.
"""


ALONE = """. Other programs ran on the machine. The contestants ran with real-time priority (`chrt -f 1`), so nothing else used their
  cores; but when they had one core, the other one was busy"""

SECTIONS = {
    "file": measure_file,
    "files": measure_files,
    "tree": measure_tree,
    "errors": measure_errors,
    "many": measure_many,
    "mojibake": measure_mojibake,
    "work": measure_work,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", metavar="SECTION", choices=[[], *SECTIONS])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", help="folder for the files")
    parser.add_argument("--cpu", type=int, default=CORES - 1, help="the core of what runs on one core")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "command.md")
    arguments = parser.parse_args()

    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()
    trust8 = str(target / "release" / "trust8")
    is_work = arguments.sections == ["work"]
    for program in (trust8, "cat", "iconv") if is_work else (trust8, "isutf8", "iconv", "uconv", "rg", "grep", "wc", "cat"):
        if not shutil.which(program):
            sys.exit(f"{program} is missing")
    kept = target / "measure-command.json"
    results = json.loads(kept.read_text()) if kept.exists() else {}
    for name in arguments.sections or SECTIONS:
        if name != "mojibake":
            results["alone"] = os.sched_getscheduler(0) == os.SCHED_FIFO
        with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
            results[name] = SECTIONS[name](trust8, Path(folder), arguments.rounds, {arguments.cpu})
        kept.write_text(json.dumps(results, indent=1))
    old = arguments.out.read_text()
    if is_work:
        arguments.out.write_text(with_section(old, section_of_work(results["work"])))
    elif results.keys() >= SECTIONS.keys():
        # `measure-guesses.py` measures the last section.
        result = page(trust8, arguments.rounds, results) + old[old.index("\n## How often the guess is right"):]
        arguments.out.write_text(result)
        print(result)
    else:
        print(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
