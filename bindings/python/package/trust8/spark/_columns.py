"""Columns that may not be UTF-8."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import pyarrow  # type: ignore[import-untyped,unused-ignore]

from .. import arrow
from .._lake.columns import check_policy, listed
from ._workers import settle

if TYPE_CHECKING:
    from .._trust8 import _ColumnPolicy, _Profile
    from pyspark.sql import Column, DataFrame


# Whether a type is that of a column of strings or binary values.
_TEXT = [getattr(pyarrow.types, f"is_{name}") for name in ("string", "large_string", "binary", "large_binary")]


def is_valid(col: Column | str, *, profile: _Profile | None = None) -> Column:
    """Return a column with whether the values of `col` are UTF-8, or null where they are null.

    Other columns stay in the JVM, while `validate` sends them through Python. `col` has strings or binary values. With a `profile`, a
    value with a character that it forbids is not valid either: see `trust8.validate`.
    """
    profile = listed(profile)
    return _column("is_valid", lambda values: arrow.is_valid(values, profile=profile), "boolean")(col)


def repaired(col: Column | str, policy: _ColumnPolicy = "replace", *, profile: _Profile | None = None) -> Column:
    """Return a column of strings: the values of `col`, repaired as by `repair`. Other columns stay in the JVM."""
    check_policy(policy, "null")
    profile = listed(profile)
    return _column("repaired", lambda values: arrow.repair(values, policy, profile=profile), "string")(col)


def _column(name: str, change: Callable[[pyarrow.Array], object], kind: str) -> Callable[[Column | str], Column]:
    """Return a function of columns that maps batches of values. Spark shows its name."""
    from pyspark.sql.functions import arrow_udf

    def changed(values: pyarrow.Array) -> pyarrow.Array:
        settle()
        if not any(check(values.type) for check in _TEXT):
            raise ValueError(f"the column is of type {values.type}, and not a string or binary")
        array = pyarrow.array(change(values))
        return array if kind == "boolean" else array.cast(pyarrow.string())

    changed.__name__ = name
    # Spark does not understand annotations that are strings.
    changed.__annotations__ = {"values": pyarrow.Array, "return": pyarrow.Array}
    return arrow_udf(changed, kind)  # type: ignore[no-any-return]


def validate(df: DataFrame, col: str, into: str = "valid", *, profile: _Profile | None = None) -> DataFrame:
    """Return the rows with an additional column, `into`: whether the value of the column `col` is UTF-8, or null if it is null.

    `col` is a column of strings or binary values. Spark does not check that strings are UTF-8. `profile` is as for `is_valid`.
    """
    from pyspark.sql.types import BooleanType, StructField, StructType

    index = _index(df, col)
    profile = listed(profile)
    if any(_same(df, name, into) for name in df.columns):
        raise ValueError(f"there is a column '{into}' already; give another name as `into`")
    schema = StructType([*df.schema.fields, StructField(into, BooleanType(), df.schema[index].nullable)])

    def check(batch: pyarrow.RecordBatch) -> pyarrow.RecordBatch:
        valid = pyarrow.array(arrow.is_valid(batch.column(index), profile=profile))
        return pyarrow.RecordBatch.from_arrays([*batch.columns, valid], names=[*batch.schema.names, into])

    return df.mapInArrow(_each(check), schema)


def repair(df: DataFrame, col: str, policy: _ColumnPolicy = "replace", *, profile: _Profile | None = None) -> DataFrame:
    """Return the rows with the values of the column `col` repaired. The schema and the other columns stay the same.

    `col` is a column of strings or binary values. The policies are those of `trust8.repair`, and 'null', which makes an invalid
    value null. With a `profile`, the characters that it forbids are repaired too.
    """
    index = _index(df, col)
    profile = listed(profile)
    check_policy(policy, "null")
    if policy == "null" and not df.schema[index].nullable:
        raise ValueError(f"the column '{col}' can't have nulls, which the policy 'null' makes")

    def repaired(batch: pyarrow.RecordBatch) -> pyarrow.RecordBatch:
        column = batch.column(index)
        text = pyarrow.array(arrow.repair(column, policy, profile=profile)).cast(column.type)
        columns = [*batch.columns[:index], text, *batch.columns[index + 1 :]]
        return pyarrow.RecordBatch.from_arrays(columns, schema=batch.schema)

    return df.mapInArrow(_each(repaired), df.schema)


def _each(
    change: Callable[[pyarrow.RecordBatch], pyarrow.RecordBatch],
) -> Callable[[Iterable[pyarrow.RecordBatch]], Iterator[pyarrow.RecordBatch]]:
    def all_of(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        settle()
        return map(change, batches)

    return all_of


def _index(df: DataFrame, col: str) -> int:
    """Return the index of a column of strings or binary values."""
    from pyspark.sql.types import BinaryType, StringType

    found = [index for index, name in enumerate(df.columns) if _same(df, name, col)]
    if len(found) != 1:
        raise ValueError(f"there {'is no column' if not found else 'is more than one column'} '{col}'")
    kind = df.schema[found[0]].dataType
    if not isinstance(kind, (StringType, BinaryType)):
        raise ValueError(f"the column '{col}' is of type {kind.simpleString()}, and not a string or binary")
    return found[0]


def _same(df: DataFrame, one: str, other: str) -> bool:
    """Return whether two names are the same to Spark."""
    if df.sparkSession.conf.get("spark.sql.caseSensitive", "false") == "true":
        return one == other
    return one.lower() == other.lower()
