"""Ingests a Parquet file of a stranger, whose text may be anything: python ingest.py dirty.parquet clean.parquet

Text that is not UTF-8 is read as windows-1252. The column was_utf8 says in which rows, and each of them is printed.
"""

from __future__ import annotations

import sys

import pyarrow
import pyarrow.compute
import pyarrow.parquet
from trust8 import arrow


def ingest(dirty: str, clean: str) -> list[int]:
    reader = pyarrow.RecordBatchReader.from_stream(arrow.read_parquet(dirty, "windows-1252", mask="was_utf8"))
    bad, first = [], 0
    with pyarrow.parquet.ParquetWriter(clean, reader.schema) as writer:
        for batch in reader:
            writer.write_batch(batch)
            rows = pyarrow.compute.indices_nonzero(pyarrow.compute.invert(batch["was_utf8"]))
            bad += [first + row for row in rows.to_pylist()]
            first += batch.num_rows
    return bad


if __name__ == "__main__":
    for row in ingest(*sys.argv[1:]):
        print(f"row {row} was not UTF-8")
