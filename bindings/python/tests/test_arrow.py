"""Columns: in from pyarrow, polars, duckdb and nanoarrow, out to them again, and compared with what CPython decodes."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import textwrap

import pytest
from support import SCALE, TEXTS, faulty

import trust8
from trust8 import arrow

pa = pytest.importorskip("pyarrow")

ROWS = [b"clean", None, b"caf\xe9", "Grüße 🌍".encode(), b"", b"\xff" * 20, "a longer row, 世界".encode() * 3]


def expected(policy, row):
    if row is None:
        return None
    if policy == "null":
        return row.decode() if trust8.is_utf8(row) else None
    return trust8.repair(row, policy).decode()


BINARY = [pa.binary(), pa.large_binary(), pa.binary_view()]
TEXT_OF = {"binary": "string", "large_binary": "large_string", "binary_view": "string_view"}


@pytest.mark.parametrize("kind", BINARY, ids=str)
@pytest.mark.parametrize("policy", ["replace", "java", "drop", "null", "escape", "windows-1252"])
def test_arrays_of_bytes(kind, policy):
    array = pa.array(ROWS, kind)
    for array in [array, array.slice(1), array.slice(2, 3), array.slice(0, 0)]:
        rows = array.to_pylist()
        assert pa.array(arrow.is_valid(array)).to_pylist() == [row and trust8.is_utf8(row) if row else (row == b"" or None) for row in rows]
        repaired = pa.array(arrow.repair(array, policy))
        repaired.validate(full=True)
        assert str(repaired.type) == TEXT_OF[str(kind)]
        assert repaired.to_pylist() == [expected(policy, row) for row in rows]
        found = pa.table(arrow.errors(array)).to_pylist()
        errors = ((i, next(trust8.errors(row or b""), None)) for i, row in enumerate(rows))
        wanted = [(i, error.start, error.kind) for i, error in errors if error]
        assert [(one["row"], one["offset"], one["kind"]) for one in found] == wanted
        if wanted:
            with pytest.raises(arrow.RowError) as caught:
                arrow.as_utf8(array)
            assert (caught.value.row, caught.value.start, caught.value.kind) == wanted[0]
            assert str(caught.value).startswith(f"row {wanted[0][0]}: invalid UTF-8 at byte {wanted[0][1]}: ")
        else:
            assert pa.array(arrow.as_utf8(array)).to_pylist() == [row and row.decode() for row in rows]


def over(memory, rows, kind=None):
    """An array of `rows`, whose bytes lie in `memory`, which anybody can write to."""
    array = pa.array(rows, kind or pa.binary())
    values = array.buffers()[2]
    memory[: values.size] = values.to_pybytes()
    buffers = array.buffers()
    buffers[2] = pa.py_buffer(memory).slice(0, values.size)
    return pa.Array.from_buffers(array.type, len(array), buffers)


@pytest.mark.parametrize("kind", BINARY, ids=str)
def test_what_is_copied_does_not_change_with_the_memory_it_came_from(kind):
    rows = ["a clean row, and a long one".encode(), "zwölf und noch mehr Text".encode()] * 10
    for array_of, function in [
        (lambda array: array, arrow.as_utf8),
        (lambda array: array.slice(3), arrow.repair),
        (lambda array: pa.ListArray.from_arrays(pa.array([0, 5, 20], pa.int32()), array), arrow.as_utf8),
        (lambda array: pa.DictionaryArray.from_arrays(pa.array([3, 1], pa.int8()), array), arrow.as_utf8),
        (lambda array: pa.StructArray.from_arrays([array], ["field"]), arrow.repair),
    ]:
        memory = bytearray(2000)
        array = array_of(over(memory, rows, kind))
        text = pa.array(function(array, copy=True))
        before = text.to_pylist()
        memory[:] = b"\xff" * len(memory)
        text.validate(full=True)
        assert text.to_pylist() == before


def test_memory_that_another_thread_writes_to(tmp_path):
    """`readinto` writes without the interpreter's lock."""
    import threading
    import time

    rows = [b"0123456789abcdef"] * 40_000
    memory = bytearray(16 * len(rows))
    array = over(memory, rows)
    path = tmp_path / "bytes"
    path.write_bytes(bytes(memory) + b"\xff" * len(memory))
    done = threading.Event()

    def write():
        with open(path, "rb", buffering=0) as file:
            while not done.is_set():
                if not file.readinto(memory):
                    file.seek(0)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        end = time.monotonic() + 5 / SCALE + 1
        while time.monotonic() < end:
            pa.array(arrow.repair(array, "replace", copy=True)).validate(full=True)
    finally:
        done.set()
        writer.join()


def test_what_the_module_has_made_is_not_copied_again():
    array = pa.array([b"one", None, "zwölf".encode()])
    first = arrow.as_utf8(array)
    second = arrow.repair(first)
    addresses = [[buffer.address for buffer in pa.array(text).buffers()] for text in (first, second)]
    assert addresses[0] == addresses[1]
    assert pa.array(second).to_pylist() == ["one", None, "zwölf"]


def test_of_a_slice_only_its_part_is_copied():
    for kind in BINARY:
        array = pa.array([b"a row of some length %d" % i for i in range(20_000)], kind)
        for part in [array.slice(10_000, 3), pa.ListArray.from_arrays(pa.array([0, 10_000, 10_003], pa.int32()), array).slice(1)]:
            text = pa.array(arrow.as_utf8(part, copy=True))
            assert text.to_pylist() == pa.array(part).cast(text.type).to_pylist()
            assert text.get_total_buffer_size() < 1000, kind


@pytest.mark.parametrize("kind", [
    pa.int32(), pa.bool_(), pa.binary(3), pa.decimal128(10), pa.decimal256(40), pa.month_day_nano_interval(), pa.null(),
    pa.list_view(pa.int8()), pa.large_list_view(pa.int8()), pa.list_(pa.string(), 2), pa.large_list(pa.string()),
    pa.map_(pa.string(), pa.binary_view()), pa.dictionary(pa.int16(), pa.string()),
    pa.struct([("x", pa.bool_()), ("y", pa.list_(pa.struct([("z", pa.binary())])))]),
], ids=str)
def test_arrays_of_all_kinds_arrive_as_they_are(kind):
    values = {
        "int32": 5, "bool": True, "fixed_size_binary[3]": b"abc", "decimal128(10, 0)": 7, "decimal256(40, 0)": 8,
        "month_day_nano_interval": pa.MonthDayNano([1, 2, 3]), "null": None, "list_view<item: int8>": [1, 2],
        "large_list_view<item: int8>": [3], "fixed_size_list<item: string>[2]": ["a", "é"],
        "large_list<item: string>": ["é"], "map<string, binary_view>": [("k", b"a value that is long")],
        "dictionary<values=string, indices=int16, ordered=0>": "é",
        "struct<x: bool, y: list<item: struct<z: binary>>>": {"x": True, "y": [{"z": b"a"}, None]},
    }
    array = pa.array([values[str(kind)], None] * 13, kind)
    for part in [array, array.slice(5), array.slice(3, 4), array.slice(7, 0), array.slice(9).slice(1)]:
        table = pa.table({"whole": part})
        text = pa.table(arrow.repair_table(table))
        text.validate(full=True)
        assert text["whole"].to_pylist() == part.to_pylist()


def test_unions_and_runs_arrive_as_they_are():
    ids, places = pa.array([0, 1, 0, 1], pa.int8()), pa.array([0, 0, 1, 1], pa.int32())
    fields = [pa.array([1, 2, 3, 4]), pa.array([True, False, None, True])]
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([3, 5, 9], pa.int32()), pa.array([1, None, 3]))
    for array in [pa.UnionArray.from_sparse(ids, fields), pa.UnionArray.from_dense(ids, places, fields), runs]:
        for part in [array, array.slice(1, 2)]:
            text = pa.table(arrow.repair_table(pa.table({"whole": part})))
            assert text["whole"].to_pylist() == part.to_pylist()


class Lie:
    """An array whose capsules were changed: `array` and `schema` map the fields of these structs to other values."""

    FIELDS = {
        "array": ["length", "null_count", "offset", "n_buffers", "n_children", "buffers", "children", "dictionary"],
        "schema": ["format", "name", "metadata", "flags", "n_children", "children", "dictionary"],
    }

    def __init__(self, array, **changes):
        import ctypes

        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        self.capsules = array.__arrow_c_array__()
        self.kept = []
        for capsule, name in zip(self.capsules, ["schema", "array"]):
            address = pointer(capsule, b"arrow_" + name.encode())
            for field, value in changes.get(name, {}).items():
                if isinstance(value, bytes):
                    self.kept.append(ctypes.create_string_buffer(value))
                    value = ctypes.addressof(self.kept[-1])
                place = address + 8 * self.FIELDS[name].index(field)
                ctypes.c_int64.from_address(place).value = value

    def __arrow_c_array__(self, requested_schema=None):
        return self.capsules


LIES = [
    {"array": {field: value}}
    for field, values in {
        "length": [-1, -(2**63), 2**62, 2**63 - 1], "offset": [-1, 2**62, 2**63 - 1], "n_buffers": [-1, 0, 1, 2, 9],
        "n_children": [-1], "buffers": [0],
    }.items()
    for value in values
] + [
    {"schema": {"format": value}}
    for value in [0, b"", b"\xff", b"+l", b"+L", b"+w:2", b"+w:-1", b"+s", b"+m", b"+r", b"+ud:0,1", b"+us:0", b"+vl", b"+vL", b"vz",
                  b"w:-1", b"w:x", b"d:1", b"tsq", b"?", b"i" * 100]
] + [{"schema": {"name": b"\xff"}}]


@pytest.mark.parametrize("lie", LIES, ids=str)
def test_capsules_that_lie(lie):
    """What contradicts itself is an `Exception`, and no `PanicException`, which `except Exception` misses."""
    array = pa.array([b"a row", b"\xff"])
    for function in [arrow.is_valid, arrow.errors, arrow.as_utf8, arrow.repair]:
        with pytest.raises((ValueError, MemoryError, TypeError)):
            function(Lie(array, **lie))


def test_types_that_are_none():
    lists = pa.array([["a"]], pa.list_(pa.string()))
    dictionary = pa.array([b"a"]).dictionary_encode()
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([1], pa.int32()), pa.array([b"a"]))
    structs = pa.array([{"a": "x", "b": "y"}])
    for array, formats in [(lists, [b"+m"]), (dictionary, [b"u", b"f", b"+l"]), (runs, [b"+s", b"+m"]), (structs, [b"+r"])]:
        for format in formats:
            with pytest.raises(ValueError):
                arrow.repair(Lie(array, schema={"format": format}))


def test_memory_outlives_the_array_that_it_came_from():
    import gc

    before = pa.total_allocated_bytes()
    array = pa.array([b"row %d" % i for i in range(10_000)])
    text = pa.array(arrow.as_utf8(array))
    del array
    gc.collect()
    assert text[9_999].as_py() == "row 9999"
    del text
    gc.collect()
    assert pa.total_allocated_bytes() <= before


def test_capsules_are_taken_once_and_released():
    import gc

    before = pa.total_allocated_bytes()
    for _ in range(2_000 // SCALE + 100):
        array = pa.array(ROWS * 50)
        result = arrow.repair(array)
        # A capsule that nobody takes is released with the object.
        result.__arrow_c_array__()
        result.__arrow_c_schema__()
        stream = arrow.repair(pa.chunked_array([array, array]))
        stream.__arrow_c_stream__()
        pa.chunked_array(stream)
        arrow.errors(array)
    del array, result, stream
    gc.collect()
    assert pa.total_allocated_bytes() <= before

    class Twice:
        def __init__(self, array):
            self.capsules = array.__arrow_c_array__()

        def __arrow_c_array__(self, requested_schema=None):
            return self.capsules

    twice = Twice(pa.array(ROWS))
    arrow.is_valid(twice)
    with pytest.raises(ValueError, match="array has been taken already"):
        arrow.is_valid(twice)

    # pyarrow takes the schema as well, so there is none left to read.
    twice = Twice(pa.array(ROWS))
    pa.array(twice)
    for function in [arrow.is_valid, arrow.errors, arrow.as_utf8, arrow.repair]:
        with pytest.raises(ValueError, match="schema has been taken already"):
            function(twice)


def test_nulls_in_a_field_that_allows_none():
    schema = pa.schema([pa.field("text", pa.string(), nullable=False), pa.field("number", pa.int64())])
    table = pa.table([pa.array(["a", None]), pa.array([1, 2])], schema=schema)
    with pytest.raises(ValueError, match="(?i)null"):
        arrow.repair_table(table, "replace")
    assert pa.table(arrow.repair_table(table, "null")).to_pylist() == table.to_pylist()


def test_chunks():
    chunked = pa.chunked_array([pa.array(ROWS), pa.array(ROWS[:2]), pa.array([], pa.binary()), pa.array(ROWS)])
    rows = chunked.to_pylist()
    assert pa.chunked_array(arrow.repair(chunked)).to_pylist() == [expected("replace", row) for row in rows]
    assert len(arrow.repair(chunked)) == len(rows)
    found = pa.table(arrow.errors(chunked))
    assert sorted(set(found["row"].to_pylist())) == [
        i for i, row in enumerate(rows) if row is not None and not trust8.is_utf8(row)
    ]
    with pytest.raises(arrow.RowError) as caught:
        arrow.as_utf8(chunked.slice(7))
    assert caught.value.row == 4
    empty = pa.chunked_array([], pa.binary())
    assert pa.chunked_array(arrow.repair(empty)).type == pa.string()
    assert pa.table(arrow.errors(empty)).num_rows == 0


def test_chunks_with_nulls_have_nullable_fields_at_any_depth():
    """The chunks have one type, and only the second one gets a null. It was a null in a field that allows none."""
    item = pa.field("item", pa.binary(), nullable=False)
    struct = pa.struct([item])
    union = pa.UnionArray.from_sparse
    for column in [
        lambda value: pa.array([{"item": value}], struct),
        lambda value: pa.array([[value]], pa.list_(item)),
        lambda value: pa.array([[value]], pa.list_view(item)),
        lambda value: pa.array([[value]], pa.large_list_view(item)),
        lambda value: pa.array([[("key", value)]], pa.map_(pa.string(), pa.field("value", pa.binary(), nullable=False))),
        lambda value: pa.array([[("key", {"item": value})]], pa.map_(pa.string(), struct)),
        lambda value: pa.DictionaryArray.from_arrays(pa.array([0]), pa.array([{"item": value}], struct)),
        lambda value: pa.RunEndEncodedArray.from_arrays(pa.array([1], pa.int32()), pa.array([{"item": value}], struct)),
        lambda value: union(pa.array([0], pa.int8()), [pa.array([{"item": value}], struct)]),
    ]:
        chunks = [column(b"a"), column(b"\xff")]
        repaired = pa.chunked_array(arrow.repair(pa.chunked_array(chunks), "null"))
        assert all(field.nullable for field in _inner_fields(repaired.type)), repaired.type
        assert all(chunk.type == repaired.type for chunk in repaired.chunks)
        kept = pa.chunked_array(arrow.repair(pa.chunked_array(chunks), "drop"))
        assert not all(field.nullable for field in _inner_fields(kept.type)), kept.type


def _inner_fields(type):
    """Return all fields in a type, except for the keys and entries of maps."""
    if pa.types.is_dictionary(type) or pa.types.is_run_end_encoded(type):
        return _inner_fields(type.value_type)
    is_map = pa.types.is_map(type)
    fields = [type.item_field] if is_map else [type.field(i) for i in range(type.num_fields)]
    return fields + [inner for field in fields for inner in _inner_fields(field.type)]


def test_nested_columns():
    rows = [[b"a", b"\xff"], None, [], ["é".encode(), None]]
    lists = pa.array(rows, pa.list_(pa.binary()))
    assert pa.array(arrow.repair(lists, "drop")).to_pylist() == [["a", ""], None, [], ["é", None]]
    assert pa.array(arrow.repair(lists, "null")).to_pylist() == [["a", None], None, [], ["é", None]]
    structs = pa.array([{"x": 1, "y": b"\xff"}, {"x": 2, "y": b"ok"}])
    assert pa.array(arrow.repair(structs, "escape")).to_pylist() == [{"x": 1, "y": r"\xFF"}, {"x": 2, "y": "ok"}]
    with pytest.raises(arrow.RowError) as caught:
        arrow.as_utf8(structs)
    assert (caught.value.row, caught.value.path) == (0, ".y")
    dictionary = pa.array([b"a", b"\xff", b"a"]).dictionary_encode()
    assert pa.array(arrow.repair(dictionary)).to_pylist() == ["a", "\ufffd", "a"]
    numbers = pa.array([1, 2, None])
    assert pa.array(arrow.repair(numbers)).equals(numbers)


def lie(rows):
    """An array that claims to be text and is not."""
    array = pa.array(rows, pa.binary())
    return pa.Array.from_buffers(pa.string(), len(array), array.buffers())


def table():
    return pa.table({
        "id": pa.array(range(len(ROWS))),
        "raw": pa.array(ROWS),
        "claimed": lie([row or b"" for row in ROWS]),
        "text": pa.array(["é"] * len(ROWS)),
    }).replace_schema_metadata({"kept": "yes"})


def test_tables():
    repaired = pa.table(arrow.repair_table(table()))
    assert repaired.schema.field("raw").type == pa.binary()
    assert repaired["raw"].to_pylist() == ROWS
    assert repaired["claimed"].to_pylist() == [expected("replace", row or b"") for row in ROWS]
    assert repaired["id"].to_pylist() == list(range(len(ROWS)))
    named = pa.table(arrow.repair_table(table(), "null", columns=["raw"]))
    assert named["raw"].to_pylist() == [expected("null", row) for row in ROWS]
    assert named["claimed"].chunk(0).buffers()[2].to_pybytes() == table()["claimed"].chunk(0).buffers()[2].to_pybytes()
    batch = table().to_batches()[0]
    assert pa.table(arrow.repair_table(batch, "drop", ["raw"]))["raw"].to_pylist()[2] == "caf"
    reader = pa.RecordBatchReader.from_batches(batch.schema, [batch, batch])
    assert len(arrow.repair_table(reader)) == 2 * len(ROWS)
    with pytest.raises(KeyError, match="missing"):
        arrow.repair_table(table(), columns=["missing"])
    with pytest.raises(TypeError, match="no table"):
        arrow.repair_table(pa.array(ROWS))


def test_of_a_table_only_text_is_converted():
    """The bytes of a column that nobody named are no text to be."""
    source = table()
    repaired = pa.table(arrow.repair(source))
    assert repaired.schema.field("raw").type == pa.binary() and repaired["raw"].to_pylist() == ROWS
    assert repaired["claimed"].to_pylist() == [expected("replace", row or b"") for row in ROWS]
    assert pa.table(arrow.repair(source, columns=["raw"]))["raw"].to_pylist() == [expected("replace", row) for row in ROWS]
    clean = source.drop_columns(["claimed"])
    for one in [clean, clean.to_batches()[0], clean.to_reader()]:
        assert pa.table(arrow.as_utf8(one)).schema.field("raw").type == pa.binary()
    with pytest.raises(arrow.RowError) as caught:
        arrow.as_utf8(source)
    assert (caught.value.row, caught.value.path) == (2, ".claimed")
    with pytest.raises(arrow.RowError) as caught:
        arrow.as_utf8(clean, ["raw"])
    assert (caught.value.row, caught.value.path) == (2, ".raw")
    for function in [arrow.repair, arrow.repair_table]:
        with pytest.raises(TypeError, match="names"):
            function(source, columns="raw")


def test_extension_types_stay_what_they_are():
    import uuid

    ids = pa.array([uuid.UUID(int=2**128 - i).bytes for i in (1, 2)], pa.uuid())
    for function in [arrow.repair, arrow.as_utf8]:
        assert pa.array(function(ids)).equals(ids)
        table = pa.table(function(pa.table({"id": ids, "text": ["a", "b"]})))
        assert table.schema.field("id").type == pa.uuid()
        structs = pa.StructArray.from_arrays([ids, pa.array([b"a", b"b"])], ["id", "raw"])
        assert pa.array(function(structs)).type == pa.struct([("id", pa.uuid()), ("raw", pa.string())])
    assert len(arrow.errors(pa.table({"id": ids}))) == 0
    with pytest.raises(TypeError, match="extension type"):
        arrow.repair(pa.table({"id": ids}), columns=["id"])


def test_bytes_of_an_extension_type_are_no_text_alone_either():
    uuids = pa.array([b"\xff" * 16, None], pa.uuid())
    assert arrow.is_valid(uuids).to_pylist() == [True, None] and len(arrow.errors(uuids)) == 0


def test_dictionaries_of_an_extension_type_keep_it():
    """Arrow's dictionaries in Rust lose the extension type of their values, so one refused a whole table."""
    keys = pa.array([0, 1, None])
    keyed = pa.DictionaryArray.from_arrays(keys, pa.array([b"\xff" * 16, None], pa.uuid()))
    text = pa.DictionaryArray.from_arrays(keys, pa.ExtensionArray.from_storage(pa.json_(), lie([b"1", b"\xff"])))
    lists = pa.ListArray.from_arrays(pa.array([0, 1, 2, 3], pa.int32()), keyed)
    for one in [keyed, lists, pa.DictionaryArray.from_arrays(keys, keyed)]:
        for function in [arrow.as_utf8, arrow.repair]:
            same = pa.array(function(one))
            assert same.type == one.type and same.equals(one)
        assert len(arrow.errors(one)) == 0
    assert arrow.is_valid(keyed).to_pylist() == [True, None, None]
    assert arrow.is_valid(lists).to_pylist() == [True, True, True]
    assert arrow.is_valid(text).to_pylist() == [True, False, None] and len(arrow.errors(text)) == 1
    assert pa.array(arrow.repair(text, "drop")).type == text.type
    with pytest.raises(arrow.RowError, match="^row 1: "):
        arrow.as_utf8(text)
    source = pa.table({"id": keyed, "ids": lists, "name": pa.array([b"a", b"\xff", None])})
    repaired = pa.table(arrow.repair_table(source, "drop", ["name"]))
    assert repaired.drop_columns("name").equals(source.drop_columns("name"))
    assert repaired["name"].to_pylist() == ["a", "", None]
    with pytest.raises(TypeError, match="the column 'id' is of an extension type"):
        arrow.repair(source, columns=["id"])
    plain = pa.DictionaryArray.from_arrays(keys, pa.array([b"a", b"b"]))
    assert arrow.repair(plain).to_pylist() == ["a", "b", None]


class Field:
    """An array that is the column of a field. A field of an extension type need not be registered."""

    def __init__(self, array, nullable=True, extension=None):
        metadata = {"ARROW:extension:name": extension} if extension else None
        field = pa.field("s", array.type, nullable, metadata)
        self.__arrow_c_array__ = lambda: (field.__arrow_c_schema__(), array.__arrow_c_array__()[1])


def test_text_in_an_extension_type_with_bytes():
    """`is_valid` found nothing wrong with it, and `as_utf8` and `repair` returned it unchecked."""
    struct = pa.StructArray.from_arrays([lie([b"a", b"b\xff", b"\xff"]), pa.array([b"\xff"] * 3)], ["t", "b"], mask=pa.array([False, False, True]))
    column = Field(struct, extension="own")
    assert arrow.is_valid(column).to_pylist() == [True, False, None]
    field = pa.field("own", struct.type, metadata={"ARROW:extension:name": "own"})
    errors = pa.table(arrow.errors(pa.table([struct], pa.schema([field]))))
    assert errors.select(["row", "path"]).to_pylist() == [{"row": 1, "path": ".own.t"}]
    assert pa.table(arrow.errors(column)).select(["row", "path"]).to_pylist() == [{"row": 1, "path": ".t"}]
    with pytest.raises(arrow.RowError, match="^row 1, .t: "):
        arrow.as_utf8(column)
    repaired = arrow.repair(column, "drop")
    assert repaired.to_pylist() == [{"t": "a", "b": b"\xff"}, {"t": "b", "b": b"\xff"}, None]


def test_nulls_of_an_extension_type():
    values = pa.array([b"\xff", None])
    keyed = pa.DictionaryArray.from_arrays(pa.array([0, 1, None]), values)
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([1, 2], pa.int32()), values)
    assert arrow.is_valid(Field(keyed, extension="own")).to_pylist() == [True, None, None]
    assert arrow.is_valid(Field(runs, extension="own")).to_pylist() == [True, None]


def test_a_struct_that_can_not_be_null_may_be_a_column():
    """It was taken for a table, and its bytes were neither converted nor checked."""
    column = Field(pa.array([{"b": b"\xff"}]), nullable=False)
    for function in [arrow.as_utf8, arrow.repair]:
        with pytest.raises(TypeError, match="may be a table or a column"):
            function(column)
    assert isinstance(arrow.repair(column, columns=[]), arrow.Stream)
    assert arrow.repair(column, "drop", ["b"]).to_pylist() == arrow.repair_table(column, "drop", ["b"]).to_pylist() == [{"b": ""}]
    text = arrow.repair(Field(pa.array([{"t": "a"}]), nullable=False))
    assert isinstance(text, arrow.Array) and text.to_pylist() == [{"t": "a"}]
    batch = pa.record_batch({"b": [b"\xff"]})
    assert pa.table(arrow.repair(batch))["b"].to_pylist() == [b"\xff"]


class Plain:
    """An object that has nothing but the interface."""

    def __init__(self, table):
        self.__arrow_c_stream__ = table.__arrow_c_stream__


def test_tables_without_a_list_of_columns():
    """The result of `repair_table`, tables of nanoarrow and others were taken for columns, and their blobs filled with U+FFFD."""
    table = pa.table({"text": lie([b"a\xff"]), "raw": [b"\xff"]})
    repaired = pa.table(arrow.repair_table(table, "drop"))
    for same in [table, arrow.repair_table(table, "escape", []), arrow.repair_table(table, "null", []), Plain(table)]:
        assert pa.table(arrow.repair(same, "drop")).equals(repaired)
    column = pa.array([{"text": "a", "raw": b"\xff"}])
    assert arrow.repair(column, "drop").to_pylist() == [{"text": "a", "raw": ""}]


def test_types_have_the_names_of_pyarrow():
    word = pa.array([b"a"])
    ordered = pa.DictionaryArray.from_arrays(pa.array([0], pa.int8()), word, ordered=True)
    types = [
        pa.timestamp("us"), pa.timestamp("ns", "UTC"), pa.date32(), pa.date64(), pa.time32("s"), pa.time64("us"), pa.duration("ms"),
        pa.decimal128(10, 2), pa.bool_(), pa.float16(), pa.uint8(), pa.null(), pa.month_day_nano_interval(), pa.list_(pa.int8(), 2),
        pa.map_(pa.string(), pa.field("value", pa.int8(), nullable=False)), pa.map_(pa.string(), pa.int8(), keys_sorted=True),
        pa.list_view(pa.float32()), pa.struct([pa.field("x", pa.large_binary(), nullable=False)]),
    ]
    arrays = [
        pa.array([[b"a"]]), pa.array([{"a": b"b", "c": 1.5}]), word.dictionary_encode(), ordered, word.cast(pa.binary_view()),
        pa.array([[("k", b"v")]], pa.map_(pa.string(), pa.binary())),
        pa.RunEndEncodedArray.from_arrays(pa.array([1], pa.int32()), word), *(pa.array([None, None], kind) for kind in types),
    ]
    for array in arrays:
        result = arrow.repair(array)
        rows = "1 row" if len(array) == 1 else "2 rows"
        assert repr(result) == f"<trust8.arrow.Array of {rows}, {pa.array(result).type}>"
    # Of an extension type, the storage is named.
    assert repr(arrow.repair(pa.array([], pa.uuid()))) == "<trust8.arrow.Array of 0 rows, fixed_size_binary[16]>"
    for chunks, counts in [([word], "1 row in 1 chunk"), ([word, word], "2 rows in 2 chunks")]:
        assert repr(arrow.repair(pa.chunked_array(chunks))) == f"<trust8.arrow.Stream of {counts}, string>"


def test_nulls_of_arrays_without_a_bitmap():
    assert pa.array(arrow.is_valid(pa.nulls(2))).to_pylist() == [None, None]
    dictionary = pa.DictionaryArray.from_arrays(pa.array([1, 0]), pa.array([b"a", None]))
    assert pa.array(arrow.is_valid(dictionary)).to_pylist() == [None, True]


def test_parquet_files_stay_as_they_are(tmp_path):
    import pyarrow.parquet as parquet

    src, dst = tmp_path / "src.parquet", tmp_path / "dst.parquet"
    rows = 3000
    source = pa.table({
        "number": pa.array(range(rows)), "often": ["one", "two", "three"] * (rows // 3), "raw": [b"raw %d" % i for i in range(rows)],
    })
    parquet.write_table(
        source, src, row_group_size=1000, compression={"number": "zstd", "often": "snappy", "raw": "none"},
        use_dictionary=["often"], column_encoding={"number": "DELTA_BINARY_PACKED", "raw": "DELTA_BYTE_ARRAY"},
        sorting_columns=[parquet.SortingColumn(0), parquet.SortingColumn(2)], write_page_index=True,
    )
    arrow.repair_parquet(src, dst, batch_rows=300)

    def shape(path):
        metadata = parquet.read_metadata(path)
        groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
        return [
            (group.num_rows, group.sorting_columns, [
                (column.compression, sorted(column.encodings), column.has_dictionary_page, column.has_offset_index)
                for column in map(group.column, range(3))
            ])
            for group in groups
        ]

    assert shape(dst) == shape(src)
    assert dst.stat().st_size < 1.1 * src.stat().st_size
    assert parquet.read_table(dst).equals(source)
    # Bytes that become text stay in their order if nothing is repaired.
    arrow.repair_parquet(src, dst, columns=["raw"])
    assert parquet.read_metadata(dst).row_group(0).sorting_columns == (parquet.SortingColumn(0), parquet.SortingColumn(2))


@pytest.mark.parametrize("options", [
    {"use_compliant_nested_type": False},
    {"use_deprecated_int96_timestamps": True},
    {"store_decimal_as_integer": True},
    {"store_schema": False},
    {"write_statistics": ["number"]},
    {"use_dictionary": False, "column_encoding": {"text": "DELTA_BYTE_ARRAY", "number": "DELTA_BINARY_PACKED"}},
    {"row_group_size": 400, "compression": "zstd"},
], ids=lambda options: next(iter(options)))
def test_a_repaired_parquet_file_is_like_its_source(options, tmp_path):
    """Names, types, compression, encodings and statistics of all columns, also of that which is repaired."""
    import decimal

    import pyarrow.parquet as parquet

    src, dst = tmp_path / "src.parquet", tmp_path / "dst.parquet"
    rows = 1000
    text = lie([b"\xff", *[b"text %d" % (i % 7) for i in range(1, rows)]])
    parquet.write_table(pa.table({
        "text": text, "number": range(rows), "time": pa.array(range(rows), pa.timestamp("ns")),
        "amount": [decimal.Decimal("1.25")] * rows,
        "items": pa.ListArray.from_arrays(pa.array(range(rows + 1), pa.int32()), text),
    }), src, sorting_columns=[parquet.SortingColumn(1)], **options)
    assert arrow.repair_parquet(src, dst) == 2

    def shape(path):
        with parquet.ParquetFile(path) as file:
            groups = [file.metadata.row_group(i) for i in range(file.metadata.num_row_groups)]
            return str(file.schema).splitlines()[1:], b"ARROW:schema" in (file.metadata.metadata or {}), [
                (group.num_rows, group.sorting_columns, [
                    (column.path_in_schema, column.physical_type, column.compression, sorted(column.encodings), column.is_stats_set)
                    for column in map(group.column, range(5))
                ])
                for group in groups
            ]

    assert shape(dst) == shape(src)
    assert parquet.read_table(dst)["text"].to_pylist() == [expected("replace", row) for row in text.cast(pa.binary()).to_pylist()]


def test_what_a_repaired_parquet_file_is_sorted_by(tmp_path):
    """A column with a fault in another one stays sorted, and so do the columns before one that is repaired."""
    import pyarrow.parquet as parquet

    src, dst = tmp_path / "src.parquet", tmp_path / "dst.parquet"
    columns = {"clean": ["a", "b"], "faulty": lie([b"a", b"\xff"]), "a.b": pa.array([b"a\xff", b"bb"], pa.binary(2)), "number": [0.5, 1.5]}
    encoding = {"clean": "DELTA_BYTE_ARRAY", "a.b": "BYTE_STREAM_SPLIT", "number": "BYTE_STREAM_SPLIT"}
    for sorting, names, kept in [([0], None, 1), ([2], None, 1), ([0, 1], None, 1), ([1, 0], None, 0), ([0, 2], ["a.b", "number"], 1)]:
        sorting = tuple(map(parquet.SortingColumn, sorting))
        parquet.write_table(pa.table(columns), src, sorting_columns=sorting, use_dictionary=False, column_encoding=encoding)
        assert arrow.repair_parquet(src, dst, columns=names) == 1
        group = parquet.read_metadata(dst).row_group(0)
        assert group.sorting_columns == sorting[:kept]
        assert ("BYTE_STREAM_SPLIT" in group.column(2).encodings) == (names is None)
        assert "BYTE_STREAM_SPLIT" in group.column(3).encodings


def test_a_parquet_file_that_needs_no_repair_is_copied(tmp_path):
    import pyarrow.parquet as parquet

    src, dst = tmp_path / "src.parquet", tmp_path / "dst.parquet"
    for source in [pa.table({"text": ["a", "b"]}), pa.table({"text": pa.array([], pa.string())})]:
        parquet.write_table(source, src, data_page_version="2.0", write_page_checksum=True, sorting_columns=[parquet.SortingColumn(0)])
        assert arrow.repair_parquet(src, dst) == 0
        assert dst.read_bytes() == src.read_bytes()
    # Named bytes become text without a fault, too.
    parquet.write_table(pa.table({"text": [b"a"]}), src)
    assert arrow.repair_parquet(src, dst, columns=["text"]) == 0
    assert parquet.read_table(dst).equals(pa.table({"text": ["a"]}))


def test_text_beside_bytes_is_repaired():
    """In a struct with both, the text was left as it was, and nothing said so."""
    both = pa.StructArray.from_arrays([lie([b"a\xff"]), pa.array([b"\xff"])], ["text", "raw"])
    source = pa.table({"both": both})
    repaired = pa.table(arrow.repair_table(source, "drop"))
    assert repaired["both"].to_pylist() == [{"text": "a", "raw": b"\xff"}]
    assert repaired.schema == source.schema
    with pytest.raises(arrow.RowError, match="^row 0, .both.text: "):
        arrow.as_utf8(source)


def test_parquet_files_with_two_columns_of_one_name(tmp_path):
    import pyarrow.parquet as parquet

    src, dst = tmp_path / "src.parquet", tmp_path / "dst.parquet"
    source = pa.Table.from_arrays([lie(ROWS[2:]), pa.array(range(5)), lie(ROWS[2:])], ["x", "n", "x"])
    parquet.write_table(source, src)
    assert arrow.repair_parquet(src, dst) == 4
    with parquet.ParquetFile(dst) as file:
        repaired = file.read()
    assert repaired.column(0).to_pylist() == repaired.column(2).to_pylist() == [expected("replace", row) for row in ROWS[2:]]
    with pytest.raises(TypeError, match="names"):
        arrow.repair_parquet(src, dst, columns="x")


def test_a_link_to_a_parquet_file_stays_a_link(tmp_path):
    import pyarrow.parquet as parquet

    target, link = tmp_path / "target.parquet", tmp_path / "link.parquet"
    parquet.write_table(pa.table({"text": lie(ROWS[2:])}), target)
    link.symlink_to(target)
    assert arrow.repair_parquet(link, link) == 2
    assert link.is_symlink()
    assert parquet.read_table(target)["text"].to_pylist() == [expected("replace", row) for row in ROWS[2:]]


def test_a_repaired_parquet_file_is_as_private_as_before(tmp_path, monkeypatch):
    """It had the permissions of any new file, and a process without standard error could not repair one."""
    import pyarrow.parquet as parquet

    src, dst = tmp_path / "src.parquet", tmp_path / "dst.parquet"
    parquet.write_table(pa.table({"text": lie([b"a", b"\xe9"])}), src)
    src.chmod(0o600)
    monkeypatch.setattr(sys, "stderr", None)
    for mode in [0o600, 0o640]:
        assert arrow.repair_parquet(src, dst) == 1
        assert dst.stat().st_mode & 0o777 == mode
        dst.chmod(0o640)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may change the owner of a file")
def test_a_repaired_parquet_file_keeps_its_owner_and_its_group(tmp_path, monkeypatch):
    """It became root's, so that its owner could not read it, and another group could."""
    import pyarrow.parquet as parquet

    path = tmp_path / "file.parquet"

    def repaired(mode):
        parquet.write_table(pa.table({"text": lie([b"a", b"\xe9"])}), path)
        os.chown(path, 1234, 4321)
        path.chmod(mode)
        with monkeypatch.context() as patch:
            if mode != 0o640:
                patch.setattr(os, "chown", refused)
            assert arrow.repair_parquet(path, path) == 1
        found = path.stat()
        return found.st_uid, found.st_gid, found.st_mode & 0o7777

    def refused(*_):
        raise PermissionError

    assert repaired(0o640) == (1234, 4321, 0o640)
    assert repaired(0o6664) == (os.geteuid(), os.getegid(), 0o644)
    assert repaired(0o670) == (os.geteuid(), os.getegid(), 0o600)


def test_a_parquet_file_is_repaired_where_files_have_no_owner(tmp_path, monkeypatch):
    """On Windows, there is no `chown`, and AttributeError was raised."""
    import pyarrow.parquet as parquet

    path = tmp_path / "file.parquet"
    parquet.write_table(pa.table({"text": lie([b"a", b"\xe9"])}), path)
    monkeypatch.delattr(os, "chown")
    assert arrow.repair_parquet(path, path) == 1


def test_a_parquet_file_is_written_to_no_device(tmp_path):
    """The device of /dev/null became a file."""
    import pyarrow.parquet as parquet

    src, dst = tmp_path / "file.parquet", tmp_path / "pipe"
    parquet.write_table(pa.table({"text": ["a"]}), src)
    os.mkfifo(dst)
    with pytest.raises(FileExistsError, match="regular"):
        arrow.repair_parquet(src, dst)
    assert dst.is_fifo() and sorted(tmp_path.iterdir()) == [src, dst]


def test_a_profile_for_a_parquet_file_may_be_an_iterator(tmp_path):
    """The first batch used it up, and after that nothing was forbidden."""
    import pyarrow.parquet as parquet

    path = tmp_path / "file.parquet"
    parquet.write_table(pa.table({"text": ["a\u202eb"]}), path)
    assert arrow.repair_parquet(path, path, "drop", profile=iter(["bidi-control"])) == 1
    assert parquet.read_table(path)["text"].to_pylist() == ["ab"]


def test_a_stream_that_waits_for_a_thread_of_python():
    """The lock was held while the stream read a file of Python in another thread, which waited for the lock."""
    code = """
        import io, pyarrow, pyarrow.dataset as dataset, pyarrow.parquet as parquet
        from trust8 import arrow
        for function in [arrow.is_valid, arrow.errors, arrow.as_utf8, arrow.repair]:
            file = io.BytesIO()
            parquet.write_table(pyarrow.table({"a": ["x"] * 100}), file, row_group_size=10)
            file.seek(0)
            scanner = dataset.ParquetFileFormat().make_fragment(file).scanner()
            print(len(function(scanner.to_reader())))
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("100\n0\n100\n100\n", "")


def test_wrong_arguments():
    for wrong in [5, b"bytes", [b"a"], None]:
        for function in [arrow.is_valid, arrow.errors, arrow.as_utf8, arrow.repair, arrow.repair_table]:
            with pytest.raises(TypeError, match="__arrow_c_array__ or __arrow_c_stream__"):
                function(wrong)
    with pytest.raises(ValueError, match="the policies are"):
        arrow.repair(pa.array(ROWS), "guess")

    class Wrong:
        def __arrow_c_stream__(self, requested_schema=None):
            return object()

    with pytest.raises(ValueError):
        arrow.is_valid(Wrong())


def test_many_random_columns():
    chosen = random.Random(11)
    for number in range(400 // SCALE + 20):
        rows = []
        for _ in range(chosen.randrange(60)):
            row = TEXTS[chosen.choice(list(TEXTS))][: chosen.randrange(40)].encode()
            if chosen.random() < 0.3:
                row = faulty(row.decode(), 10, number)
            rows.append(None if chosen.random() < 0.1 else row)
        for kind in BINARY:
            array = pa.array(rows, kind)
            if len(rows) > 4:
                array = array.slice(chosen.randrange(3))
            for policy in ["replace", "drop", "null"]:
                repaired = pa.array(arrow.repair(array, policy))
                assert repaired.to_pylist() == [expected(policy, row) for row in array.to_pylist()]


def test_polars():
    polars = pytest.importorskip("polars")
    series = polars.Series("name", ROWS, dtype=polars.Binary)
    repaired = polars.Series(arrow.repair(series, "drop"))
    assert repaired.dtype == polars.String
    assert repaired.to_list() == [expected("drop", row) for row in ROWS]
    assert polars.Series(arrow.is_valid(series)).to_list() == [row if row is None else trust8.is_utf8(row) for row in ROWS]
    frame = polars.DataFrame({"id": range(len(ROWS)), "name": series})
    back = polars.DataFrame(arrow.repair_table(frame, "replace", ["name"]))
    assert back["name"].to_list() == [expected("replace", row) for row in ROWS]
    assert back["id"].to_list() == list(range(len(ROWS)))
    assert polars.DataFrame(arrow.errors(frame))["path"].unique().to_list() == [".name"]


def test_duckdb():
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    raw = table().select(["id", "raw"])
    connection.register("raw_table", raw)
    relation = connection.sql("select * from raw_table order by id")
    repaired = pa.table(arrow.repair_table(relation, "drop", ["raw"]))
    assert repaired["raw"].to_pylist() == [expected("drop", row) for row in ROWS]
    connection.register("repaired", repaired)
    assert connection.sql("select count(*) from repaired where raw = 'caf'").fetchall() == [(1,)]
    stream = arrow.repair_table(relation, "drop", ["raw"])
    reader = pa.RecordBatchReader.from_stream(stream)
    assert connection.from_arrow(reader).aggregate("max(length(raw))").fetchall()[0][0] > 0


def test_nanoarrow():
    nanoarrow = pytest.importorskip("nanoarrow")
    array = nanoarrow.Array(ROWS, nanoarrow.binary())
    assert nanoarrow.Array(arrow.repair(array, "escape")).to_pylist() == [expected("escape", row) for row in ROWS]
    assert len(arrow.errors(array)) > 0


@pytest.mark.parametrize("compression", ["none", "snappy", "zstd"])
def test_parquet(compression, tmp_path, capsys):
    import pyarrow.parquet as parquet

    source = pa.concat_tables([table()] * 300)
    src, dst = tmp_path / "src.parquet", tmp_path / "dst.parquet"
    parquet.write_table(source, src, compression=compression, row_group_size=500)
    expected_errors = 300 * sum(not trust8.is_utf8(row or b"") for row in ROWS)
    assert arrow.repair_parquet(src, dst, batch_rows=128, progress=True) == expected_errors
    assert "2,100 of 2,100 rows" in capsys.readouterr().err
    repaired = parquet.read_table(dst)
    repaired.validate(full=True)
    assert repaired["claimed"].to_pylist() == [expected("replace", row or b"") for row in ROWS] * 300
    assert repaired["raw"].to_pylist() == ROWS * 300
    assert repaired.schema.metadata[b"kept"] == b"yes"
    assert parquet.ParquetFile(dst).metadata.row_group(0).column(0).compression.lower() in (
        compression, "uncompressed" if compression == "none" else compression
    )
    assert arrow.repair_parquet(dst, dst) == 0
    assert capsys.readouterr().err == ""
    assert arrow.repair_parquet(src, dst, "null", ["raw", "claimed"], batch_rows=100) == 2 * expected_errors
    assert parquet.read_table(dst)["raw"].to_pylist() == [expected("null", row) for row in ROWS] * 300
    with pytest.raises(KeyError):
        arrow.repair_parquet(src, tmp_path / "none.parquet", columns=["missing"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dst.parquet", "src.parquet"]


def test_the_memory_for_a_parquet_file_does_not_grow_with_it(tmp_path):
    """The most that pyarrow holds at a time, for files where one has eight times as many rows."""
    code = """
        import sys
        import pyarrow as pa, pyarrow.parquet as parquet
        from trust8 import arrow
        src, groups = sys.argv[1], int(sys.argv[2])
        rows = pa.table({"text": pa.array([b"caf\\xe9 %d" % i * 20 for i in range(1000)])})
        with parquet.ParquetWriter(src, rows.schema) as sink:
            for _ in range(groups):
                sink.write_table(rows)
        del rows
        assert arrow.repair_parquet(src, src + ".repaired", columns=["text"], batch_rows=1000) == 1000 * groups
        print(pa.default_memory_pool().max_memory())
    """
    peaks = []
    for groups in [8, 64]:
        command = [sys.executable, "-c", textwrap.dedent(code), str(tmp_path / "src.parquet"), str(groups)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        peaks.append(int(done.stdout))
    assert peaks[1] < 1.2 * peaks[0], peaks
