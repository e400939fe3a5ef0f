"""What users tripped over: names, buffers, pickles, representations, signals."""

from __future__ import annotations

import codecs
import copy
import ctypes
import importlib.util
import math
import os
import pickle
import re
import subprocess
import sys
import textwrap
import threading
import time
from collections import deque
from contextlib import suppress
from pathlib import Path

import pytest
import trust8
from support import TEXTS, faulty, interrupted, outcome
from trust8 import _trust8


@pytest.mark.parametrize("length", [0, 1, 200, 300, 5000])
def test_windows_1252_handler(length):
    """The handler is known to `decode`, and registered for the interpreter's own decoder."""
    for number, text in enumerate(TEXTS.values()):
        for data in [faulty(text * 100, 30, number)[:length], bytes(range(0x80, 0x100)) * 40, text.encode("latin-1", "ignore")]:
            wanted = trust8.repair(data, "windows-1252").decode()
            assert trust8.decode(data, "trust8.windows-1252") == wanted
            assert data.decode("utf-8", "trust8.windows-1252") == wanted


def test_windows_1252_at_the_end_of_a_block():
    """A block of lone faults is looked up in a table, unless its last byte begins a character."""
    before = trust8.kernels()[0]
    lone = bytes([*range(0x80, 0x100), *range(0x80)])
    sequences = [b"", "é".encode(), "€".encode(), "😀".encode(), b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98"]
    try:
        for kernel in trust8.kernels():
            assert _trust8._use_kernel(kernel)
            for length in range(140):
                for sequence in sequences:
                    data = b"\x93" * length + sequence + lone + sequence + b"\xe4" * length + sequence
                    wanted = data.decode("utf-8", "trust8.windows-1252")
                    assert trust8.decode(data, "trust8.windows-1252") == wanted
                    assert trust8.repair(data, "windows-1252").decode() == wanted
    finally:
        _trust8._use_kernel(before)


@pytest.mark.parametrize("name", ["strict", "backslashreplace", "surrogatepass"])
def test_a_handler_in_the_place_of_a_built_in_one_is_called(name):
    before = codecs.lookup_error(name)
    codecs.register_error(name, lambda error: ("<mine>", error.end))
    try:
        for data in [b"a\xffb", b"a\xffb" * 300]:
            assert trust8.decode(data, name) == data.decode("utf-8", name) == data.decode("latin-1").replace("ÿ", "<mine>")
    finally:
        codecs.register_error(name, before)


def test_the_count_after_a_handler_has_exchanged_the_bytes():
    def exchanging(error):
        error.object = b"ok"
        return "?", 0

    codecs.register_error("test.exchanging", exchanging)
    for final in [True, False]:
        wanted = codecs.utf_8_decode(b"abc\xff", "test.exchanging", final)
        assert trust8.utf_8_decode(b"abc\xff", "test.exchanging", final) == wanted


@pytest.mark.parametrize("errors", ["namereplace", "xmlcharrefreplace", 5])
def test_refusals_in_the_words_of_the_interpreter(errors):
    """Handlers that only encode name the class of the exception, which was `Utf8Error`."""
    for data in [b"a\xff", b"a\xff" * 300]:
        assert outcome(trust8.utf_8_decode, data, errors) == outcome(codecs.utf_8_decode, data, errors)
        assert outcome(trust8.decode, data, errors) == outcome(data.decode, "utf-8", errors)


def test_names_of_arguments():
    assert trust8.decode(data=b"caf\xe9", encoding="UTF-8", errors="replace") == "caf\ufffd"
    assert trust8.encode("é", errors="strict") == b"\xc3\xa9"
    for arguments in [{}, {"data": b"", "other": 1}, {"errors": "strict"}, {"data": b"", "encoding": 8}, {"data": b"", "\ud800": 8}]:
        with pytest.raises(TypeError):
            trust8.decode(**arguments)
    # An argument without a name has no empty name.
    for function, value in [(trust8.is_utf8, b""), (trust8.encode, "")]:
        with pytest.raises(TypeError, match="unexpected keyword argument ''"):
            function(**{"": value})
    with pytest.raises(TypeError):
        trust8.decode(b"", "strict", errors="strict")
    with pytest.raises(LookupError):
        trust8.decode(b"", encoding="latin-1")


class Bytes(bytes):
    def __getitem__(self, index):
        return b"mine"


def test_bytes_with_another_method():
    error = next(trust8.errors(Bytes(b"ab\0"), profile="postgres"))
    assert error.character == "\0"
    error = UnicodeDecodeError("mutf-8", Bytes(b"a\xe9"), 1, 2, "")
    assert codecs.lookup_error("trust8.windows-1252")(error) == ("\xe9", 2)


@pytest.mark.parametrize("data", [b"", b"text"])
def test_a_file_that_has_no_bytes_yet_is_not_at_its_end(data):
    reader, writer = os.pipe()
    try:
        os.set_blocking(reader, False)
        os.write(writer, data)
        with pytest.raises(BlockingIOError) as raised:
            trust8.read_text(reader)
        # A third argument that is a number would be that.
        assert not hasattr(raised.value, "characters_written")
    finally:
        os.close(writer)


def test_flags_are_whatever_is_true():
    """As in the interpreter's own functions: `decode(data, 1)` of an incremental decoder is common."""
    for yes, no in [(1, 0), (2, False), (numpy_true(), 0)]:
        for flag in [yes, no]:
            assert trust8.utf_8_decode(b"a\xe2", "replace", flag) == codecs.utf_8_decode(b"a\xe2", "replace", bool(flag))
        assert trust8.IncrementalDecoder("replace").decode(b"\xe2", yes) == "\ufffd"
        assert trust8.decode_lines(b"a\nb", keepends=yes) == ["a\n", "b"]
        assert len(list(trust8.errors(b"\0\0", profile="nul", runs=yes))) == 1 and len(list(trust8.errors(b"\0\0", profile="nul", runs=no))) == 2
        trust8.register()
        assert codecs.getincrementaldecoder("cesu-8")("replace").decode(b"\xe2", yes) == "\ufffd"


def numpy_true():
    try:
        import numpy
    except ImportError:
        return True
    return numpy.bool_(True)


def test_a_profile_of_another_type():
    for profile, kind in [(5, "int"), ([None], "NoneType")]:
        with pytest.raises(TypeError, match=f"profile must be a name or several names, not '{kind}'"):
            trust8.is_utf8(b"", profile=profile)


def test_an_exception_of_the_profile_is_not_replaced():
    class Interrupted:
        def __iter__(self):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trust8.is_utf8(b"", profile=Interrupted())


def test_the_types_name_all_profiles():
    with pytest.raises(ValueError) as caught:
        trust8.is_utf8(b"", profile="?")
    wanted = re.findall("'(.+?)'", str(caught.value))[1:]
    stub = (Path(trust8.__file__).parent / "_trust8.pyi").read_text(encoding="utf-8")
    listed = stub.split("_ProfileName: TypeAlias = Literal[")[1].split("]")[0]
    assert re.findall('"(.+?)"', listed) == wanted


def test_the_lazy_module_is_listed():
    """Completion at the prompt finds `trust8.arrow` before its first use."""
    code = "import sys, trust8; assert 'arrow' in dir(trust8) and 'trust8.arrow' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_long_text_without_its_faults():
    """`ignore` of more than 1 KiB, where no, one or some characters are left, and where others come late."""
    for data in [b"\xff" * 3000, b"\xff" * 1500 + b"a" + b"\xff" * 1500, b"ab\xe2\x82" * 700, b"a\xff" * 2000 + "é世🌍".encode()]:
        for end in [b"", b"\xe2", b"\xe2\x82"]:
            assert trust8.decode(data + end, "ignore") == (data + end).decode("utf-8", "ignore")


def test_buffers_without_a_shape():
    assert trust8.decode((ctypes.c_char * 3)(*b"abc")) == "abc"
    numpy = pytest.importorskip("numpy")
    assert trust8.decode(numpy.array(65, "u1")) == "A" and trust8.is_utf8(numpy.array(65, "u1"))


@pytest.mark.parametrize("length", [3, 4000, 5000, 300_000])
def test_buffers_are_released(length):
    """The memory can be resized after each call, whether it was short, long, valid or not."""
    for data in [bytearray(b"a" * length), bytearray("é".encode() * length), bytearray(b"a" * length + b"\xff")]:
        for function in [trust8.decode, trust8.is_utf8, trust8.inspect, trust8.repair, trust8.decode_lines, trust8.Part.of]:
            for argument in [data, memoryview(data)[1:]]:
                expected = outcome(bytes(argument).decode)
                found = outcome(function, argument)
                assert function is not trust8.decode or found == expected
                del argument
            data.append(1)
            del data[-1:]


def test_policies_have_the_names_of_handlers():
    data = b"a\xffb"
    for alias, name in [("ignore", "drop"), ("backslashreplace", "escape"), ("cp1252", "windows-1252"), ("Windows1252", "windows-1252")]:
        assert trust8.repair(data, alias) == trust8.repair(data, name)


def test_names():
    """Case, hyphens, underscores and spaces make no difference, and an unknown name is answered with those that there are."""
    bad = b"\xff\0"
    for policy in ["Windows_1252", "CP 1252", "trust8.windows1252"]:
        assert trust8.repair(bad, policy) == trust8.repair(bad, "windows-1252")
    for profile in ["File Name", "FILE_NAME"]:
        assert not trust8.is_utf8(b"a/b", profile=profile)
    assert not trust8.is_utf8(b"\x85".decode("latin-1").encode(), profile=["next_line", "Bidi Control"])
    for encoding in ["UTF_8", "utf8", "trust8_utf_8"]:
        assert trust8.decode(b"caf\xc3\xa9", encoding=encoding) == "caf\u00e9"
    for call, names in [
        (lambda: trust8.repair(bad, "mend"), "'replace', 'java', 'drop', 'null', 'escape', 'windows-1252'"),
        (lambda: trust8.is_utf8(bad, profile="mend"), "'xml', .*'nul', 'tab'"),
        (lambda: _trust8._dialect_decode("mend", bad, "strict", True), "'utf-8', .*'wtf-8'"),
        (lambda: trust8.decode(bad, encoding="latin-1"), "'utf-8', not 'latin-1'"),
    ]:
        with pytest.raises((ValueError, LookupError), match=names):
            call()


VALUES = [trust8.inspect(b"a\xc3\xa9\n"), trust8.inspect(b"a\xff"), trust8.diagnose(b"\xed\xa0\xbd"), trust8.Part.of(b"a\xc3")]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_values_are_pickled_and_copied(value):
    for twin in [pickle.loads(pickle.dumps(value)), copy.copy(value), copy.deepcopy(value)]:
        assert twin == value and hash(twin) == hash(value) and repr(twin) == repr(value)


def test_what_arrow_returns():
    pyarrow = pytest.importorskip("pyarrow")
    assert trust8.arrow.repair(pyarrow.array([b"a\xff"]), "drop").to_pylist() == ["a"]
    chunks = trust8.arrow.repair(pyarrow.chunked_array([[b"a\xff"], [b"b"]]), "drop")
    assert chunks.to_pylist() == pyarrow.array(chunks).to_pylist() == ["a", "b"]
    for rows in [["a"], []]:
        for result in [chunks, trust8.arrow.as_utf8(pyarrow.array(rows, pyarrow.binary()))]:
            assert pyarrow.array(result, type=pyarrow.large_string()).type == pyarrow.large_string()
    table = pyarrow.table({"id": [b"\xff"], "name": ["x"]})
    for value in [trust8.arrow.is_valid(pyarrow.array([b"\xff"])), chunks, trust8.arrow.repair(table), trust8.arrow.errors(pyarrow.array([b"\xff"]))]:
        twin = pickle.loads(pickle.dumps(value))
        assert twin.to_pylist() == value.to_pylist() and repr(twin) == repr(value)
    # Bytes became text, or were refused, a column of structs became a table, and a table lost its metadata.
    for rows in [[b"a", None], [b"\xff"], [{"a": b"\xff"}]]:
        for array in [pyarrow.array(rows), pyarrow.chunked_array([rows, rows])]:
            value = trust8.arrow.checked(array)
            for twin in [pickle.loads(pickle.dumps(value)), copy.deepcopy(value)]:
                assert twin.to_pylist() == value.to_pylist() and repr(twin) == repr(value)
    for rows in [0, 2]:
        table = pyarrow.table({"a": ["x"] * rows}).replace_schema_metadata({"key": "value"})
        twin = pickle.loads(pickle.dumps(trust8.arrow.repair(table)))
        assert pyarrow.table(twin).equals(table, check_metadata=True)


def test_representations():
    assert repr(trust8.Validator()) == "<trust8.Validator position=0 pending=b''>"
    assert repr(trust8.Part.of(b"a\xff")) == "<trust8.Part bytes=2 has_failed=True>"


def test_public_names_are_those_of_the_package():
    for name in set(trust8.__all__) - {"__version__"}:
        assert getattr(trust8, name).__module__ == "trust8", name


def test_an_iterator_belongs_to_one_thread():
    errors, answers = trust8.errors(bytes(200 << 20) + b"\xff"), []

    def count():
        try:
            answers.append(sum(1 for _ in errors))
        except RuntimeError as error:
            answers.append(str(error))

    threads = [threading.Thread(target=count) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers.pop() in {0, 1} and answers.pop() in {0, 1, "another thread is using this iterator"}


def test_a_validator_belongs_to_one_thread():
    validator, long, failures = trust8.Validator(), bytes(200 << 20), []

    def push():
        try:
            validator.push(long)
        except RuntimeError as error:
            failures.append(str(error))

    threads = [threading.Thread(target=push) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures in ([], ["another thread is using this validator; use one validator for each thread"])


def test_errors_at_the_end_of_a_piece():
    piece = 8 << 20
    after = b"b" * 100
    for sequence in [b"\xf0\x9f\x98", b"\xe2\x82\xff", b"\xed\xa0\x80", b"\xe2\x82\xac\xac", b"\xf0\x9f\x98\x80\x80", b"\0\xff"]:
        for profile in [None, "postgres"]:
            short = [(error.start, error.end, error.reason) for error in trust8.errors(sequence + after, profile=profile)]
            for before in range(piece - 5, piece + 1):
                long = trust8.errors(b"a" * before + sequence + after, profile=profile)
                assert [(error.start - before, error.end - before, error.reason) for error in long] == short
    assert sum(1 for _ in trust8.errors(b"\xff" * 1000)) == 1000


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\n\n", "\r\r\n"])
def test_decode_lines(end):
    codecs.register_error("trust8-strict", codecs.strict_errors)
    text = end.join([*TEXTS.values(), "", "last"])
    for data in [text.encode(), (text + end).encode(), faulty(text, 9), b"", end.encode()]:
        for errors in ["strict", "replace", "surrogateescape", "backslashreplace", "surrogatepass", "trust8-strict"]:
            for keepends in [False, True]:
                wanted = outcome(lambda: [line.decode("utf-8", errors) for line in data.splitlines(keepends)])
                found = outcome(lambda: trust8.decode_lines(data, errors, keepends=keepends))
                if isinstance(wanted, list):
                    assert found == wanted
                else:
                    # The place is that in the whole, also if a handler refuses.
                    assert found == outcome(lambda: data.decode("utf-8", errors))


class Mine(UnicodeDecodeError):
    pass


def test_the_exception_of_a_handler_is_raised():
    """`decode_lines` raised one of its own in its place."""

    def refuse(error):
        raise Mine(*error.args)

    codecs.register_error("trust8-mine", refuse)
    for function in [trust8.decode, trust8.decode_lines]:
        with pytest.raises(Mine):
            function(b"a\n\xff", "trust8-mine")


def test_mojibake():
    for text in ["Größe", "“quoted” – it’s", "Привет, мир", "日本語"]:
        bad = text.encode().decode("cp1252", "replace") if "\ufffd" not in text.encode().decode("cp1252", "replace") else None
        assert trust8.fix_mojibake(text) is text
        if bad:
            assert trust8.fix_mojibake(f"good Größe\n{bad}\r\n") == f"good Größe\n{text}\r\n"
    lone = "\udcff"
    assert trust8.fix_mojibake(lone) is lone


def test_the_command_and_its_check(tmp_path):
    (tmp_path / "x").write_bytes(b"caf\xe9")
    outputs = {
        subprocess.run([sys.executable, "-m", "trust8", *words, "x"], cwd=tmp_path, capture_output=True, text=True).stdout
        for words in [[], ["check"]]
    }
    assert len(outputs) == 1 and "byte 3" in outputs.pop()


def test_codecs_whose_names_are_taken():
    """After ftfy was asked for 'cesu-8', `register` was without effect on it, and silent."""
    # Not imported here: it would take the names in this process.
    if importlib.util.find_spec("ftfy") is None:
        pytest.skip("ftfy is not installed")
    code = """
        import codecs, warnings
        import ftfy.bad_codecs
        ftfy.bad_codecs.ok()
        codecs.lookup("cesu-8")
        import trust8
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            trust8.register()
        assert [str(one.message)[:18] for one in caught] == ["the codec 'cesu-8'"], caught
        for name in ["trust8-cesu-8", "trust8-mutf-8", "trust8-wtf-8", "mutf-8"]:
            assert codecs.lookup(name).name == name
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True)


@pytest.mark.skipif(_trust8.STABLE_ABI, reason="the interpreter makes the string")
@pytest.mark.parametrize("errors", ["strict", "replace", "ignore", "surrogateescape"])
@pytest.mark.parametrize("kind", [bytes, bytearray])
@pytest.mark.parametrize("text", ["a", "я"])
def test_signals_interrupt_decoding(text, kind, errors):
    """No Python code runs between the calls, so only the calls themselves can answer a signal."""
    # More than a piece of 8 MiB.
    data = kind(text.encode() * ((9 << 20) // len(text.encode())) + (b"\xff" if errors != "strict" else b""))
    start = time.process_time()
    trust8.decode(data, errors)
    once = time.process_time() - start

    # Without an interruption, this would take at least a second.
    times = max(8, math.ceil(1 / once))
    took = interrupted(lambda: deque(map(trust8.decode, [data] * times, [errors] * times), maxlen=0))
    assert took < 3 * once + 0.2, (took, once)


def column(data, rows=4):
    pyarrow = pytest.importorskip("pyarrow")
    return pyarrow.array([data] * rows, pyarrow.large_binary())


LONG_CALLS = {
    "repair": (lambda data: data, trust8.repair),
    "repair with a profile": (lambda data: data, lambda data: trust8.repair(data, profile="terminal")),
    "diagnose": (lambda data: bytes(len(data)) + b"\xed\xa0\xbd\xed\xb8\x80" * (len(data) // 2), trust8.diagnose),
    "arrow.is_valid": (column, lambda array: trust8.arrow.is_valid(array, profile="terminal")),
    "arrow.errors": (column, lambda array: trust8.arrow.errors(array)),
    "arrow.repair": (column, lambda array: trust8.arrow.repair(array)),
}


@pytest.mark.parametrize("name", LONG_CALLS)
def test_signals_interrupt(name):
    """These were one call into the library, which nothing could interrupt."""
    make, call = LONG_CALLS[name]
    line, once, size = b"caf\xe9 " + b"a" * 59, 0.2, 8 << 20
    while once < 0.4 and size < 256 << 20:
        size = min(256 << 20, size * math.ceil(0.4 / once))
        data = make(line * (size // len(line)))
        start = time.process_time()
        call(data)
        once = time.process_time() - start
    for after in [0.001, 0.05]:
        took = interrupted(lambda: call(data), after) - after
        assert took < max(0.5 * once, 0.3), (took, once, after)


@pytest.mark.parametrize("policy", ["replace", "java", "drop", "escape", "windows-1252"])
def test_repairs_of_long_texts(policy):
    """Nothing is cut between two pieces of a long text."""
    ends = [b"\xed\xa0\x80", "🌍".encode(), b"\x80" * 20, b"\xf0\x9f\x98", b"\xed\xa0\x80\xed\xb0\x80", b"\xff"]
    for number, end in enumerate(ends):
        before = (8 << 20) - 2 * number - 1
        data = b"a" * before + end * 4 + b"a" * (8 << 20)
        wanted = b"a" * before + trust8.repair(end * 4, policy) + b"a" * (8 << 20)
        assert trust8.repair(data, policy) == wanted
    clean = bytes(20 << 20)
    assert trust8.repair(clean, policy) is clean
    assert trust8.repair(clean + b"\xff", policy) == clean + trust8.repair(b"\xff", policy)


CALLS_OF_TWO_PASSES = {
    "validate": lambda data: trust8.validate(data + b"\0", profile="source"),
    "decode_lines": lambda data: trust8.decode_lines(data),
    "a handler": lambda data: trust8.decode(data + b"\xff", "trust8-strict"),
}


@pytest.mark.parametrize("name", CALLS_OF_TWO_PASSES)
def test_signals_interrupt_the_second_pass(name):
    """The first pass was interrupted, and the second was one piece of work."""
    codecs.register_error("trust8-strict", codecs.strict_errors)
    data = ("ខ្មែរ ភាសា" * 2000 + "\n").encode()
    data *= (64 << 20) // len(data)

    def call():
        with suppress(UnicodeDecodeError):
            CALLS_OF_TWO_PASSES[name](data)

    def call_again_and_again():
        while True:
            call()

    start = time.process_time()
    call()
    once = time.process_time() - start
    # A busy machine may be late a few times, but not always.
    assert any(interrupted(call_again_and_again, 0.65 * once) < 0.85 * once for _ in range(8))
