"""UTF-8 on Apache Spark: which files of a lake are not UTF-8, and where; columns and files repaired on a cluster.

    from pyspark.sql import SparkSession
    from trust8 import spark as utf8

    session = SparkSession.builder.getOrCreate()
    utf8.scan_files(session, "/lake").where("not valid or error is not null").show()
    utf8.repair(session.read.parquet("/lake/names.parquet"), "name", "windows-1252")

Files are cut into byte ranges anywhere, even inside a character. Each worker judges its own ranges, and the judgements of a
file, of 64 bytes each, are joined on the cluster. The results are those of one pass over the file on one machine.

This needs pyspark 4.1 or later and pyarrow, on the driver and on the workers: ``pip install "./bindings/python[spark]"``.
"""

from __future__ import annotations

from ._columns import is_valid, repair, repaired, validate
from ._errors import errors
from ._files import repair_files
from ._scan import scan_files

__all__ = ["errors", "is_valid", "repair", "repair_files", "repaired", "scan_files", "validate"]
