"""Columns of Arrow that may not be UTF-8: validated, explained and repaired.

The functions take any object with Arrow's PyCapsule interface: arrays and tables of pyarrow, polars, duckdb, nanoarrow and
others. Their results have the same interface. What is clean is not copied: nobody may write to the memory of a column while the
result lives, as Arrow demands. `copy=True` is for columns that somebody may write to, such as those over an array of numpy.

>>> import pyarrow
>>> from trust8 import arrow
>>> names = pyarrow.array([b'Ana', None, b'Ren\\xe9'])
>>> pyarrow.array(arrow.is_valid(names)).to_pylist()
[True, None, False]
>>> pyarrow.array(arrow.repair(names, 'drop')).to_pylist()
['Ana', None, 'Ren']
>>> pyarrow.table(arrow.errors(names)).select(['row', 'offset', 'kind']).to_pylist()
[{'row': 2, 'offset': 3, 'kind': 'incomplete'}]

Binary arrays become text: `Binary`, `LargeBinary`, `BinaryView` and `FixedSizeBinary`, also in lists, maps, structs, dictionaries
and runs. Text inside these is validated too. Other arrays stay unchanged.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Protocol

from . import _trust8
from ._exceptions import RowError
from ._lake.access import permit
from ._lake.columns import listed
from ._trust8 import Array, Reader, Stream

if TYPE_CHECKING:
    from ._trust8 import _ColumnPolicy, _Profile

__all__ = [
    "Array",
    "Reader",
    "RowError",
    "Stream",
    "as_utf8",
    "checked",
    "errors",
    "is_valid",
    "read_parquet",
    "repair",
    "repair_parquet",
    "repair_table",
]


# The amount of each column to read from a Parquet file at a time.
_READ_AHEAD = 1 << 20


class _HasArray(Protocol):
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...


class _HasStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


def is_valid(array: _HasArray | _HasStream, *, profile: _Profile | None = None) -> Array | Stream:
    """Return whether each row is UTF-8, or null if the row is null.

    With a `profile`, a row must also be free of forbidden characters: see `trust8.validate`. All functions for columns take one.
    """
    return _trust8._arrow_is_valid(array, profile)


def errors(array: _HasArray | _HasStream, *, profile: _Profile | None = None) -> Stream:
    """Return a table of all values that are not UTF-8, with the first error of each.

    Its columns are `row`, `path` (of the value inside the row), `offset` and `length` (of the ill-formed sequence in
    the value), `kind` and `message`.
    """
    return _trust8._arrow_errors(array, profile)


def checked(
    source: Any,
    policy: _ColumnPolicy | None = None,
    *,
    mask: str | None = None,
    profile: _Profile | None = None,
    copy: bool = False,
) -> Reader | Array | Stream:
    """Check an untrusted table or array, and all that Arrow trusts in it.

    That is text that is not UTF-8, row by row, and also wrong offsets, views, keys, run ends, lengths and nulls, in columns of all
    types. Without a `policy`, bad text is refused; a policy of `repair` repairs it. A wrong layout is always refused. With `mask`, a
    table gets a column of this name, which it may not have yet: whether all text of the row was valid. Bytes stay bytes.

    A table can be a table or batch of pyarrow, a reader, dataset or scanner, a DataFrame of polars, a relation of duckdb, or the
    capsule of a C stream. It is checked while somebody reads the result, batch by batch, and nothing is copied in which nothing is
    wrong. So nobody may write to the memory of `source`, as Arrow demands. If somebody may, pass `copy=True`.

    >>> import pyarrow
    >>> from trust8 import arrow
    >>> pyarrow.table(arrow.checked(pyarrow.table({'name': ['Ana', 'Zo\u00eb']}))).num_rows
    2
    """
    if hasattr(source, "scanner"):
        source = source.scanner()
    if hasattr(source, "to_reader"):
        source = source.to_reader()
    return _trust8._arrow_checked(source, policy, mask, _is_table(source), profile, copy)


def read_parquet(
    src: Any,
    policy: _ColumnPolicy | None = None,
    columns: Iterable[str] | None = None,
    *,
    mask: str | None = None,
    profile: _Profile | None = None,
    batch_rows: int = 131072,
) -> Reader:
    """Read Parquet files, as `checked` checks them. `src` is what `pyarrow.dataset.dataset` takes. This needs pyarrow."""
    import pyarrow.dataset  # type: ignore[import-untyped,unused-ignore]

    dataset, dictionaries = _with_dictionaries(pyarrow.dataset.dataset(src, format="parquet"))
    scanner = dataset.scanner(columns=_names(columns), batch_size=batch_rows)
    reader = _trust8._arrow_checked(scanner.to_reader(), policy, mask, True, profile, False, dictionaries)
    assert isinstance(reader, Reader)
    return reader


def _with_dictionaries(dataset: Any) -> tuple[Any, list[str]]:
    """Return a dataset of Parquet that reads the columns of text with dictionaries as such, and their names.

    The check of a dictionary is that of few values, and writing it out is faster here.
    """
    import pyarrow.dataset  # type: ignore[import-untyped,unused-ignore]

    names = _dictionaries(dataset)
    while names:
        options = pyarrow.dataset.ParquetReadOptions(dictionary_columns=names)
        format = pyarrow.dataset.ParquetFileFormat(read_options=options)
        # These keep their schemas, so the footer of each file is read once more only if a later file has another type.
        fragments = [format.make_fragment(part.path, part.filesystem, part.partition_expression) for part in dataset.get_fragments()]
        text = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
        schemas = [fragment.physical_schema for fragment in fragments]
        left = [name for name in names if all(schema.get_field_index(name) < 0 or schema.field(name).type == text for schema in schemas)]
        if left == names:
            schema = dataset.schema
            for name in names:
                at = schema.get_field_index(name)
                schema = schema.set(at, schema.field(at).with_type(text))
            return pyarrow.dataset.FileSystemDataset(fragments, schema, format, dataset.filesystem), names
        names = left
    return dataset, names


def _dictionaries(dataset: Any) -> list[str]:
    """Return the columns of text that have dictionaries, as far as the first row group of the first file says."""
    import pyarrow.dataset  # type: ignore[import-untyped,unused-ignore]

    first = next(iter(dataset.get_fragments()), None) if isinstance(dataset, pyarrow.dataset.FileSystemDataset) else None
    if first is None or first.metadata.num_row_groups == 0:
        return []
    group = first.metadata.row_group(0)
    chunks = [group.column(i) for i in range(group.num_columns)]
    # A plain value has four bytes for its length.
    names = [chunk.path_in_schema for chunk in chunks if chunk.has_dictionary_page and chunk.total_uncompressed_size < 4 * chunk.num_values]
    return [name for name in names if dataset.schema.get_field_index(name) >= 0 and dataset.schema.field(name).type == pyarrow.string()]


def as_utf8(
    array: _HasArray | _HasStream,
    columns: Iterable[str] | None = None,
    *,
    profile: _Profile | None = None,
    copy: bool = False,
) -> Array | Stream:
    """Return an array as text. If a row is not UTF-8, raise `RowError` for the first.

    In a table, the named `columns` become text. Without names, the text columns are checked, and `left` of the result names the
    binary columns, which `errors` judges too.

    Text in which nothing is wrong is not copied. So nobody may write to the memory of `array` while the result lives, as Arrow
    demands: places that change after they were checked can crash the process. If somebody may, pass `copy=True`: then the
    memory is copied before it is read.

    >>> import pyarrow
    >>> from trust8 import arrow
    >>> arrow.as_utf8(pyarrow.array([b'ok', b'caf\\xe9']))
    Traceback (most recent call last):
        ...
    trust8.RowError: row 1: invalid UTF-8 at byte 3: E9 begins a character of 3 bytes, and the input ends; expected a continuation byte (80 to BF)
    """
    names = _names(columns)
    return _trust8._arrow_convert(array, None, names is not None or _is_table(array), names, profile, copy)


def repair(
    array: _HasArray | _HasStream,
    policy: _ColumnPolicy = "replace",
    columns: Iterable[str] | None = None,
    *,
    profile: _Profile | None = None,
    copy: bool = False,
) -> Array | Stream:
    """Return an array as text, and repair the rows that are not UTF-8.

    The policies are those of `trust8.repair` and 'null', which makes such rows null. A table is repaired as by `repair_table`. For
    `copy`, see `as_utf8`.

    An array of structs that can't be null may be a table or a column. If nothing else in its object says that it is a table, and
    its structs have bytes, then it is refused without `columns`. A stream of such structs is a table.
    """
    names = _names(columns)
    return _trust8._arrow_convert(array, policy, names is not None or _is_table(array), names, profile, copy)


def repair_table(
    table: _HasArray | _HasStream,
    policy: _ColumnPolicy = "replace",
    columns: Iterable[str] | None = None,
    *,
    profile: _Profile | None = None,
    copy: bool = False,
) -> Stream:
    """Return a table with repaired columns.

    The named `columns` become text. Without names, text columns are repaired, including text inside lists and structs. Binary
    columns that are not named stay as they are, though `errors` judges them: `left` of the result names them.

    >>> import pyarrow
    >>> from trust8 import arrow
    >>> table = pyarrow.table({'id': [1, 2], 'name': [b'ok', b'caf\\xe9']})
    >>> pyarrow.table(arrow.repair_table(table, 'drop', ['name'])).to_pylist()
    [{'id': 1, 'name': 'ok'}, {'id': 2, 'name': 'caf'}]
    """
    repaired = _trust8._arrow_convert(table, policy, True, _names(columns), profile, copy)
    assert isinstance(repaired, Stream)
    return repaired


def _restored(array: Any) -> Array | Reader | Stream:
    """Return the pickled object from its array or table of pyarrow."""
    import pyarrow  # type: ignore[import-untyped,unused-ignore]

    # Bytes stay bytes: no column of a table is named.
    if isinstance(array, pyarrow.Table):
        return _trust8._arrow_convert(array, None, True, [])
    return _trust8._arrow_checked(array, None, None, False, copy=True)


def _names(columns: Iterable[str] | None) -> list[str] | None:
    if isinstance(columns, str):
        raise TypeError(f"columns must be names, not one name; write [{columns!r}]")
    return None if columns is None else list(columns)


def _is_table(array: object) -> bool:
    """Return whether an object is a table or a record batch. In Arrow's interface, these look like a column of structs."""
    return any(hasattr(array, name) for name in ("columns", "column_names", "read_next_batch"))


def repair_parquet(
    src: str | os.PathLike[str],
    dst: str | os.PathLike[str],
    policy: _ColumnPolicy = "replace",
    columns: Iterable[str] | None = None,
    *,
    profile: _Profile | None = None,
    batch_rows: int = 65536,
    progress: bool | None = None,
) -> int:
    """Repair a Parquet file, and return how many values were not UTF-8.

    The columns are those of `repair_table`: binary columns count only if they are named. If nothing needs repair, `dst` becomes a copy of `src`. Otherwise the file is read in
    batches of `batch_rows` rows and written by row groups, so memory does not grow with the file. Its names, types, compression,
    encodings, statistics and page index are kept, and it counts as sorted up to the first column with a repair. Properties that
    pyarrow does not expose are lost: bloom filters, the size and version of pages, checksums. `dst` appears when it is complete.
    It may be `src`, and if it is a link, its target is replaced. A new file has the permissions of `src`. On a terminal, a bar shows the progress, unless `progress`
    overrides that. This needs pyarrow.
    """
    import pyarrow  # type: ignore[import-untyped,unused-ignore]
    import pyarrow.parquet  # type: ignore[import-untyped,unused-ignore]

    names = _names(columns)
    profile = listed(profile)
    dst = os.path.realpath(dst)
    if os.path.exists(dst) and not os.path.isfile(dst):
        raise FileExistsError(errno.EEXIST, "not a regular file", dst)
    descriptor, temporary = tempfile.mkstemp(prefix=".trust8-", suffix=".parquet", dir=os.path.dirname(dst))
    os.close(descriptor)
    found = 0
    try:
        # By default, pyarrow keeps everything that it has read.
        with pyarrow.parquet.ParquetFile(src, pre_buffer=False, buffer_size=_READ_AHEAD) as source:
            metadata = source.metadata
            before = source.schema_arrow
            schema = pyarrow.table(repair_table(before.empty_table(), policy, names, profile=profile)).schema
            schema = schema.with_metadata(before.metadata)
            chosen = None if names is None else [i for i, field in enumerate(before) if field.name in names]
            bar = _Bar(metadata.num_rows, progress)
            with pyarrow.parquet.ParquetWriter(temporary, schema, **_layout(source, names, profile)) as sink:
                for group in range(metadata.num_row_groups):
                    tables = [schema.empty_table()]
                    for batch in source.iter_batches(batch_size=batch_rows, row_groups=[group]):
                        if chosen is None:
                            found += len(_trust8._arrow_errors(batch, profile, True))
                        else:
                            found += len(errors(batch.select(chosen), profile=profile))
                        tables.append(pyarrow.table(repair_table(batch, policy, names, profile=profile)).cast(schema))
                        bar.advance(batch.num_rows)
                    rows = metadata.row_group(group).num_rows
                    sink.write_table(pyarrow.concat_tables(tables), row_group_size=max(1, rows))
            if found == 0 and schema.equals(before):
                shutil.copyfile(src, temporary)
            bar.end()
        permit(temporary, dst if os.path.exists(dst) else src)
        os.replace(temporary, dst)
    except BaseException:
        os.unlink(temporary)
        raise
    return found


# Encodings instead of a dictionary, which must be passed to a writer.
_ENCODINGS = ("BYTE_STREAM_SPLIT", "DELTA_BINARY_PACKED", "DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY")


def _layout(source: Any, names: list[str] | None, profile: _Profile | None) -> dict[str, Any]:
    """Return the arguments of `ParquetWriter` that write another file in the same way.

    A column that is no longer sorted after the repair ends the sorting columns.
    """
    # List items keep their names from the original schema.
    layout: dict[str, Any] = {"use_compliant_nested_type": False}
    metadata = source.metadata
    layout["store_schema"] = b"ARROW:schema" in (metadata.metadata or {})
    if metadata.num_row_groups == 0:
        return layout
    group = metadata.row_group(0)
    columns = [group.column(i) for i in range(group.num_columns)]

    def is_repaired(column: Any) -> bool:
        if names is None:
            return bool(column.physical_type == "BYTE_ARRAY")
        path = column.path_in_schema
        return column.physical_type.endswith("BYTE_ARRAY") and any(f"{path}.".startswith(f"{name}.") for name in names)

    def stays_sorted(sorting: Any) -> bool:
        column = columns[sorting.column_index]
        batches = source.iter_batches(columns=[column.path_in_schema]) if is_repaired(column) else ()
        return all(len(_trust8._arrow_errors(batch, profile, names is None)) == 0 for batch in batches)

    def stays(column: Any, encoding: str) -> bool:
        # Fixed-size bytes become text, which lacks this encoding.
        return encoding in _ENCODINGS and not (encoding == "BYTE_STREAM_SPLIT" and is_repaired(column))

    encodings = {
        column.path_in_schema: encoding
        for column in columns
        if not column.has_dictionary_page
        for encoding in column.encodings
        if stays(column, encoding)
    }
    groups = map(metadata.row_group, range(metadata.num_row_groups))
    is_sorted = all(one.sorting_columns == group.sorting_columns for one in groups)
    sorting = tuple(takewhile(stays_sorted, group.sorting_columns if is_sorted else ()))
    kinds = [(column.physical_type, source.schema.column(i).logical_type.type) for i, column in enumerate(columns)]
    stamps = [physical for physical, logical in kinds if logical == "TIMESTAMP" or physical == "INT96"]
    codecs = {"UNCOMPRESSED": "none"}
    return layout | {
        "compression": {column.path_in_schema: codecs.get(column.compression, column.compression).lower() for column in columns},
        "use_dictionary": [column.path_in_schema for column in columns if column.has_dictionary_page] or False,
        "column_encoding": encodings or None,
        "sorting_columns": sorting or None,
        "write_statistics": [column.path_in_schema for column in columns if column.is_stats_set] or False,
        "write_page_index": any(column.has_offset_index for column in columns),
        # These two apply to all columns of a file.
        "use_deprecated_int96_timestamps": bool(stamps) and set(stamps) == {"INT96"},
        "store_decimal_as_integer": any(logical == "DECIMAL" and physical.startswith("INT") for physical, logical in kinds),
    }


class _Bar:
    """A progress bar for rows."""

    def __init__(self, total: int, shown: bool | None) -> None:
        self._total, self._done, self._next = total, 0, 0.0
        # A process without a terminal may have closed this stream.
        self._shown = sys.stderr is not None and (sys.stderr.isatty() if shown is None else shown)

    def advance(self, rows: int) -> None:
        self._done += rows
        if self._shown and time.monotonic() >= self._next:
            self._next = time.monotonic() + 0.1
            self._draw()

    def _draw(self) -> None:
        share = self._done / self._total if self._total else 1.0
        bar = "#" * int(30 * share)
        print(f"\r[{bar:<30}] {self._done:,} of {self._total:,} rows", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        if self._shown:
            self._draw()
            print(file=sys.stderr)
