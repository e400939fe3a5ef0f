"""Columns that may not be UTF-8."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from .. import is_utf8 as _is_utf8
from .. import repair as _repair_bytes

if TYPE_CHECKING:
    from .._trust8 import _ColumnPolicy, _Policy, _Profile


def check_policy(policy: _ColumnPolicy, *more: str) -> None:
    """Raise ValueError unless this is the name of a policy for bytes, or one of `more`."""
    if policy not in more:
        _repair_bytes(b"", cast("_Policy", policy))


def listed(profile: _Profile | None) -> _Profile | None:
    """Return the profile in a form that can be sent to workers. Raise ValueError or TypeError if it is not a profile."""
    names = profile if profile is None or isinstance(profile, str) else list(profile)
    _is_utf8(b"", profile=names)
    return names
