"""Makes judgements on ranges, joins them, and turns them into results for files.

Each range is judged separately. The judgements (`Part`) of a file are joined in a tree: a task joins those of neighbouring ranges
in order, and keeps only one. So a worker's memory does not grow with the number of ranges or the length of a file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Any

import pyarrow  # type: ignore[import-untyped,unused-ignore]
import pyarrow.fs  # type: ignore[import-untyped,unused-ignore]

from .. import Part, PartError, ProfileError, Utf8Error, errors
from . import listing
from .reading import AFTER, BEFORE, Unreadable, check_unchanged, mistake_at, pieces, text_at, whole_texts

if TYPE_CHECKING:
    from .._trust8 import _Profile

# The number of judgements that are joined into one at each level of the tree.
FAN = 4096

# The judgement on some ranges of a file. `index` counts such rows of a file from 0, and there are `ranges` of them. `forbidden` is the
# offset of the first character that the profile forbids. To `part`, it is an ill-formed sequence of the same length.
JUDGED = pyarrow.schema(
    [("path", pyarrow.string()), ("size", pyarrow.int64()), ("mtime", pyarrow.int64()), ("codec", pyarrow.string()),
     ("ranges", pyarrow.int64()), ("index", pyarrow.int64()), ("part", pyarrow.binary()), ("forbidden", pyarrow.int64()),
     ("error", pyarrow.string())]
)  # fmt: skip

# The result of a scan for a file.
FOUND = pyarrow.schema(
    [("path", pyarrow.string()), ("valid", pyarrow.bool_()), ("bytes", pyarrow.int64()), ("characters", pyarrow.int64()),
     ("newlines", pyarrow.int64()), ("offset", pyarrow.int64()), ("line", pyarrow.int64()), ("column", pyarrow.int64()),
     ("length", pyarrow.int32()), ("kind", pyarrow.string()), ("message", pyarrow.string()), ("error", pyarrow.string())]
)  # fmt: skip


def judge(filesystem: pyarrow.fs.FileSystem, row: dict[str, Any], profile: _Profile | None = None) -> tuple[Any, ...]:
    """Judge a range."""
    file = row["path"], row["size"], row["mtime"], row["codec"], row["ranges"], row["index"]
    part, forbidden = Part(), None
    try:
        read: Iterator[tuple[int, bytes, bytes, bytes]] = texts(filesystem, row, profile)
        if profile is None:
            # Any cut will do.
            read = ((0, b"", piece, b"") for piece in pieces(filesystem, row, row["offset"], row["end"]))
        for offset, before, text, after in read:
            if profile is not None and not part.has_failed:
                start, end, error = next(errors_in(before, text, after, profile), (0, 0, None))
                if isinstance(error, ProfileError):
                    forbidden = offset + start
                    text = text[:start] + b"\xff" * (end - start) + text[end:]
            part = part.then(Part.of(text))
            # The text after an error does not matter, but the end of a compressed file tells whether it is complete.
            if part.has_failed and row["codec"] is None:
                check_unchanged(filesystem, row)
                break
    except Unreadable as error:
        return *file, None, None, str(error)
    return *file, part.to_bytes(), forbidden, None


def texts(
    filesystem: pyarrow.fs.FileSystem, row: dict[str, Any], profile: _Profile | None = None
) -> Iterator[tuple[int, bytes, bytes, bytes]]:
    """Return the text of a range in pieces, as `whole_texts` does, with what a profile needs before each piece."""
    before = None if profile is not None else b""
    for offset, text, after in whole_texts(filesystem, row):
        if before is None:
            start = max(0, offset - BEFORE)
            before = text_at(filesystem, row, start, offset - start)
        yield offset, before, text, after
        before = (before + text)[-BEFORE:] if profile is not None else b""


def errors_in(
    before: bytes, text: bytes, after: bytes, profile: _Profile | None
) -> Iterator[tuple[int, int, Utf8Error]]:
    """Return the start and the end of each error that begins in a text, where no character and no ill-formed sequence is cut."""
    for error in errors(before + text + after, profile=profile):
        start = error.start - len(before)
        if start >= len(text):
            return
        if start >= 0:
            yield start, error.end - len(before), error


def levels(ranges: int) -> int:
    """Return the number of `join` levels for a file with this number of ranges."""
    count = 0
    while ranges > 1:
        ranges, count = -(-ranges // FAN), count + 1
    return count


def in_order(
    path: str, rows: Iterable[dict[str, Any]], first: int = 0, most: int | None = None
) -> Iterator[dict[str, Any]]:
    """Return the rows of the ranges of a file, from `first` on: all of them, or at most `most`.

    Raises RuntimeError if a range is missing or comes twice.
    """
    index, end = first, None
    for row in rows:
        if row["index"] != index:
            raise RuntimeError(f"range {index} of {path} is missing, or came twice")
        index += 1
        end = row["ranges"] if most is None else min(first + most, row["ranges"])
        yield row
    if index != end:
        raise RuntimeError(f"range {index} of {path} is missing")


def join(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """Join the judgements of neighbouring ranges, which come in order."""

    def joined() -> Iterator[tuple[Any, ...]]:
        for (path, group), rows in groupby(listing.rows(batches), lambda row: (row["path"], row["index"] // FAN)):
            part, forbidden, error = Part(), None, None
            for row in in_order(path, rows, group * FAN, FAN):
                error = error or row["error"]
                forbidden = row["forbidden"] if forbidden is None else forbidden
                if row["part"] is not None:
                    part = part.then(Part.from_bytes(row["part"]))
            ranges = -(-row["ranges"] // FAN)
            file = path, row["size"], row["mtime"], row["codec"], ranges, group
            yield *file, None if error else part.to_bytes(), forbidden, error

    return listing.batches(joined(), JUDGED)


def found(filesystem: pyarrow.fs.FileSystem, row: dict[str, Any], profile: _Profile | None = None) -> tuple[Any, ...]:
    """Return the result for a file from the judgement on all of it."""
    path, reason = row["path"], row["error"]
    if reason is None:
        part = Part.from_bytes(row["part"])
        try:
            tally = part.finish()
            return path, True, tally.bytes, tally.chars, tally.newlines, *[None] * 7
        except PartError as error:
            try:
                kind = error.kind
                if row["forbidden"] == error.position and profile is not None:
                    length, kind, message = _forbidden_at(filesystem, row, error.position, profile)
                else:
                    length, message = mistake_at(filesystem, row, error.position)
                # The length of a compressed file is that of its text.
                size = len(part) if row["codec"] else row["size"]
                place = error.position, error.line, error.column
                return path, False, size, None, None, *place, length, kind, message, None
            except Unreadable as late:
                reason = str(late)
    return path, *[None] * 10, reason


def _forbidden_at(
    filesystem: pyarrow.fs.FileSystem, row: dict[str, Any], offset: int, profile: _Profile
) -> tuple[int, str, str]:
    """Return the length, the class and the explanation of the forbidden character at `offset` of a text."""
    start = max(0, offset - BEFORE)
    text = text_at(filesystem, row, start, offset - start + AFTER)
    error = next((error for error in errors(text, profile=profile) if error.start == offset - start), None)
    if not isinstance(error, ProfileError):
        raise Unreadable("changed after it was listed")
    return error.end - error.start, error.kind, error.explanation
