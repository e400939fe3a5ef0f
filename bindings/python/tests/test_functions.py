"""The functions that look at bytes: validation, counts, errors, repair; and what they take."""

from __future__ import annotations

import array
import mmap
import pickle
import random
import sys

import pytest
import trust8
from support import BYTES, SCALE, TEXTS, faulty, outcome, sequences


def of_cpython(data):
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.start, error.end, error.reason, error.object
    return None


def errors_of_cpython(data):
    """All errors, found by a handler that continues after each."""
    import codecs

    found = []

    def note(error):
        found.append((error.start, error.end, error.reason))
        return "", error.end

    codecs.register_error("trust8-note", note)
    data.decode("utf-8", "trust8-note")
    return found


def test_every_function_says_what_cpython_says():
    for number, data in enumerate(sequences(4)):
        if len(data) == 4 and number % SCALE:
            continue
        expected = of_cpython(data)
        assert trust8.is_utf8(data) == (expected is None)
        try:
            trust8.validate(data)
            assert expected is None
        except trust8.Utf8Error as error:
            assert (error.start, error.end, error.reason, error.object) == expected
        assert trust8.inspect(data).error_start == (expected and expected[0])
        if number % 7 == 0:
            found = [(error.start, error.end, error.reason) for error in trust8.errors(data)]
            assert found == errors_of_cpython(data)


@pytest.mark.parametrize("name", TEXTS)
def test_errors_in_long_texts(name):
    for every in [2, 50, 3000]:
        data = faulty(TEXTS[name] * 400, every)
        found = [(error.start, error.end, error.reason) for error in trust8.errors(data)]
        assert found == errors_of_cpython(data)
        assert all(error.object is data and error.kind for error in trust8.errors(data))
        first = next(trust8.errors(data))
        with pytest.raises(trust8.Utf8Error) as caught:
            trust8.validate(data)
        assert (caught.value.start, caught.value.kind) == (first.start, first.kind)


def test_counts():
    for text in [*TEXTS.values(), "", "\n", "a\nя\n世\n🌍\n" * 5000]:
        for repeat in [1, 50]:
            summary = trust8.inspect((text * repeat).encode())
            assert summary.valid and summary.error_start is None
            assert summary.chars == len(text * repeat)
            assert summary.bytes == len((text * repeat).encode())
            assert summary.utf16_len == len((text * repeat).encode("utf-16-le")) // 2
            assert summary.newlines == (text * repeat).count("\n")
            assert summary.is_ascii == text.isascii()
            lengths = [len(character.encode()) for character in text]
            assert summary.chars_by_len == tuple(lengths.count(n) * repeat for n in (1, 2, 3, 4))
    summary = trust8.inspect("añb".encode() + b"\xffc\n")
    assert (summary.valid, summary.error_start, summary.bytes, summary.chars, summary.newlines) == (False, 4, 4, 3, 0)
    assert not summary.is_ascii
    assert "error_start=4" in repr(summary)


def test_repair():
    data = b"a\xed\xa0\x80\x80" * 20
    assert trust8.repair(data) == data.decode("utf-8", "replace").encode()
    assert trust8.repair(data, "drop") == b"a" * 20
    assert trust8.repair(data, policy="escape") == rb"a\xED\xA0\x80\x80" * 20
    assert trust8.repair(data, "java") == "a\ufffd\ufffd".encode() * 20
    assert trust8.repair(b"caf\xe9", "windows-1252") == "café".encode()
    clean = "clean ❤".encode()
    assert trust8.repair(clean) is clean
    assert trust8.repair(bytearray(clean)) == clean
    with pytest.raises(ValueError, match="the policies are 'replace'"):
        trust8.repair(clean, "guess")
    with pytest.raises(ValueError, match="columns"):
        trust8.repair(clean, "null")
    for name in TEXTS:
        for every in [1, 30, 5000]:
            data = faulty(TEXTS[name] * 300, every)
            assert trust8.repair(data) == data.decode("utf-8", "replace").encode()


def test_diagnose():
    assert trust8.diagnose(b"plain").best == "utf-8"
    assert trust8.diagnose(b"plain").decided_at is None
    assert trust8.diagnose(b"\xed\xa0\xbd\xed\xb8\x80").accepted == ["cesu-8", "mutf-8", "utf-8-rfc2279"]
    assert trust8.diagnose(b"a\xc0\x80").best == "mutf-8"
    assert trust8.diagnose(b"\xed\xa0\x80").best == "wtf-8"
    assert trust8.diagnose(b"\xfc\x84\x80\x80\x80\x80").best == "utf-8-rfc2279"
    diagnosis = trust8.diagnose(b"caf\xe9")
    assert (diagnosis.best, diagnosis.accepted, diagnosis.decided_at) == (None, [], 3)
    assert str(diagnosis).startswith("none of")


def buffers(data: bytes, tmp_path):
    """The same bytes in all kinds of objects."""
    yield data
    yield type("Named", (bytes,), {})(data)
    yield bytearray(data)
    yield memoryview(data)
    yield memoryview(bytearray(data))
    yield memoryview(bytearray(data)).toreadonly()
    yield memoryview(b"<" + data + b">")[1:-1]
    yield memoryview(bytes(byte for one in data for byte in (one, 0)))[::2]
    yield memoryview(data[::-1])[::-1]
    yield array.array("B", data)
    if len(data) % 4 == 0 and data:
        yield array.array("I", data)
        yield memoryview(data).cast("I")
        yield memoryview(data).cast("B", (2, len(data) // 2))
    if data:
        path = tmp_path / "file"
        path.write_bytes(data)
        with open(path, "r+b") as file:
            for access in [mmap.ACCESS_READ, mmap.ACCESS_WRITE, mmap.ACCESS_COPY]:
                with mmap.mmap(file.fileno(), 0, access=access) as mapped:
                    yield mapped
    numpy = pytest.importorskip("numpy")
    yield numpy.frombuffer(data, numpy.uint8)
    yield numpy.frombuffer(data + data, numpy.uint8)[: len(data)].copy()
    if len(data) % 4 == 0 and data:
        matrix = numpy.frombuffer(data, numpy.uint8).reshape(2, -1)
        yield matrix
        yield numpy.asfortranarray(matrix)
    pyarrow = pytest.importorskip("pyarrow")
    yield pyarrow.py_buffer(data)
    yield pyarrow.py_buffer(bytearray(data))


# The longest are just above 256 KiB, from where on the interpreter's lock is released.
@pytest.mark.parametrize("repeat", [0, 1, 30, 2000, 17_000])
@pytest.mark.parametrize("tail", [b"", b"\xff", b"\xe2\x82"])
def test_all_kinds_of_buffers(repeat, tail, tmp_path):
    data = "Grüße, 世界\n".encode() * repeat + tail
    data += b"." * (-len(data) % 4) if not tail else b""
    expected = outcome(data.decode)
    for buffer in buffers(data, tmp_path):
        assert bytes(buffer) == data
        assert trust8.is_utf8(buffer) == (not tail)
        assert outcome(trust8.validate, buffer) == (None if not tail else expected)
        assert outcome(trust8.decode, buffer) == expected
        assert trust8.decode(buffer, "replace") == data.decode("utf-8", "replace")
        assert trust8.inspect(buffer) == trust8.inspect(data)
        assert len(list(trust8.errors(buffer))) == len(tail and [tail])
        assert trust8.repair(buffer) == data.decode("utf-8", "replace").encode()
        assert trust8.diagnose(buffer).best == ("utf-8" if not tail else None)
        assert trust8.Part.of(buffer) == trust8.Part.of(data)
        validator = trust8.Validator()
        if tail == b"\xff":
            with pytest.raises(trust8.StreamError):
                validator.push(buffer)
        else:
            validator.push(buffer)
            assert validator.position == len(data) - len(tail)
            assert validator.pending == tail


@pytest.mark.skipif(sys.version_info < (3, 12), reason="no class of Python exports a buffer")
@pytest.mark.parametrize("kind", [KeyboardInterrupt, MemoryError, BufferError, ValueError])
def test_an_exporter_that_is_interrupted_is_not_asked_again(kind):
    asked = []

    class Exporter:
        def __buffer__(self, flags):
            asked.append(flags)
            if len(asked) == 1:
                raise kind
            return memoryview(b"text")

    for function in [trust8.is_utf8, trust8.decode]:
        asked.clear()
        if kind in (KeyboardInterrupt, MemoryError):
            with pytest.raises(kind):
                function(Exporter())
            assert len(asked) == 1
        else:
            assert function(Exporter())


@pytest.mark.parametrize("value", ["text", 3, None, object(), [1, 2]])
def test_other_objects_are_refused(value):
    functions = [trust8.is_utf8, trust8.validate, trust8.errors, trust8.inspect, trust8.diagnose, trust8.decode]
    for function in [*functions, trust8.repair, trust8.Part.of, trust8.Validator().push]:
        with pytest.raises(TypeError, match="bytes-like object is required, not"):
            function(value)


def test_a_validator_takes_any_pieces():
    chosen = random.Random(5)
    for number in range(20_000 // SCALE):
        data = bytes(chosen.choices(BYTES + b"abc", k=chosen.randrange(12)))
        if chosen.random() < 0.5:
            data = faulty(TEXTS["four"], 60, number)
        validator, start, at = trust8.Validator(), None, 0
        try:
            while at < len(data):
                size = chosen.randrange(1, 9)
                validator.push(data[at : at + size])
                at += size
            assert validator.position + len(validator.pending) == len(data)
            validator.finish()
        except trust8.StreamError as error:
            start, length = error.position, error.length
            assert error.kind and str(error).startswith(f"invalid UTF-8 at byte {start}: ")
            with pytest.raises(trust8.StreamError):
                validator.push(b"") if length else validator.finish()
        expected = of_cpython(data)
        assert start == (expected and expected[0]), data
    validator.reset()
    assert (validator.position, validator.pending) == (0, b"")
    assert repr(validator).startswith("<trust8.Validator")


def test_parts_are_joined_in_any_way():
    chosen = random.Random(6)
    assert trust8.Part() == trust8.Part.of(b"")
    for number in range(4000 // SCALE + 100):
        data = bytes(chosen.choices(BYTES + b"\n", k=chosen.randrange(1, 12)))
        if chosen.random() < 0.5:
            data = faulty(TEXTS["four"] + "\n", 200, number)
        cuts = sorted(chosen.choices(range(len(data) + 1), k=3))
        parts = [trust8.Part.of(data[a:b]) for a, b in zip([0, *cuts], [*cuts, len(data)])]
        parts = [pickle.loads(pickle.dumps(part)) for part in parts]
        whole = parts[0].then(parts[1]).then(parts[2].then(parts[3]))
        assert whole == trust8.Part.of(data) and hash(whole) == hash(trust8.Part.of(data))
        assert trust8.Part.from_bytes(whole.to_bytes()) == whole
        assert (len(whole), bool(whole)) == (len(data), True)
        expected = of_cpython(data)
        if expected is None:
            tally = whole.finish()
            assert (tally.bytes, tally.chars, tally.newlines) == (len(data), len(data.decode()), data.count(b"\n"))
            assert tally.utf16_len == len(data.decode().encode("utf-16-le")) // 2
            assert sum(tally.chars_by_len) == tally.chars
            assert not whole.has_failed
        else:
            with pytest.raises(trust8.PartError) as caught:
                whole.finish()
            error, before = caught.value, data[: expected[0]]
            assert error.position == expected[0]
            assert error.line == before.count(b"\n") + 1
            assert error.column == len(before.rpartition(b"\n")[2].decode()) + 1
            assert error.before.chars == len(before.decode())
    for wrong in [b"", b"\xff" * 64, bytes(63), bytes(65)]:
        with pytest.raises(ValueError, match="not a judgement"):
            trust8.Part.from_bytes(wrong)
    assert {trust8.Part.of(b"a"), trust8.Part.of(b"a")} == {trust8.Part.of(b"a")}
    assert repr(trust8.Part.of(b"a")).startswith("<trust8.Part")


def test_exceptions_can_be_pickled():
    """They cross from a worker's process to that of its caller."""
    for call in [
        lambda: trust8.validate(b"a\xff"),
        lambda: trust8.Part.of(b"a\n\xff").finish(),
        lambda: trust8.Validator().push(b"\xff"),
    ]:
        with pytest.raises(ValueError) as caught:
            call()
        again = pickle.loads(pickle.dumps(caught.value))
        assert type(again) is type(caught.value) and str(again) == str(caught.value)
        assert again.kind == caught.value.kind


def test_the_module_describes_itself():
    assert trust8.kernels()[-1] == "scalar"
    assert trust8.__version__.count(".") == 2
    for name in trust8.__all__:
        assert name == "__version__" or getattr(trust8, name).__doc__, name
    assert trust8.decode.__text_signature__ == "(data, errors='strict', *, encoding='utf-8', profile=None)"
    assert trust8.is_utf8.__module__ == "trust8"


def test_what_is_at_the_top():
    import subprocess
    import sys

    code = "import sys, trust8; assert 'trust8.arrow' not in sys.modules; trust8.arrow.repair; trust8.RowError"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert trust8.Utf8Error.__module__ == trust8.RowError.__module__ == "trust8"
    with pytest.raises(AttributeError, match="missing"):
        trust8.missing
