"""Reads a worker's range of a file, which must not change during the scan."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow.fs  # type: ignore[import-untyped,unused-ignore]

from .._trust8 import _mistake

# A piece stays in the second-level cache between reading and judging.
PIECE = 256 << 10

# Over a network, each read is a request, which takes longer than the bytes of a short one.
REMOTE_PIECE = 8 << 20

# The maximum number of continuation bytes in a mistake.
CONTINUATIONS = 5

# The maximum distance that the end of a range can move, and the length of text that decides what begins at a position.
CONTEXT = CONTINUATIONS + 3


# What a profile says about a character may depend on up to 64 bytes before it, and on a few after it.
BEFORE = 64
AFTER = 16


class Unreadable(Exception):
    """A file that can't be read, or that has changed since it was listed."""


def pieces(filesystem: pyarrow.fs.FileSystem, row: dict[str, Any], first: int, end: int) -> Iterator[bytes]:
    """Return the bytes of a file from `first` to `end`, in pieces. Of a compressed file, return the whole text.

    Raises `Unreadable`, perhaps only after the last piece, unless the file has the listed size and time before and after
    reading.
    """
    if row["error"] is not None:
        raise Unreadable(row["error"])
    length = PIECE if filesystem.type_name == "local" else REMOTE_PIECE
    try:
        check_unchanged(filesystem, row)
        if row["codec"] is None:
            with filesystem.open_input_file(row["path"]) as file:
                file.seek(first)
                while first < end:
                    piece = file.read(min(length, end - first))
                    if not piece:
                        raise Unreadable("became shorter while it was read")
                    first += len(piece)
                    yield piece
        else:
            with filesystem.open_input_stream(row["path"], compression=row["codec"], buffer_size=length) as stream:
                while piece := stream.read(PIECE):
                    yield piece
        check_unchanged(filesystem, row)
    except OSError as error:
        raise Unreadable(f"cannot be read: {error}") from error


def mistake_at(filesystem: pyarrow.fs.FileSystem, row: dict[str, Any], offset: int) -> tuple[int, str]:
    """Return the length of the mistake at `offset` of a text, and the command's message about it.

    Raises `Unreadable` like `text_at`.
    """
    return mistake_in(text_at(filesystem, row, offset), 0)


def text_at(
    filesystem: pyarrow.fs.FileSystem, row: dict[str, Any], offset: int, length: int = 1 + CONTINUATIONS
) -> bytes:
    """Return `length` bytes of a text from `offset` on. The default is enough to decide what is there.

    Raises `Unreadable` like `pieces`. A compressed file is decompressed again.
    """
    end = min(offset + length, row["size"])
    base, text = (0, b"") if row["codec"] else (offset, b"")
    for piece in pieces(filesystem, row, offset, end):
        text += piece
        skipped = max(0, min(offset - base, len(text)))
        base, text = base + skipped, text[skipped : skipped + length]
    return text


def mistake_in(text: bytes, at: int) -> tuple[int, str]:
    """Return the length of the mistake at position `at` of a text, and the command's message about it."""
    found = _mistake(text[at : at + 1 + CONTINUATIONS])
    if found is None:
        raise Unreadable("changed after it was listed")
    return found


def check_unchanged(filesystem: pyarrow.fs.FileSystem, row: dict[str, Any]) -> None:
    """Raise `Unreadable` unless a file has the listed size and time."""
    try:
        found = filesystem.get_file_info(row["path"])
    except OSError as error:
        raise Unreadable(f"cannot be read: {error}") from error
    if found.type == pyarrow.fs.FileType.NotFound:
        raise Unreadable("vanished after it was listed")
    if found.type != pyarrow.fs.FileType.File:
        raise Unreadable("is no longer a regular file")
    if found.size != row["size"]:
        raise Unreadable(f"changed after it was listed: {row['size']} bytes became {found.size}")
    if row["mtime"] is not None and found.mtime_ns != row["mtime"]:
        raise Unreadable("changed after it was listed: it was written again")


def boundary(text: bytes, at: int) -> int:
    """Return the first position from `at` on at which a file can be cut: `at`, or up to eight bytes after it.

    No character, nothing that a policy replaces as one, and no mistake that the command reports is cut there. All of these have
    a first byte and up to five continuations, except one: a high surrogate and a low one of three bytes each. So a cut is safe
    before each byte that is not a continuation, after five continuations, and always after a low surrogate.
    """
    last = min(at + CONTINUATIONS, len(text))
    cut = next((place for place in range(at, last) if text[place] & 0xC0 != 0x80), last)
    return cut + 3 if _is_low_surrogate(text[cut : cut + 3]) else cut


def _is_low_surrogate(text: bytes) -> bool:
    return len(text) == 3 and text[0] == 0xED and text[1] & 0xF0 == 0xB0 and text[2] & 0xC0 == 0x80


def whole_texts(filesystem: pyarrow.fs.FileSystem, row: dict[str, Any]) -> Iterator[tuple[int, bytes, bytes]]:
    """Return the text of a range in pieces: the offset of each, the piece, and up to eight bytes after it.

    No sequence is cut: both ends of the range move to the next `boundary`. Neighbours move their common end
    by the same rule, and each reads a few bytes after its end for that. No piece ends inside a character either.
    """
    offset, size = row["offset"], row["size"]
    end = None if row["codec"] is not None or row["end"] >= size else row["end"]
    last = size if end is None else min(size, end + 2 * CONTEXT)
    # `kept` is at position `base` of the file, and the text of the range begins in it at `begin`.
    base, kept = offset, b""
    begin = 0 if offset == 0 else None
    for piece in pieces(filesystem, row, offset, last):
        kept += piece
        cut = len(kept) - 2 * CONTEXT
        if cut > CONTEXT and (end is None or base + cut + CONTEXT <= end):
            cut = boundary(kept, cut)
            begin = boundary(kept, 0) if begin is None else begin
            yield base + begin, kept[begin:cut], kept[cut : cut + CONTEXT]
            base, kept, begin = base + cut, kept[cut:], 0
    begin = boundary(kept, 0) if begin is None else begin
    cut = len(kept) if end is None else boundary(kept, end - base)
    if cut > begin:
        yield base + begin, kept[begin:cut], kept[cut : cut + CONTEXT]
