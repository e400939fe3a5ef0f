"""The functions of `trust8.ray` on a cluster of processes: a head without cores, and two nodes of one core each."""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import sys
import tempfile
from pathlib import Path

import pyarrow
import pytest
import trust8
from checks import check_a_scan_whose_worker_is_killed, check_that_all_end
from expected import expected_scan, make_faulty_lake
from processes import Process, wait_until

FOLDER = Path(__file__).parent
# The processes find each other by these. Only who has the token can talk to the cluster.
os.environ |= {
    "PYTHONPATH": str(FOLDER),
    "RAY_AUTH_MODE": "token",
    "RAY_AUTH_TOKEN": secrets.token_hex(32),
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_NODE_IP_ADDRESS": "127.0.0.1",
    # A node that was killed is noticed soon.
    "RAY_health_check_period_ms": "500",
}

import ray  # noqa: E402
import ray.data  # noqa: E402
from trust8 import ray as utf8  # noqa: E402


class Nodes:
    """The processes of a cluster, each node with its own address on the loopback interface."""

    def __init__(self) -> None:
        # The names of sockets in this folder have a limit of about a hundred bytes.
        self.folder = Path(tempfile.mkdtemp(prefix="trust8-ray-"))
        self.processes: list[Process] = []
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{unused.getsockname()[1]}"

    def start_head(self) -> None:
        port = self.address.split(":")[1]
        self.start("--head", f"--port={port}", "--num-cpus=0", "--include-dashboard=false", f"--temp-dir={self.folder}")

    def add(self) -> None:
        self.start(f"--address={self.address}", "--num-cpus=1")

    def start(self, *words: str) -> None:
        """Start a node, and wait until it runs. On a busy machine, Ray may give up; then the node is started again."""
        number = len(self.processes)
        words = [str(Path(sys.executable).parent / "ray"), "start", *words, "--block", "--disable-usage-stats",
                 f"--node-ip-address=127.0.0.{number + 1}", "--object-store-memory=100000000"]  # fmt: skip
        for attempt in range(3):
            node = Process(f"node{number}", words, self.folder)
            try:
                node.wait_for("runtime started")
                self.processes.append(node)
                return
            except RuntimeError:
                node.kill()
                if attempt == 2:
                    raise

    def stop(self) -> None:
        for node in self.processes:
            node.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


def test_nodes_end_when_the_process_that_started_them_is_killed():
    check_that_all_end("""
from test_ray import Nodes
nodes = Nodes()
nodes.start_head()
nodes.add()
print(nodes.folder, *(process.session for process in nodes.processes), flush=True)
input()
""")


@pytest.fixture(scope="session")
def nodes():
    nodes = Nodes()
    try:
        nodes.start_head()
        nodes.add()
        nodes.add()
        ray.init(address=nodes.address, _node_ip_address="127.0.0.1", log_to_driver=False)
        ray.data.DataContext.get_current().enable_progress_bars = False
        assert wait_until(lambda: ray.cluster_resources().get("CPU") == 2)
        yield nodes
    finally:
        ray.shutdown()
        nodes.stop()


@pytest.fixture(scope="session")
def lake(tmp_path_factory):
    return make_faulty_lake(tmp_path_factory.mktemp("lake"))


def by_path(ds):
    return sorted(ds.take_all(), key=lambda row: row["path"])


def test_scan_says_what_the_command_says(nodes, lake):
    assert by_path(utf8.scan_files(lake, 32)) == expected_scan(lake)


def test_a_scan_with_a_profile(nodes, tmp_path):
    for number in range(8):
        (tmp_path / str(number)).write_bytes(b"a" * (28 + number) + (b"" if number == 3 else "\u202e".encode()) + b"\n")
    found = by_path(utf8.scan_files(tmp_path, 32, profile="source"))
    assert [row["offset"] for row in found] == [None if number == 3 else 28 + number for number in range(8)]
    assert {row["kind"] for row in found} == {None, "bidi-control"}


def test_columns(nodes):
    values = [b"ok", b"caf\xe9", None, b"\xed\xa0\x80!", "色".encode(), b""] * 20
    table = pyarrow.table(
        {"id": list(range(len(values))), "raw": pyarrow.array(values, pyarrow.binary()), "more": [[1, 2]] * len(values)}
    )
    # Ray passes strings on as they are, so a column of them can have any bytes.
    text = pyarrow.Array.from_buffers(pyarrow.string(), len(values), table["raw"].combine_chunks().buffers())
    table = table.append_column("text", text)
    ds = ray.data.from_arrow([table.slice(0, 50), table.slice(50)])

    def rows(ds):
        table = pyarrow.concat_tables(ray.get(ds.to_arrow_refs())).sort_by("id")
        return table.set_column(3, "text", table["text"].cast(pyarrow.binary())).to_pylist()

    for name in ["raw", "text"]:
        valid = [None if value is None else trust8.is_utf8(value) for value in values]
        checked = utf8.validate(ds, name, "fine")
        assert checked.schema().names == [*table.column_names, "fine"]
        assert [row["fine"] for row in rows(checked)] == valid
        for policy in ["replace", "java", "null"]:
            repaired = utf8.repair(ds, name, policy)
            assert repaired.schema().base_schema == table.schema
            good = [
                value if value is None or trust8.is_utf8(value) else None if policy == "null" else trust8.repair(value, policy)
                for value in values
            ]
            for number, row in enumerate(rows(repaired)):
                expected = {"id": number, "raw": values[number], "more": [1, 2], "text": values[number]}
                assert row == expected | {name: good[number]}
    assert [row["valid"] for row in rows(utf8.validate(ds, "raw", profile="nul"))] == [None if value is None else trust8.is_utf8(value) for value in values]
    with pytest.raises(Exception, match="no column 'missing'"):
        utf8.validate(ds, "missing").take_all()
    with pytest.raises(Exception, match="int64, and not a string"):
        utf8.repair(ds, "id").take_all()
    with pytest.raises(Exception, match="'raw' already"):
        utf8.validate(ds, "text", "raw").take_all()
    with pytest.raises(ValueError, match="unknown policy"):
        utf8.repair(ds, "raw", "guess")


def test_a_file_that_vanishes_is_a_row_with_its_error(nodes, tmp_path):
    (tmp_path / "stays").write_bytes(b"caf\xc3\xa9" * 20)
    (tmp_path / "vanishes").write_bytes(b"caf\xc3\xa9" * 20)
    ds = utf8.scan_files(tmp_path, 33)
    (tmp_path / "vanishes").unlink()
    found = [(row["valid"], row["error"]) for row in by_path(ds)]
    assert found == [(True, None), (None, "vanished after it was listed")]


def test_a_node_that_is_killed(nodes, tmp_path):
    def scan(path, filesystem):
        return by_path(utf8.scan_files(path, 1500, filesystem=filesystem))

    check_a_scan_whose_worker_is_killed(tmp_path, scan, nodes.processes, nodes.add)
