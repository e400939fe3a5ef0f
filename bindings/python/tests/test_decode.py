"""`decode` against CPython: the same strings, and the same exceptions."""

from __future__ import annotations

import codecs
import random
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import trust8
from hypothesis import given, settings
from hypothesis import strategies as st
from support import HANDLERS, SCALE, TEXTS, faulty, outcome, sequences
from trust8 import _trust8


def check(data: bytes, errors: str) -> None:
    expected = outcome(data.decode, "utf-8", errors)
    actual = outcome(trust8.decode, data, errors)
    assert actual == expected, (data, errors)
    if isinstance(expected, str) and len(expected) > 1:
        # Strings of different widths are never equal for CPython, but a width that is too large shows here as well.
        assert actual.__sizeof__() == expected.__sizeof__(), (data, errors)


@pytest.mark.parametrize("errors", HANDLERS)
def test_all_short_sequences(errors):
    for number, data in enumerate(sequences(4)):
        if len(data) < 4 or number % SCALE == 0:
            check(data, errors)


@pytest.mark.parametrize("errors", HANDLERS)
@pytest.mark.parametrize("before", ["", "a" * 61, "é" * 40, "я" * 100, "世" * 50, "🌍" * 70])
def test_sequences_after_and_before_text(errors, before):
    for number, data in enumerate(sequences(3)):
        if number % max(1, SCALE // 2) == 0:
            check(before.encode() + data, errors)
            check(data + before.encode(), errors)


@pytest.mark.parametrize("name", TEXTS)
def test_all_lengths(name):
    text = TEXTS[name] * 8
    for length in range(len(text)):
        check(text[:length].encode(), "strict")
        check(text[length:].encode(), "strict")


@pytest.mark.parametrize("last", ["", "é", "я", "世", "🌍", "\x80", "ÿ", "Ā", "\u07ff", "\u0800", "\uffff", "\U00010000"])
@pytest.mark.parametrize("length", [0, 1, 7, 63, 64, 65, 100, 4095, 4096, 4097, 300_000])
def test_the_widest_character_is_the_last_or_the_first(length, last):
    check(("a" * length + last).encode(), "strict")
    check((last + "a" * length).encode(), "strict")
    check(("a" * length + last + "a" * length).encode(), "strict")


@pytest.mark.parametrize("errors", HANDLERS)
@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("every", [1, 3, 20, 300, 5000])
def test_faulty_texts(name, every, errors):
    for repeat in [1, 40, 3000]:
        for seed in range(1 if repeat == 3000 else max(1, 16 // SCALE)):
            data = faulty(TEXTS[name] * repeat, every, seed)
            if errors in ("backslashreplace", "surrogatepass") and repeat == 3000 and SCALE > 1:
                data = data[:20_000]
            check(data, errors)


@pytest.mark.parametrize("errors", ["replace", "ignore"])
def test_the_width_of_faulty_texts(errors):
    """A character of four bytes, or what only looks like its beginning, at every place of a block."""
    for before in range(140):
        for sequence in ["🌍".encode(), b"\xf0\x9f\x8c", b"\xf0\x8f\x8c\x8d", b"\xf4\x90\x80\x80", b"\xf5\x80\x80\x80"]:
            check(b"\xff" + b"a" * before + sequence, errors)
            check(b"\xff" + b"a" * before + sequence + "я".encode() * 40, errors)
            check(b"a" * before + sequence + b"\xff", errors)


@pytest.mark.parametrize("errors", HANDLERS)
@pytest.mark.parametrize("after", ["", "é", "я" * 70, "世" * 70, "🌍", "a🌍" * 70])
def test_much_ascii_after_a_fault(errors, after):
    for length in [1000, *range(1010, 1030), 2000, 5000]:
        for fault in [b"\xff", b"\xe4\xb8", b"\xf0\x9f\x8c", b"\xed\xa0\x80", b"\x80" * 9]:
            data = fault + b"a" * length + after.encode()
            check(data, errors)
            check("й".encode() + data + fault + b"b" * length, errors)
            check(b"c" * length + data, errors)


def test_every_kernel_decodes_alike():
    """In a separate process, because the kernel is that of the whole process."""
    code = """
        import sys
        from support import HANDLERS, TEXTS, faulty, outcome
        import trust8
        from trust8 import _trust8

        assert _trust8._use_kernel(sys.argv[1]) and not _trust8._use_kernel("abacus")
        for text in TEXTS.values():
            inputs = [faulty(text * 20, every, length)[:length] for every in (4, 20, 400) for length in range(1, 500, 7)]
            for repeat in [1, 2, 100]:
                cut = bytes.fromhex("e4b8").join(text.encode() for _ in range(repeat))
                inputs += [(text * repeat).encode(), faulty(text * repeat, 20), faulty(text * repeat, 2000), cut]
            for data in inputs:
                for errors in HANDLERS:
                    wanted = outcome(data.decode, "utf-8", errors)
                    assert outcome(trust8.decode, data, errors) == wanted, (data, errors)
                assert trust8.is_utf8(data) == isinstance(outcome(data.decode), str)
        print("alike")
    """
    for kernel in trust8.kernels():
        command = [sys.executable, "-c", textwrap.dedent(code), kernel]
        result = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=Path(__file__).parent)
        assert result.stdout == "alike\n", (kernel, result.stderr)


PAIRS = [b"\xc3\xa9", b"\xe4\xbd", b"\x80\xc3", b"\xff\x80", b"\xc0\xaf", b"\xe2\xe2", "世".encode(), "🌍".encode(), b"\x80" * 5]


@pytest.mark.parametrize("pair", PAIRS, ids=bytes.hex)
def test_neighbours_among_lone_faults(pair):
    """ASCII with single wrong bytes, and at every place of a block two bytes above 7F that may be one sequence."""
    for before in range(140):
        start = (b"na\xefve caf\xe9. " * 20)[:before]
        check(b"\xff." + start + pair, "replace")
        check(b"\xff." + start + pair + b".d\xe9j\xe0 vu" * 30, "replace")


def test_kinds_of_faulty_text_take_turns():
    """Parts of ASCII with lone faults, of text with faults, and of continuation bytes; the chunks are cut anywhere."""
    chosen = random.Random(9)
    kinds = [
        lambda size: bytes(chosen.choice(b"abc def\xe9\xff\x80") for _ in range(size)),
        lambda size: faulty(TEXTS["three"] * (size // 50 + 1), 40, size)[:size],
        lambda size: faulty(TEXTS["two"] * (size // 50 + 1), 400, size)[:size],
        lambda size: b"\x80" * size,
        lambda size: b"\xe4\xb8" * (size // 2),
        lambda size: b"a" * size,
    ]
    for number in range(3000 // SCALE + 20):
        sizes = [chosen.choice([1, 3, 64, 300, 5000]) for _ in range(chosen.randrange(1, 7))]
        data = b"\xff" + b"".join(chosen.choice(kinds)(chosen.randrange(size + 1)) for size in sizes)
        if number % 4 == 0:
            data += "🌍".encode()
        check(data, HANDLERS[number % len(HANDLERS)])


@pytest.mark.parametrize("name", TEXTS)
def test_surrogates_in_long_text(name):
    for count in [1, 2, 40]:
        text = (TEXTS[name] * 30 + "\ud83d" + TEXTS[name] + "\udcff\uffff") * count
        data = text.encode("utf-8", "surrogatepass")
        check(data, "surrogatepass")
        check(data + b"\xed\xa0", "surrogatepass")
        check(data, "surrogateescape")


@pytest.mark.parametrize("errors", ["replace", "ignore", "surrogateescape", "backslashreplace", "surrogatepass"])
def test_dense_faults_in_long_text(errors):
    """U+FFFF stands for a surrogate while a piece is converted, and a text may have it itself."""
    chosen = random.Random(7)
    parts = [*TEXTS.values(), "\ufffd", "\uffff", "a\uffffb", "\U0001f600", "\xe9\xe8", " "]
    for number in range(max(4, 200 // SCALE)):
        some = chosen.sample(parts, chosen.randint(1, 3))
        text = "".join(chosen.choice(some) for _ in range(chosen.randrange(1, 600)))
        data = faulty(text * 3, chosen.choice([3, 10, 30, 100]), number)
        if chosen.random() < 0.3:
            # Wider characters come late, after the string's memory was made.
            data = data * 3 + "\U0001f600".encode() + data
        assert outcome(trust8.decode, data, errors) == outcome(bytes.decode, data, "utf-8", errors)


@pytest.mark.skipif(_trust8.STABLE_ABI, reason="the interpreter makes the string")
def test_single_characters_are_shared():
    for code in range(0x100):
        assert trust8.decode(chr(code).encode()) is chr(code)
    empty = ""
    assert trust8.decode(b"") is empty


def test_random_inputs():
    chosen = random.Random(8)
    pools = ["a", "aé", "aя世", "aя世🌍"]
    for _ in range(400_000 // SCALE):
        data = "".join(chosen.choices(chosen.choice(pools), k=chosen.randrange(80))).encode()
        if chosen.random() < 0.7 and data:
            changed = bytearray(data)
            for _ in range(chosen.randrange(1, 4)):
                changed[chosen.randrange(len(changed))] = chosen.randrange(256)
            data = bytes(changed)
        check(data, chosen.choice(HANDLERS))


@settings(max_examples=max(50, 2000 // SCALE), deadline=None)
@given(st.binary(max_size=200), st.sampled_from(HANDLERS))
def test_any_bytes(data, errors):
    check(data, errors)


@settings(max_examples=max(50, 2000 // SCALE), deadline=None)
@given(st.text(max_size=300))
def test_any_text(text):
    check(text.encode("utf-8", "surrogatepass"), "strict")
    check(text.encode("utf-8", "surrogatepass"), "surrogatepass")


def answers(*replies):
    """A handler that gives these answers in turn, the last one again and again. It notes what it was asked."""
    asked = []

    def handler(error):
        asked.append((error.start, error.end, error.reason, bytes(error.object)))
        reply = replies[min(len(asked), len(replies)) - 1]
        return reply(error) if callable(reply) else reply

    return handler, asked


def replaced_object(error):
    error.object = b"other \xffbytes"
    return "<>", 7 if error.start == 6 else 0


@pytest.mark.parametrize(
    "replies",
    [
        [lambda error: ("?", error.end)],
        [lambda error: ("", error.start + 1)],
        [lambda error: ("\U0001f600" * 50, error.end)],
        [lambda error: ("я", error.end), lambda error: ("é", error.end)],
        [lambda error: ("\udc80", -1), lambda error: ("", error.end)],
        [lambda error: ("x", len(error.object))],
        [lambda error: ("x", len(error.object) + 1)],
        [lambda error: ("x", -len(error.object) - 1)],
        [lambda error: ("x", error.end, 3)],
        [lambda error: ["x", error.end]],
        [lambda error: (b"x", error.end)],
        [lambda error: ("x", "y")],
        [lambda error: ("x", 1 << 80)],
        [lambda error: ("x", True), lambda error: ("", error.end)],
        [lambda error: None],
        [lambda error: 1 / 0],
        [("back", 0), lambda error: ("on", error.end)],
        [("from the end", -1), lambda error: ("on", error.end)],
        [replaced_object],
    ],
)
def test_registered_handlers(replies):
    for data in [b"one\xfftwo\xe2\x82three\xf0\x9f", b"\xff", b"abc" * 30 + b"\xed\xa0\x80" + b"def" * 30]:
        results = []
        for function in [lambda data, errors: data.decode("utf-8", errors), trust8.decode]:
            handler, asked = answers(*replies)
            codecs.register_error("trust8-test", handler)
            results.append((outcome(function, data, "trust8-test"), asked))
        assert results[0] == results[1], data


def test_handlers_that_are_registered_anew():
    names = ["strict", "ignore", "replace", "backslashreplace", "surrogateescape", "surrogatepass"]
    before = {name: codecs.lookup_error(name) for name in names}
    try:
        for name in names:
            codecs.register_error(name, lambda error: ("*", error.end))
            check(b"a\xffb\xe2\x82", name)
    finally:
        for name, handler in before.items():
            codecs.register_error(name, handler)


@pytest.mark.parametrize("name", ["strict", "backslashreplace", "surrogatepass", "trust8-never"])
def test_valid_text_needs_no_handler(name):
    """Handlers are looked up at the first fault, and only then."""
    for data in [b"", b"a", "é".encode(), "größer".encode(), "я".encode() * 30, "世".encode() * 200, "🌍".encode() * 2000]:
        check(data, name)
        check(data, name + "\0")
        assert outcome(trust8.decode, data, name) == data.decode()


@pytest.mark.parametrize("errors", HANDLERS)
def test_faults_in_a_few_bytes(errors):
    """A fault at each place of texts up to the length from which on the library converts."""
    for text in TEXTS.values():
        start = (text * 30).encode()
        for length in [*range(2, 20), 31, 32, 33, 57, 58, 59, 63, 64, 65, 95, 96, 97, 116, 150]:
            for place in range(0, length, SCALE if length > 20 else 1):
                for fault in [b"\xff", b"\x80", b"\xe2", b"\xf0\x9f\x98"]:
                    check(start[:place] + fault + start[place + len(fault) : length], errors)


def test_wrong_arguments():
    for errors in ["no-such-handler", "nul\0", "\ud800", 5, None, b"strict"]:
        for data in [b"abc", b"a\xffb"]:
            ours, theirs = outcome(trust8.decode, data, errors), outcome(data.decode, "utf-8", errors)
            assert ours == theirs or (ours[0] is theirs[0] and isinstance(ours, tuple)), (data, errors)
    for arguments in [(), (b"", "strict", 1)]:
        with pytest.raises(TypeError):
            trust8.decode(*arguments)
    for keywords in [{"error": "strict"}, {"errors": "strict", "more": 1}, {"data": b""}]:
        with pytest.raises(TypeError):
            trust8.decode(b"", **keywords)
    with pytest.raises(TypeError):
        trust8.decode(b"", "strict", errors="strict")
    for data in ["text", 5, None, [1, 2]]:
        with pytest.raises(TypeError, match="a bytes-like object is required"):
            trust8.decode(data)
    assert trust8.decode(b"a\xff", errors="replace") == trust8.decode(b"a\xff", "replace") == "a\ufffd"


@pytest.mark.parametrize("errors", HANDLERS)
def test_decoding_in_pieces(errors):
    """`utf_8_decode` against `codecs.utf_8_decode`, with and without more to come."""
    for number, data in enumerate(sequences(3)):
        if number % SCALE == 0:
            for final in [False, True]:
                data = b"ab" + data
                expected = outcome(codecs.utf_8_decode, data, errors, final)
                assert outcome(trust8.utf_8_decode, data, errors, final) == expected, (data, final)


@pytest.mark.parametrize("errors", HANDLERS)
def test_incremental_decoders(errors):
    chosen = random.Random(3)
    for number in range(4000 // SCALE + 40):
        data = faulty(TEXTS[chosen.choice(list(TEXTS))], 15, number) + chosen.choice([b"", b"\xe2\x82", b"\xed\xa0"])
        cuts = sorted(chosen.sample(range(len(data) + 1), 3))
        pieces = [data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)])]
        results = []
        for make in [codecs.getincrementaldecoder("utf-8"), trust8.IncrementalDecoder]:
            decoder = make(errors)
            results.append([
                (outcome(decoder.decode, piece, i == 3), decoder.getstate()) for i, piece in enumerate(pieces)
            ])
        assert results[0] == results[1], data


def test_exceptions_are_unicode_decode_errors():
    with pytest.raises(UnicodeDecodeError) as caught:
        trust8.decode(b"caf\xe9 au lait")
    error = caught.value
    assert type(error) is trust8.Utf8Error
    assert (error.encoding, error.start, error.end, error.reason) == ("utf-8", 3, 4, "invalid continuation byte")
    assert error.object == b"caf\xe9 au lait"
    assert error.kind == "truncated"
    assert error.explanation == (
        "E9 begins a character of 3 bytes, and 20 follows; expected a continuation byte (80 to BF)"
    )
    assert trust8.Utf8Error("utf-8", b"fine", 0, 1, "made up").kind == ""
    assert trust8.Utf8Error("utf-8", b"", 0, 1, "made up").explanation == ""


def test_encode():
    chosen = random.Random(4)
    alphabets = ["ab", "aé\xff\x80", "aя\u07ff\u0800", "世\uffff", "🌍a\U0010ffff", "a\ud800", "\ud83d\ude00", "🌍\udc00"]
    for alphabet in alphabets:
        for length in [0, 1, 2, 30, 64, 65, 500, 5_000, 70_000]:
            text = "".join(chosen.choices(alphabet, k=length))
            for errors in ["strict", "ignore", "replace", "surrogatepass", "xmlcharrefreplace"]:
                assert outcome(trust8.encode, text, errors) == outcome(text.encode, "utf-8", errors)
    with pytest.raises(TypeError):
        trust8.encode(b"bytes")


class Lying(str):
    """A string whose `__len__` says something else than its memory."""

    said = 0

    def __len__(self):
        return self.said


@pytest.mark.parametrize("said", [0, 1, 10**6])
@pytest.mark.parametrize("text", ["", "abc", "é", "яд", "世界", "🌍🌍"])
def test_the_length_of_a_string_is_that_of_its_memory(said, text):
    lying = Lying(text)
    lying.said = said
    assert trust8.encode(lying) == text.encode()
    codecs.register_error("trust8-lying", lambda error: (lying, error.end))
    trust8.register()
    for data in [b"\xff", b"a\xffb", "ж\n".encode() + b"\xff\xff"]:
        expected = data.replace(b"\xff", text.encode()).decode()
        assert trust8.decode(data, "trust8-lying") == expected
        assert data.decode("cesu-8", "trust8-lying") == expected


def test_the_class_of_the_exception_is_replaced():
    code = """
        import codecs, trust8
        from trust8 import _exceptions

        class Other(ValueError):
            def __init__(self, *arguments):
                super().__init__(*arguments)
                self.object = self.start = self.end = 1

        _exceptions.Utf8Error = Other
        codecs.register_error("trust8-other", lambda error: ("?", 1))
        try:
            trust8.decode(b"\\xff", "trust8-other")
        except TypeError:
            print("refused")
    """
    result = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=60)
    assert (result.stdout, result.returncode) == ("refused\n", 0), result.stderr


def test_an_exception_that_is_made_by_hand():
    for start in [-1, 0, 1, 10**9]:
        error = trust8.Utf8Error("utf-8", b"", start, 0, "x")
        assert (error.kind, error.explanation) == ("", "")
