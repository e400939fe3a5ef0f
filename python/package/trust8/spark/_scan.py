"""Which files are not UTF-8, and where.

Each worker judges its ranges by themselves, and the judgements (`Part`) are joined in a tree: a task takes sorted judgements of
neighbouring ranges, one after the other, and keeps only one. So neither the number of ranges nor one very long file decides how
much memory a worker needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Any

import pyarrow  # type: ignore[import-untyped,unused-ignore]
import pyarrow.fs  # type: ignore[import-untyped,unused-ignore]

from .. import Part, PartError
from . import _listing
from ._listing import RANGE_BYTES, Paths
from ._reading import Unreadable, check_unchanged, pieces

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# How many judgements are joined into one at each level of the tree.
FAN = 4096

# The judgement on some ranges of a file. `index` counts such rows of a file from 0, and there are `ranges` of them.
_JUDGED = pyarrow.schema(
    [("path", pyarrow.string()), ("size", pyarrow.int64()), ("ranges", pyarrow.int64()), ("index", pyarrow.int64()),
     ("part", pyarrow.binary()), ("error", pyarrow.string())]
)  # fmt: skip
_JUDGED_IN_SPARK = "path string, size long, ranges long, index long, part binary, error string"

_FOUND = pyarrow.schema(
    [("path", pyarrow.string()), ("valid", pyarrow.bool_()), ("bytes", pyarrow.int64()), ("characters", pyarrow.int64()),
     ("newlines", pyarrow.int64()), ("offset", pyarrow.int64()), ("line", pyarrow.int64()), ("column", pyarrow.int64()),
     ("length", pyarrow.int32()), ("kind", pyarrow.string()), ("message", pyarrow.string()), ("error", pyarrow.string())]
)  # fmt: skip
_FOUND_IN_SPARK = (
    "path string, valid boolean, bytes long, characters long, newlines long, offset long, line long, column long, length int, "
    "kind string, message string, error string"
)


def scan_files(
    spark: SparkSession,
    paths: Paths,
    range_bytes: int = RANGE_BYTES,
    *,
    filesystem: pyarrow.fs.FileSystem | None = None,
) -> DataFrame:
    """Return a row for each file: whether it is UTF-8, what it is made of, or where and what its first error is.

    `paths` are files and folders, with all that is in them: local ones, or URIs that `pyarrow.fs` knows, such as
    ``s3://bucket/folder``. All workers must be able to read them. `filesystem` is for what a URI can't say. Files are listed
    now, on the driver. They are read when the rows are asked for, in ranges of `range_bytes` bytes. Files whose names end in
    ``.gz`` or ``.zst`` are decompressed, and then all numbers are about the text.

    | column | meaning |
    |---|---|
    | ``path`` | the file |
    | ``valid`` | whether it is UTF-8, or null if it could not be read |
    | ``bytes`` | its length |
    | ``characters``, ``newlines`` | their numbers, if it is UTF-8 |
    | ``offset``, ``line``, ``column`` | the place of the first error; `line` and `column` begin with 1 |
    | ``length`` | the length of the ill-formed sequence, or null if the file ends inside a character |
    | ``kind``, ``message`` | what is wrong, for programs and for people |
    | ``error`` | why the file could not be read: it can't be opened, it vanished, or it changed after it was listed |

    The order of the rows is not defined.
    """
    filesystem, files = _listing.list_files(paths, filesystem)
    frame, _, ranges = _listing.ranges(spark, files, range_bytes)

    def judge(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        return _listing.batches((_judge(filesystem, row) for row in _listing.rows(batches)), _JUDGED)

    return _verdicts(frame.mapInArrow(judge, _JUDGED_IN_SPARK), ranges)


def _verdicts(frame: DataFrame, ranges: int) -> DataFrame:
    """Join the judgements on the ranges of each file, of which there are at most so many."""
    while ranges > 1:
        group = (frame["index"] / FAN).cast("long")
        frame = frame.repartition("path", group).sortWithinPartitions("path", "index").mapInArrow(_join, _JUDGED_IN_SPARK)
        ranges = -(-ranges // FAN)
    return frame.mapInArrow(_finish, _FOUND_IN_SPARK)


def _judge(filesystem: pyarrow.fs.FileSystem, row: dict[str, Any]) -> tuple[Any, ...]:
    """Judge a range."""
    path, size, place = row["path"], row["size"], (row["ranges"], row["index"])
    part = Part()
    try:
        for piece in pieces(filesystem, row, row["offset"], row["end"]):
            part = part.then(Part.of(piece))
            # What comes after an error does not matter, but the end of a compressed file says whether it is complete.
            if part.has_failed and row["codec"] is None:
                check_unchanged(filesystem, row)
                break
    except Unreadable as error:
        return path, size, *place, None, str(error)
    # Of a compressed file, the size is that of its text.
    return path, len(part) if row["codec"] else size, *place, part.to_bytes(), None


def _join(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """Join the judgements of neighbouring ranges, which come in order."""

    def joined() -> Iterator[tuple[Any, ...]]:
        for (path, group), rows in groupby(_listing.rows(batches), lambda row: (row["path"], row["index"] // FAN)):
            part, error, index = Part(), None, group * FAN
            for row in rows:
                if row["index"] != index:
                    raise RuntimeError(f"range {index} of {path} is missing, or came twice")
                index += 1
                error = error or row["error"]
                if row["part"] is not None:
                    part = part.then(Part.from_bytes(row["part"]))
            if index != min((group + 1) * FAN, row["ranges"]):
                raise RuntimeError(f"range {index} of {path} is missing")
            ranges = -(-row["ranges"] // FAN)
            yield path, row["size"], ranges, group, None if error else part.to_bytes(), error

    return _listing.batches(joined(), _JUDGED)


def _finish(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """Say what the judgements on whole files mean."""
    return _listing.batches(map(_found, _listing.rows(batches)), _FOUND)


def _found(row: dict[str, Any]) -> tuple[Any, ...]:
    if row["error"] is not None:
        return row["path"], None, None, None, None, None, None, None, None, None, None, row["error"]
    part = Part.from_bytes(row["part"])
    try:
        tally = part.finish()
    except PartError as error:
        place = error.position, error.line, error.column
        return row["path"], False, row["size"], None, None, *place, error.length, error.kind, error.message, None
    return row["path"], True, tally.bytes, tally.chars, tally.newlines, None, None, None, None, None, None, None
