"""A Spark cluster of processes on this machine: a Master, and Workers that each run executors of their own.

The processes are those that a real cluster has, started by pyspark's own `spark-class`. They listen on the loopback interface
alone. Each Worker has its own address there, so Spark takes them for different machines.

    with Cluster(workers=2) as cluster, cluster.session() as spark:
        spark.range(10).count()
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from processes import Process

HOST = "127.0.0.1"


class Cluster:
    """A Master and some Workers. They stop when the block ends, and also when this process ends in any other way."""

    def __init__(self, workers: int = 2, cores: int = 1, memory_mib: int = 1024) -> None:
        import pyspark

        self.folder = Path(tempfile.mkdtemp(prefix="trust8-spark-"))
        # All that were started, and those of them that are Workers.
        self.processes: list[Process] = []
        self.workers: list[Process] = []
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
        try:
            master = self._start("master", HOST, "master.Master")
            self.url = master.wait_for(rf"Starting Spark master at (spark://{HOST}:\d+)")
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
        for number in range(len(self.workers), len(self.workers) + count):
            options = ["--cores", str(self._cores), "--memory", f"{self._memory}m", "--work-dir", str(self.folder / str(number))]
            self.workers.append(self._start(f"worker{number}", f"127.0.0.{number + 2}", "worker.Worker", *options, self.url))
        for worker in self.workers[-count:]:
            worker.wait_for("Successfully registered with master")

    @contextmanager
    def session(self, **settings: str) -> Iterator[object]:
        """Return a session on this cluster, with these settings. `_` in their names means a dot."""
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
        for process in self.processes:
            process.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _start(self, name: str, host: str, role: str, *options: str) -> Process:
        words = [str(self._home / "bin" / "spark-class"), f"org.apache.spark.deploy.{role}", "--host", host, "--port", "0"]
        process = Process(
            name, [*words, "--webui-port", "0", *options], self.folder, self._environment | {"SPARK_LOCAL_IP": host}
        )  # fmt: skip
        self.processes.append(process)
        return process
