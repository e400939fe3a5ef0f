"""A lake with faults at every place relative to a cut, and what the command says of a lake."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

# The command. Without it, `python -m trust8` is as good.
COMMAND = os.environ.get("TRUST8_COMMAND")
KINDS = {"unexpected-continuation", "invalid-byte", "overlong", "surrogate", "too-large", "truncated", "incomplete"}
# The columns that the command has under the same names.
SAID = ["offset", "line", "column", "length", "kind", "message"]


def make_faulty_lake(folder):
    """Make files with faults at every place relative to the ends of ranges of 32 bytes."""
    faults = [
        b"\xff", b"\x80", b"\xc3", b"\xe2\x82", b"\xed\xa0\x80", b"\xf0\x9f\x98", b"\xf0\x80\x80\x80", b"\x80" * 6, "🌍".encode(),
        # Mistakes that the command names as one: RFC 2279, a pair of surrogates, and such a pair next to lone surrogates.
        b"\xf4\x90\x80\x80", b"\xfd" + b"\x80" * 6, b"\xed\xa0\x80\xed\xb0\x80", b"\xed\xb0\x80\xed\xa0\x80\xed\xb0\x80\x80",
    ]  # fmt: skip
    # The first and the last byte of each fault lie on both sides of a cut.
    for number, fault in enumerate(faults):
        for place in range(32 - len(fault) - 2, 35):
            data = ("é\n" * 40).encode()[:place] + fault + "…and\nmore ".encode() * 4
            (folder / f"{number}-{place}").write_bytes(data)
    (folder / "clean").write_bytes("色は匂へど\n".encode() * 100)
    (folder / "empty").write_bytes(b"")
    (folder / "ends-early").write_bytes(b"a" * 63 + b"\xf0\x9f")
    return folder


def command(folder):
    """What the command says of a folder: for each file that is not UTF-8, its errors."""
    words = [COMMAND, "check"] if COMMAND else [sys.executable, "-m", "trust8"]
    run = subprocess.run([*words, "--all", "--json", "--binary", "-HI", str(folder)], capture_output=True)
    assert run.returncode in (0, 1), run.stderr.decode()
    return {file["path"]: file["errors"] for file in json.loads(run.stdout)["files"]}


def expected_errors(folder):
    """The rows of `errors`, as the command says them."""
    said = command(folder)
    return [
        {"path": path, **{name: error[name] for name in SAID}, "error": None} for path in sorted(said) for error in said[path]
    ]


def expected_scan(folder):
    """The rows of `scan_files`: of a file that is not UTF-8, what the command says; of another one, what it has."""
    said, rows = command(folder), []
    for path in sorted(str(path) for path in folder.iterdir()):
        data, valid = Path(path).read_bytes(), path not in said
        row = {"path": path, "valid": valid, "bytes": len(data), "characters": None, "newlines": None}
        row |= {"characters": len(data.decode()), "newlines": data.count(b"\n")} if valid else {}
        rows.append(row | {name: None if valid else said[path][0][name] for name in SAID} | {"error": None})
    return rows
