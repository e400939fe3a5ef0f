"""Profiles: characters that are UTF-8 and still not wanted, against a regular expression for each class."""

from __future__ import annotations

import codecs
import pickle
import random
import re

import pytest
import trust8
from support import SCALE, TEXTS, faulty
from trust8 import _trust8

# The classes and their code points, written down from `docs/profiles.md` alone.
CLASSES = {
    "nul": "\0", "tab": "\t", "line-feed": "\n", "form-feed": "\f", "carriage-return": "\r",
    "c0-control": "\x01-\x08\x0b\x0e-\x1f", "delete": "\x7f", "next-line": "\x85", "c1-control": "\x80-\x84\x86-\x9f",
    "fffe-ffff": "\ufffe\uffff",
    "noncharacter": "\ufdd0-\ufdef" + "".join(chr(plane << 16 | end) for plane in range(1, 17) for end in (0xFFFE, 0xFFFF)),
    "bidi-control": "\u202a-\u202e\u2066-\u2069", "bidi-mark": "\u061c\u200e\u200f", "zero-width": "\u200b\u2060",
    "joiner": "\u200c\u200d", "tag": "\U000e0000-\U000e007f",
    "variation-selector": "\u180b-\u180d\u180f\ufe00-\ufe0d\U000e0100-\U000e01ef", "emoji-selector": "\ufe0e\ufe0f",
    "separator": "\u2028\u2029", "byte-order-mark": "\ufeff",
    "private-use": "\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd", "soft-hyphen": "\xad",
    "invisible": "\u034f\u115f\u1160\u17b4\u17b5\u180e\u2061-\u2065\u206a-\u206f\u3164\uffa0\ufff0-\ufffb"
                 "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0080-\U000e00ff\U000e01f0-\U000e0fff",
    "slash": "/\\\\", "windows-reserved": "\"*:<>?|",
}
LEGACY = ["nul", "c0-control", "form-feed"]
REST = ["delete", "next-line", "c1-control"]
PRESETS = {
    "scalars": [],
    "xml": [*LEGACY, "fffe-ffff"],
    "assignables": [*LEGACY, *REST, "fffe-ffff", "noncharacter"],
    "i-json": ["fffe-ffff", "noncharacter"],
    "postgres": ["nul"],
}
# What the preset `source` forbids of these, in any context.
SOURCE = [*LEGACY, *REST, "fffe-ffff", "noncharacter", "bidi-control"]
# The classes that depend on the context.
STRAYS = {"stray-joiner", "stray-selector", "stray-tag", "stray-mark", "stray-space", "stray-filler", "private-use-run", "bare-carriage-return", "leading-mark", "stacked-marks"}
NAMES = {**PRESETS, **{name: [name] for name in CLASSES}}
SPECIAL = "\0\t\n\f\r\x01\x1b\x7f\x85\x80\x9f\ufffe\uffff\ufdd0\U0001ffff\u202e\u200e\u200b\u200d\U000e0041\ufe00\ufe0f\u2028\ufeff\ue000\xad\u3164/:\ufffd"


def pattern(names):
    return re.compile("[" + "".join(CLASSES[name] for name in names) + "]") if names else re.compile("(?!)")


def places(text, names):
    """The places in a text of what a profile forbids. A byte order mark may begin it."""
    return [len(text[: one.start()].encode()) for one in pattern(names).finditer(text) if (one.start(), one[0]) != (0, "\ufeff")]


def wanted_of(text, name):
    """The same for a preset. What depends on the context has its oracle in the tests of the library, so here it is what the whole text has."""
    return places(text, NAMES[name]) if name in NAMES else [one.start for one in trust8.errors(text.encode(), profile=name)]


def texts():
    chosen = random.Random(3)
    for _ in range(max(20, 400 // SCALE)):
        base = chosen.choice(list(TEXTS.values()))
        text = "".join(chosen.choice(SPECIAL) if chosen.random() < 0.02 else one for one in base * chosen.randrange(1, 12))
        yield chosen.choice(["", "", "\ufeff"]) + text
    yield from ["", "\ufeff", "\ufeff\ufeff", "\0\ufeff", "\ufeff\0\ufeff\ufeff"]


@pytest.mark.parametrize("name", NAMES)
def test_every_character(name):
    forbidden = pattern(NAMES[name])
    step = max(1, SCALE // 16)
    some = {*range(0, 0x3000), *range(0xD7F0, 0xD800), *range(0xE000, 0x110000, 17 * step), *range(0xF8F0, 0x10000)}
    some |= {*range(0xE0000, 0xE1010), *(plane << 16 | low for plane in range(17) for low in (0, 0xFFFD, 0xFFFE, 0xFFFF))}
    for code_point in sorted(some - {*range(0xD800, 0xE000)}):
        text = "a" + chr(code_point)
        assert trust8.is_utf8(text.encode(), profile=name) == (not forbidden.search(text)), hex(code_point)


@pytest.mark.parametrize("name", NAMES)
def test_all_functions_agree(name):
    for text in texts():
        data, wanted = text.encode(), places(text, NAMES[name])
        for kind in [bytes, bytearray]:
            assert trust8.is_utf8(kind(data), profile=name) == (not wanted)
        found = list(trust8.errors(data, profile=name))
        assert [error.start for error in found] == wanted
        for error in found:
            assert type(error) is trust8.ProfileError and isinstance(error, UnicodeDecodeError)
            assert error.character == data[error.start : error.end].decode()
            assert error.kind in NAMES[name] and re.match(f"[{CLASSES[error.kind]}]", error.character)
            twin = pickle.loads(pickle.dumps(error))
            assert type(twin) is type(error) and (twin.args, twin.kind, str(twin)) == (error.args, error.kind, str(error))
        pieces = [data[start:end].decode() for start, end in zip([0, *(one.end for one in found)], [*wanted, len(data)])]
        for errors, between in [("ignore", ""), ("replace", "\ufffd")]:
            assert trust8.decode(data, errors, profile=name) == between.join(pieces)
        repaired = trust8.repair(data, "drop", profile=name).decode()
        assert repaired == "".join(pieces)
        if not wanted:
            assert trust8.decode(data, profile=name) == text and trust8.repair(data, profile=name) is data
            trust8.validate(data, profile=name)
            continue
        for refuse in [trust8.validate, trust8.decode]:
            with pytest.raises(trust8.ProfileError) as caught:
                refuse(data, profile=name)
            assert caught.value.start == wanted[0]


@pytest.mark.parametrize("name", ["terminal", "source", "prompt", "file-name"])
def test_invisible_characters_are_judged_by_their_context(name):
    for innocent in ["می\u200cخواهم", "👩\u200d👧", "❤\ufe0f", "\U0001f3f4\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f", "葛\U000e0100城"]:
        # Long texts are searched in pieces.
        for text in [innocent, (innocent + " 日本 ") * 100, innocent.ljust(40_000, "é") + innocent]:
            assert trust8.decode(text.encode(), profile=name) == text and not list(trust8.errors(text.encode(), profile=name))
    for stray, kind in [("\u200d", "stray-joiner"), ("\ufe0f", "stray-selector"), ("\U000e0041", "stray-tag"), ("\u200f", "stray-mark"), ("\u200b", "stray-space"), ("\u3164", "stray-filler")]:
        for text in [f"a{stray}b", "é" * 20_000 + stray + "b"]:
            (error,) = trust8.errors(text.encode(), profile=name)
            assert (error.start, error.kind, error.character) == (len(text[: text.index(stray)].encode()), kind, stray)
            assert trust8.repair(text.encode(), "drop", profile=name).decode() == text.replace(stray, "")
            assert pickle.loads(pickle.dumps(error)).kind == kind
    stack = "a" + "\u0301" * 9
    (error,) = trust8.errors(stack.encode(), profile=name)
    assert (error.start, error.kind) == (17, "stacked-marks")
    assert trust8.repair(stack.encode(), "drop", profile=name).decode() == stack[:-1]


def test_runs_join_what_follows_each_other():
    unseen = STRAYS - {"private-use-run", "bare-carriage-return", "leading-mark", "stacked-marks"} | {"bidi-control", "bidi-mark", "zero-width", "joiner", "tag", "invisible"}
    lists = 0
    for number, text in enumerate([*texts(), "a" + "\U000e0101" * 400 + "b", "\0" * 70_000, "a\u200b\0\0\u200d", "\u202e\ufe0f"]):
        data = faulty(text, 30, number) if number % 3 else text.encode()
        for name in ["prompt", "source", "file-name"]:
            every, expected = list(trust8.errors(data, profile=name)), []
            for one in every:
                last = expected[-1] if expected else None
                is_hidden = isinstance(one, trust8.ProfileError)
                if last and is_hidden and last[3] and last[1] == one.start and (last[4] == one.kind or {last[4], one.kind} <= unseen):
                    last[1], last[4] = one.end, one.kind
                else:
                    expected.append([one.start, one.end, one.kind, is_hidden, one.kind])
            found = list(trust8.errors(data, profile=name, runs=True))
            assert [(one.start, one.end, one.kind) for one in found] == [tuple(one[:3]) for one in expected]
            assert all(one.character == data[one.start : one.end].decode() for one in found if isinstance(one, trust8.ProfileError))
            lists += len(expected) < len(every)
    assert lists > 10


def test_ill_formed_sequences_count_as_well():
    for number, text in enumerate(texts()):
        data = faulty(text, 30, number)
        merged = sorted([(error.start, error.end) for error in trust8.errors(data)])
        found = list(trust8.errors(data, profile="prompt"))
        assert [(one.start, one.end) for one in found if not isinstance(one, trust8.ProfileError)] == merged
        for errors in ["replace", "ignore", "backslashreplace"]:
            wanted, at = "", 0
            for one in found:
                wanted += data[at : one.start].decode()
                wanted += codecs.lookup_error(errors)(one)[0]
                at = one.end
            assert trust8.decode(data, errors, profile="prompt") == wanted + data[at:].decode()


def test_several_names():
    for profile in [("terminal", "line-feed"), {"line-feed", "terminal"}, iter(["terminal", "line-feed"])]:
        assert list(trust8.errors(b"a\nb\x1b", profile=profile))[0].kind == "line-feed"
    for one in [("terminal", "line-feed"), None, []]:
        assert trust8.is_utf8(b"a", profile=one)
    with pytest.raises(ValueError, match="unknown profile 'xmll'; the profiles are 'scalars', 'xml'.*and the classes.*'nul'"):
        trust8.is_utf8(b"", profile="xmll")
    for wrong in [5, [5]]:
        with pytest.raises(TypeError):
            trust8.validate(b"", profile=wrong)
    for function in [trust8.is_utf8, trust8.validate, trust8.errors, trust8.repair]:
        with pytest.raises(TypeError):
            function(b"", "xml", "xml")
        with pytest.raises(TypeError):
            function(profile="xml")


def test_no_forbidden_character_passes_the_handler_of_trust8():
    """It left forbidden characters as they are, and made controls of the bytes 81, 8D, 8F, 90 and 9D."""
    data = "x\u202ey\x1b\0".encode() + bytes(range(256))
    for name in ["terminal", "prompt", "postgres", "source"]:
        text = trust8.decode(data, "trust8.windows-1252", profile=name)
        assert trust8.is_utf8(text.encode(), profile=name)
        assert text == trust8.repair(data, "windows-1252", profile=name).decode()


def test_handlers_get_forbidden_characters():
    seen = []

    def handler(error):
        seen.append((type(error), error.start, error.end))
        return "?", error.end

    codecs.register_error("test.profile", handler)
    assert trust8.decode("a\u202eb".encode() + b"\xffc", "test.profile", profile="source") == "a?b?c"
    assert seen == [(trust8.ProfileError, 1, 4), (trust8.Utf8Error, 5, 6)]
    with pytest.raises(LookupError):
        trust8.decode(b"\0", "test.none", profile="xml")


def test_policies():
    data = b"a\0" + "\u202e".encode() + b"\xff"
    for policy, wanted in [
        ("replace", "a\ufffd\ufffd\ufffd"), ("drop", "a"), ("escape", r"a\u{0}\u{202E}\xFF"), ("cp1252", "a\ufffd\ufffd\xff"),
    ]:
        assert trust8.repair(data, policy, profile="source").decode() == wanted


def test_many_errors_cost_no_more_than_a_pass_each():
    """The search continues after an error, and does not read the rest of the text for each."""
    data = b"a\0" * (1 << 17)
    assert sum(1 for _ in trust8.errors(data, profile="postgres")) == 1 << 17
    assert trust8.decode(data, "ignore", profile="postgres") == "a" * (1 << 17)


def test_long_texts():
    data = ("я" * (5 << 20)).encode()
    assert trust8.decode(data, profile="prompt") == data.decode()
    assert trust8.decode(data + b"\0" + data, "ignore", profile="prompt") == (data + data).decode()


@pytest.mark.parametrize("kind", ["binary", "large_binary", "binary_view", "string", "large_string", "string_view"])
def test_columns(kind):
    pa = pytest.importorskip("pyarrow")
    from trust8 import arrow

    rows = ["plain", None, "nul\0", "\u202eback", "run" + "\0" * 400, "", "Grüße", "long enough for a buffer of its own \x1b[2J"]
    array = pa.array([row if row is None or "string" in kind else row.encode() for row in rows], getattr(pa, kind)())
    for name in PRESETS:
        bad = [row is not None and bool(places(row, NAMES[name])) for row in rows]
        assert pa.array(arrow.is_valid(array, profile=name)).to_pylist() == [None if row is None else not one for row, one in zip(rows, bad)]
        found = pa.table(arrow.errors(array, profile=name)).to_pylist()
        assert [(one["row"], one["offset"]) for one in found] == [(i, places(rows[i], NAMES[name])[0]) for i in range(len(rows)) if bad[i]]
        runs = [next(trust8.errors(row.encode(), profile=name, runs=True)) for row, is_bad in zip(rows, bad) if is_bad]
        assert [(one["length"], one["kind"]) for one in found] == [(run.end - run.start, run.kind) for run in runs]
        if any(bad):
            with pytest.raises(arrow.RowError) as caught:
                arrow.as_utf8(array, profile=name)
            assert caught.value.row == bad.index(True) and caught.value.kind in CLASSES
        else:
            assert arrow.as_utf8(array, profile=name).to_pylist() == rows
        for policy in ["replace", "drop", "escape", "null"]:
            repaired = pa.array(arrow.repair(array, policy, profile=name))
            repaired.validate(full=True)
            assert repaired.to_pylist() == [
                row if row is None else (None if one else row) if policy == "null" else trust8.repair(row.encode(), policy, profile=name).decode()
                for row, one in zip(rows, bad)
            ]
    table = pa.table({"raw": [b"\0"], "text": ["a\0"], "list": [["a\0", None]]})
    repaired = pa.table(arrow.repair(table, "drop", profile="postgres"))
    assert repaired.to_pylist() == [{"raw": b"\0", "text": "a", "list": ["a", None]}]
    with pytest.raises(arrow.RowError, match="row 0, .text: forbidden character at byte 1: U[+]0000 is NUL"):
        arrow.as_utf8(table, profile="postgres")
    assert pa.table(arrow.errors(table.select(["list"]), profile="postgres")).to_pylist()[0]["path"] == ".list[]"


@pytest.mark.parametrize("policy", ["replace", "drop", "escape", "null"])
def test_nested_columns(policy):
    """Values of dictionaries, runs, lists, structs and maps. Some are null or are never reached."""
    pa = pytest.importorskip("pyarrow")
    from trust8 import arrow

    values = pa.array(["a", "b\0", None, "\u202e", "never\0"])
    keys = pa.array([0, 1, 2, 3, None, 1], pa.int8())
    flat = values.take(keys)
    wanted = [
        row if row is None else None if policy == "null" and places(row, SOURCE) else trust8.repair(row.encode(), policy if policy != "null" else "drop", profile="source").decode()
        for row in flat.to_pylist()
    ]
    dictionary = pa.DictionaryArray.from_arrays(keys, values)
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([1, 2, 3, 4, 5, 6], pa.int32()), flat)
    lists = pa.ListArray.from_arrays(pa.array(range(7), pa.int32()), flat)
    structs = pa.StructArray.from_arrays([flat, dictionary], ["flat", "dictionary"])
    for array, read in [
        (flat, lambda rows: rows), (dictionary, lambda rows: rows), (runs, lambda rows: rows),
        (lists, lambda rows: [row[0] for row in rows]), (structs, lambda rows: [row["flat"] for row in rows]),
        (structs, lambda rows: [row["dictionary"] for row in rows]),
    ]:
        repaired = pa.array(arrow.repair(array, policy, profile="source"))
        repaired.validate(full=True)
        assert read(repaired.to_pylist()) == wanted
        assert pa.array(arrow.is_valid(array, profile="source")).to_pylist() == [
            None if array is not lists and array is not structs and row is None else row is None or not places(row, SOURCE) for row in flat.to_pylist()
        ]
        with pytest.raises(arrow.RowError) as caught:
            arrow.as_utf8(array, profile="source")
        assert caught.value.row == 1
    assert pa.array(arrow.as_utf8(dictionary.slice(0, 1), profile="source")).to_pylist() == ["a"]


@pytest.mark.parametrize("name", ["source", "file-name", "scalars", "byte-order-mark"])
def test_pieces(name):
    chosen = random.Random(4)
    for text in texts():
        data, wanted = text.encode(), wanted_of(text, name)
        if chosen.random() < 0.3:
            data += chosen.choice([b"\xff\0", b"\xe2\x80"])
        validator, at, raised = trust8.Validator(profile=name), 0, None
        try:
            while at < len(data):
                size = chosen.randrange(1, 9)
                at, piece = at + size, data[at : at + size]
                validator.push(piece)
                assert validator.position + len(validator.pending) == min(at, len(data))
            validator.finish()
        except trust8.StreamError as error:
            raised = error
        end = len(text.encode())
        if wanted:
            assert (raised.kind in CLASSES or raised.kind in STRAYS) and raised.position == wanted[0] and "forbidden" in str(raised)
            assert raised.length == len(data[wanted[0] :].decode("utf-8", "ignore")[0].encode())
            assert validator.pending == b""
        else:
            assert (raised is not None) == (end < len(data)) and (raised is None or raised.position == end)
        assert validator.position == (wanted[0] if wanted else end)
        # An error stays. (`finish` leaves a character that is cut off to further pieces.)
        if raised and raised.length:
            for again in [lambda: validator.push(b"a"), validator.finish]:
                with pytest.raises(trust8.StreamError) as caught:
                    again()
                assert caught.value.args == raised.args
        validator.reset()
        validator.push(b"a")
    with pytest.raises(TypeError):
        trust8.Validator("source")


def test_parquet(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as parquet

    src, dst = tmp_path / "src.parquet", tmp_path / "dst.parquet"
    parquet.write_table(pa.table({"text": ["a\0", "b"]}), src)
    assert trust8.arrow.repair_parquet(src, dst, "drop", profile="postgres") == 1
    assert parquet.read_table(dst)["text"].to_pylist() == ["a", "b"]
    assert trust8.arrow.repair_parquet(src, dst) == 0


def test_every_kernel():
    before = trust8.kernels()[0]
    expected = {text: wanted_of(text, "prompt") for text in texts()}
    assert any(expected.values()) and not all(expected.values())
    try:
        for kernel in trust8.kernels():
            assert _trust8._use_kernel(kernel)
            for text in texts():
                assert [one.start for one in trust8.errors(text.encode(), profile="prompt")] == expected[text]
                plain = places(text, NAMES["assignables"])
                assert [one.start for one in trust8.errors(text.encode(), profile="assignables")] == plain
    finally:
        _trust8._use_kernel(before)
