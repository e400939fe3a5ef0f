"""UTF-8 on Ray Data: which files of a lake are not UTF-8, and where; columns repaired on a cluster.

    import ray
    from trust8 import ray as utf8

    utf8.scan_files("/lake").filter(lambda row: not row["valid"]).show()
    utf8.repair(ray.data.read_parquet("/lake/names.parquet"), "name", "windows-1252")

The functions return datasets, which are evaluated lazily. The rows are those of `trust8.spark`: the same code cuts, reads and
judges files.

This needs Ray 2.60 or later with pyarrow, on the driver and on the workers: ``pip install "./bindings/python[ray]"``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import pyarrow  # type: ignore[import-untyped,unused-ignore]
import pyarrow.fs  # type: ignore[import-untyped,unused-ignore]

from . import arrow
from ._lake import judging, listing
from ._lake.columns import check_policy, listed
from ._lake.listing import OPEN_COST, RANGE_BYTES, File, Paths

if TYPE_CHECKING:
    from ._trust8 import _ColumnPolicy, _Profile
    from ray.data import Dataset  # type: ignore[import-not-found,unused-ignore]

__all__ = ["repair", "scan_files", "validate"]


def scan_files(
    paths: Paths,
    range_bytes: int = RANGE_BYTES,
    *,
    filesystem: pyarrow.fs.FileSystem | None = None,
    profile: _Profile | None = None,
) -> Dataset:
    """Return a row for each file: whether it is UTF-8, and either its counts or its first error.

    The arguments and the columns are those of `trust8.spark.scan_files`. The ranges are made on the driver.
    """
    import ray  # type: ignore[import-not-found,unused-ignore]

    filesystem, files = listing.list_files(paths, filesystem)
    cores = int(ray.cluster_resources().get("CPU", 1)) if ray.is_initialized() else 1
    plan = listing.plan(files, range_bytes, max(1, cores))

    profile = listed(profile)
    judge = _for_each_row(lambda row: judging.judge(filesystem, row, profile), judging.JUDGED)
    find = _for_each_row(lambda row: judging.found(filesystem, row, profile), judging.FOUND)
    ds = _map(ray.data.from_arrow(_tasks(files, range_bytes, plan)), judge)
    for _ in range(judging.levels(max(plan.counts, default=1))):
        # Each block of the result has all judgements of its groups.
        ds = _map(ds, _with_group).repartition(min(plan.tasks, max(1, cores)), keys=["path", "group"])
        ds = _map(ds, _join)
    return _map(ds, find)


def _tasks(files: list[File], range_bytes: int, plan: listing.Plan) -> list[pyarrow.Table]:
    """Return a table for each task, with the ranges to judge."""
    tasks: dict[int, list[tuple[Any, ...]]] = {}
    for file, start in zip(files, plan.starts, strict=True):
        for index, row in enumerate(listing.ranges_of(file, range_bytes)):
            task = (start + index * (range_bytes + OPEN_COST)) // plan.share
            tasks.setdefault(task, []).append(row)
    return [_table(rows, listing.RANGE) for rows in tasks.values()] or [listing.RANGE.empty_table()]


def _with_group(table: pyarrow.Table) -> pyarrow.Table:
    """Add the group of each judgement."""
    groups = [index // judging.FAN for index in table["index"].to_pylist()]
    return table.append_column("group", pyarrow.array(groups, pyarrow.int64()))


def _join(table: pyarrow.Table) -> pyarrow.Table:
    """Join the judgements of each group."""
    rows = table.select(judging.JUDGED.names).sort_by([("path", "ascending"), ("index", "ascending")])
    return pyarrow.Table.from_batches(judging.join(rows.to_batches()), judging.JUDGED)


def _table(rows: Iterable[tuple[Any, ...]], schema: pyarrow.Schema) -> pyarrow.Table:
    return pyarrow.Table.from_batches(listing.batches(rows, schema), schema)


def _for_each_row(
    change: Callable[[dict[str, Any]], tuple[Any, ...]], schema: pyarrow.Schema
) -> Callable[[pyarrow.Table], pyarrow.Table]:
    """Return a function for `_map` that maps each row to a row."""
    return lambda table: _table(map(change, listing.rows(table.to_batches())), schema)


def _map(ds: Dataset, change: Callable[[pyarrow.Table], pyarrow.Table]) -> Dataset:
    """Map each whole block of a dataset."""
    return ds.map_batches(change, batch_format="pyarrow", batch_size=None)


def validate(ds: Dataset, col: str, into: str = "valid", *, profile: _Profile | None = None) -> Dataset:
    """Return the rows with an additional column, `into`: whether the value of the column `col` is UTF-8, or null if it is null.

    `col` is a column of strings or binary values. `profile` is as for `trust8.validate`.
    """
    profile = listed(profile)

    def check(table: pyarrow.Table) -> pyarrow.Table:
        if into in table.column_names:
            raise ValueError(f"there is a column '{into}' already; give another name as `into`")
        return table.append_column(into, pyarrow.chunked_array(arrow.is_valid(_column(table, col), profile=profile)))

    return _map(ds, check)


def repair(ds: Dataset, col: str, policy: _ColumnPolicy = "replace", *, profile: _Profile | None = None) -> Dataset:
    """Return the rows with the values of the column `col` repaired. The schema and the other columns stay the same.

    `col` is a column of strings or binary values. The policies are those of `trust8.repair`, and 'null', which makes an invalid
    value null. With a `profile`, the characters that it forbids are repaired too.
    """
    check_policy(policy, "null")
    profile = listed(profile)

    def repaired(table: pyarrow.Table) -> pyarrow.Table:
        column = _column(table, col)
        text = pyarrow.chunked_array(arrow.repair(column, policy, profile=profile)).cast(column.type)
        index = table.column_names.index(col)
        return table.set_column(index, table.field(index), text)

    return _map(ds, repaired)


def _column(table: pyarrow.Table, name: str) -> pyarrow.ChunkedArray:
    """Return a column of strings or binary values."""
    if name not in table.column_names:
        raise ValueError(f"there is no column '{name}'")
    kind = table.field(name).type
    is_text = pyarrow.types.is_string(kind) or pyarrow.types.is_large_string(kind) or pyarrow.types.is_string_view(kind)
    if not (is_text or pyarrow.types.is_binary(kind) or pyarrow.types.is_large_binary(kind)):
        raise ValueError(f"the column '{name}' is of type {kind}, and not a string or binary")
    return table[name]
