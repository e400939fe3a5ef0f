"""The functions of `trust8.spark` on a cluster of processes: a Master and two Workers.

The sizes are small by default. TRUST8_SPARK_FULL=1 takes a file of 2 GiB among 10,000 others, and a folder of 100,000 files.
"""

from __future__ import annotations

import gzip
import os
import time
from pathlib import Path

import faulty_files
import pyarrow
import pyarrow.fs
import pytest
import trust8
from checks import check_a_scan_whose_worker_is_killed, check_that_all_end
from cluster import Cluster
from expected import KINDS, expected_errors, expected_scan, make_faulty_lake
from trust8 import spark as utf8

FULL = os.environ.get("TRUST8_SPARK_FULL") == "1"
POLICIES = ["replace", "java", "drop", "escape", "windows-1252"]
FOLDER = Path(__file__).parent


def test_a_cluster_ends_when_the_process_that_started_it_is_killed():
    """The first test, so that no other cluster takes memory and time."""
    check_that_all_end("""
from checks import check_a_scan_whose_worker_is_killed, check_that_all_end
from cluster import Cluster
with Cluster(workers=1) as cluster:
    print(cluster.folder, *(process.session for process in cluster.processes), flush=True)
    input()
""")


@pytest.fixture(scope="session")
def cluster():
    # The file system of `faulty_files` is imported by the workers.
    os.environ["PYTHONPATH"] = str(FOLDER)
    with Cluster(workers=2) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def spark(cluster):
    settings = {
        "spark_sql_shuffle_partitions": "8",
        # A task that takes much longer than others is started again on the other worker, while it runs.
        "spark_speculation": "true",
        "spark_speculation_interval": "100ms",
        "spark_speculation_multiplier": "1.5",
        "spark_speculation_quantile": "0.5",
        "spark_speculation_minTaskRuntime": "2s",
    }
    with cluster.session(**settings) as spark:
        yield spark


def by_path(frame):
    """The rows of a frame, in the order of the files and of the places in them."""
    rows = frame.toArrow().to_pylist()
    return sorted(rows, key=lambda row: (row["path"], row.get("offset") or 0))


@pytest.fixture(scope="session")
def lake(tmp_path_factory):
    return make_faulty_lake(tmp_path_factory.mktemp("lake"))


def test_scan_says_what_the_command_says(spark, lake):
    expected = expected_scan(lake)
    assert sum(not row["valid"] for row in expected) > 100
    assert by_path(utf8.scan_files(spark, lake, 32)) == expected


def test_all_errors_are_those_of_the_command(spark, lake):
    expected = expected_errors(lake)
    assert {row["kind"] for row in expected} == KINDS
    assert by_path(utf8.errors(spark, lake, 32)) == expected


def test_compressed_files_are_judged_by_their_text(spark, lake, tmp_path):
    # The text of each compressed file lies beside it, for the command.
    plain, packed = tmp_path / "plain", tmp_path / "packed"
    plain.mkdir()
    packed.mkdir()
    for number, path in enumerate(sorted(lake.iterdir())[::9]):
        ending = ["gz", "zst"][number % 2]
        (plain / f"{path.name}.{ending}").write_bytes(path.read_bytes())
        with pyarrow.fs.LocalFileSystem().open_output_stream(
            str(packed / f"{path.name}.{ending}"), compression={"gz": "gzip", "zst": "zstd"}[ending]
        ) as file:
            file.write(path.read_bytes())

    def moved(rows):
        return [row | {"path": row["path"].replace(str(plain), str(packed))} for row in rows]

    assert by_path(utf8.scan_files(spark, packed, 32)) == moved(expected_scan(plain))
    assert by_path(utf8.errors(spark, packed, 32)) == moved(expected_errors(plain))


def test_files_are_repaired_as_by_one_pass(spark, lake, tmp_path):
    with gzip.open(lake / "packed.gz", "wb") as file:
        file.write(b"caf\xe9\n")
    for policy in ["replace", "java"]:
        target = tmp_path / "new" / policy
        report = by_path(utf8.repair_files(spark, lake, target, policy, 32))
        assert {path.name for path in target.iterdir()} == {path.name for path in lake.iterdir()}
        for row in report:
            path = Path(row["path"])
            read = gzip.open if path.suffix == ".gz" else open
            with read(path, "rb") as old, read(target / path.name, "rb") as new:
                before, after = old.read(), new.read()
            assert after == trust8.repair(before, policy)
            repaired = len(list(trust8.errors(before)))
            numbers = {"bytes_before": len(before), "bytes_after": len(after), "repaired": repaired, "error": None}
            assert row == {"path": str(path)} | numbers
        # Nothing else is left.
        assert [path.name for path in target.parent.iterdir() if path.name.startswith(".")] == []
    (lake / "packed.gz").unlink()
    # One file, and a place that is taken.
    utf8.repair_files(spark, lake / "0-30", tmp_path / "file", "drop", 7)
    assert (tmp_path / "file").read_bytes() == trust8.repair((lake / "0-30").read_bytes(), "drop")
    with pytest.raises(FileExistsError):
        utf8.repair_files(spark, lake, tmp_path / "file")
    with pytest.raises(ValueError, match="unknown policy"):
        utf8.repair_files(spark, lake, tmp_path / "other", "guess")


def test_a_file_that_changes_or_vanishes_is_a_row_with_its_error(spark, tmp_path):
    for name in ["stays", "vanishes", "grows", "again"]:
        (tmp_path / name).write_bytes(b"caf\xc3\xa9" * 20)
    (tmp_path / "cut.gz").write_bytes(gzip.compress(os.urandom(1000))[:500])
    os.symlink("/nowhere/at/all", tmp_path / "link")
    scan, errors = utf8.scan_files(spark, tmp_path, 33), utf8.errors(spark, tmp_path, 33)
    (tmp_path / "vanishes").unlink()
    with (tmp_path / "grows").open("ab") as file:
        file.write(b"\xff")
    os.utime(tmp_path / "again", ns=(1, 1))
    found = {Path(row["path"]).name: (row["valid"], row["error"]) for row in by_path(scan)}
    assert found.pop("stays") == (True, None)
    assert {valid for valid, _ in found.values()} == {None}
    assert found["vanishes"][1] == "vanished after it was listed"
    assert found["grows"][1] == "changed after it was listed: 100 bytes became 101"
    assert found["again"][1] == "changed after it was listed: it was written again"
    assert "Truncated" in found["cut.gz"][1]
    assert found["link"][1] == "cannot be read: No such file or directory"
    assert {Path(row["path"]).name: row["error"] for row in by_path(errors)} == {
        name: error for name, (_, error) in found.items()
    }


def test_a_scan_with_a_profile(spark, tmp_path):
    for number in range(40):
        hidden = ["\u202e".encode(), b"\0", b"\xff", "\ufeff".encode()][number % 4]
        (tmp_path / f"{number:02}").write_bytes(b"a" * number + (hidden if number % 5 else b"") + "é\n".encode() * 30)
    found = by_path(utf8.scan_files(spark, tmp_path, 32, profile=("source", "tab")))
    errors = [next(trust8.errors(Path(row["path"]).read_bytes(), profile=("source", "tab")), None) for row in found]
    assert [row["valid"] for row in found] == [error is None for error in errors]
    assert [(row["offset"], row["kind"]) for row in found] == [error and (error.start, error.kind) or (None, None) for error in errors]
    assert any(isinstance(error, trust8.ProfileError) for error in errors)
    listed = utf8.errors(spark, tmp_path, 32, profile=("source", "tab")).collect()
    expected = {(row["path"], error.start, error.kind) for row in found for error in trust8.errors(Path(row["path"]).read_bytes(), profile=("source", "tab"))}
    assert {(row["path"], row["offset"], row["kind"]) for row in listed} == expected
    utf8.repair_files(spark, tmp_path, tmp_path.with_suffix(".clean"), "drop", 32, profile=("source", "tab"))
    for row in found:
        clean = (tmp_path.with_suffix(".clean") / Path(row["path"]).name).read_bytes()
        assert clean == trust8.repair(Path(row["path"]).read_bytes(), "drop", profile=("source", "tab"))
    for function in [utf8.scan_files, utf8.errors]:
        with pytest.raises(ValueError, match="unknown profile"):
            function(spark, tmp_path, profile="guess")


def test_functions_of_columns(spark):
    """Only the column that is named goes through Python."""
    frame = spark.createDataFrame([(1, b"ok"), (2, None), (3, b"caf\xe9")], "id int, raw binary")
    frame = frame.select("id", "raw", frame.raw.cast("string").alias("text"))
    for name in ["raw", "text"]:
        checked = frame.select("id", utf8.is_valid(name).alias("valid"), utf8.repaired(frame[name], "drop").alias("name"))
        assert [tuple(row) for row in checked.collect()] == [(1, True, "ok"), (2, None, None), (3, False, "caf")]
    found = frame.select(utf8.is_valid("raw", profile=["nul", "slash"]), utf8.repaired("raw", "drop", profile="postgres")).collect()
    assert [tuple(row) for row in found] == [(True, "ok"), (None, None), (False, "caf")]
    nul = spark.createDataFrame([(b"a\0",)], "raw binary")
    assert utf8.validate(nul, "raw", profile="postgres").collect()[0]["valid"] is False
    assert utf8.repair(nul, "raw", "drop", profile="postgres").collect()[0]["raw"] == b"a"
    with pytest.raises(ValueError):
        utf8.repaired("raw", "guess")
    # They were turned into strings.
    for column in [utf8.repaired("id"), utf8.is_valid("id")]:
        with pytest.raises(Exception, match="of type int32, and not a string or binary"):
            frame.select(column).collect()
    assert frame.select(utf8.is_valid("raw")).columns == ["is_valid(raw)"]


def test_columns(spark):
    from pyspark.sql import functions as sf

    values = [b"ok", b"caf\xe9", None, b"\xed\xa0\x80!", "色".encode(), b""]
    frame = spark.createDataFrame([(number, value) for number, value in enumerate(values)], "id int, raw binary")
    frame = frame.withColumn("text", sf.col("raw").cast("string")).withColumn("more", sf.array(sf.lit(1), "id"))
    for name in ["raw", "TEXT"]:
        checked = utf8.validate(frame, name, "fine")
        assert checked.schema.fields[:-1] == frame.schema.fields
        assert checked.columns[-1] == "fine"
        expected = [None if value is None else trust8.is_utf8(value) for value in values]
        assert [row["fine"] for row in checked.orderBy("id").collect()] == expected
        for policy in [*POLICIES[:2], "null"]:
            repaired = utf8.repair(frame, name, policy)
            assert repaired.schema == frame.schema
            rows = repaired.select("*", sf.col("text").cast("binary").alias("bytes")).orderBy("id").collect()
            for row, value in zip(rows, values, strict=True):
                good = value if value is None or trust8.is_utf8(value) else None
                if policy != "null" and value is not None:
                    good = trust8.repair(value, policy)
                changed, other = ("raw", "bytes") if name == "raw" else ("bytes", "raw")
                assert row[changed] == good
                assert row[other] == value
                assert row["more"] == [1, row["id"]]
    for wrong, match in [("id", "int"), ("missing", "no column")]:
        with pytest.raises(ValueError, match=match):
            utf8.validate(frame, wrong)
    with pytest.raises(ValueError, match="already"):
        utf8.validate(frame, "raw", "text")
    with pytest.raises(ValueError, match="unknown policy"):
        utf8.repair(frame, "raw", "guess")


@pytest.mark.parametrize("fault", ["dies", "lags"])
def test_a_task_that_is_repeated_or_runs_twice(spark, lake, tmp_path, fault):
    # The worker that first opens one file dies there; or waits, so that Spark starts the task on the other worker as well.
    log = tmp_path / "log"
    log.mkdir()
    names = {"0-30": fault, "7-31": fault}
    filesystem = pyarrow.fs.PyFileSystem(faulty_files.Handler(str(log), names))
    assert by_path(utf8.scan_files(spark, str(lake), 32, filesystem=filesystem)) == expected_scan(lake)
    assert len(list(log.iterdir())) > len(names), "each of the tasks ran at least twice"

    for path in log.iterdir():
        path.unlink()
    target = tmp_path / "new" / "lake"
    utf8.repair_files(spark, str(lake), str(target), "replace", 32, filesystem=filesystem)
    assert len(list(log.iterdir())) > len(names)
    assert [path.name for path in target.parent.iterdir()] == ["lake"]
    for path in lake.iterdir():
        assert (target / path.name).read_bytes() == trust8.repair(path.read_bytes())


def test_a_job_that_fails_leaves_nothing(spark, lake, tmp_path):
    log = tmp_path / "log"
    log.mkdir()
    filesystem = pyarrow.fs.PyFileSystem(faulty_files.Handler(str(log), {"0-30": "always dies"}))
    (tmp_path / "new").mkdir()
    with pytest.raises(Exception, match="(?i)worker|crash|exit"):
        utf8.repair_files(spark, str(lake), str(tmp_path / "new" / "lake"), "replace", 32, filesystem=filesystem)
    assert list((tmp_path / "new").iterdir()) == []


def test_skew(spark, tmp_path, capsys):
    """One long file among many short ones."""
    large, count = (2 << 30, 10_000) if FULL else (96 << 20, 300)
    with (tmp_path / "large").open("wb") as file:
        file.truncate(large)
        file.seek(large - 10)
        file.write(b"\n12345\xe2(\n9")
    for number in range(count):
        (tmp_path / f"{number:05}").write_bytes(b"caf\xc3\xa9\n" * (number % 50) + (b"\xff" if number % 100 == 7 else b""))
    start = time.monotonic()
    rows = by_path(utf8.scan_files(spark, tmp_path, 16 << 20))
    seconds = time.monotonic() - start
    with capsys.disabled():
        print(f"\n1 file of {large >> 20} MiB among {count} of up to 300 bytes: {seconds:.1f} s")
    assert len(rows) == count + 1
    found = rows.pop()
    assert (found["valid"], found["offset"], found["line"], found["column"], found["kind"]) == (
        False, large - 4, 2, 6, "truncated",
    )  # fmt: skip
    assert [row["valid"] for row in rows] == [number % 100 != 7 for number in range(count)]
    assert [row["bytes"] for row in rows] == [number % 50 * 6 + (number % 100 == 7) for number in range(count)]


def test_a_folder_of_many_files(spark, tmp_path, capsys):
    count = 100_000 if FULL else 1500
    for number in range(count):
        if number % 1000 == 0:
            (tmp_path / f"{number // 1000:03}").mkdir()
        path = tmp_path / f"{number // 1000:03}" / f"{number:06}"
        path.write_bytes(b"na\xc3\xafve\n" + (b"\xc0" if number % 1000 == 999 else b""))
    start = time.monotonic()
    rows = by_path(utf8.scan_files(spark, tmp_path))
    with capsys.disabled():
        print(f"\na folder of {count} files: {time.monotonic() - start:.1f} s")
    assert len(rows) == count
    assert [row["valid"] for row in rows] == [number % 1000 != 999 for number in range(count)]


def test_a_worker_that_is_killed(spark, cluster, tmp_path):
    def scan(path, filesystem):
        return by_path(utf8.scan_files(spark, path, 1500, filesystem=filesystem))

    check_a_scan_whose_worker_is_killed(tmp_path, scan, cluster.workers, lambda: cluster.add_workers(1))
