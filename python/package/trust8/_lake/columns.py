"""Columns that may not be UTF-8."""

from __future__ import annotations

from .. import repair as _repair_bytes


def check_policy(policy: str, *more: str) -> None:
    """Raise ValueError unless this is the name of a policy for bytes, or one of `more`."""
    if policy not in more:
        _repair_bytes(b"", policy)
