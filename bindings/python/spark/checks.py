"""Checks that are the same for Spark and for Ray."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import faulty_files
import pyarrow.fs
from expected import expected_scan
from processes import Process, kill_session, running, wait_until

Rows = list[dict[str, object]]


def check_that_all_end(program: str) -> None:
    """Run a Python program, kill it, and check that the processes that it started end, and that their folder is removed.

    The program prints the folder and the sessions of the processes, and waits then.
    """
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as starter:
        folder, *numbers = starter.stdout.readline().split()
        sessions = list(map(int, numbers))
        started = [len(running(session)) for session in sessions]
        starter.kill()
    try:
        assert started and all(started)
        assert wait_until(lambda: not any(map(running, sessions)) and not Path(folder).exists(), 30)
    finally:
        for session in sessions:
            kill_session(session)


def check_a_scan_whose_worker_is_killed(
    folder: Path,
    scan: Callable[[str, pyarrow.fs.FileSystem], Rows],
    workers: list[Process],
    add_worker: Callable[[], None],
) -> None:
    """Scan files, kill a worker in the middle of that, and check that the result is what the command says.

    `scan` returns the rows of a folder. Each task reads 64 ranges. Afterwards the cluster has another worker.
    """
    texts, log = folder / "texts", folder / "log"
    texts.mkdir()
    log.mkdir()
    for number in range(300):
        (texts / f"{number:03}").write_bytes(b"caf\xc3\xa9\n" * number + (b"\xe9!" if number % 7 == 0 else b""))
    # Each opening takes a moment, so that the job is still running when the worker goes.
    handler = faulty_files.Handler(str(log), dict.fromkeys(os.listdir(texts), "noted"), delay=0.03)
    found: Rows = []
    job = threading.Thread(target=lambda: found.extend(scan(str(texts), pyarrow.fs.PyFileSystem(handler))))
    job.start()

    def opened_by(worker: Process) -> set[str]:
        processes = running(worker.session)
        return {opening.name for opening in faulty_files.openings(log) if opening.process in processes}

    # This worker has completed a task, and is at work on another.
    victim = wait_until(lambda: next((worker for worker in workers if len(opened_by(worker)) > 70), None))
    assert victim is not None
    lost, processes = opened_by(victim), running(victim.session)
    victim.kill()
    assert job.is_alive() and not found
    add_worker()
    job.join(300)
    assert found == expected_scan(texts)
    assert lost & {opening.name for opening in faulty_files.openings(log) if opening.process not in processes}
