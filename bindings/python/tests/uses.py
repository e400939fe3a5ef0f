"""Uses of all functions, for mypy: what must be accepted, and what must not be."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from typing import Any

import pyarrow  # type: ignore[import-untyped,unused-ignore]
import trust8
from trust8 import arrow, spark


def of_bytes(data: bytes, view: memoryview, mapped: mmap.mmap) -> None:
    valid: bool = trust8.is_utf8(data) and trust8.is_utf8(bytearray(data)) and trust8.is_utf8(view)
    nothing: None = trust8.validate(mapped)  # type: ignore[func-returns-value]
    text: str = trust8.decode(data, "replace") + trust8.decode(data, errors="strict")
    encoded: bytes = trust8.encode(text)
    repaired: bytes = trust8.repair(data, policy="drop")
    names: list[str] = trust8.kernels()
    errors: Iterator[trust8.Utf8Error] = iter(trust8.errors(data))
    for error in errors:
        place: int = error.start
        kind: str = error.kind + error.explanation
    summary: trust8.Summary = trust8.inspect(data)
    counts: tuple[int, int, int, int] = summary.chars_by_len
    best: str | None = trust8.diagnose(data).best
    pair: tuple[str, int] = trust8.utf_8_decode(data, "strict", True)
    harmless: bool = trust8.is_utf8(data, profile="xml") and trust8.is_utf8(data, profile=("terminal", "line-feed"))
    for one in trust8.errors(data, profile={"nul"}):
        if isinstance(one, trust8.ProfileError):
            character: str = one.character
    plain: str = trust8.decode(trust8.repair(data, "cp1252", profile="source"), profile="source")
    trust8.register()
    with trust8.open_text("file", errors="ignore") as file:
        line: str = file.readline()
    read: str = trust8.read_text("file")


def of_pieces(data: bytes) -> None:
    validator = trust8.Validator()
    validator.push(data)
    position: int = validator.position
    validator.finish()
    part: trust8.Part = trust8.Part.of(data).then(trust8.Part())
    tally: trust8.Tally = trust8.Part.from_bytes(part.to_bytes()).finish()
    chars: int = tally.chars
    decoder = trust8.IncrementalDecoder("replace")
    text: str = decoder.decode(data, final=True)


def of_columns(array: pyarrow.Array, table: pyarrow.Table) -> None:
    text: arrow.Array | arrow.Stream = arrow.repair(array, "null")
    found: arrow.Stream = arrow.errors(table, profile="postgres")
    rows: int = len(arrow.repair_table(table, columns=["name"]))
    count: int = arrow.repair_parquet("a", "b", progress=False)


def refused(data: bytes) -> None:
    trust8.is_utf8("text")  # type: ignore[arg-type]
    trust8.decode(data, 5)  # type: ignore[arg-type]
    trust8.is_utf8(data, profile=5)  # type: ignore[arg-type]
    trust8.encode(data)  # type: ignore[arg-type]
    arrow.repair(data)  # type: ignore[arg-type]


def refused_policies(data: bytes, array: pyarrow.Array, frame: Any) -> None:
    """Names of policies with a mistake, and policies that a function lacks."""
    trust8.repair(data, "relpace")  # type: ignore[arg-type]
    trust8.repair(data, policy="null")  # type: ignore[arg-type]
    arrow.repair(array, "dorp")  # type: ignore[arg-type]
    arrow.checked(array, "nul")  # type: ignore[arg-type]
    arrow.repair_table(array, "replaced")  # type: ignore[arg-type]
    spark.repair(frame, "name", "windows-1251")  # type: ignore[arg-type]
    spark.repair_files(frame, "from", "to", "null")  # type: ignore[arg-type]
