"""The ranges of files, as rows of Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow  # type: ignore[import-untyped,unused-ignore]

from .._lake.listing import OPEN_COST, File, plan

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def ranges(spark: SparkSession, files: list[File], range_bytes: int) -> tuple[DataFrame, int, int]:
    """Return a row for each range of each file, in as many partitions as there are tasks.

    Also returns the number of partitions, and the maximum number of ranges in a file. The driver sends one row for each
    file; the ranges are made on the cluster.
    """
    from pyspark.sql import functions as sf

    counts, starts, share, tasks = plan(files, range_bytes, _parallelism(spark))
    table = pyarrow.table(
        {
            "path": pyarrow.array([file.path for file in files], pyarrow.string()),
            "size": pyarrow.array([file.size for file in files], pyarrow.int64()),
            "mtime": pyarrow.array([file.mtime for file in files], pyarrow.int64()),
            "codec": pyarrow.array([file.codec for file in files], pyarrow.string()),
            "error": pyarrow.array([file.error for file in files], pyarrow.string()),
            "ranges": pyarrow.array(counts, pyarrow.int64()),
            "start": pyarrow.array(starts, pyarrow.int64()),
        }
    )
    frame = spark.createDataFrame(table)
    frame = frame.select("*", sf.explode(sf.sequence(sf.lit(0), sf.col("ranges") - 1)).alias("index"))
    # A compressed file is one range of any length.
    length = sf.when(sf.col("codec").isNull(), sf.lit(range_bytes))
    offset = sf.coalesce(sf.col("index") * length, sf.lit(0))
    end = sf.coalesce(sf.least(sf.col("size"), offset + length), sf.col("size"))
    frame = frame.withColumn("offset", offset).withColumn("end", end)
    at = sf.col("start") + sf.col("offset") + sf.col("index") * OPEN_COST
    frame = frame.withColumn("task", sf.floor(at / share).cast("int")).drop("start")
    return frame.repartitionById(tasks, "task").drop("task"), tasks, max(counts, default=1)


def _parallelism(spark: SparkSession) -> int:
    """Return the number of tasks that the cluster runs at the same time, as far as this session knows."""
    try:
        return max(1, spark.sparkContext.defaultParallelism)
    except Exception:
        # A session of Spark Connect does not know.
        return int(spark.conf.get("spark.sql.shuffle.partitions", "200") or 200)
