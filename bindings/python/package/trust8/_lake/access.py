"""Who may read and write a new file."""

from __future__ import annotations

import os
from contextlib import suppress


def permit(target: str, source: str | os.PathLike[str], least: int = 0) -> None:
    """Give a new file or folder the owner, the group and the permissions of another, so that nobody else can read what was private.

    Only some users may change the owner and the group, and on Windows nobody. If the group stays another one, it gets what everybody has.
    """
    wanted = os.stat(source)
    for owner, group in [(-1, wanted.st_gid), (wanted.st_uid, -1)]:
        with suppress(AttributeError, OSError):
            os.chown(target, owner, group)
    found, mode = os.stat(target), wanted.st_mode & 0o7777
    if found.st_gid != wanted.st_gid:
        mode &= ~0o070 | (mode & 0o007) << 3
    if (found.st_uid, found.st_gid) != (wanted.st_uid, wanted.st_gid):
        mode &= 0o1777
    os.chmod(target, mode | least)
