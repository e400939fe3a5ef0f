"""The exceptions of trust8, and their contents."""

from __future__ import annotations

from typing import NamedTuple

from . import _trust8


class Tally(NamedTuple):
    """The counts of a valid text.

    `chars_by_len` has the numbers of characters with one, two, three and four bytes.
    """

    bytes: int
    chars: int
    utf16_len: int
    newlines: int
    chars_by_len: tuple[int, int, int, int]


class Utf8Error(UnicodeDecodeError):
    """The first ill-formed sequence in some bytes.

    `start`, `end`, `reason` and `object` equal those of `bytes.decode`. `kind` and `explanation` add details.

    >>> import trust8
    >>> try:
    ...     trust8.decode(b'/srv/\\xc0\\xae')
    ... except UnicodeDecodeError as error:
    ...     print(error)
    ...     print(error.kind)
    ...     print(error.explanation)
    'utf-8' codec can't decode byte 0xc0 in position 5: invalid start byte
    overlong
    C0 begins an overlong form of an ASCII character; expected a first byte (00 to 7F, C2 to F4)
    """

    def _described(self) -> tuple[str, str] | None:
        # The constructor takes any number as `start`.
        return _trust8._describe(self.object, self.start) if self.start >= 0 else None

    @property
    def kind(self) -> str:
        """The name of the broken rule.

        One of 'unexpected-continuation', 'invalid-byte', 'overlong', 'surrogate', 'too-large', 'truncated' and
        'incomplete'; or '' if there is no error at `start`.
        """
        found = self._described()
        return found[0] if found else ""

    @property
    def explanation(self) -> str:
        """What is wrong there and what was expected, as a sentence."""
        found = self._described()
        return found[1] if found else ""


class ProfileError(Utf8Error):
    """A character that a profile forbids.

    `start` and `end` are its position in `object`. `kind` is the name of its class, such as 'nul' or 'bidi-control'.

    >>> import trust8
    >>> try:
    ...     trust8.decode('if admin\u2066 {'.encode(), profile='source')
    ... except trust8.ProfileError as error:
    ...     print(error.start, error.kind, ascii(error.character))
    8 bidi-control '\\u2066'
    """

    @property
    def character(self) -> str:
        """The character, or all of a run: see `trust8.errors`."""
        return bytes.__getitem__(self.object, slice(self.start, self.end)).decode("utf-8", "replace")

    def _described(self) -> tuple[str, str] | None:
        found = _trust8._class_at(self.object, self.start, self.reason) if self.start >= 0 else None
        return None if found is None else (found, self.reason)


class StreamError(ValueError):
    """The first place at which a text in pieces is not UTF-8.

    `position` counts from the start of the text. `length` is that of the ill-formed sequence, or None if the text ends inside
    a character. `kind` is the name of the broken rule, or of the class of a forbidden character.
    """

    def __init__(self, position: int, length: int | None, kind: str, message: str) -> None:
        super().__init__(position, length, kind, message)
        self.position = position
        self.length = length
        self.kind = kind
        self.message = message

    def __str__(self) -> str:
        return self.message


class PartError(StreamError):
    """The first place at which a text judged in parts is not UTF-8.

    `line` and `column` count from 1. `before` has the counts of the text before that place.
    """

    def __init__(
        self, position: int, length: int | None, kind: str, message: str, line: int, column: int, before: Tally
    ) -> None:
        super().__init__(position, length, kind, message)
        self.args = (position, length, kind, message, line, column, before)
        self.line = line
        self.column = column
        self.before = before


class RowError(ValueError):
    """The first row of a column that is not UTF-8, or that does not have the shape of its type.

    `path` locates the value inside the row; it is empty if the row is the value. `kind` is the name of the broken rule or of
    the class of a forbidden character, or 'layout' or 'shape'. `start` is the position inside the value.
    """

    def __init__(self, row: int, path: str, kind: str, start: int | None, message: str) -> None:
        super().__init__(row, path, kind, start, message)
        self.row = row
        self.path = path
        self.kind = kind
        self.start = start
        self.message = message

    def __str__(self) -> str:
        return self.message
