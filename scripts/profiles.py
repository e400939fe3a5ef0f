#!/usr/bin/env python3
"""Compares the command's profiles with Expat and with Python's regular expressions.

    scripts/profiles.py [TRUST8]      the command (default: trust8)

Expat parses an element with each scalar value, and must refuse exactly what `xml` forbids. The regular expressions are the grammars
of RFC 9839, written as what they leave out, and must find the same places as the command in random text.
"""

import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
from xml.parsers import expat

TRUST8 = sys.argv[1] if len(sys.argv) > 1 else "trust8"
SCALARS = [chr(n) for n in (*range(0xD800), *range(0xE000, 0x110000))]
PLANE_ENDS = "".join(chr(plane << 16 | last) for plane in range(1, 17) for last in (0xFFFE, 0xFFFF))
FORBIDDEN = {
    "xml": re.compile("[\0-\x08\x0B\x0C\x0E-\x1F\uFFFE\uFFFF]"),
    "assignables": re.compile(f"[\0-\x08\x0B\x0C\x0E-\x1F\x7F-\x9F\uFDD0-\uFDEF\uFFFE\uFFFF{PLANE_ENDS}]"),
    "i-json": re.compile(f"[\uFDD0-\uFDEF\uFFFE\uFFFF{PLANE_ENDS}]"),
    "postgres": re.compile("\0"),
}


def found(text, profile):
    """Returns the offset and the character of each error that the command reports."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "text")
        file.write_bytes(text.encode())
        run = [TRUST8, "check", "--all", "--format", "jsonl", "--profile", profile, str(file)]
        lines = subprocess.run(run, stdout=subprocess.PIPE, check=False).stdout.splitlines()
    errors = (error for error in map(json.loads, lines) if "class" in error)
    return [(error["offset"], chr(int(error["character"][2:], 16))) for error in errors]


def expected(text, pattern):
    offset, at, places = 0, 0, []
    for match in pattern.finditer(text):
        offset += len(text[at : match.start()].encode())
        at = match.start()
        places.append((offset, match[0]))
    return places


def is_refused(character):
    parser = expat.ParserCreate()
    try:
        parser.Parse(f"<a>{character}</a>".encode(), True)
    except expat.ExpatError:
        return True
    return False


refused = {character for character in SCALARS if character not in "<&" and is_refused(character)}
assert refused == {character for _, character in found("a" + "".join(SCALARS), "xml")}, "xml is not what Expat refuses"

chance = random.Random(9839)
special = [c for c in SCALARS if any(pattern.match(c) for pattern in FORBIDDEN.values())]
near = [chr(n + d) for n in map(ord, special) for d in (-1, 1) if 0 <= n + d < 0x110000 and not 0xD800 <= n + d < 0xE000]
texts = 1_000_000
text = "\n".join(
    "".join(chance.choices(["abc def", "é", "日本", "😀", chance.choice(near), chance.choice(special)], (30, 9, 9, 9, 2, 0.05), k=6))
    for _ in range(texts)
)
for name, pattern in FORBIDDEN.items():
    places = expected(text, pattern)
    assert found(text, name) == places, f"{name} is not what `re` finds"
    print(f"{name}: {len(places)} characters in {texts} texts")
