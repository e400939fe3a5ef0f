"""A Spark cluster of processes on this machine: a Master, and Workers that each run executors of their own.

The processes are those that a real cluster has, started by pyspark's own `spark-class`. They listen on the loopback interface
alone. Each Worker has an address of its own there, so Spark takes them for different machines.

    with Cluster(workers=2) as cluster, cluster.session() as spark:
        spark.range(10).count()
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import IO

HOST = "127.0.0.1"
# How long a process may take to start, in seconds. The machine may be busy.
PATIENCE = 120


class Cluster:
    """A Master and some Workers. They stop when the block ends, and also when this process ends in any other way."""

    def __init__(self, workers: int = 2, cores: int = 1, memory_mib: int = 1024) -> None:
        import pyspark

        self.folder = Path(tempfile.mkdtemp(prefix="trust8-spark-"))
        self.workers: list[subprocess.Popen[bytes]] = []
        self._master: subprocess.Popen[bytes] | None = None
        self._logs: list[IO[bytes]] = []
        self._guards: list[subprocess.Popen[bytes]] = []
        self._count, self._cores, self._memory = workers, cores, memory_mib
        self._home = Path(pyspark.__file__).parent
        self._environment = os.environ | {
            "SPARK_HOME": str(self._home),
            "SPARK_LOCAL_DIRS": str(self.folder / "local"),
            "SPARK_NO_DAEMONIZE": "1",
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_DAEMON_JAVA_OPTS": "-Dspark.master.rest.enabled=false -XX:+UseSerialGC -XX:TieredStopAtLevel=1",
            "PYSPARK_PYTHON": sys.executable,
        }

    def __enter__(self) -> Cluster:
        atexit.register(self.stop)
        try:
            deploy = "org.apache.spark.deploy"
            self._master, log = self._start(
                "master", HOST, f"{deploy}.master.Master", "--host", HOST, "--port", "0", "--webui-port", "0"
            )
            self.url = self._wait_for(self._master, log, rf"Starting Spark master at (spark://{HOST}:\d+)")
            self.add_workers(self._count)
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def add_workers(self, count: int) -> None:
        """Start more Workers, and wait until the Master knows them."""
        started = []
        for _ in range(count):
            number = len(self.workers)
            name, host = f"worker{number}", f"127.0.0.{number + 2}"
            worker, log = self._start(
                name, host, "org.apache.spark.deploy.worker.Worker", "--host", host, "--port", "0", "--webui-port", "0",
                "--cores", str(self._cores), "--memory", f"{self._memory}m", "--work-dir", str(self.folder / name), self.url,
            )  # fmt: skip
            self.workers.append(worker)
            started.append((worker, log))
        for worker, log in started:
            self._wait_for(worker, log, r"Successfully registered with master")

    def kill_worker(self, index: int) -> None:
        """Kill a Worker and its executors, as when the power of a machine fails."""
        kill_group(self.workers[index])

    @contextmanager
    def session(self, **settings: str) -> Iterator[object]:
        """Return a session on this cluster, with these settings. `_` in their names stands for a dot."""
        from pyspark.sql import SparkSession

        os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": HOST}
        builder = SparkSession.builder.master(self.url).appName("trust8")
        fixed = {
            "spark.driver.host": HOST,
            "spark.driver.bindAddress": HOST,
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.executor.cores": str(self._cores),
            "spark.executor.memory": f"{self._memory}m",
            "spark.driver.memory": "1g",
            "spark.local.dir": str(self.folder / "local"),
            "spark.sql.warehouse.dir": str(self.folder / "warehouse"),
            # What a Worker killed by a test takes with it is noticed soon.
            "spark.network.timeout": "60s",
            "spark.executor.heartbeatInterval": "5s",
        }
        for name, value in (fixed | {name.replace("_", "."): value for name, value in settings.items()}).items():
            builder = builder.config(name, value)
        spark = builder.getOrCreate()
        spark.sparkContext.setLogLevel("ERROR")
        try:
            yield spark
        finally:
            spark.stop()

    def stop(self) -> None:
        """End all processes of the cluster, and remove its files."""
        atexit.unregister(self.stop)
        for process in [*self.workers, *filter(None, [self._master])]:
            kill_group(process)
        for guard in self._guards:
            kill_group(guard)
            guard.stdin.close()
        for log in self._logs:
            log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _start(self, name: str, host: str, *words: str) -> tuple[subprocess.Popen[bytes], Path]:
        path = self.folder / f"{name}.log"
        log = path.open("wb")
        self._logs.append(log)
        # A group of its own has the executors too, so that they end together.
        process = subprocess.Popen(
            [str(self._home / "bin" / "spark-class"), *words],
            env=self._environment | {"SPARK_LOCAL_IP": host}, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
        # This shell waits until the pipe closes, which it does when this process ends, even if it is killed.
        last_will = 'read _; kill -KILL "-$0"; sleep 1; rm -rf "$1"'
        guard = subprocess.Popen(
            ["sh", "-c", last_will, str(process.pid), str(self.folder)], stdin=subprocess.PIPE, start_new_session=True
        )
        self._guards.append(guard)
        return process, path

    def _wait_for(self, process: subprocess.Popen[bytes], log: Path, pattern: str) -> str:
        """Wait until a line of the log matches, and return the first group, or the match."""

        def found() -> str | None:
            match = re.search(pattern, log.read_text(errors="replace"))
            return match and match.group(match.lastindex or 0)

        result = wait_until(lambda: found() or (process_ended(process) and "ended"))
        if result in (None, "ended"):
            raise RuntimeError(f"{log.stem} did not start:\n{log.read_text(errors='replace')[-4000:]}")
        return str(result)


def wait_until(condition: Callable[[], object], seconds: float = PATIENCE) -> object:
    """Wait until a condition holds, and return its value, or None after so many seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if value := condition():
            return value
        time.sleep(0.05)
    return None


def process_ended(process: subprocess.Popen[bytes]) -> bool:
    """Return whether a process has ended, without taking note of it."""
    found = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    return found is not None


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a process that was started with a group of its own, with its children."""
    # Its children may run on after its end, but once it was waited for, its number may belong to another process.
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
