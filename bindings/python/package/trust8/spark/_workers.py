"""The code in the Python workers of Spark."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pyarrow  # type: ignore[import-untyped,unused-ignore]

from .._lake import listing


_TYPES = {"string": "string", "int64": "long", "int32": "int", "bool": "boolean", "binary": "binary"}


def in_spark(schema: pyarrow.Schema) -> str:
    """Return a schema in Spark's notation."""
    return ", ".join(f"{field.name} {_TYPES[str(field.type)]}" for field in schema)


def for_each_row(
    change: Callable[[dict[str, Any]], tuple[Any, ...]], schema: pyarrow.Schema
) -> Callable[[Iterable[pyarrow.RecordBatch]], Iterator[pyarrow.RecordBatch]]:
    """Return a function for `mapInArrow` that maps each row to a row."""

    def run(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        settle()
        return listing.batches(map(change, listing.rows(batches)), schema)

    return run


def settle() -> None:
    """Exempt all objects of this process from garbage collection, once.

    A worker collects garbage after each task, and visits every object of pyspark and pandas for that. This took 26 ms, as
    long as reading and judging 128 MiB.
    """
    if gc.get_freeze_count() == 0:
        gc.freeze()
