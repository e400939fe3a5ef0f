"""What the tests share: inputs, and what CPython makes of them."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Iterator
from itertools import product

import pytest

# Divides the number of inputs, where they are plentiful. The full number is for runs by hand.
SCALE = int(os.environ.get("TRUST8_TEST_SCALE", "1"))

# Bytes around all limits of the grammar.
BYTES = bytes.fromhex("00 41 7F 80 8F 90 9F A0 BF C0 C1 C2 C3 C4 DF E0 E1 ED EE EF F0 F1 F4 F5 FF")

HANDLERS = ["strict", "ignore", "replace", "backslashreplace", "surrogateescape", "surrogatepass"]

# A text of each width, and one that becomes wider at its end.
TEXTS = {
    "ascii": "The quick brown fox jumps over the lazy dog. ",
    "latin": "Größere Übungen für müde Füchse, déjà vu ÿ. ",
    "two": "Съешь же ещё этих мягких французских булок. ",
    "three": "色は匂へど散りぬるを我が世誰ぞ常ならむ。",
    "four": "Ein Gruß 👋 aus 東京 🗼, привет 🌍. ",
}


def sequences(longest: int) -> Iterator[bytes]:
    """All byte strings of up to `longest` of these bytes."""
    for length in range(longest + 1):
        for sequence in product(BYTES, repeat=length):
            yield bytes(sequence)


def faulty(text: str, every: int, seed: int = 1) -> bytes:
    """The text in UTF-8 with a wrong byte about every `every` bytes."""
    chosen = random.Random(seed)
    data = bytearray(text.encode())
    at = 0
    while (at := at + chosen.randint(1, 2 * every)) < len(data):
        data[at] = chosen.choice(b"\x80\xbf\xc0\xed\xe2\xf0\xf5\xff")
    return bytes(data)


def outcome(function, *arguments):
    """What a call returns, or all that its exception says."""
    try:
        return function(*arguments)
    except UnicodeError as error:
        return (error.encoding, error.object, error.start, error.end, error.reason, str(error))
    except Exception as error:
        return (type(error), str(error))


class Interrupted(Exception):
    pass


def interrupted(call, after=0.001):
    """Return how long it takes until a signal interrupts a call: in CPU time, so that a busy machine is no fault."""

    def interrupt(*_):
        raise Interrupted

    before = signal.signal(signal.SIGPROF, interrupt)
    try:
        start = time.process_time()
        with pytest.raises(Interrupted):
            signal.setitimer(signal.ITIMER_PROF, after)
            call()
        return time.process_time() - start
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
