"""The files to read, and their ranges."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import pyarrow  # type: ignore[import-untyped,unused-ignore]
import pyarrow.fs  # type: ignore[import-untyped,unused-ignore]

# The length of a range. Reading it takes much longer than starting a task.
RANGE_BYTES = 128 << 20

# The cost of opening a file, as the number of bytes that could be read in the same time.
OPEN_COST = 256 << 10

# The minimum work of a task, in the same unit, so that starting the task costs little in comparison.
TASK_COST = 64 * OPEN_COST

# Files with these names are decompressed. They can only be read from the start, so each is one range.
CODECS = {".gz": "gzip", ".zst": "zstd"}

Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


class File(NamedTuple):
    """The state of a file when it was listed, or the reason why it can't be read."""

    path: str
    size: int = 0
    mtime: int | None = None
    codec: str | None = None
    error: str | None = None


def list_files(
    paths: Paths, filesystem: pyarrow.fs.FileSystem | None = None
) -> tuple[pyarrow.fs.FileSystem, list[File]]:
    """Return the files that `paths` names, and those in the folders that it names, sorted by name."""
    given = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    roots = []
    for one in given:
        path = os.fspath(one)
        if filesystem is None or "://" in path:
            found, path = _resolve(path)
            if filesystem is not None and not filesystem.equals(found):
                raise ValueError(f"{path} is on another file system than the paths before it")
            filesystem = found
        roots.append(os.path.abspath(path) if filesystem.type_name == "local" else path)
    if filesystem is None:
        filesystem = pyarrow.fs.LocalFileSystem()
    list_one = _list_local if filesystem.type_name == "local" else _list_remote
    files = {file.path: file for path in roots for file in list_one(filesystem, path)}
    return filesystem, [files[path] for path in sorted(files)]


def _resolve(path: str) -> tuple[pyarrow.fs.FileSystem, str]:
    """Return the file system that a path or URI names, and the path there."""
    if "://" in path:
        found: tuple[pyarrow.fs.FileSystem, str] = pyarrow.fs.FileSystem.from_uri(path)
        return found
    return pyarrow.fs.LocalFileSystem(), path


def _list_local(_: pyarrow.fs.FileSystem, root: str) -> Iterator[File]:
    """List a local file or folder.

    pyarrow's own listing fails at a name that is not UTF-8, and omits dangling links. Links to folders are not followed.
    """
    if not os.path.isdir(root):
        yield _local_file(root)
        return
    failed: list[OSError] = []
    for folder, _folders, names in os.walk(root, onerror=failed.append):
        for name in names:
            yield _local_file(os.path.join(folder, name))
    for error in failed:
        yield File(_shown(os.fspath(error.filename)), error=f"cannot be listed: {error.strerror}")


def _local_file(path: str) -> File:
    try:
        path.encode()
    except UnicodeEncodeError:
        return File(_shown(path), error="the name of the file is not UTF-8")
    try:
        found = os.stat(path)
    except OSError as error:
        return File(path, error=f"cannot be read: {error.strerror}")
    if not stat.S_ISREG(found.st_mode):
        return File(path, error="not a regular file")
    return File(path, found.st_size, found.st_mtime_ns, codec_of(path))


def _shown(path: str) -> str:
    """Return a path with ``\\xNN`` for each byte that is not UTF-8."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _list_remote(filesystem: pyarrow.fs.FileSystem, root: str) -> Iterator[File]:
    found = filesystem.get_file_info(root)
    infos = [found]
    if found.type == pyarrow.fs.FileType.Directory:
        infos = filesystem.get_file_info(pyarrow.fs.FileSelector(root, recursive=True))
    for info in infos:
        if info.type == pyarrow.fs.FileType.File:
            yield File(info.path, info.size, info.mtime_ns, codec_of(info.path))
        elif info.type != pyarrow.fs.FileType.Directory:
            missing = info.type == pyarrow.fs.FileType.NotFound
            yield File(info.path, error="cannot be read: no such file" if missing else "not a regular file")


# A range of a file. The file has `ranges` of them, which `index` counts from 0.
RANGE = pyarrow.schema(
    [("path", pyarrow.string()), ("size", pyarrow.int64()), ("mtime", pyarrow.int64()), ("codec", pyarrow.string()),
     ("error", pyarrow.string()), ("ranges", pyarrow.int64()), ("index", pyarrow.int64()), ("offset", pyarrow.int64()),
     ("end", pyarrow.int64())]
)  # fmt: skip


def ranges_of(file: File, range_bytes: int) -> Iterator[tuple[Any, ...]]:
    """Return the ranges of a file, as rows of the schema `RANGE`."""
    count = _count(file, range_bytes)
    for index in range(count):
        # A compressed file is one range of any length.
        offset = index * range_bytes
        end = file.size if file.codec else min(file.size, offset + range_bytes)
        yield *file, count, index, offset, end


def _count(file: File, range_bytes: int) -> int:
    return 1 if file.codec else max(1, -(-file.size // range_bytes))


def codec_of(path: str) -> str | None:
    """Return the compression of a file by its name."""
    return CODECS.get(os.path.splitext(path)[1])


class Plan(NamedTuple):
    """How to cut files into ranges, and how to assign these to tasks."""

    # The number of ranges of each file, and the cost of all files before it.
    counts: list[int]
    starts: list[int]
    # The cost per task, and the number of tasks.
    share: int
    tasks: int


def plan(files: list[File], range_bytes: int, parallelism: int) -> Plan:
    """Cut files into ranges of `range_bytes`, for a cluster that runs `parallelism` tasks at the same time.

    Tasks have about the same amount of work, at most that of a range of `range_bytes` and one more file.
    """
    if range_bytes < 1:
        raise ValueError("`range_bytes` must be at least 1")
    counts, starts, cost = [], [], 0
    for file in files:
        count = _count(file, range_bytes)
        counts.append(count)
        starts.append(cost)
        cost += file.size + count * OPEN_COST
    # If there is little to read, each core gets a part of it.
    share = max(TASK_COST, min(range_bytes + OPEN_COST, -(-cost // (2 * parallelism))))
    return Plan(counts, starts, share, max(1, -(-cost // share)))


def rows(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[dict[str, Any]]:
    """Return the rows of batches, in order."""
    for batch in batches:
        names = batch.schema.names
        for values in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            yield dict(zip(names, values, strict=True))


def batches(rows: Iterable[tuple[Any, ...]], schema: pyarrow.Schema, size: int = 4096) -> Iterator[pyarrow.RecordBatch]:
    """Return rows as batches of at most `size` rows."""
    kept: list[tuple[Any, ...]] = []
    for row in rows:
        kept.append(row)
        if len(kept) == size:
            yield _batch(kept, schema)
            kept = []
    if kept:
        yield _batch(kept, schema)


def _batch(rows: list[tuple[Any, ...]], schema: pyarrow.Schema) -> pyarrow.RecordBatch:
    columns = [pyarrow.array(values, field.type) for values, field in zip(zip(*rows, strict=True), schema, strict=True)]
    return pyarrow.RecordBatch.from_arrays(columns, schema=schema)
