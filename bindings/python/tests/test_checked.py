"""Tables of strangers: read from all libraries, refused, repaired or marked, and not copied."""

from __future__ import annotations

import pytest
from support import interrupted
from test_arrow import lie

from trust8 import arrow

pa = pytest.importorskip("pyarrow")

ROWS = [b"ok", b"caf\xe9", None, b"ok"]
FIXED = {
    "replace": "caf\ufffd",
    "java": "caf\ufffd",
    "drop": "caf",
    "null": None,
    "escape": r"caf\xE9",
    "windows-1252": "caf\xe9",
}


def table(rows=ROWS):
    return pa.table({"id": pa.array(range(len(rows))), "name": lie(rows), "raw": pa.array(rows, pa.binary())})


def sources(bad):
    """The same table as a user of each kind of object has it."""
    import pyarrow.dataset

    yield bad
    yield bad.combine_chunks().to_batches()[0]
    yield bad.to_reader()
    yield bad.__arrow_c_stream__()
    yield pyarrow.dataset.dataset(bad)
    yield pyarrow.dataset.dataset(bad).scanner()
    yield arrow.checked(bad, "replace")


@pytest.mark.parametrize("policy", FIXED)
@pytest.mark.parametrize("copy", [False, True])
def test_each_source_is_repaired_and_marked(policy, copy):
    *unread, read = sources(table())
    for source in unread:
        result = pa.table(arrow.checked(source, policy, mask="is_utf8", copy=copy))
        result.validate(full=True)
        assert result["name"].to_pylist() == ["ok", FIXED[policy], None, "ok"]
        assert result["is_utf8"].to_pylist() == [True, False, True, True]
        assert result["raw"].to_pylist() == ROWS
    assert pa.table(arrow.checked(read))["name"].to_pylist() == ["ok", "caf\ufffd", None, "ok"]


def test_each_source_is_refused_with_its_row():
    *unread, _ = sources(table())
    for source in unread:
        with pytest.raises(arrow.RowError, match=r"^row 1, \.name: invalid UTF-8 at byte 3: E9 ") as caught:
            arrow.checked(source).read_all()
        assert (caught.value.row, caught.value.path, caught.value.start) == (1, ".name", 3)
    with pytest.raises(pa.ArrowInvalid, match=r"row 1, name: invalid UTF-8 at byte 3: E9 "):
        pa.table(arrow.checked(table()))


def test_rows_are_counted_from_the_first_batch():
    clean = table([b"a", b"b", b"c"])
    many = pa.concat_tables([clean, clean, table()])
    with pytest.raises(arrow.RowError) as caught:
        arrow.checked(many).read_all()
    assert caught.value.row == 7
    assert len(arrow.checked(many, "drop").read_all()) == 10


def test_a_reader_is_read_once():
    reader = arrow.checked(table(), "drop")
    assert repr(reader).startswith("<trust8.arrow.Reader of struct<id: int64")
    assert pa.table(reader).num_rows == 4
    with pytest.raises(ValueError, match="read already"):
        reader.read_all()


def test_a_wrong_layout_is_refused_in_columns_of_all_types():
    offsets = pa.array([0, 3, 1], pa.int32()).buffers()[1]
    lists = pa.Array.from_buffers(pa.list_(pa.int32()), 2, [None, offsets], children=[pa.array([1, 2, 3], pa.int32())])
    keys = pa.DictionaryArray.from_arrays(pa.array([0, 9], pa.int8()), pa.array([1.5]), safe=False)
    for bad in [lists, keys]:
        for policy in [None, *FIXED]:
            with pytest.raises(arrow.RowError):
                arrow.checked(pa.table({"bad": bad}), policy).read_all()
            with pytest.raises(arrow.RowError):
                arrow.checked(bad, policy)


def test_columns():
    assert pa.array(arrow.checked(lie(ROWS), "escape")).to_pylist() == ["ok", r"caf\xE9", None, "ok"]
    chunked = pa.chunked_array([lie(ROWS), lie(ROWS)])
    assert pa.chunked_array(arrow.checked(chunked, "null")).to_pylist() == ["ok", None, None, "ok"] * 2
    with pytest.raises(arrow.RowError):
        arrow.checked(lie(ROWS))
    with pytest.raises(TypeError, match="mask"):
        arrow.checked(lie(ROWS), "drop", mask="mask")
    with pytest.raises(ValueError, match="mask"):
        arrow.checked(table(), mask="mask")


def addresses(array):
    return [buffer and buffer.address for buffer in array.buffers()]


def test_nothing_is_copied_in_which_nothing_is_wrong():
    clean = pa.table({"a": ["Zo\xeb", None, "Ana"], "b": pa.array([1, 2, 3]), "c": pa.array([b"\xff", b"", b"x"])})
    same = pa.table(arrow.checked(clean))
    for name in clean.column_names:
        assert addresses(same[name].chunk(0)) == addresses(clean[name].chunk(0))
    long = pa.array(["twelve and more bytes", "a"], pa.string_view())
    assert addresses(pa.array(arrow.checked(long))) == addresses(long)
    text = pa.array([b"Ana", None, b"Zo\xc3\xab"])
    assert addresses(pa.array(arrow.as_utf8(text))) == addresses(text)
    assert addresses(pa.array(arrow.repair(text))) == addresses(text)
    assert addresses(pa.array(arrow.as_utf8(text, copy=True))) != addresses(text)
    for kind, width in [(pa.string(), 4), (pa.large_string(), 8)]:
        rows = pa.array(["Zo\xeb", "Ana"] * 50, kind)
        part = pa.table({"a": rows.slice(64)})
        same = pa.table(arrow.checked(part))["a"].chunk(0)
        assert same.equals(rows.slice(64)) and same.validate(full=True) is None
        _, offsets, values = addresses(rows)
        assert addresses(same)[1:] == [offsets + 64 * width, values]


def test_memory_outlives_its_source():
    reader = arrow.checked(pa.table({"a": ["long enough for a buffer of its own"] * 1000}))
    result = pa.table(reader)
    del reader
    assert result["a"].to_pylist() == ["long enough for a buffer of its own"] * 1000


def test_parquet(tmp_path):
    import pyarrow.parquet

    path = tmp_path / "a.parquet"
    pyarrow.parquet.write_table(table(), path)
    with pytest.raises(arrow.RowError, match=r"^row 1, \.name: "):
        arrow.read_parquet(path).read_all()
    result = pa.table(arrow.read_parquet(path, "windows-1252", ["name"], mask="ok"))
    assert result.to_pydict() == {"name": ["ok", "caf\xe9", None, "ok"], "ok": [True, False, True, True]}


def test_parquet_with_dictionaries(tmp_path):
    """Text comes out as text, whatever the file has, and dictionaries only where the file's schema says so."""
    import pyarrow.parquet

    rows = [b"ok", b"caf\xe9", None, "a long street, \u6771\u4eac".encode() * 3] * 250
    columns = {"name": lie(rows), "kind": lie(rows).dictionary_encode(), "unique": [f"{i} {'x' * i}" for i in range(1000)]}
    for number in range(3):
        pyarrow.parquet.write_table(pa.table(columns), tmp_path / f"{number}.parquet", row_group_size=600)
    expected = ["ok", "caf\xe9", None, "a long street, \u6771\u4eac" * 3] * 250
    for src, files in [(tmp_path / "1.parquet", 1), (tmp_path, 3), ([str(tmp_path / "2.parquet")] * 2, 2)]:
        plain = pyarrow.dataset.dataset(src, format="parquet")
        with pytest.raises(arrow.RowError, match=r"^row 1, \.name: "):
            arrow.read_parquet(src).read_all()
        reader = arrow.read_parquet(src, "windows-1252", batch_rows=77)
        assert pa.schema(reader).equals(plain.schema)
        result = pa.table(reader)
        result.validate(full=True)
        assert result["name"].to_pylist() == expected * files
        assert result["kind"].to_pylist() == expected * files
        assert result["unique"].to_pylist() == columns["unique"] * files
        assert pa.table(arrow.read_parquet(src, "null", ["name"], mask="ok")).schema.names == ["name", "ok"]


@pytest.mark.parametrize("other", [pa.array([1, 2] * 200), pa.array([True] * 400), pa.array(["x"] * 400, pa.large_string()), None])
def test_parquet_with_files_of_other_types(tmp_path, other):
    """Columns of text are read as dictionaries only if they are text in each file."""
    import pyarrow.dataset
    import pyarrow.parquet

    names = [None if row % 3 else "Zo\xeb" for row in range(400)]
    pyarrow.parquet.write_table(pa.table({"name": names, "kind": ["a", "b"] * 200}), tmp_path / "a.parquet")
    columns = {"kind": ["b", "c"] * 200} if other is None else {"name": other, "kind": ["b", "c"] * 200}
    pyarrow.parquet.write_table(pa.table(columns), tmp_path / "b.parquet")
    plain = pyarrow.dataset.dataset(tmp_path, format="parquet")
    is_text = other is None or pa.types.is_large_string(other.type)
    assert arrow._with_dictionaries(plain)[1] == (["name", "kind"] if is_text else ["kind"])
    assert pa.table(arrow.read_parquet(tmp_path)).equals(pa.table(arrow.checked(plain)))


def test_parquet_of_a_field_that_is_called_as_a_column(tmp_path):
    import pyarrow.parquet

    columns = {"s": [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}] * 200, "a": ["q", "r"] * 200, "b": ["s", "t"] * 200}
    pyarrow.parquet.write_table(pa.table(columns), tmp_path / "a.parquet")
    plain = pyarrow.dataset.dataset(tmp_path / "a.parquet", format="parquet")
    assert arrow._dictionaries(plain) == ["a", "b"]
    for names in [["s.a"], ["s.b"], ["a", "s.b"]]:
        result = pa.table(arrow.read_parquet(tmp_path / "a.parquet", columns=names))
        assert result.equals(plain.to_table(columns=names)), names


def test_parquet_of_a_long_string_in_a_dictionary(tmp_path):
    """Written out at once, the rows of a small file could fill the memory, or be longer than text can be."""
    import pyarrow.parquet

    words = pa.DictionaryArray.from_arrays(pa.array([0] * 5000, pa.int8()), ["x" * 19_000])
    pyarrow.parquet.write_table(pa.table({"name": words}), tmp_path / "a.parquet", store_schema=False)
    assert arrow._dictionaries(pyarrow.dataset.dataset(tmp_path, format="parquet")) == ["name"]
    parts = list(pa.RecordBatchReader.from_stream(arrow.read_parquet(tmp_path)))
    assert [part.num_rows for part in parts] == [(1 << 26) // 19_000, 5000 - (1 << 26) // 19_000]
    assert set(parts[1]["name"].to_pylist()) == {"x" * 19_000}


def test_parquet_with_files_without_rows(tmp_path):
    import pyarrow.parquet

    full = pa.table({"name": [None if row % 3 else "Zo\xeb" for row in range(400)]})
    for names in ["ab", "bc"]:
        for name in names:
            pyarrow.parquet.write_table(full if name == "b" else full.slice(0, 0), tmp_path / f"{name}.parquet")
        assert pa.table(arrow.read_parquet(tmp_path)).equals(full)
        (tmp_path / "a.parquet").unlink(missing_ok=True)
    (tmp_path / "b.parquet").unlink()
    assert pa.table(arrow.read_parquet(tmp_path)).equals(full.slice(0, 0))


def test_parquet_of_columns_of_one_name(tmp_path):
    """pyarrow reads them only from a later file of a dataset."""
    import pyarrow.dataset
    import pyarrow.parquet

    names = ["a", "b"] * 200
    pyarrow.parquet.write_table(pa.table([names, names], ["a", "a"]), tmp_path / "b.parquet")
    with pytest.raises(pa.ArrowInvalid, match="duplicate field names"):
        arrow.read_parquet(tmp_path)
    # A later file has no part in the schema.
    pyarrow.parquet.write_table(pa.table([names], ["a"]), tmp_path / "a.parquet")
    plain = pyarrow.dataset.dataset(tmp_path, format="parquet").to_table()
    assert pa.table(arrow.read_parquet(tmp_path)).equals(plain)


def test_parquet_of_dictionaries_and_plain_columns(tmp_path):
    """Some columns are read as dictionaries and some are not, also with nulls, in some order and beside numbers."""
    import pyarrow.dataset
    import pyarrow.parquet

    rows = range(1000)
    few = [None if row % 7 == 0 else f"Zo\xeb {row % 9}" for row in rows]
    many = [None if row % 5 == 0 else f"\u6771\u4eac {row}" for row in rows]
    columns = pa.table({"many": many, "few": few, "id": rows, "raw": pa.array([b"\xff"] * 1000), "also": few})
    pyarrow.parquet.write_table(columns, tmp_path / "a.parquet", use_dictionary=["few", "also"], row_group_size=300)
    assert arrow._with_dictionaries(pyarrow.dataset.dataset(tmp_path, format="parquet"))[1] == ["few", "also"]
    for names in [None, ["also", "many"], ["raw", "few"], []]:
        result = pa.table(arrow.read_parquet(tmp_path, columns=names, batch_rows=128))
        assert result.equals(columns if names is None else columns.select(names)), names


def test_parquet_with_partitions(tmp_path):
    import pyarrow.parquet

    pyarrow.parquet.write_to_dataset(pa.table({"key": [1, 2] * 200, "name": ["Zo\xeb", "x"] * 200}), tmp_path, partition_cols=["key"])
    result = pa.table(arrow.read_parquet(tmp_path)).sort_by("name")
    assert result["name"].to_pylist() == ["Zo\xeb"] * 200 + ["x"] * 200


def test_the_cookbooks_ingest(tmp_path):
    import ingest
    import pyarrow.parquet

    dirty, clean = [str(tmp_path / name) for name in ["dirty.parquet", "clean.parquet"]]
    pyarrow.parquet.write_table(pa.concat_tables([table()] * 2), dirty)
    assert ingest.ingest(dirty, clean) == [1, 5]
    assert pyarrow.parquet.read_table(clean)["name"].to_pylist() == ["ok", "caf\xe9", None, "ok"] * 2


def test_polars_and_duckdb():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"a": ["Zo\xeb", None]})
    assert polars.DataFrame(arrow.checked(frame)).equals(frame)
    duckdb = pytest.importorskip("duckdb")
    relation = duckdb.sql("select 'Zo\xeb' as a, 1 as b, [1, 2] as c, {'d': 'x'} as e")
    assert pa.table(arrow.checked(relation)).to_pylist() == [{"a": "Zo\xeb", "b": 1, "c": [1, 2], "e": {"d": "x"}}]


def test_binary_columns_that_are_left_are_named():
    bad = table()
    assert arrow.repair_table(bad).left == ["raw"] == arrow.repair(bad).left
    assert arrow.repair_table(bad, columns=["raw"]).left == []
    clean = table([b"ok"])
    assert arrow.as_utf8(clean).left == ["raw"] and arrow.as_utf8(clean, ["raw"]).left == []
    assert arrow.repair(pa.array([b"\xff"])).left == []


@pytest.mark.parametrize("refused", [OSError, MemoryError, ValueError])
def test_a_stream_that_fails_is_no_wrong_text(refused):
    """An error of the disk was a ValueError, as if a row were wrong."""

    def batches():
        yield pa.record_batch({"a": ["x"]})
        raise refused("mine")

    for call in [arrow.errors, lambda source: arrow.checked(source).read_all(), lambda source: pa.table(arrow.checked(source))]:
        with pytest.raises(refused, match="mine"):
            call(pa.RecordBatchReader.from_batches(pa.schema([("a", pa.string())]), batches()))


def test_signals_interrupt_the_copy_of_a_table():
    """The exception became a ValueError."""
    table = pa.table({"a": ["a" * 1000] * 200_000})
    for after in [0.005, 0.01, 0.02]:
        interrupted(lambda: [arrow.checked(table, copy=True).read_all() for _ in range(100)], after)


def test_a_mask_does_not_get_the_name_of_a_column():
    with pytest.raises(pa.ArrowInvalid, match="the batch has a column of the mask's name"):
        pa.table(arrow.checked(table(), "drop", mask="name"))


def test_an_array_is_a_sequence():
    array = arrow.repair(pa.array([b"a", None, b"\xff"]), "drop")
    assert (array[0], array[-1], array[1:]) == ("a", "", [None, ""])
    assert list(array) == ["a", None, ""] and "a" in array
    with pytest.raises(IndexError):
        array[3]
    assert list(reversed(array)) == array.to_pylist()[::-1]


def test_an_array_is_one_of_numpy():
    """NumPy once made an array of one object."""
    numpy = pytest.importorskip("numpy")
    assert numpy.asarray(arrow.repair(pa.array(ROWS), "drop")).tolist() == ["ok", "caf", None, "ok"]
    valid = numpy.asarray(arrow.is_valid(pa.array([b"a", b"\xff"])), dtype=numpy.int8)
    assert (valid.tolist(), valid.dtype) == ([1, 0], numpy.int8)
    # A copy of integers once was a view that refuses to be written.
    assert numpy.array(arrow.repair(pa.array([1, 2])), copy=True).flags.writeable
