#!/usr/bin/env python3
"""Writes the seed corpus, fuzz/seeds: every construction of src/input.rs with every script, valid and with
each malformed sequence. The same seeds serve all targets. Names say what is inside; content is always the same."""

import pathlib
import struct

RAW, SHORT, EMBEDDED, MOSAIC = range(4)
CUT = 0x80  # the text behind the material ends inside a character
SCRIPTS = ["ascii", "two", "three", "four", "mixed", "mostly-ascii", "mostly-two", "borders"]
MALFORMED = {
    "continuation": "80", "never": "FF", "five-octets": "F8 88 80 80 80", "overlong-2": "C0 80",
    "overlong-3": "E0 9F BF", "overlong-4": "F0 8F BF BF", "surrogate": "ED A0 80", "too-large": "F4 90 80 80",
    "too-large-lead": "F5 80 80 80", "cut-2": "C3", "cut-3": "E6 97", "cut-4": "F0 9F 98", "extra": "C3 A9 80",
}

seeds = pathlib.Path(__file__).parent / "seeds"
seeds.mkdir(exist_ok=True)
for old in seeds.iterdir():
    old.unlink()


def seed(name, construction, material, script=0, behind=None, border=None, alignment=0, length=0, place=0, chunks=None):
    """`border`: how many bytes before a border of blocks the material starts, if at one. `chunks`: their sizes, for `streaming`."""
    script |= (script if behind is None else behind) << 3
    if border is not None:
        script |= 0x80
        alignment = alignment % 64 | border << 6
    header = struct.pack("<BBBHH", construction, alignment, script, length, place)
    sizes = bytes([*chunks, len(chunks) | 0x30]) if chunks else b""
    (seeds / name).write_bytes(header + material + sizes)


# The RFC's own examples, as they are and repeated.
examples = {"not-identical": "A≢Α.", "hangul": "한국어", "kanji": "日本語", "signature": "\ufeff\U000233B4"}
for name, text in examples.items():
    seed(f"raw-{name}", RAW, text.encode())
    seed(f"mosaic-{name}", MOSAIC, text.encode() + b"abcd", place=30000, length=20000)

for number, (name, octets) in enumerate(MALFORMED.items()):
    octets = bytes.fromhex(octets)
    script = number % len(SCRIPTS)
    seed(f"raw-{name}", RAW, octets, alignment=number)
    # `length % 3 < 2` means up to 70 bytes, 2 means 120 to 140; see `build`.
    seed(f"short-{name}", SHORT, octets, script, alignment=5 * number, length=3 * (63 + number % 4), place=65535)
    seed(f"medium-{name}", SHORT, octets, script, alignment=3 * number, length=3 * (6 + number) + 2, place=5000 * number)
    seed(f"embedded-{name}", EMBEDDED, octets, script, alignment=7 * number, length=4000 * number, place=5000 * number)
    seed(f"mosaic-{name}", MOSAIC, "aé日😀".encode() + octets[:4].ljust(4, b"."), place=5000 * number, length=900 * number)

    # The texts before and behind are of different kinds, and the sequence is cut by the border.
    seed(f"border-{name}", EMBEDDED, octets, script, behind=(script + 1 + number // 8) % 8, border=number % 3 + 1,
         alignment=11 * number, length=500 * number, place=4000 * number + 3000)

    # Cut into single bytes, and into what cuts most characters.
    seed(f"bytes-{name}", RAW, "aé日😀".encode() + octets + b"!", chunks=[1])
    seed(f"chunks-{name}", SHORT, octets, script, length=3 * 65, place=40000, chunks=[5, 0, 3, 17, 2, 1, 64])
    seed(f"stream-{name}", EMBEDDED, octets, script, length=2000 * number, place=9000, chunks=[0x81, 7, 0x90, 33])

for script, name in enumerate(SCRIPTS):
    seed(f"embedded-valid-{name}", EMBEDDED, b"", script, alignment=script, length=1000 * script)
    seed(f"embedded-end-cut-{name}", EMBEDDED | CUT, b"", script, alignment=script, length=1000 * script + 1)
    seed(f"short-valid-{name}", SHORT, b"", script, alignment=9 * script, length=3 * 64)
    seed(f"short-end-cut-{name}", SHORT | CUT, b"", script, alignment=9 * script, length=3 * 65 + 1)
