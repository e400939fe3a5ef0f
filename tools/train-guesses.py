#!/usr/bin/env python3
"""Counts letters and pairs of letters by language, and writes what the command's guesses are made from.

    tools/train-guesses.py            writes crates/cli/src/guess/languages.bin
    tools/train-guesses.py --pages    writes crates/cli/src/guess/pages.bin instead

The texts are the translations of programs that Debian's packages install in /usr/share/locale: coreutils, gcc, glib, gtk, git and
so on, under their free licences. Only counts are kept. Every sixth catalog is held back.
The code pages are those of Python's codecs, and of iconv for VISCII and TCVN 5712.

The file, all numbers in little-endian order:

    languages   u8
    language    group, 4 bytes padded with spaces; letters, u8; whether it is written in Latin letters, u8; each letter, u16;
                for each class and each class after it: the cost in eighths of a bit, u8
    scripts     u8, the languages of East Asia
    script      name, 4 bytes; for each bucket: the cost in eighths of a bit, u8; characters, u16; each character in order, u16

The class 0 is everything but letters, 1 is all letters that the language lacks, and the others are its letters in lower case.
"""

import collections
import gettext
import hashlib
import math
import re
import struct
import subprocess
import sys
import unicodedata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GUESS = ROOT / "crates" / "cli" / "src" / "guess"
LOCALES = Path("/usr/share/locale")
# The folders of each language's translations.
LANGUAGES = {code: [code] for code in """az be bg ca cs cy da de el eo es et eu fa fi fr ga gl hr hu is it kk lt lv mk nl pl ro ru sk sl
    sq sr sv th tr uk""".split()}
LANGUAGES |= {"en": ["de"], "ar": ["ar"], "he": ["he"], "no": ["nb", "nn"], "pt": ["pt", "pt_BR"], "sh": ["sr@latin", "bs"], "vi": ["vi"], "vd": ["vi"]}
# The languages that have encodings in common.
GROUPS = {"west": "ca da de en es eu fi fr ga gl is it nl no pt sq sv", "mid": "cs hr hu pl ro sh sk sl", "balt": "et lt lv", "turk": "az tr",
          "cyr": "be bg kk mk ru sr uk", "grek": "el", "heb": "he", "arab": "ar fa", "thai": "th", "viet": "vd vi", "celt": "cy", "sout": "eo"}
EAST_ASIA = {"ja": ["ja"], "ko": ["ko"], "zh": ["zh_CN"], "zt": ["zh_TW"]}
NOT_TEXT = re.compile(r"%[-0-9.*l$]*[a-zA-Z]|\{[^}]*\}|<[^>]*>|[_&](?=\w)|https?://\S+|-?-[a-z-]+|\\.")
TONES = "\u0300\u0301\u0303\u0309\u0323"


def is_held_back(file):
    return int(hashlib.md5(file.name.encode()).hexdigest(), 16) % 6 == 0


def messages(file):
    """Returns the messages of a catalog and their translations; none if it has a form that Python does not know."""
    try:
        with file.open("rb") as catalog:
            return gettext.GNUTranslations(catalog)._catalog.items()
    except (OSError, UnicodeDecodeError, IndexError, ValueError):
        return []


def lines(folders, english=False):
    """Returns the different lines of the translations, or of the English messages."""
    found = set()
    for file in (file for folder in folders for file in sorted((LOCALES / folder / "LC_MESSAGES").glob("*.mo"))):
        if "iso_" in file.name or is_held_back(file):
            continue
        for message, text in messages(file):
            if english:
                text = message if isinstance(message, str) else message[0]
            elif text == message:
                continue
            if isinstance(text, str) and message:
                texts = (" ".join(NOT_TEXT.sub(" ", line).split()) for line in text.split("\n"))
                found |= {line for line in texts if len(line) >= 8}
    return sorted(found)


def split_tones(text):
    """Returns Vietnamese text as windows-1258 has it: with tones as characters after their letters."""
    parts = (unicodedata.normalize("NFD", c) for c in text)
    return "".join(unicodedata.normalize("NFC", "".join(c for c in part if c not in TONES)) +
                   "".join(c for c in part if c in TONES) for part in parts)


def is_letter(c):
    return unicodedata.category(c)[0] in "LM"


def language(code, texts):
    if code == "vd":
        texts = map(split_tones, texts)
    # Romanian has cedillas where its encodings lack commas.
    texts = [text.lower().replace("i\u0307", "i").replace("ș", "ş").replace("ț", "ţ") for text in texts]
    letters = collections.Counter(c for text in texts for c in text if is_letter(c) and ord(c) < 0x10000)
    total = sum(letters.values())
    is_latin = sum(n for c, n in letters.items() if c in "abcdefghijklmnopqrstuvwxyz") > total * 0.6
    # Names of foreigners and of programs do not make an alphabet.
    alphabet = sorted(c for c, n in letters.items() if (is_latin or c > "\x7F") and (n >= total * 2e-5 and n > 3))
    if is_latin:
        alphabet = sorted({*alphabet, *"abcdefghijklmnopqrstuvwxyz"})
    classes = {c: i + 2 for i, c in enumerate(alphabet)}
    size = len(alphabet) + 2
    counts = [[0] * size for _ in range(size)]
    for text in texts:
        before = 0
        for c in text + " ":
            now = classes.get(c) or int(is_letter(c))
            counts[before][now] += 1
            before = now
    single = [sum(row[i] for row in counts) + 0.5 for i in range(size)]
    everything = sum(single)
    table = bytearray()
    for row in counts:
        n = sum(row)
        # What was never seen after a letter is as frequent as elsewhere, times how often something new comes.
        new = sum(1 for count in row if count) + 1
        for i, count in enumerate(row):
            share = max((count - 0.5) / (n + 1) if count else 0, new * 0.5 / (n + new) * single[i] / everything)
            table.append(min(255, round(-8 * math.log2(share))))
    name = next(group for group, codes in GROUPS.items() if code in codes.split()).ljust(4).encode()
    return name + struct.pack("<BB", len(alphabet), is_latin) + "".join(alphabet).encode("utf-16-le") + bytes(table)


def script(code, texts):
    """Returns the most frequent characters outside ASCII, in buckets of similar frequency."""
    counts = collections.Counter(c for text in texts for c in text if "\x7F" < c < "\U00010000")
    total = sum(counts.values())
    data = code.ljust(4).encode()
    ranked = [c for c, _ in counts.most_common(1400)]
    for start, end in [(0, 30), (30, 100), (100, 300), (300, 700), (700, 1400)]:
        bucket = sorted(ranked[start:end])
        share = sum(counts[c] for c in bucket) / total / len(bucket)
        data += struct.pack("<BH", round(-8 * math.log2(share)), len(bucket)) + "".join(bucket).encode("utf-16-le")
    return data


PAGES = """ibm437:cp437 ibm720:cp720 ibm737:cp737 ibm775:cp775 ibm850:cp850 ibm852:cp852 ibm855:cp855 ibm857:cp857 ibm858:cp858
    ibm860:cp860 ibm861:cp861 ibm862:cp862 ibm863:cp863 ibm865:cp865 ibm869:cp869 ibm1125:cp1125 x-mac-greek:mac_greek
    x-mac-turkish:mac_turkish x-mac-ce:mac_latin2 x-mac-croatian:mac_croatian x-mac-romanian:mac_romanian
    x-mac-icelandic:mac_iceland koi8-t:koi8_t kz-1048:kz1048 pt154:ptcp154 viscii:VISCII tcvn:TCVN5712-1""".split()


def page(codec):
    """Returns the characters of the bytes from 80 on; U+FFFD is none."""
    def character(byte):
        if codec.isupper():
            done = subprocess.run(["iconv", "-f", codec, "-t", "UTF-8"], input=bytes([byte]), capture_output=True, check=False)
            return done.stdout.decode() if done.returncode == 0 and done.stdout else "\uFFFD"
        return bytes([byte]).decode(codec, "replace")
    return "".join(character(byte) for byte in range(0x80, 0x100))


def write_pages():
    pages = [page(entry.split(":")[1]) for entry in PAGES]
    assert all(len(text) == 128 for text in pages)
    (GUESS / "pages.bin").write_bytes("".join(pages).encode("utf-16-le"))


def main():
    if "--pages" in sys.argv:
        return write_pages()
    data = bytes([len(LANGUAGES)]) + b"".join(language(code, lines(folders, english=code == "en")) for code, folders in sorted(LANGUAGES.items()))
    data += bytes([len(EAST_ASIA)]) + b"".join(script(code, lines(folders)) for code, folders in sorted(EAST_ASIA.items()))
    (GUESS / "languages.bin").write_bytes(data)
    print(f"{len(data)} bytes")


if __name__ == "__main__":
    main()
