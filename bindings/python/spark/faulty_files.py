"""A file system whose readers fail, for tests: the local one, with faults at some files."""

from __future__ import annotations

import os
import time
import uuid
from pathlib import Path
from typing import NamedTuple

import pyarrow.fs

LOCAL = pyarrow.fs.LocalFileSystem()


class Opening(NamedTuple):
    """The name of a file, and the process that opened it."""

    name: str
    process: int


def openings(log: str | Path) -> list[Opening]:
    """Return the entries of the folder `log` of a `Handler`."""
    parts = [path.name.rsplit(".", 2) for path in Path(log).iterdir()]
    return [Opening(name, int(process)) for name, process, _ in parts]


class Handler(pyarrow.fs.FileSystemHandler):
    """Files by `pyarrow.fs`.

    `faults` says what happens to the process that first opens a file of a name: it 'dies', it 'lags', or nothing happens, which
    is 'noted'. 'always dies' ends each process that opens it. Each opening of such a file is an entry of the folder `log`.
    `delay` is the time that each opening takes.
    """

    def __init__(self, log: str, faults: dict[str, str], delay: float = 0) -> None:
        self.log, self.faults, self.delay = log, faults, delay

    def __eq__(self, other):
        return isinstance(other, Handler) and vars(self) == vars(other)

    def __ne__(self, other):
        return not self == other

    def open_input_file(self, path):
        time.sleep(self.delay)
        fault = self.faults.get(os.path.basename(path))
        if fault is not None:
            first = os.path.basename(path) not in [opening.name for opening in openings(self.log)]
            (Path(self.log) / f"{os.path.basename(path)}.{os.getpid()}.{uuid.uuid4().hex}").touch()
            if fault == "always dies" or (first and fault == "dies"):
                os._exit(9)
            if first and fault == "lags":
                time.sleep(15)
        return LOCAL.open_input_file(path)

    def open_input_stream(self, path):
        return LOCAL.open_input_stream(path, compression=None)

    def open_output_stream(self, path, metadata):
        return LOCAL.open_output_stream(path, compression=None)

    def open_append_stream(self, path, metadata):
        return LOCAL.open_append_stream(path, compression=None)

    def get_type_name(self):
        return "faulty"

    def normalize_path(self, path):
        return LOCAL.normalize_path(path)

    def get_file_info(self, paths):
        return LOCAL.get_file_info(paths)

    def get_file_info_selector(self, selector):
        return LOCAL.get_file_info(selector)

    def create_dir(self, path, recursive):
        LOCAL.create_dir(path, recursive=recursive)

    def delete_dir(self, path):
        LOCAL.delete_dir(path)

    def delete_dir_contents(self, path, missing_dir_ok=False):
        LOCAL.delete_dir_contents(path, missing_dir_ok=missing_dir_ok)

    def delete_root_dir_contents(self):
        raise NotImplementedError

    def delete_file(self, path):
        LOCAL.delete_file(path)

    def move(self, source, target):
        LOCAL.move(source, target)

    def copy_file(self, source, target):
        LOCAL.copy_file(source, target)
