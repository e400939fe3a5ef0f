"""All errors of files.

A range knows the positions of its errors only from its own start. So the files are read twice. First, each range reports its number
of lines, and the number of characters in its last line. Then a task for each file adds these up, and so finds the line and the
column where each range begins. Finally, the ranges with errors are read again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow  # type: ignore[import-untyped,unused-ignore]
import pyarrow.fs  # type: ignore[import-untyped,unused-ignore]

from .. import ProfileError, Utf8Error, inspect
from .._lake import listing
from .._lake.columns import listed
from .._lake.judging import errors_in, in_order, texts
from .._lake.listing import RANGE_BYTES, Paths
from .._lake.reading import Unreadable, mistake_in
from ._ranges import ranges as ranges_of
from ._workers import for_each_row, in_spark, settle

if TYPE_CHECKING:
    from .._trust8 import _Profile
    from pyspark.sql import DataFrame, SparkSession

# A range, what it adds to the position of the next one, and whether it has errors.
_SURVEYED = pyarrow.schema([*listing.RANGE, ("newlines", pyarrow.int64()),
                            ("characters", pyarrow.int64()), ("faulty", pyarrow.bool_())])  # fmt: skip

# A range with errors, and the line and the column of its first byte.
_PLACED = pyarrow.schema([*listing.RANGE, ("line", pyarrow.int64()), ("column", pyarrow.int64())])

_FOUND = pyarrow.schema(
    [("path", pyarrow.string()), ("offset", pyarrow.int64()), ("line", pyarrow.int64()), ("column", pyarrow.int64()),
     ("length", pyarrow.int32()), ("kind", pyarrow.string()), ("message", pyarrow.string()), ("error", pyarrow.string())]
)  # fmt: skip


class Place(NamedTuple):
    """A position in a text. Both numbers count from 0."""

    line: int
    column: int

    def after(self, text: bytes) -> Place:
        """Return the position after a text that is UTF-8."""
        counts = inspect(text)
        if counts.newlines == 0:
            return Place(self.line, self.column + counts.chars)
        return Place(self.line + counts.newlines, inspect(text[text.rfind(b"\n") + 1 :]).chars)


def errors(
    spark: SparkSession,
    paths: Paths,
    range_bytes: int = RANGE_BYTES,
    *,
    filesystem: pyarrow.fs.FileSystem | None = None,
    profile: _Profile | None = None,
) -> DataFrame:
    """Return a row for each error of each file, and one for each file that can't be read.

    The arguments are those of `scan_files`. The columns are ``path``, ``offset``, ``line``, ``column``, ``length``, ``kind``,
    ``message`` and ``error``, as in `scan_files`. The rows match the output of ``trust8 check --all --json``. A file
    that can't be read has a row with the reason in ``error``. If it became unreadable late, it may have other rows too.

    With a `profile`, each character that it forbids has a row, too: see `scan_files`.

    The ranges with errors are read twice. The order of the rows is unspecified.
    """
    filesystem, files = listing.list_files(paths, filesystem)
    profile = listed(profile)
    frame, tasks, _ = ranges_of(spark, files, range_bytes)

    survey = for_each_row(lambda row: _survey(filesystem, row, profile), _SURVEYED)

    def list_errors(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        settle()
        found = (one for row in listing.rows(batches) for one in _errors_of(filesystem, row, profile))
        return listing.batches(found, _FOUND)

    frame = frame.select(*listing.RANGE.names).mapInArrow(survey, in_spark(_SURVEYED))
    frame = frame.repartition("path").sortWithinPartitions("path", "index").mapInArrow(_place, in_spark(_PLACED))
    # Without a number, Spark would put these few rows into one partition, and so read all ranges in one task.
    return frame.repartition(tasks, "path", "index").mapInArrow(list_errors, in_spark(_FOUND))


def _survey(filesystem: pyarrow.fs.FileSystem, row: dict[str, Any], profile: _Profile | None = None) -> tuple[Any, ...]:
    """Return what a range adds to the position of the next one."""
    place, faulty = Place(0, 0), False
    try:
        for _, before, text, after in texts(filesystem, row, profile):
            at = 0
            for start, end, error in errors_in(before, text, after, profile):
                place, at, faulty = _after_error(place.after(text[at:start]), error, text[start:end]), end, True
            place = place.after(text[at:])
    except Unreadable as error:
        row["error"] = str(error)
    return *_range(row), *place, faulty


def _range(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in listing.RANGE.names)


def _after_error(place: Place, error: Utf8Error, text: bytes) -> Place:
    """Return the position after an error. An ill-formed sequence is one character of its line."""
    return place.after(text) if isinstance(error, ProfileError) else Place(place.line, place.column + 1)


def _place(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """Add up the results for the ranges of each file, which come in order, and return the ranges with errors."""

    def placed() -> Iterator[tuple[Any, ...]]:
        for path, rows in groupby(listing.rows(batches), lambda row: row["path"]):
            line, column, failed = 0, 0, False
            for row in in_order(path, rows):
                if row["faulty"] and row["error"] is None or row["error"] is not None and not failed:
                    yield *_range(row), line, column
                failed = failed or row["error"] is not None
                column = row["characters"] if row["newlines"] else column + row["characters"]
                line += row["newlines"]

    return listing.batches(placed(), _PLACED)


def _errors_of(
    filesystem: pyarrow.fs.FileSystem, row: dict[str, Any], profile: _Profile | None = None
) -> Iterator[tuple[Any, ...]]:
    """Return the errors of a range."""
    path, place = row["path"], Place(row["line"], row["column"])
    try:
        for offset, before, text, after in texts(filesystem, row, profile):
            at = mistake_end = 0
            whole = text + after
            for start, end, error in errors_in(before, text, after, profile):
                place = place.after(text[at:start])
                # A mistake may be several ill-formed sequences, and the first one identifies it.
                if start >= mistake_end:
                    if isinstance(error, ProfileError):
                        length, message = end - start, error.explanation
                    else:
                        length, message = mistake_in(whole, start)
                    yield path, offset + start, place.line + 1, place.column + 1, length, error.kind, message, None
                    mistake_end = start + length
                place, at = _after_error(place, error, text[start:end]), end
            place = place.after(text[at:])
    except Unreadable as error:
        yield path, *[None] * 6, str(error)
