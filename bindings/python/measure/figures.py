"""Measures the package against what CPython and others do, and prints the figures as JSON.

    bindings/python/measure/figures.py times > 3.11.times.json
    bindings/python/measure/figures.py memory > 3.11.memory.json
    bindings/python/measure/figures.py decode avx2 > 3.11.avx2.json       only long texts, with another kernel
    bindings/python/measure/figures.py cells avx2 > 3.11.avx2.cells.json  every length, text and handler, with a kernel

All contestants of a case take turns in one process, and the smallest time of each counts. Every answer is compared before it is
timed. The calls stand in a loop, as `timeit` and pyperf have them. The loop goes over different texts of one kind, because the
CPU learns a short text that it sees again and again. `report.py` writes docs/python.md and the plot from the files of several
versions of Python.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import time
import timeit
from collections.abc import Callable, Sequence
from pathlib import Path

import trust8
from trust8 import _trust8

TEXTS = {
    "ASCII": "The quick brown fox jumps over the lazy dog. ",
    "German": "Größere Übungen für müde Füchse: schön, daß ihr über Zäune springt. ",
    "Russian": "Съешь же ещё этих мягких французских булок, да выпей чаю. ",
    "Chinese": "色即是空，空即是色。受想行识，亦复如是。天地玄黄，宇宙洪荒。",
    "emoji": "Ein Gruß 👋 aus 東京 🗼, привет 🌍 und so weiter 😀. ",
}
SIZES = {"4 KiB": 4 << 10, "64 KiB": 64 << 10, "1 MiB": 1 << 20}
# How many texts of a size take turns. Together they fit into the second-level cache.
MANY = {"4 KiB": 64, "64 KiB": 16, "1 MiB": 1}
ROUNDS = 40
# How long a turn takes, in nanoseconds. Shorter work is repeated.
TURN = 400_000


def text_of(name: str, size: int, number: int = 0) -> bytes:
    """Whole sentences of about this many bytes, in varying order of their words. Each number has another order."""
    chosen = random.Random(f"{name} {number}" if number else name)
    words = TEXTS[name].split(" ") if " " in TEXTS[name] else list(TEXTS[name])
    data, length = [], 0
    while length < size:
        word = chosen.choice(words) + (" " if " " in TEXTS[name] else "")
        data.append(word)
        length += len(word.encode())
    # The last character is whole.
    return "".join(data).encode()[:size].decode("utf-8", "ignore").encode()


def texts_of(name: str, size: str) -> list[bytes]:
    return [text_of(name, SIZES[size], number) for number in range(MANY[size])]


def with_faults(data: bytes, every: int, number: int = 0) -> bytes:
    chosen = random.Random(every + (number << 32))
    changed = bytearray(data)
    for _ in range(max(1, len(data) // every)):
        changed[chosen.randrange(len(data))] = chosen.choice(b"\x80\xff\xc0\xe2")
    return bytes(changed)


def loop(call: str, items: Sequence[object]) -> Callable[[int], float]:
    """Return a function that makes a call for each item, that many times, and returns the nanoseconds for one item."""
    # What the setup binds is local, as in a function that makes many calls.
    setup = "from trust8 import decode, encode, is_utf8\nitems = ITEMS"
    timer = timeit.Timer(f"for item in items: {call}", setup, globals={"ITEMS": items})
    return lambda repeat: timer.timeit(repeat) * 1e9 / (repeat * len(items))


def call(work: Callable[[], object]) -> Callable[[int], float]:
    """The same for longer work, for which a call more does not matter."""
    return lambda repeat: timeit.timeit(work, number=repeat) * 1e9 / repeat


def race(contestants: dict[str, Callable[[int], float]], items: int = 1, rounds: int = ROUNDS, turn: int = TURN) -> dict[str, float]:
    """The smallest time of each, in nanoseconds."""
    repeats = {}
    for name, work in contestants.items():
        repeats[name] = max(1, int(turn / max(1, min(work(1) for _ in range(3)) * items)))
    best = dict.fromkeys(contestants, float("inf"))
    for _ in range(rounds):
        for name, work in contestants.items():
            best[name] = min(best[name], work(repeats[name]))
    return best


def about(kernel: str) -> dict[str, object]:
    return {
        "python": "%d.%d.%d" % sys.version_info[:3],
        "version": trust8.__version__,
        "kernel": kernel,
        "cpu": cpu(),
        "date": time.strftime("%-d %B %Y"),
    }


def long_texts() -> list[dict[str, object]]:
    results = []
    for name in TEXTS:
        for size in SIZES:
            items = texts_of(name, size)
            for data in items:
                assert trust8.decode(data) == data.decode()
                assert trust8.is_utf8(data) and not trust8.is_utf8(data + b"\xff")
                assert trust8.encode(data.decode()) == data
            strings = [data.decode() for data in items]
            best = race({
                "bytes.decode": loop("item.decode()", items),
                "decode": loop("decode(item)", items),
                "is_utf8": loop("is_utf8(item)", items),
                "str.encode": loop("item.encode()", strings),
                "encode": loop("encode(item)", strings),
            }, len(items))
            size_of_all = sum(len(data) for data in items)
            results.append({"text": name, "size": size, "bytes": size_of_all // len(items), "ns": best})
    return results


# What the profile `source` forbids, as a regular expression: a class of characters for each of its classes.
SOURCE = re.compile(
    "[\0-\x08\x0b\x0e-\x1f\x7f-\x9f\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u2028-\u202e\u2060-\u206f\u3164"
    "\ufdd0-\ufdef\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
    + "".join(chr(plane << 16 | end) for plane in range(1, 17) for end in (0xFFFE, 0xFFFF)) + "]"
)


def profiles() -> list[dict[str, object]]:
    """Text without forbidden characters, against decoding and a search by a regular expression."""
    results = []
    for name in TEXTS:
        items = texts_of(name, "64 KiB")
        for data in items:
            assert trust8.is_utf8(data, profile="source") and not SOURCE.search(data.decode())
            assert trust8.decode(data, profile="source") == data.decode()
        for character in "\0\x1b\u202e\u200b\ufeff\U000e0041":
            assert SOURCE.search(character) and not trust8.is_utf8(b"a" + character.encode(), profile="source")
        best = race({
            "re": call(lambda: [SOURCE.search(data.decode()) for data in items]),
            "is_utf8": call(lambda: [trust8.is_utf8(data, profile="source") for data in items]),
            "decode": call(lambda: [trust8.decode(data, profile="source") for data in items]),
        }, len(items), rounds=10)
        results.append({"text": name, "ns": best})
    return results


def faulty() -> list[dict[str, object]]:
    """Faulty text with each error handler: a fault in a number of bytes, or Latin-1."""
    results = []
    short = [(length, length) for length in (4, 8, 16, 32, 64, 90, 150, 300, 440, 1000)]
    short += [(50, 4), (90, 8), (100, 50), (200, 20)]
    for name in TEXTS:
        for length, every in sorted([*short, (10_000, 100), (10_000, 10_000), (64 << 10, 50), (64 << 10, 1000)]):
            texts = texts_of(name, "64 KiB" if length > 1000 else "4 KiB")
            results.append(handled(name, length, every, [with_faults(data[:length], every, i) for i, data in enumerate(texts)]))
    for length in [100, 64 << 10]:
        size = "64 KiB" if length > 1000 else "4 KiB"
        items = [data.decode().encode("latin-1")[:length] for data in texts_of("German", size)]
        results.append(handled("Latin-1", length, 0, items))
    return results


def handled(name: str, length: int, every: int, items: list[bytes]) -> dict[str, object]:
    ns = {}
    for errors in ["replace", "ignore", "surrogateescape", "backslashreplace"]:
        for data in items:
            assert trust8.decode(data, errors) == data.decode("utf-8", errors)
        best = race({
            "bytes.decode": loop(f"item.decode('utf-8', {errors!r})", items),
            "decode": loop(f"decode(item, {errors!r})", items),
        }, len(items), rounds=15)
        ns[errors] = best["bytes.decode"] / best["decode"]
    return {"text": name, "length": length, "every": every, "times": ns}


def cells() -> list[dict[str, object]]:
    """How many times as fast as CPython, from 64 bytes to 10 MB: one text again and again (learned), and many of one kind (new)."""
    results = []

    def add(name: str, length: int, kind: str, what: str, items: Sequence[object], theirs: str, ours: str) -> None:
        rounds = 4 if "backslash" in what else 11
        best = race({"theirs": loop(theirs, items), "ours": loop(ours, items)}, len(items), rounds, 150_000)
        ratio = best["theirs"] / best["ours"]
        results.append({"text": name, "length": length, "kind": kind, "what": what, "ratio": ratio})

    for length in (64, 100, 256, 1000, 4000, 10_000, 64 << 10, 1_000_000, 10_000_000):
        for name in TEXTS:
            for kind in ("learned", "new"):
                if kind == "learned" and length > 1_000_000:
                    continue
                many = max(2, min(256, (1 << 20) // length)) if kind == "new" and length <= 1_000_000 else 1
                items = [text_of(name, min(length, 1_000_000), number) * max(1, length // 1_000_000) for number in range(many)]
                add(name, length, kind, "strict", items, "item.decode()", "decode(item)")
                strings = [data.decode() for data in items]
                add(name, length, kind, "encode", strings, "item.encode()", "encode(item)")
                for every in (8, 50, 1000) if length <= 1_000_000 else (1000,):
                    bad = [with_faults(data, every, number) for number, data in enumerate(items)]
                    for errors in ("replace", "ignore", "surrogateescape", "backslashreplace"):
                        theirs, ours = f"item.decode('utf-8', {errors!r})", f"decode(item, {errors!r})"
                        add(name, length, kind, f"{errors}, faults 1/{every:,}", bad, theirs, ours)
    return results


def more() -> dict[str, float]:
    """Other calls, how many times as fast as CPython's."""
    from trust8 import decode_lines

    array, long = bytearray(text_of("ASCII", 64 << 10)), text_of("ASCII", 16 << 20)
    lines = b"\n".join(text_of("ASCII", 80, number) for number in range(200_000))
    short = [text_of(name, 48, number).decode() for name in list(TEXTS)[1:] for number in range(1, 200)]
    bad = text_of("German", 4 << 10) + b"\xff"
    assert trust8.decode(array) == array.decode() and trust8.decode(long) == long.decode()
    assert decode_lines(lines) == [line.decode() for line in lines.splitlines()]

    def error(function: Callable[[], object]) -> Callable[[], None]:
        def failing() -> None:
            try:
                function()
            except UnicodeDecodeError:
                pass

        return failing

    cases = {
        "`decode`, ASCII, 64 KiB in a `bytearray`": (call(array.decode), call(lambda: trust8.decode(array)), 15),
        "`decode`, ASCII, 16 MiB": (call(long.decode), call(lambda: trust8.decode(long)), 15),
        "`decode_lines`, 200,000 lines, against a loop": (
            call(lambda: [line.decode() for line in lines.splitlines()]), call(lambda: decode_lines(lines)), 5),
        "`encode`, 48 bytes, not ASCII": (loop("item.encode()", short), loop("encode(item)", short), 40),
        "the exception, 4 KiB": (call(error(bad.decode)), call(error(lambda: trust8.decode(bad))), 40),
    }
    results = {}
    for name, (theirs, ours, rounds) in cases.items():
        best = race({"theirs": theirs, "ours": ours}, rounds=rounds)
        results[name] = best["theirs"] / best["ours"]
    return results


def main() -> None:
    figures = about(trust8.kernels()[0])
    figures["long"] = long_texts()

    figures["faulty"] = faulty()
    figures["profiles"] = profiles()
    figures["others of Python"] = more()

    # Short strings: a thousand of random lengths, each a method call or a function call.
    short = []
    for name in TEXTS:
        chosen = random.Random(1)
        for low, high in [(1, 15), (16, 31), (32, 63)]:
            source = text_of(name, 1 << 16)
            items = []
            for _ in range(1000):
                at = chosen.randrange(len(source) - 100)
                items.append(source[at : at + chosen.randint(low, high)].decode("utf-8", "ignore").encode())
            assert [trust8.decode(item) for item in items] == [item.decode() for item in items]
            best = race({
                "bytes.decode": loop("item.decode()", items),
                "decode": loop("decode(item)", items),
            }, len(items), rounds=15)
            short.append({"text": name, "lengths": f"{low} to {high}", "ns": best})
    figures["short"] = short

    figures["columns"] = columns()
    json.dump(figures, sys.stdout, indent=1)


MEMORY = """
import ctypes, sys, trust8
from figures import TEXTS, text_of, with_faults
name, who, errors = sys.argv[1:]
data = text_of(name, 1 << 18) * 32
if errors != "strict":
    data = with_faults(data, 1000)
# The first call reads code from the file.
sample = text_of(name, 1 << 12)
if errors != "strict":
    sample = with_faults(sample, 100)
trust8.decode(sample, errors) if who == "trust8" else sample.decode("utf-8", errors)
# What was needed so far is given back, and counts again.
ctypes.CDLL(None).malloc_trim(0)
open("/proc/self/clear_refs", "w").write("5")
def status(field):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(field))
before, code = status("VmRSS"), status("RssFile")
text = trust8.decode(data, errors) if who == "trust8" else data.decode("utf-8", errors)
# Code that this call was the first to run is read from the file as well.
print((status("VmHWM") - before - (status("RssFile") - code)) * 1024)
"""


def memory() -> list[dict[str, object]]:
    """The most memory that decoding 8 MiB needs, besides that of the bytes: each in a separate process."""
    results = []
    for name in TEXTS:
        for errors in ["strict", "replace", "ignore", "surrogateescape"]:
            peak = {}
            for who in ["CPython", "trust8"]:
                command = [sys.executable, "-c", MEMORY, name, who, errors]
                done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).parent)
                peak[who] = int(done.stdout)
            results.append({"text": name, "errors": errors, "peak": peak})
    return results


def columns() -> list[dict[str, object]]:
    import polars
    import pyarrow
    from trust8 import arrow

    results = []
    for name in TEXTS:
        words = text_of(name, 4 << 20).split(b" ") if " " in TEXTS[name] else [
            character.encode() * 3 for character in text_of(name, 1 << 20).decode()
        ]
        array = pyarrow.array(words[:300_000], pyarrow.binary())
        series = polars.Series(array)
        size = array.nbytes
        assert pyarrow.array(arrow.as_utf8(array)).equals(array.cast(pyarrow.string()))
        best = race({
            "as_utf8": call(lambda: arrow.as_utf8(array, copy=True)),
            "pyarrow cast": call(lambda: array.cast(pyarrow.string())),
            "polars cast": call(lambda: series.cast(polars.String)),
        }, rounds=10)
        # The same work without Python, in turns with the other.
        best["Rust"] = best["as_utf8"] = float("inf")
        as_utf8 = call(lambda: arrow.as_utf8(array, copy=True))
        for _ in range(500):
            best["Rust"] = min(best["Rust"], _trust8._arrow_timed(array, 3))
            best["as_utf8"] = min(best["as_utf8"], *(as_utf8(1) for _ in range(3)))
        results.append({"text": name, "rows": len(array), "bytes": size, "ns": best})
    return results


def cpu() -> str:
    script = Path(__file__).resolve().parents[3] / "tools/cpu.py"
    return subprocess.run([script], check=True, text=True, stdout=subprocess.PIPE).stdout.strip()


if __name__ == "__main__":
    if sys.argv[1] == "memory":
        json.dump({"memory": memory()}, sys.stdout, indent=1)
    elif sys.argv[1] in ("decode", "cells"):
        if not _trust8._use_kernel(sys.argv[2]):
            sys.exit(f"this CPU can't run the kernel {sys.argv[2]}")
        found = {"cells": cells()} if sys.argv[1] == "cells" else {"long": long_texts(), "faulty": faulty()}
        json.dump(about(sys.argv[2]) | found, sys.stdout, indent=1)
    else:
        main()
