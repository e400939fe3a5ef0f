"""Finds files that are not UTF-8, and where."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow.fs  # type: ignore[import-untyped,unused-ignore]

from .._lake import judging, listing
from .._lake.columns import listed
from .._lake.listing import RANGE_BYTES, Paths
from ._ranges import ranges as ranges_of
from ._workers import for_each_row, in_spark

if TYPE_CHECKING:
    from .._trust8 import _Profile
    from pyspark.sql import DataFrame, SparkSession


def scan_files(
    spark: SparkSession,
    paths: Paths,
    range_bytes: int = RANGE_BYTES,
    *,
    filesystem: pyarrow.fs.FileSystem | None = None,
    profile: _Profile | None = None,
) -> DataFrame:
    """Return a row for each file: whether it is UTF-8, and either its counts or its first error.

    `paths` are files and folders, with their contents: local ones, or URIs for `pyarrow.fs`, such as
    ``s3://bucket/folder``. All workers must be able to read them. `filesystem` is for what a URI can't express. Files are
    listed now, on the driver. They are read lazily, in ranges of `range_bytes` bytes. Files whose names end in
    ``.gz`` or ``.zst`` are decompressed, and then all numbers are those of the text.

    | column | meaning |
    |---|---|
    | ``path`` | the file |
    | ``valid`` | whether it is UTF-8, or null if it could not be read |
    | ``bytes`` | its length |
    | ``characters``, ``newlines`` | their numbers, if it is UTF-8 |
    | ``offset``, ``line``, ``column`` | the position of the first error; `line` and `column` count from 1 |
    | ``length`` | the length of the first error in bytes |
    | ``kind``, ``message`` | what is wrong, for programs and for people |
    | ``error`` | why the file could not be read: it can't be opened, it vanished, or it changed after it was listed |

    For a file that is not UTF-8, the columns from ``offset`` to ``message`` match the output of ``trust8 check --json`` for its
    first error. The few bytes of that error are read once more. For that, a compressed file is decompressed a second time, to its end.

    With a `profile`, a file is not valid either if it has a character that the profile forbids: see `trust8.validate`. If that is its
    first error, ``kind`` is the name of the character's class.

    The order of the rows is unspecified.
    """
    filesystem, files = listing.list_files(paths, filesystem)
    frame, _, ranges = ranges_of(spark, files, range_bytes)
    profile = listed(profile)
    judge = for_each_row(lambda row: judging.judge(filesystem, row, profile), judging.JUDGED)
    return verdicts(filesystem, frame.mapInArrow(judge, in_spark(judging.JUDGED)), ranges, profile)


def verdicts(
    filesystem: pyarrow.fs.FileSystem, frame: DataFrame, ranges: int, profile: _Profile | None = None
) -> DataFrame:
    """Join the judgements on the ranges of each file. `ranges` is the maximum number of them in a file."""
    finish = for_each_row(lambda row: judging.found(filesystem, row, profile), judging.FOUND)
    for _ in range(judging.levels(ranges)):
        group = (frame["index"] / judging.FAN).cast("long")
        frame = frame.repartition("path", group).sortWithinPartitions("path", "index")
        frame = frame.mapInArrow(judging.join, in_spark(judging.JUDGED))
    return frame.mapInArrow(finish, in_spark(judging.FOUND))
