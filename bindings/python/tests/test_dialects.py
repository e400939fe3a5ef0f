"""The codecs 'cesu-8', 'mutf-8' and 'wtf-8', against the packages mutf8 and ftfy and against arithmetic."""

from __future__ import annotations

import codecs
import io
import random
import time
from contextlib import nullcontext

import pytest
import trust8
from support import SCALE, TEXTS, interrupted, outcome
from trust8 import _trust8

ALPHABET = ["a", "\0", "\x7f", "é", "\u07ff", "\u0800", "世", "\ud7ff", "\ue000", "\uffff", "🌍", "\U0010ffff"]
SURROGATES = ["\ud800", "\udbff", "\udc00", "\udfff", "\ud83d", "\ude00"]


@pytest.fixture(autouse=True)
def registered():
    trust8.register()
    trust8.register()


def by_hand(name: str, text: str) -> bytes:
    """Encode by arithmetic: each surrogate as three bytes, and pairs of them in all but WTF-8."""
    units = text.encode("utf-16-be", "surrogatepass")
    joined = units.decode("utf-16-be", "surrogatepass")
    result = b""
    for character in joined:
        if name != "wtf-8" and ord(character) > 0xFFFF:
            pair = character.encode("utf-16-be")
            result += b"".join(chr(int.from_bytes(half, "big")).encode("utf-8", "surrogatepass") for half in (pair[:2], pair[2:]))
        elif name == "mutf-8" and character == "\0":
            result += b"\xc0\x80"
        else:
            result += character.encode("utf-8", "surrogatepass")
    return result


def texts(surrogates: bool):
    chosen = random.Random(7)
    alphabet = ALPHABET + (SURROGATES if surrogates else [])
    yield ""
    for _ in range(20_000 // SCALE):
        yield "".join(chosen.choices(alphabet, k=chosen.randrange(12)))
    for text in TEXTS.values():
        yield text * 100


@pytest.mark.parametrize("name", ["cesu-8", "mutf-8", "wtf-8"])
def test_there_and_back(name):
    for text in texts(surrogates=name != "cesu-8"):
        data = text.encode(name)
        assert data == by_hand(name, text), ascii(text)
        joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
        assert data.decode(name) == joined, ascii(text)
        assert bytearray(data).decode(name) == joined


def test_cesu_8_has_no_lone_surrogates():
    for text in ["\ud800", "a\udfffb", "\udc00\ud800"]:
        with pytest.raises(UnicodeEncodeError) as caught:
            text.encode("cesu-8")
        assert caught.value.reason == "surrogates not allowed" and caught.value.encoding == "cesu-8"
        data = text.encode("cesu-8", "surrogatepass")
        assert data == by_hand("cesu-8", text)
        assert data.decode("cesu-8", "surrogatepass") == text
        with pytest.raises(UnicodeDecodeError):
            data.decode("cesu-8")
        for errors in ["ignore", "replace", "backslashreplace", "xmlcharrefreplace"]:
            assert text.encode("cesu-8", errors) == text.encode("utf-8", errors)
    codecs.register_error("trust8-from-the-end", lambda error: ("?", error.end - len(error.object)))
    assert "a\ud800b".encode("cesu-8", "trust8-from-the-end") == b"a?b"
    codecs.register_error("trust8-another", lambda error: ("\udfff", error.end))
    with pytest.raises(UnicodeEncodeError):
        "a\ud800b".encode("cesu-8", "trust8-another")


def test_modified_utf_8_is_that_of_java():
    """The package mutf8 reads and writes class files and NBT."""
    mutf8 = pytest.importorskip("mutf8")
    for text in texts(surrogates=True):
        data = mutf8.encode_modified_utf8(text)
        assert text.encode("mutf-8") == data, ascii(text)
        assert data.decode("mutf-8") == mutf8.decode_modified_utf8(data), ascii(text)
    for wrong in [b"\0", b"a\xe2\x82", b"\xc3", b"ab\0"]:
        with pytest.raises(UnicodeDecodeError):
            mutf8.decode_modified_utf8(wrong)
        with pytest.raises(UnicodeDecodeError):
            wrong.decode("mutf-8")


def test_ftfy_reads_them_alike():
    pytest.importorskip("ftfy.bad_codecs").ok()
    for text in texts(surrogates=False):
        for name in ["cesu-8", "mutf-8"]:
            data = text.encode(name)
            assert data.decode(name) == data.decode("utf-8-variants"), (name, ascii(text))


@pytest.mark.parametrize(
    ("name", "data", "start", "end"),
    [
        ("cesu-8", b"a\xf0\x9f\x98\x80", 1, 5),
        ("cesu-8", b"\xc0\x80", 0, 1),
        ("cesu-8", b"ab\xff", 2, 3),
        ("mutf-8", b"a\0b", 1, 2),
        ("mutf-8", b"\xf0\x9f\x98\x80", 0, 4),
        ("wtf-8", b"a\xed\xa0\xbd\xed\xb8\x80", 1, 7),
        ("wtf-8", b"\xc0\x80", 0, 1),
        ("wtf-8", b"a\xe2\x82", 1, 3),
    ],
)
def test_errors(name, data, start, end):
    with pytest.raises(UnicodeDecodeError) as caught:
        data.decode(name)
    error = caught.value
    assert (error.encoding, error.object, error.start, error.end) == (name, data, start, end)
    assert error.reason
    assert data.decode(name, "ignore") == (data[:start] + data[end:]).decode(name, "ignore")
    assert data.decode(name, "replace").startswith(data[:start].decode() + "\ufffd")
    assert "\\x" in data.decode(name, "backslashreplace")
    codecs.register_error("trust8-dialect", lambda error: ("[?]", error.end))
    assert "[?]" in data.decode(name, "trust8-dialect")


@pytest.mark.parametrize("name", ["cesu-8", "mutf-8", "wtf-8"])
def test_pieces(name):
    chosen = random.Random(9)
    for text in texts(surrogates=name != "cesu-8"):
        if len(text) > 300:
            text = text[:300]
        data = text.encode(name)
        decoder = codecs.getincrementaldecoder(name)()
        encoder = codecs.getincrementalencoder(name)()
        cut, at = chosen.randrange(len(data) + 1), chosen.randrange(len(text) + 1)
        other = min(len(data), cut + chosen.randrange(4))
        decoded = decoder.decode(data[:cut]) + decoder.decode(data[cut:other]) + decoder.decode(data[other:], True)
        assert decoded == data.decode(name), (data, cut, other)
        encoded = encoder.encode(text[:at]) + encoder.encode(text[at:], True)
        assert encoded == by_hand(name, text[:at]) + by_hand(name, text[at:]), (ascii(text), at)
        # Only WTF-8 writes a pair in another way than its two halves.
        assert encoded == data or name == "wtf-8", (ascii(text), at)
        stream = io.BytesIO()
        codecs.getwriter(name)(stream).write(text)
        assert codecs.getreader(name)(io.BytesIO(data)).read() == data.decode(name)


PAIR = b"\xed\xa0\xbd\xed\xb8\x80"


@pytest.mark.parametrize("name", ["cesu-8", "mutf-8", "wtf-8"])
def test_a_pair_is_the_same_after_every_cut(name):
    codecs.register_error("trust8-shown", lambda error: (f"[{error.object[error.start:error.end].hex()}]", error.end))
    for data in [PAIR, PAIR + b"z", PAIR[:3] + PAIR, PAIR[:3] + PAIR[:3], PAIR[3:] + PAIR[:3], PAIR[:3] + b"\xed\x9f\xbf", PAIR[:5]]:
        for errors in ["strict", "ignore", "surrogatepass", "trust8-shown"]:
            whole = outcome(data.decode, name, errors)
            for first in range(len(data) + 1):
                for second in range(first, len(data) + 1):
                    decoder = codecs.getincrementaldecoder(name)(errors)
                    pieces = [(data[:first], False), (data[first:second], False), (data[second:], True)]
                    in_pieces = outcome(lambda: "".join(decoder.decode(*piece) for piece in pieces))
                    if isinstance(whole, str):
                        assert in_pieces == whole, (data, errors, first, second)
                    else:
                        # An exception says where it is in the piece.
                        wrong = [object[start:end] for _, object, start, end, *_ in (whole, in_pieces)]
                        assert wrong[0] == wrong[1], (data, errors, first, second)


@pytest.mark.parametrize("errors", ["replace", "ignore", "surrogatepass", "backslashreplace"])
@pytest.mark.parametrize("name", ["cesu-8", "mutf-8", "wtf-8"])
def test_every_sequence_is_the_same_after_every_cut(name, errors):
    """An emoji of four bytes used to be one error in whole input, and four in bytes that came one by one."""
    leads = [b"", b"A", b"\x80", b"\xc0", b"\xc1", b"\xc3", b"\xe0", b"\xe2", b"\xed", b"\xf0", b"\xf3", b"\xf4", b"\xf5", b"\xf8", b"\xff"]
    others = [b"", b"A", b"\x80", b"\x8f", b"\x90", b"\xa0", b"\xb0", b"\xbf", b"\xed", b"\xf0"]
    chosen = random.Random(78)
    for _ in range(40_000 // SCALE):
        data = b"".join(chosen.choice(leads) + b"".join(chosen.choices(others, k=3)) for _ in range(chosen.randrange(1, 4)))
        whole = outcome(data.decode, name, errors)
        for cuts in [range(len(data) + 1), sorted(chosen.choices(range(len(data) + 1), k=2))]:
            decoder = codecs.getincrementaldecoder(name)(errors)
            edges = [0, *cuts, len(data)]
            pieces = [decoder.decode(data[start:end]) for start, end in zip(edges, edges[1:])] if isinstance(whole, str) else []
            if isinstance(whole, str):
                assert "".join(pieces) + decoder.decode(b"", True) == whole, (data, cuts)


@pytest.mark.parametrize("name", ["cesu-8", "mutf-8"])
def test_an_emoji_of_four_bytes_holds_nothing_back(name):
    """Text after it used to wait for the end, if its own end was inside a character."""
    decoder = codecs.getincrementaldecoder(name)("replace")
    text = "a" + "é" * 3000
    assert decoder.decode("😀".encode() + text.encode() + b"\xc3").endswith(text)
    assert decoder.decode(b"\xa9") == "é"


@pytest.mark.parametrize("name", ["cesu-8", "mutf-8", "wtf-8"])
def test_errors_in_long_inputs(name):
    """After the first error, the input is decoded in pieces of 4 KiB. It makes no difference where they end."""
    codecs.register_error("trust8-shown", lambda error: (f"[{error.object[error.start:error.end].hex()}]", error.end))
    samples = [PAIR, PAIR[:3], PAIR[:3] + b"\xed", PAIR[:5], PAIR[:3] * 2, PAIR[3:], b"\xf0\x9f\x98\x80", b"\xf0\x9f\x98", b"\xc0\x80", b"\0"]
    samples += ["世".encode(), "é".encode(), b"\xe4\xb8", b"\xe0\x80\x80", b"\xf8\x80\x80\x80\x80", b"\x80" * 7]
    for sample in samples:
        for tail in [b"", b"z", b"z" * 5000]:
            short = (b"\xff" + sample + tail).decode(name, "trust8-shown")
            for length in range(4084, 4098):
                text = (b"\xff" + b"a" * length + sample + tail).decode(name, "trust8-shown")
                assert text == "[ff]" + "a" * length + short[4:], (sample, len(tail), length)


@pytest.mark.parametrize("name", ["cesu-8", "mutf-8", "wtf-8"])
def test_an_error_costs_the_same_in_a_long_input(name):
    """If each error cost time proportional to what follows, this would take minutes."""
    start = time.process_time()
    count, rest = 20_000, "a" * 2_000_000 + "é"
    assert (b"\xffa" * count + rest.encode()).decode(name, "replace") == "\ufffda" * count + rest
    assert time.process_time() - start < 20


def test_an_encoder_keeps_nothing():
    encoder = codecs.getincrementalencoder("wtf-8")()
    assert encoder.encode("a\ud83d") == b"a\xed\xa0\xbd"
    assert encoder.getstate() == 0
    assert encoder.encode("\ude00", True) == b"\xed\xb8\x80"
    assert encoder.encode("\ud83d\ude00") == "😀".encode()
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding="wtf-8")
    file.write("a\ud83d")
    file.flush()
    assert raw.getvalue() == b"a\xed\xa0\xbd"


def test_files(tmp_path):
    path = tmp_path / "file"
    for text in ["", "one\ntwo\r\nthree\rfour", "é\r", *(text * 3000 for text in TEXTS.values())]:
        for tail in [b"", b"\xff", b"\xe2\x82"]:
            path.write_bytes(text.encode() + tail)
            for errors in ["strict", "replace", "surrogateescape"]:
                for newline in [None, "", "\n", "\r\n"]:

                    def expected():
                        with open(path, encoding="utf-8", errors=errors, newline=newline) as file:
                            return file.read()

                    def opened():
                        with trust8.open_text(path, errors=errors, newline=newline) as file:
                            return file.read()

                    wanted = outcome(expected)
                    # In pieces, an exception says where it is in the piece.
                    if isinstance(wanted, str):
                        assert outcome(opened) == wanted
                        assert trust8.read_text(path, errors, newline) == wanted
                    else:
                        assert outcome(opened)[0] == wanted[0] == outcome(trust8.read_text, path, errors)[0]
    with trust8.open_text(path, "w", newline="\n") as file:
        file.write("é\n")
    assert path.read_bytes() == b"\xc3\xa9\n"
    with trust8.open_text(str(path)) as file:
        assert list(file) == ["é\n"]
    with pytest.raises(ValueError):
        trust8.open_text(path, "rb")
    with pytest.raises(ValueError):
        trust8.read_text(path, newline="x")
    with pytest.raises(FileNotFoundError):
        trust8.read_text(tmp_path / "missing")


def test_surrogateescape_is_refused_where_it_would_change_data():
    """FF became U+DCFF, and that ED B3 BF: these encodings have lone surrogates."""
    for name in ["mutf-8", "wtf-8"]:
        for convert in [lambda: b"\xff".decode(name, "surrogateescape"), lambda: "\udcff".encode(name, "surrogateescape")]:
            with pytest.raises(ValueError, match="surrogateescape"):
                convert()
    assert b"\xff".decode("cesu-8", "surrogateescape").encode("cesu-8", "surrogateescape") == b"\xff"


class Encoding(str):
    """A string with another method `encode`."""

    def encode(self, *arguments):
        return b"mine"


def test_a_string_with_another_method():
    assert str.encode(Encoding("\ud800"), "wtf-8") == b"\xed\xa0\x80"


@pytest.mark.parametrize("name", ["mutf-8", "wtf-8"])
def test_a_reader_of_lines_has_the_last_character(name):
    """Half of a pair was kept for the next piece, and lost at the end."""
    text = "a\nb\ud83d"
    for read in [
        lambda reader: "".join(reader),
        lambda reader: "".join(iter(reader.readline, "")),
        lambda reader: "".join(iter(lambda: reader.read(1), "")),
        lambda reader: "".join(iter(lambda: reader.read(-1, 1), "")),
        lambda reader: reader.read(0) + reader.read(5, 0) + reader.read(),
        lambda reader: reader.read(-1, 1) + reader.read(0) + reader.read(5, 0) + reader.read(),
    ]:
        assert read(codecs.getreader(name)(io.BytesIO(text.encode(name)))) == text
    with pytest.raises(UnicodeDecodeError):
        list(codecs.getreader(name)(io.BytesIO(b"a\xe2\x82")))


class Indexed(str):
    def __getitem__(self, index):
        return "mine"

    def __len__(self):
        return 100


def test_a_string_with_another_length():
    assert str.encode(Indexed("a\ud800b"), "cesu-8", "replace") == b"a?b"
    for name in ["cesu-8", "mutf-8", "wtf-8", "trust8-utf-8"]:
        assert codecs.lookup(name).encode(Indexed("abc")) == (b"abc", 3)


@pytest.mark.skipif(_trust8.STABLE_ABI, reason="the interpreter encodes first")
@pytest.mark.parametrize("name", ["cesu-8", "mutf-8", "wtf-8"])
def test_signals_interrupt_the_encoding_of_long_texts(name):
    text = "a\0é世🌍" * 6_000_000
    assert text.encode(name) == by_hand(name, text[:5]) * 6_000_000
    start = time.process_time()
    text.encode(name)
    once = time.process_time() - start
    # A busy machine may be late a few times, but not always.
    assert any(interrupted(lambda: text.encode(name), 0.2 * once) < 0.6 * once for _ in range(8))


def test_decoding_long_texts():
    """It was one call into the library, which nothing could interrupt. Nothing is cut between two pieces."""
    end = "\0é世🌍" * 10
    for before in range(6):
        data = b"a" * ((8 << 20) - before) + end.encode("cesu-8")
        assert data.decode("cesu-8") == "a" * ((8 << 20) - before) + end
    data = b"a" * (24 << 20) + end.encode("cesu-8")

    def decode_again_and_again():
        while True:
            data.decode("cesu-8")

    start = time.process_time()
    data.decode("cesu-8")
    once = time.process_time() - start
    # A busy machine may be late a few times, but not always.
    assert any(interrupted(decode_again_and_again, 0.05 * once) < 0.6 * once for _ in range(4))


@pytest.mark.parametrize("answer", [None, "?", ["?", 1], ("?",), ("?", 1, 2), (None, 1), (bytearray(b"?"), 1), ("?", "1"), ("?", 1.0)])
def test_answers_of_handlers_that_are_none(answer):
    codecs.register_error("trust8-answer", lambda error: answer)
    for name in ["utf-8", "cesu-8"]:
        with pytest.raises(TypeError):
            "\ud800".encode(name, "trust8-answer")


def test_no_name_of_a_handler_is_strict():
    """As in the interpreter's own codecs; it was a `TypeError`."""
    for name, error in [("utf-8", UnicodeEncodeError), ("cesu-8", UnicodeEncodeError), ("mutf-8", None), ("wtf-8", None)]:
        codec = codecs.lookup(name)
        with pytest.raises(UnicodeDecodeError):
            codec.decode(b"\xff", None)
        with pytest.raises(error) if error else nullcontext():
            codec.encode("\ud800", None)


def test_the_count_after_a_handler_has_exchanged_the_bytes():
    """An incremental decoder kept the rest of the bytes, although its input was over."""

    def exchanging(error):
        error.object = b"ok"
        return "?", 2

    codecs.register_error("trust8-exchanging", exchanging)
    decoder = codecs.getincrementaldecoder("cesu-8")("trust8-exchanging")
    assert decoder.decode(b"abc\xffdef", True) == "abc?" and decoder.getstate() == (b"", 0)


def test_names_that_nothing_else_claims():
    for name in ["cesu-8", "mutf-8", "wtf-8"]:
        assert "a\0".encode(f"trust8-{name}") == "a\0".encode(name)


def test_names_without_hyphens():
    for name in ["CESU8", "mutf_8", "wtf8", "trust8-mutf8", "TRUST8 WTF-8", "trust8_utf8"]:
        assert codecs.lookup(name).name.replace("-", "") == name.lower().replace("_", "").replace("-", "").replace(" ", "")
    for name in ["ces-u8", "w_t_f_8", "trust-8-wtf-8", "trust8-8-utf"]:
        with pytest.raises(LookupError):
            codecs.lookup(name)
