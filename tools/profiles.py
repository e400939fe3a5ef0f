#!/usr/bin/env python3
"""Compares the command's profiles with Expat, with Python's regular expressions, and with PostgreSQL 15, where Debian's is installed.

    tools/profiles.py [TRUST8]      the command (default: trust8)

Expat parses an element with each scalar value, and must refuse exactly what `xml` forbids. The regular expressions are the grammars
of RFC 9839, written as what they leave out, and must find the same places as the command in random text. PostgreSQL must take all scalar values in one text but NUL, and refuse what `postgres` refuses.
"""

import json
import os
import pathlib
import random
import re
import shutil
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


def with_postgres(compare):
    """Calls `compare` with a function that says whether a server takes bytes as text."""
    with tempfile.TemporaryDirectory() as folder:
        # The server refuses to run as root.
        user = {"user": "postgres"} if os.geteuid() == 0 else {}
        if user:
            shutil.chown(folder, "postgres")
        run = lambda program, *arguments, **more: subprocess.run(
            [POSTGRES / program, *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **user, **more
        )
        run("initdb", "-D", "data", "-E", "UTF8", "--locale=C.UTF-8", "-A", "trust", "-U", "tester", check=True)
        options = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off"
        run("pg_ctl", "-D", "data", "-w", "-l", "log", "-o", options, "start", check=True)
        try:
            def takes(text):
                query = f"SELECT octet_length(convert_from('\\x{text.hex()}'::bytea, 'UTF8'))"
                psql = ["-h", folder, "-U", "tester", "-d", "postgres", "-At", "-v", "ON_ERROR_STOP=1"]
                answer = run("psql", *psql, input=query.encode())
                assert answer.returncode == 0 or b"invalid byte sequence" in answer.stderr, answer.stderr
                return answer.returncode == 0 and int(answer.stdout) == len(text)

            compare(takes)
        finally:
            run("pg_ctl", "-D", "data", "-w", "-m", "immediate", "stop", check=True)


def compare_postgres(takes):
    assert takes("".join(c for c in SCALARS if c != "\0").encode()), "PostgreSQL takes every character but NUL"
    cases = [b"", b"\0", b"a\0b", b"\xC0\x80", b"\xED\xA0\x80", b"\xF4\x90\x80\x80", b"\xE2\x80", "\u0085\u202E\uFFFF".encode()]
    for _ in range(100):
        parts = [chance.choice(near + special).encode() for _ in range(20)] + [chance.choice([b"", b"\0", b"\xFF", b"\xC2"])]
        cases.append(b"".join(chance.sample(parts, len(parts))))
    for case in cases:
        check = subprocess.run([TRUST8, "check", "--quiet", "--profile", "postgres", "-"], input=case, stdout=subprocess.PIPE, check=False)
        assert takes(case) == (check.returncode == 0), f"{case} in PostgreSQL"
    print(f"postgres: {len(cases)} texts")


POSTGRES = pathlib.Path("/usr/lib/postgresql/15/bin")
if POSTGRES.is_dir():
    with_postgres(compare_postgres)
else:
    print("PostgreSQL 15 is not installed")
