#!/usr/bin/env python3
"""Measures how often `trust8 fix --from auto` and others guess an encoding right, and writes the table of docs/command.md.

    tools/measure-guesses.py            prints the table, and fails where a target is missed
    tools/measure-guesses.py --misses   lists what trust8 gets wrong or refuses, too
    tools/measure-guesses.py --catalogs takes lines of the translations in /usr/share/locale, which no rule was made for

It needs the packages charset-normalizer and chardet from PyPI, and the programs uchardet and file. TRUST8 names the program,
by default target/release/trust8. A guess is right if it makes the same text of the bytes, by whatever name.
"""

import gettext
import os
import random
import subprocess
import sys
from pathlib import Path

import chardet
import charset_normalizer

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "crates/cli/tests" / "command" / "samples" / "languages.txt"
TRUST8 = os.environ.get("TRUST8", ROOT / "target" / "release" / "trust8")
LENGTHS = {"one line": 0, "300 bytes": 300, "3 KB": 3000}

# What Python calls the encodings of the WHATWG standard, which are Microsoft's.
PYTHON = {"macintosh": "mac_roman", "x-mac-cyrillic": "mac_cyrillic", "windows-874": "cp874", "shift_jis": "cp932",
          "euc-kr": "cp949", "big5": "big5hkscs"}


def languages():
    """Yields the name, the encodings and the sentences of each language."""
    for block in SAMPLES.read_text("utf-8").split("# ")[1:]:
        title, *sentences = block.splitlines()
        name, encodings = title.split(":")
        yield name, encodings.replace("/", " ").split(), sentences


def samples():
    """Yields the length's name, a description, the text, and its bytes."""
    for name, encodings, sentences in languages():
        for encoding in encodings:
            for kind, length in LENGTHS.items():
                for start in range(len(sentences)):
                    text = sentences[start] + "\n"
                    shuffled = random.Random(start).sample(sentences, len(sentences))
                    while len(text.encode(PYTHON.get(encoding, encoding), "ignore")) < length:
                        text += shuffled[text.count("\n") % len(shuffled)] + "\n"
                    try:
                        data = text.encode(PYTHON.get(encoding, encoding))
                    except UnicodeEncodeError:
                        continue
                    yield kind, f"{name} in {encoding}", text, data


CODES = dict(German="de", French="fr", Spanish="es", Portuguese="pt", Swedish="sv", Polish="pl", Czech="cs", Hungarian="hu",
             Turkish="tr", Greek="el", Russian="ru", Ukrainian="uk", Bulgarian="bg", Hebrew="he", Arabic="ar", Thai="th",
             Japanese="ja", Chinese="zh_CN", Korean="ko")
LINES = 60


def catalog(language):
    """Returns some messages of 40 to 120 characters (15 in East Asia), at least two of them outside ASCII."""
    lines = set()
    for file in Path("/usr/share/locale", CODES[language], "LC_MESSAGES").glob("*.mo"):
        if "iso" in file.name:
            continue
        with file.open("rb") as catalog:
            try:
                texts = gettext.GNUTranslations(catalog)._catalog.values()
            except (UnicodeDecodeError, IndexError):
                continue
        shortest = 15 if language in ("Japanese", "Chinese", "Korean") else 40
        lines |= {text for text in texts if isinstance(text, str) and shortest <= len(text) <= 120
                  and not any(c in text for c in "\n%") and sum(c > "\x7F" for c in text) > 1}
    return random.Random(7).sample(sorted(lines), len(lines))[200:200 + LINES]


def catalog_samples():
    for name, encodings, _ in languages():
        lines = catalog(name)
        for encoding in encodings:
            for line in lines:
                try:
                    yield "one line", f"{name} in {encoding}", line + "\n", (line + "\n").encode(PYTHON.get(encoding, encoding))
                except UnicodeEncodeError:
                    continue


def run(*command, data):
    done = subprocess.run(command, input=data, capture_output=True, check=False)
    return done.returncode, done.stdout


def by_trust8(data):
    code, out = run(TRUST8, "fix", "--from", "auto", data=data)
    return out.decode("utf-8") if code == 0 else None


def decoded(data, name):
    name = (name or "").strip().lower()
    try:
        return data.decode(PYTHON.get(name, name)) if name else None
    except (LookupError, UnicodeDecodeError):
        return None


CONTESTANTS = {
    "**trust8**": by_trust8,
    "chardet": lambda data: decoded(data, chardet.detect(data)["encoding"]),
    "uchardet": lambda data: decoded(data, run("uchardet", data=data)[1].decode()),
    "charset-normalizer": lambda data: decoded(data, getattr(charset_normalizer.from_bytes(data).best(), "encoding", None)),
    "file": lambda data: decoded(data, run("file", "-b", "--mime-encoding", "-", data=data)[1].decode()),
}


def main():
    all_samples = list(catalog_samples() if "--catalogs" in sys.argv else samples())
    kinds = list(dict.fromkeys(kind for kind, *_ in all_samples))
    print(f"{len(all_samples)} samples\n")
    print("| | " + " | ".join(f"{kind}: right | refused | wrong" for kind in kinds) + " |")
    print("|---|" + "---:|" * 3 * len(kinds))
    failed = False
    for name, guess in CONTESTANTS.items():
        cells = []
        for kind in kinds:
            counts = {"right": 0, "refused": 0, "wrong": 0}
            for sample_kind, what, text, data in all_samples:
                if sample_kind != kind:
                    continue
                got = guess(data)
                verdict = "refused" if got is None else "right" if got == text else "wrong"
                counts[verdict] += 1
                if "--misses" in sys.argv and name == "**trust8**" and verdict != "right":
                    print(f"{verdict}: {kind}, {what}: {(got or '')[:60]!r}", file=sys.stderr)
            total = sum(counts.values())
            cells += [f"{100 * count / total:.1f} %" for count in counts.values()]
            failed |= name == "**trust8**" and counts["wrong"] > total * 0.01
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
