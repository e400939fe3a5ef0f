"""An example: which files of a lake are not UTF-8, where, how bad it is, and a repaired copy.

    bindings/python/spark/example.sh                 builds the wheel, starts a cluster, and shows the tables
    bindings/python/spark/example.sh --page DOCS     also writes DOCS/spark-example.md and DOCS/spark-lake.svg

Each step below is run as it stands in the page, and its output follows it there.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import math
import os
import random
import tempfile
from html import escape
from pathlib import Path

from cluster import Cluster

STEPS = [
    (
        "The lake has 400 files in four folders: logs, names, a dump of an old database, and pictures that somebody put there.\n"
        "`scan_files` returns a row for each file.",
        """
from pyspark.sql import functions as sf
from trust8 import spark as utf8

found = utf8.scan_files(spark, "lake").cache()
found.groupBy("valid").agg(sf.count("*").alias("files"), sf.sum("bytes").alias("bytes")).orderBy("valid").show()
""",
    ),
    (
        "These are the first files that are not UTF-8, each with the place of its first error.",
        """
folder = sf.regexp_extract("path", "([^/]+/[^/]+)$", 1).alias("file")
bad = found.where("not valid").select(folder, "bytes", "offset", "line", "column", "length", "kind")
bad.orderBy("file").show(8, truncate=False)
""",
    ),
    (
        "How bad is it? `errors` lists every error, so they can be counted for each file. The files with few errors are\n"
        "text with mistakes; those with many are in another encoding, or are not text.",
        """
every = utf8.errors(spark, "lake").groupBy("path").agg(sf.count("*").alias("errors"))
rates = found.join(every, "path", "left").select("path", folder, "bytes", sf.coalesce("errors", sf.lit(0)).alias("errors"))
rates = rates.withColumn("per thousand bytes", sf.round(1000 * sf.col("errors") / sf.col("bytes"), 3)).cache()
rates.groupBy(sf.regexp_extract("file", "^[^/]+", 0).alias("folder")).agg(
    sf.count("*").alias("files"), sf.count_if(sf.col("errors") > 0).alias("not UTF-8"), sf.sum("errors").alias("errors"),
    sf.max("per thousand bytes").alias("worst, per thousand"),
).orderBy("folder").show()
""",
    ),
    (
        "The names were written as windows-1252, so their bytes are read as that. The copy appears when it is complete.",
        """
report = utf8.repair_files(spark, "lake/names", "clean-names", "windows-1252")
report.agg(sf.count("*").alias("files"), sf.sum("repaired").alias("repaired"), sf.count("error").alias("failed")).show()
utf8.scan_files(spark, "clean-names").groupBy("valid").count().show()
""",
    ),
]


def make_lake(folder: Path) -> None:
    """Make files of four kinds, the same ones each time."""
    chosen = random.Random(24)
    words = "größer café naïve быстрая лиса 世界 the quick brown fox jumps over lazy dogs and says nothing at all".split()

    def text(size: int) -> bytes:
        lines, length = [], 0
        while length < size:
            lines.append(" ".join(chosen.choices(words, k=9)) + "\n")
            length += len(lines[-1].encode())
        return "".join(lines).encode()

    for kind in ["logs", "names", "dump", "pictures"]:
        (folder / kind).mkdir(parents=True)
        for number in range(100):
            size = int(10 ** chosen.uniform(2.2, 5.8))
            if kind == "logs":
                # Some were cut, and some have a byte that a disk has changed.
                data = bytearray(text(size))
                for _ in range(chosen.choice([0, 0, 0, 0, 0, 0, 1, 1, 2, 5])):
                    data[chosen.randrange(len(data))] = chosen.choice([0x80, 0xFF, 0xC3])
            elif kind == "names":
                names = chosen.choices(["René", "Zoë", "Jürgen", "Ana", "Ben", "Maria", "John", "Søren"], k=size // 8 + 1)
                data = "\n".join(names).encode("windows-1252" if number % 3 else "utf-8")
            elif kind == "dump":
                data = text(size) if number % 10 else text(size).decode().encode("utf-16le")
            else:
                data = chosen.randbytes(size) if number % 4 == 0 else b"a file about a picture\n" * (size // 23 + 1)
            (folder / kind / f"{number:03}").write_bytes(data)


def picture(points: list[tuple[str, int, int]]) -> str:
    """Draw files by size and error rate. `points` are the folder, the bytes and the errors of each."""
    width, height, left, bottom, top = 760, 420, 70, 360, 40
    colours = {"dump": "#b0552f", "logs": "#2f6fb0", "names": "#3f8f4f", "pictures": "#8a4fa0"}
    low, high = math.log10(100), math.log10(2_000_000)
    floor, ceiling = math.log10(0.0005), math.log10(1000)

    def x(size: float) -> float:
        return left + (math.log10(max(size, 100)) - low) / (high - low) * (width - left - 20)

    def y(rate: float) -> float:
        if rate == 0:
            return bottom + 20
        return bottom - (math.log10(rate) - floor) / (ceiling - floor) * (bottom - top)

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        f'<text x="{left}" y="20" font-size="15">Files of the lake by size and errors</text>',
    ]
    for exponent, name in [(2, "100 B"), (3, "1 kB"), (4, "10 kB"), (5, "100 kB"), (6, "1 MB")]:
        at = x(10**exponent)
        out.append(f'<line x1="{at:.1f}" y1="{top}" x2="{at:.1f}" y2="{bottom + 28}" stroke="#e4e4e4"/>')
        out.append(f'<text x="{at:.1f}" y="{bottom + 44}" text-anchor="middle">{name}</text>')
    for exponent in range(-3, 4):
        at = y(10**exponent)
        out.append(f'<line x1="{left}" y1="{at:.1f}" x2="{width - 20}" y2="{at:.1f}" stroke="#e4e4e4"/>')
        out.append(f'<text x="{left - 8}" y="{at + 4:.1f}" text-anchor="end">{10.0**exponent:g}</text>')
    out.append(f'<text x="{left - 8}" y="{y(0) + 4:.1f}" text-anchor="end">none</text>')
    middle = (top + bottom) / 2
    out.append(f'<text transform="rotate(-90 16 {middle})" x="16" y="{middle}" text-anchor="middle">errors per thousand bytes</text>')
    for folder, size, errors in points:
        rate = 1000 * errors / size if size else 0
        out.append(f'<circle cx="{x(size):.1f}" cy="{y(rate):.1f}" r="3" fill="{colours[folder]}" fill-opacity="0.55"/>')
    for number, (folder, colour) in enumerate(colours.items()):
        at = left + 330 + 95 * number
        out.append(f'<circle cx="{at}" cy="16" r="4" fill="{colour}"/><text x="{at + 8}" y="20">{escape(folder)}</text>')
    return "\n".join([*out, "</svg>", ""])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--page", type=Path)
    options = parser.parse_args()
    page = [
        "# An example on Apache Spark\n",
        "`bindings/python/spark/example.sh` builds the Python package, starts a Master and two Workers on this machine, runs these steps, and",
        "stops the cluster. With `--page docs` it writes this page. [docs/spark.md](spark.md) describes the functions.\n",
        "![Files by size and errors: logs with few errors, names with many, dumps and pictures that are not UTF-8](spark-lake.svg)\n",
    ]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        make_lake(Path("lake"))
        with Cluster(workers=2) as cluster, cluster.session(spark_sql_shuffle_partitions="4") as spark:
            names: dict[str, object] = {"spark": spark}
            for words, code in STEPS:
                print(f"\n{words}\n{code}", flush=True)
                output = io.StringIO()
                with contextlib.redirect_stdout(output):
                    exec(code, names)
                print(output.getvalue(), flush=True)
                page += [f"{words}\n", f"```python\n{code.strip()}\n```\n", f"```text\n{output.getvalue().strip()}\n```\n"]
            rows = names["rates"].select("file", "bytes", "errors").collect()  # type: ignore[attr-defined]
    if options.page:
        points = sorted((row["file"].split("/")[0], row["bytes"], row["errors"]) for row in rows)
        (options.page / "spark-example.md").write_text("\n".join(page).rstrip() + "\n", encoding="utf-8")
        (options.page / "spark-lake.svg").write_text(picture(points), encoding="utf-8")


if __name__ == "__main__":
    main()
