"""Repairs files on a cluster.

Each task writes the repaired text of a range to a file whose name no other attempt uses. A task for each file of several ranges
joins these files. Only the files that successful tasks report count. Finally, the driver puts them into a folder, and renames it
in one step. So a task that fails, is repeated or runs twice leaves nothing in `dst`.
"""

from __future__ import annotations

import os
import posixpath
import stat
import sys
import uuid
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain, groupby
from typing import TYPE_CHECKING, Any

import pyarrow  # type: ignore[import-untyped,unused-ignore]
import pyarrow.fs  # type: ignore[import-untyped,unused-ignore]

from .. import errors as errors_in
from .. import is_utf8
from .. import repair as repair_bytes
from .._lake import listing
from .._lake.access import permit
from .._lake.columns import check_policy, listed
from .._lake.judging import in_order
from .._lake.listing import RANGE_BYTES
from .._lake.reading import PIECE, Unreadable, whole_texts
from ._ranges import ranges as ranges_of
from ._workers import for_each_row, in_spark

if TYPE_CHECKING:
    from .._trust8 import _Policy, _Profile
    from pyspark.sql import DataFrame, SparkSession

_WRITTEN = pyarrow.schema(
    [("path", pyarrow.string()), ("codec", pyarrow.string()), ("ranges", pyarrow.int64()), ("index", pyarrow.int64()),
     ("name", pyarrow.string()), ("before", pyarrow.int64()), ("after", pyarrow.int64()), ("repaired", pyarrow.int64()),
     ("error", pyarrow.string())]
)  # fmt: skip

# File systems without folders. pyarrow would copy each object to rename it.
_STORES = ("s3", "gcs", "abfs")

_NUMBERS = ("before", "after", "repaired")


def repair_files(
    spark: SparkSession,
    src: str | os.PathLike[str],
    dst: str | os.PathLike[str],
    policy: _Policy = "replace",
    range_bytes: int = RANGE_BYTES,
    *,
    filesystem: pyarrow.fs.FileSystem | None = None,
    profile: _Profile | None = None,
) -> DataFrame:
    """Repair a file or all files of a folder, and return a row for each.

    `dst` becomes a file like `src`, or a folder with files of the same names. It must not exist yet. It appears by a single
    rename when everything is complete. Each file in it is the result of `trust8.repair` for the whole file with this policy. Files
    whose names end in ``.gz`` or ``.zst`` are decompressed, repaired, and compressed again. Local files and folders keep their
    permissions.

    The columns of the result are ``path`` in `src`, ``bytes_before`` and ``bytes_after`` (of the text), ``repaired`` (the number
    of ill-formed sequences), and ``error``: why a file could not be read. Such a file is not in `dst`.

    With a `profile`, characters that it forbids are repaired, and counted, too. What it says about a character depends on the text
    before it, so each file is then read by one task as a whole, and must fit into its memory.

    The file system must rename folders in one step, which local ones and HDFS do, and object stores do not. It needs space for
    the result, and as much again for files of several ranges.
    """
    check_policy(policy)
    profile = listed(profile)
    if profile is not None:
        range_bytes = sys.maxsize
    source, target = os.fspath(src), os.fspath(dst)
    filesystem, files = listing.list_files(source, filesystem)
    if filesystem.type_name in _STORES:
        raise ValueError(f"a file system of type '{filesystem.type_name}' does not rename folders in one step")
    root = _place_on(filesystem, source)
    target = _place_on(filesystem, target)
    _check_free(filesystem, target)
    is_folder = filesystem.get_file_info(root).type == pyarrow.fs.FileType.Directory
    work = posixpath.join(posixpath.dirname(target), f".{posixpath.basename(target)}-{uuid.uuid4().hex}")
    parts = posixpath.join(work, "parts")
    filesystem.create_dir(parts)
    try:
        written = _write(spark, filesystem, files, parts, policy, range_bytes, profile)
        _commit(filesystem, written, root if is_folder else None, work, target)
    finally:
        filesystem.delete_dir(work)
    names = ["path", "bytes_before", "bytes_after", "repaired", "error"]
    report = written.select(["path", "before", "after", "repaired", "error"]).rename_columns(names)
    return spark.createDataFrame(report)


def _place_on(filesystem: pyarrow.fs.FileSystem, path: str) -> str:
    """Return the file system's name for a path or URI."""
    if "://" in path:
        found, path = pyarrow.fs.FileSystem.from_uri(path)
        if not found.equals(filesystem):
            raise ValueError("`src` and `dst` are on different file systems")
    elif filesystem.type_name == "local":
        path = os.path.abspath(path)
    return path.rstrip("/")


def _check_free(filesystem: pyarrow.fs.FileSystem, target: str) -> None:
    if filesystem.get_file_info(target).type != pyarrow.fs.FileType.NotFound:
        raise FileExistsError(f"{target} is there already")


def _write(
    spark: SparkSession,
    filesystem: pyarrow.fs.FileSystem,
    files: list[listing.File],
    parts: str,
    policy: _Policy,
    range_bytes: int,
    profile: _Profile | None,
) -> pyarrow.Table:
    """Write the repaired files to temporary names, and return a row for each."""
    frame, tasks, ranges = ranges_of(spark, files, range_bytes)

    write = for_each_row(lambda row: _write_range(filesystem, row, parts, policy, profile), _WRITTEN)

    def join(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        return listing.batches(_joined(filesystem, listing.rows(batches), parts), _WRITTEN)

    frame = frame.mapInArrow(write, in_spark(_WRITTEN))
    if ranges > 1:
        frame = frame.repartition(tasks, "path").sortWithinPartitions("path", "index").mapInArrow(join, in_spark(_WRITTEN))
    return frame.toArrow()


def _write_range(
    filesystem: pyarrow.fs.FileSystem, row: dict[str, Any], parts: str, policy: _Policy, profile: _Profile | None = None
) -> tuple[Any, ...]:
    """Write the repaired text of a range to a new file."""
    name = posixpath.join(parts, uuid.uuid4().hex)
    head = row["path"], row["codec"], row["ranges"], row["index"]
    before = after = repaired = 0
    try:
        with filesystem.open_output_stream(name, compression=row["codec"]) as sink:
            _permit(filesystem, row["path"], name)
            texts = (text for _, text, _ in whole_texts(filesystem, row))
            for text in texts if profile is None else [b"".join(texts)]:
                before += len(text)
                if not is_utf8(text, profile=profile):
                    repaired += sum(1 for _ in errors_in(text, profile=profile))
                    text = repair_bytes(text, policy, profile=profile)
                after += len(text)
                sink.write(text)
    except Unreadable as error:
        return *head, None, None, None, None, str(error)
    return *head, name, before, after, repaired, None


def _joined(filesystem: pyarrow.fs.FileSystem, rows: Iterable[dict[str, Any]], parts: str) -> Iterator[tuple[Any, ...]]:
    """Join the written ranges of each file, which come in order."""
    for path, group in groupby(rows, lambda row: row["path"]):
        rows_of_file = in_order(path, group)
        first = next(rows_of_file)
        if first["ranges"] == 1:
            yield tuple(first.values())
            continue
        name = posixpath.join(parts, uuid.uuid4().hex)
        sums, error = [0, 0, 0], None
        with filesystem.open_output_stream(name) as sink:
            _permit(filesystem, path, name)
            for row in chain([first], rows_of_file):
                error = error or row["error"]
                if error is None:
                    with filesystem.open_input_stream(row["name"]) as source:
                        while piece := source.read(PIECE):
                            sink.write(piece)
                    sums = [total + row[column] for total, column in zip(sums, _NUMBERS, strict=True)]
        numbers = sums if error is None else [None] * len(sums)
        yield path, None, 1, 0, None if error else name, *numbers, error


def _commit(
    filesystem: pyarrow.fs.FileSystem, written: pyarrow.Table, root: str | None, work: str, target: str
) -> None:
    """Put the written files into their folders, and rename the result."""
    complete = posixpath.join(work, "complete")
    made = {}
    if root is not None:
        filesystem.create_dir(complete)
        made[complete] = root
    for path, name in zip(written["path"].to_pylist(), written["name"].to_pylist(), strict=True):
        if name is None:
            continue
        place = complete if root is None else posixpath.join(complete, posixpath.relpath(path, root))
        folder, original = posixpath.dirname(place), posixpath.dirname(path)
        if root is not None and folder not in made:
            filesystem.create_dir(folder)
            while folder not in made:
                made[folder] = original
                folder, original = posixpath.dirname(folder), posixpath.dirname(original)
        filesystem.move(name, place)
    for folder, original in made.items():
        _permit(filesystem, original, folder, stat.S_IRWXU)
    _check_free(filesystem, target)
    if root is not None or written["name"].null_count == 0:
        filesystem.move(complete, target)


def _permit(filesystem: pyarrow.fs.FileSystem, source: str, target: str, least: int = stat.S_IRUSR) -> None:
    """Give a new local file or folder the permissions of another: see `permit`."""
    if filesystem.type_name == "local":
        # A file that can't be read is reported by those who read it.
        with suppress(OSError):
            permit(target, source, least)
