"""The processes of a cluster on this machine. They end at the latest when the process that started them ends."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

# How long a process may take to start, in seconds. The machine may be busy.
PATIENCE = 120


class Process:
    """A process and its descendants, which are one session. The output goes to the file `log`."""

    def __init__(
        self, name: str, words: list[str], folder: Path, environment: Mapping[str, str] | None = None
    ) -> None:
        """Start a process in `folder`. If this process is killed, so is the session, and the folder is removed."""
        self.log = folder / f"{name}.log"
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                words, env=environment, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )  # fmt: skip
        self.session = self._process.pid
        # The other end of this pipe closes when this process ends in any way.
        words = [sys.executable, "-S", __file__, str(self.session), str(folder)]
        self._guard = subprocess.Popen(words, stdin=subprocess.PIPE, start_new_session=True)

    def wait_for(self, pattern: str) -> str:
        """Wait until the log matches, and return the first group of the match, or all of it.

        Raises RuntimeError if the process ends instead, or takes too long.
        """

        def found() -> str | None:
            match = re.search(pattern, self.said())
            return match and match.group(match.lastindex or 0)

        wait_until(lambda: found() or self._has_ended())
        result = found()
        if result is None or self._has_ended():
            raise RuntimeError(f"{self.log.stem} did not start:\n{self.said()[-4000:]}")
        return result

    def said(self) -> str:
        """Return the output so far."""
        return self.log.read_text(errors="replace")

    def kill(self) -> None:
        """Kill the process and its descendants, as when the power of a machine fails."""
        if self._process.returncode is None:
            kill_session(self.session)
            self._process.wait()
            self._guard.kill()
            self._guard.communicate()

    def _has_ended(self) -> bool:
        # The process is not waited for, so no other session can get its number before `kill`.
        return os.waitid(os.P_PID, self.session, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def wait_until(condition: Callable[[], object], seconds: float = PATIENCE) -> object:
    """Wait until a condition holds, and return its value, or None after `seconds`."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if value := condition():
            return value
        time.sleep(0.05)
    return None


def running(session: int) -> set[int]:
    """Return the processes of a session that have not ended."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _parent, _group, number = path.read_text().rsplit(")", 1)[1].split()[:4]
            if int(number) == session and state != "Z":
                found.add(int(path.parent.name))
    return found


def kill_session(session: int) -> None:
    """Kill all processes of a session, also those that start meanwhile."""
    while found := running(session):
        for process in found:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)


if __name__ == "__main__":
    # The guard of a process waits here for the end of the one that started it.
    sys.stdin.read()
    kill_session(int(sys.argv[1]))
    shutil.rmtree(sys.argv[2], ignore_errors=True)
