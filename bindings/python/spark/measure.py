"""Measures `trust8.spark` on a cluster of this machine, and prints the tables of docs/spark.md.

    bindings/python/spark/measure.sh [--gib N] [--rounds N] [--realtime] [SECTION...]

The sections are `ranges`, `workers`, `cells` and `memory`. The contestants of a line take turns in one session. Each figure is the
fastest of the rounds, and the median after a slash. Answers are checked. With `--realtime`, which needs root, the cluster has
real-time priority during the rounds, so that other programs of the machine have little of its cores.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import contextlib
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow
import pyarrow.fs
import pyarrow.parquet
import pyspark
import trust8
from cluster import Cluster
from pyspark.sql import functions as sf
from trust8 import spark as utf8
from trust8._lake import judging, listing, reading
from trust8.spark import _ranges, _scan, _workers

WORDS = """
быстрая рыжая лиса прыгает через ленивую собаку l'été dernier où les élèves français étudiaient größer als erwartet
the quick brown fox jumps over the lazy dog while seventeen others watch and say nothing 敏捷的棕色狐狸 跳过了那只懒狗 🦊
""".split()


def text(size: int, seed: int = 8) -> bytes:
    """Lines of random words, of about this size."""
    chosen = random.Random(seed)
    lines, length = [], 0
    while length < size:
        line = (" ".join(chosen.choices(WORDS, k=12)) + "\n").encode()
        lines.append(line)
        length += len(line)
    return b"".join(lines)


# Whether `rounds` raises the priority.
REALTIME = False


def prioritise(policy: int, priority: int) -> None:
    """Give this process and all that it has started a priority."""
    children: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            parent = int(path.read_text().rsplit(")", 1)[1].split()[1])
            children.setdefault(parent, []).append(int(path.parent.name))
    found = [os.getpid()]
    for process in found:
        found += children.get(process, [])
        for thread in Path(f"/proc/{process}/task").glob("*"):
            with contextlib.suppress(OSError):
                os.sched_setscheduler(int(thread.name), policy, os.sched_param(priority))


def rounds(
    contestants: dict[str, Callable[[], object]], count: int, warm: bool = True
) -> dict[str, tuple[float, float]]:
    """The shortest time of each contestant, and the median. They take turns. With `warm`, the first round does not count."""
    times: dict[str, list[float]] = {name: [] for name in contestants}
    if REALTIME:
        prioritise(os.SCHED_RR, 1)
    for contestant in contestants.values() if warm else ():
        contestant()
    for _ in range(count):
        for name, contestant in contestants.items():
            start = time.perf_counter()
            contestant()
            times[name].append(time.perf_counter() - start)
            print(f"{name}: {times[name][-1]:.2f} s", file=sys.stderr, flush=True)
    if REALTIME:
        prioritise(os.SCHED_OTHER, 0)
    return {name: (min(taken), statistics.median(taken)) for name, taken in times.items()}


def show(figures: dict[str, tuple[float, float]], size: int) -> None:
    first = next(iter(figures.values()))
    print("| | seconds | GB/s | speed relative to the first |")
    print("|---|---:|---:|---:|")
    for name, taken in figures.items():
        seconds = " / ".join(f"{one:.2f}" for one in taken)
        ratio = " / ".join(f"{of / one:.2f}" for of, one in zip(first, taken, strict=True))
        print(f"| {name} | {seconds} | {size / taken[0] / 1e9:.2f} | {ratio} |", flush=True)
    print()


def lake(folder: Path, gib: int) -> int:
    """Make files of 256 MiB, and return the number of bytes. They are links to four files, which stay in the page cache."""
    block = text(8 << 20)
    for number in range(4):
        with (folder.parent / f"original-{number}").open("wb") as file:
            for _ in range(32):
                file.write(block)
    for number in range(gib * 4):
        (folder / f"{number:04}").symlink_to(folder.parent / f"original-{number % 4}")
    return len(block) * 32 * gib * 4


def scan(spark, folder: Path, range_bytes: int = listing.RANGE_BYTES) -> None:
    [row] = utf8.scan_files(spark, folder, range_bytes).agg(sf.sum("bytes"), sf.bool_and("valid")).collect()
    assert row[1]


# With short ranges, starting tasks takes more processor time than judging what they read from the page cache.
LONG_RANGE = 4 << 30

# What a process of the cluster is, by a word of its command line.
ROLES = {
    "pyspark.daemon": "Python workers",
    "CoarseGrainedExecutorBackend": "executors",
    "SparkSubmit": "driver",
    "measure.py": "driver",
    "deploy.master.Master": "Master and Workers",
    "deploy.worker.Worker": "Master and Workers",
}


def processor_seconds() -> dict[str, float]:
    """The processor time of all processes of the cluster, by their role, and of all that run on this machine."""
    tick = os.sysconf("SC_CLK_TCK")
    found = dict.fromkeys(ROLES.values(), 0.0)
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (path / "cmdline").read_text(errors="replace")
            role = next((role for word, role in ROLES.items() if word in words), None)
            if role is not None:
                times = (path / "stat").read_text().rsplit(")", 1)[1].split()
                found[role] += (int(times[11]) + int(times[12])) / tick
    busy = Path("/proc/stat").read_text().split("\n", 1)[0].split()
    return found | {"machine": (sum(map(int, busy[1:4])) + sum(map(int, busy[6:9]))) / tick}


def workers(spark, folder: Path, size: int, count: int, title: str) -> None:
    """The time of a scan, and the processor time of each kind of process."""
    for _ in range(3):
        scan(spark, folder / "0000", LONG_RANGE)
    before = processor_seconds()
    seconds = rounds({title: lambda: scan(spark, folder, LONG_RANGE)}, count, warm=False)[title]
    after = processor_seconds()
    spent = {role: (after[role] - before[role]) / count for role in after}
    others = spent.pop("machine") - sum(spent.values())
    shares = " | ".join(f"{spent[role]:.1f}" for role in spent)
    print(f"| {title} | {seconds[0]:.2f} / {seconds[1]:.2f} | {size / seconds[0] / 1e9:.2f} | {shares} | {others:.1f} |", flush=True)


def judge_files(rows: list[dict[str, object]]) -> bool:
    """What a worker does, in a process without Spark."""
    filesystem = pyarrow.fs.LocalFileSystem()
    return all(judging.judge(filesystem, row)[-1] is None for row in rows)


def without_spark(folder: Path, count: int) -> None:
    """One process and two that judge the same files: what the machine itself can do."""
    _, files = listing.list_files(folder)
    files = files[: len(files) // 4]
    ranges = [row for file in files for row in listing.ranges_of(file, LONG_RANGE)]
    rows = list(listing.rows(listing.batches(ranges, listing.RANGE)))
    size = sum(file.size for file in files)
    with concurrent.futures.ProcessPoolExecutor(2) as pool:

        def run(processes):
            assert all(pool.map(judge_files, [rows[number::processes] for number in range(processes)]))

        show(rounds({"one process": lambda: run(1), "two processes": lambda: run(2)}, count), size)


def read_only(spark, folder: Path) -> None:
    """The same job, but the workers only read."""
    filesystem, files = listing.list_files(folder)
    frame, _, ranges = _ranges.ranges(spark, files, listing.RANGE_BYTES)
    nothing = trust8.Part().to_bytes()

    def read(row):
        for _ in reading.pieces(filesystem, row, row["offset"], row["end"]):
            pass
        return *(row[name] for name in judging.JUDGED.names[:-3]), nothing, None, None

    read_all = _workers.for_each_row(read, judging.JUDGED)
    frame = _scan.verdicts(filesystem, frame.mapInArrow(read_all, _workers.in_spark(judging.JUDGED)), ranges)
    frame.agg(sf.sum("bytes"), sf.bool_and("valid")).collect()


def cells(spark, folder: Path, count: int) -> None:
    """Spark's own functions against those of trust8, on strings of two lengths, in memory and from Parquet."""
    for length, total in [(60, 96 << 20), (20_000, 192 << 20)]:
        source = text(total // 4, 3)
        values = [source[at : at + length].decode(errors="ignore").encode() for at in range(0, len(source), length)]
        for number in range(0, len(values), 50):
            values[number] = values[number][:-1] + b"\xe9"
        path = folder / f"cells-{length}"
        path.mkdir()
        table = pyarrow.table({"text": pyarrow.array(values, pyarrow.binary())})
        for number in range(4):
            pyarrow.parquet.write_table(table, path / f"{number}.parquet")
        size = sum(map(len, values)) * 4
        stored = spark.read.schema("text string").parquet(str(path))
        memory = stored.cache()
        memory.count()
        bad = sum(not trust8.is_utf8(value) for value in values) * 4
        for place in ["memory", "Parquet"]:
            if place == "Parquet":
                memory.unpersist()
            rows = memory

            def count_valid(rows=rows):
                [row] = rows.select(sf.is_valid_utf8("text").alias("valid")).agg(sf.count_if(~sf.col("valid"))).collect()
                assert row[0] == bad

            def count_valid_here(rows=rows):
                [row] = utf8.validate(rows, "text").agg(sf.count_if(~sf.col("valid"))).collect()
                assert row[0] == bad

            def make_valid(rows=rows):
                made = rows.select(sf.make_valid_utf8("text").alias("text"))
                return made.agg(sf.sum(sf.octet_length("text"))).collect()

            def make_valid_here(rows=rows):
                return utf8.repair(rows, "text").agg(sf.sum(sf.octet_length("text"))).collect()

            assert make_valid() == make_valid_here()
            print(f"Cells of {length} bytes, {len(values) * 4} rows, {size / 1e6:.0f} MB, from {place}:\n")
            show(rounds({"`is_valid_utf8` of Spark": count_valid, "`trust8.spark.validate`": count_valid_here}, count), size)
            show(rounds({"`make_valid_utf8` of Spark": make_valid, "`trust8.spark.repair`": make_valid_here}, count), size)


def python_workers() -> list[Path]:
    """The folders in /proc of the Python workers, and of the daemons that started them."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if b"pyspark.daemon" in path.read_bytes():
                found.append(path.parent)
    return found


def most_memory(job: Callable[[], object]) -> float:
    """The most memory that a Python worker has during a job, in MiB. Needs root, to reset what the kernel has noted."""
    for worker in python_workers():
        (worker / "clear_refs").write_text("5")
    job()
    peaks = [(worker / "status").read_text().split("VmHWM:")[1].split()[0] for worker in python_workers()]
    return max(map(int, peaks)) / 1024


def memory(spark, folder: Path) -> None:
    """The most memory that a Python worker has, for each function."""
    folder.mkdir()
    block, tiny, long, packed = text(8 << 20), folder / "tiny", folder / "long", folder / "packed.zst"
    tiny.write_bytes(b"text")
    compressed = pyarrow.fs.LocalFileSystem().open_output_stream(str(packed), compression="zstd")
    with long.open("wb") as plain, compressed:
        # Each block has one error.
        for _ in range(128):
            plain.write(block + b"\xff")
            compressed.write(block)
    cells = pyarrow.table({"text": pyarrow.array([block[at : at + 20_000] for at in range(0, len(block), 20_000)] * 48)})
    pyarrow.parquet.write_table(cells, folder / "cells.parquet")
    cells = spark.read.parquet(str(folder / "cells.parquet"))
    size = sf.sum(sf.octet_length("text"))

    def errors(range_bytes):
        assert utf8.errors(spark, long, range_bytes).count() == 128

    jobs = {"`scan_files`, a file of 4 bytes": lambda: scan(spark, tiny)}
    for mib in [8, 128, 1024]:
        jobs[f"`scan_files`, 1 GiB in ranges of {mib} MiB"] = lambda mib=mib: utf8.scan_files(spark, long, mib << 20).collect()
    jobs |= {
        "`scan_files`, 1 GiB of text in zstd": lambda: scan(spark, packed),
        "`errors`, 1 GiB in ranges of 1024 MiB": lambda: errors(1 << 30),
        "`repair_files`, 1 GiB in ranges of 1024 MiB": lambda: utf8.repair_files(spark, long, folder / "one", "drop", 1 << 30),
        "`repair_files`, 1 GiB in ranges of 128 MiB": lambda: utf8.repair_files(spark, long, folder / "more", "drop"),
        "`validate`, cells of 20,000 bytes": lambda: utf8.validate(cells, "text").agg(sf.count_if("valid")).collect(),
        "`repair`, cells of 20,000 bytes": lambda: utf8.repair(cells, "text").agg(size).collect(),
    }
    # The workers start and import.
    scan(spark, tiny)
    scan(spark, folder / "packed.zst")
    for name, job in jobs.items():
        print(f"| {name} | {most_memory(job):.0f} MiB |", flush=True)
    print()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--gib", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--realtime", action="store_true")
    parser.add_argument("sections", nargs="*", default=["ranges", "workers", "memory", "cells"])
    options = parser.parse_args()
    global REALTIME
    REALTIME = options.realtime
    script = Path(__file__).resolve().parents[3] / "tools/cpu.py"
    model = subprocess.run([script], check=True, text=True, stdout=subprocess.PIPE).stdout.strip()
    print(f"{model}, {time.strftime('%F')}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start; kernel `{trust8.kernels()[0]}`. "
          f"Python {platform.python_version()}, Spark {pyspark.__version__}, pyarrow {pyarrow.__version__}.\n")  # fmt: skip
    with tempfile.TemporaryDirectory() as name, Cluster(workers=2, memory_mib=2048) as cluster:
        folder = Path(name) / "lake"
        folder.mkdir()
        size = lake(folder, options.gib) if {"ranges", "workers"} & set(options.sections) else 0
        with cluster.session(spark_sql_shuffle_partitions="8") as spark:
            if "ranges" in options.sections:
                print(f"Ranges of 128 MiB, {size / 1e9:.1f} GB, two workers:\n")
                contestants = {"reading alone": lambda: read_only(spark, folder), "`scan_files`": lambda: scan(spark, folder)}
                show(rounds(contestants, options.rounds), size)
            if "memory" in options.sections:
                print("| | at most |\n|---|---:|")
                memory(spark, Path(name) / "memory")
            if "cells" in options.sections:
                cells(spark, Path(name), options.rounds)
        if "workers" in options.sections:
            print("Without Spark, a quarter of the files:\n")
            without_spark(folder, options.rounds)
            print(f"On the cluster, {size / 1e9:.1f} GB, ranges of {LONG_RANGE >> 30} GiB, with the seconds of processor time that a scan took:\n")
            print("| | seconds | GB/s | Python workers | executors | driver | Master and Workers | other programs |")
            print("|---|---:|---:|---:|---:|---:|---:|---:|")
            for title, cores in [("one worker", "1"), ("two workers", "2")]:
                with cluster.session(spark_sql_shuffle_partitions="8", spark_cores_max=cores) as spark:
                    workers(spark, folder, size, options.rounds, title)


if __name__ == "__main__":
    main()
