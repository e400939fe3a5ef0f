from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias, final, overload

from typing_extensions import Buffer

from ._exceptions import Tally, Utf8Error

__all__ = [
    "Diagnosis", "Errors", "Part", "Summary", "Validator", "decode", "decode_lines", "diagnose", "encode", "errors", "fix_mojibake",
    "inspect", "is_utf8", "kernels", "repair", "utf_8_decode", "validate",
]  # fmt: skip

# At run time, case, hyphens, underscores and spaces do not matter.
_Policy: TypeAlias = Literal[
    "replace", "java", "drop", "escape", "windows-1252", "ignore", "backslashreplace", "cp1252"
]

# A column can have nulls, too.
_ColumnPolicy: TypeAlias = _Policy | Literal["null"]
# A preset or a class of characters, or several of them.
_ProfileName: TypeAlias = Literal[
    "scalars", "xml", "assignables", "i-json", "postgres", "terminal", "source", "prompt", "file-name",
    "nul", "tab", "line-feed", "form-feed", "carriage-return", "c0-control", "delete", "next-line", "c1-control", "fffe-ffff",
    "noncharacter", "bidi-control", "bidi-mark", "zero-width", "joiner", "tag", "variation-selector", "emoji-selector", "separator",
    "byte-order-mark", "private-use", "soft-hyphen", "invisible", "slash", "windows-reserved",
    "stray-joiner", "stray-selector", "stray-tag", "stray-mark", "stray-space", "stray-filler", "private-use-run",
    "bare-carriage-return", "leading-mark", "stacked-marks",
]  # fmt: skip
_Profile: TypeAlias = _ProfileName | str | Iterable[_ProfileName | str]

__version__: str
STABLE_ABI: bool

def is_utf8(data: Buffer, /, *, profile: _Profile | None = None) -> bool:
    """Return whether `data` is UTF-8."""

def validate(data: Buffer, /, *, profile: _Profile | None = None) -> None:
    """Check that `data` is UTF-8."""

def errors(data: Buffer, /, *, profile: _Profile | None = None, runs: bool = False) -> Errors:
    """Return an iterator over all errors in `data`, each as a `Utf8Error`."""

def inspect(data: Buffer, /) -> Summary:
    """Validate `data`, and count its characters, UTF-16 units and line feeds in the same pass."""

def diagnose(data: Buffer, /) -> Diagnosis:
    """Find out which relatives of UTF-8 accept all of `data`: UTF-8, CESU-8, Modified UTF-8, WTF-8, and the UTF-8 of RFC 2279."""

def decode(
    data: Buffer, errors: str = "strict", *, encoding: str = "utf-8", profile: _Profile | None = None
) -> str:
    """Decode UTF-8."""

def decode_lines(data: Buffer, errors: str = "strict", *, keepends: bool = False) -> list[str]:
    """Decode UTF-8, and return its lines."""

def fix_mojibake(text: str, /) -> str:
    """Undo mojibake: UTF-8 that was read as windows-1252, as in ``GrÃ¶ÃŸe`` for ``Größe``."""

def utf_8_decode(data: Buffer, errors: str | None = None, final: bool = False, /) -> tuple[str, int]:
    """Decode UTF-8, like `codecs.utf_8_decode`, and return the text and the number of bytes decoded."""

def encode(text: str, /, errors: str | None = None) -> bytes:
    """Encode a string as UTF-8."""

def repair(data: Buffer, /, policy: _Policy = "replace", *, profile: _Profile | None = None) -> bytes:
    """Return `data` as UTF-8, with each ill-formed sequence repaired."""

def kernels() -> list[str]:
    """Return the names of the kernels that this CPU can run, best first. All functions use the first."""

@final
class Errors:
    """An iterator over all errors in some bytes: see `errors`."""

    def __iter__(self) -> Iterator[Utf8Error]: ...
    def __next__(self) -> Utf8Error: ...

@final
class Summary:
    """The result of `inspect`."""

    @staticmethod
    def _restored(numbers: object) -> Summary: ...
    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    @property
    def valid(self) -> bool:
        """Whether all bytes are UTF-8."""
    @property
    def error_start(self) -> int | None:
        """The position of the first error, or None."""
    @property
    def bytes(self) -> int:
        """The number of bytes that were counted: all, or those before the first error."""
    @property
    def chars(self) -> int:
        """The number of characters, which is the length of the string."""
    @property
    def utf16_len(self) -> int:
        """The number of 16-bit units in UTF-16."""
    @property
    def newlines(self) -> int:
        """The number of line feeds."""
    @property
    def chars_by_len(self) -> tuple[int, int, int, int]:
        """The numbers of characters with one, two, three and four bytes."""
    @property
    def is_ascii(self) -> bool:
        """Whether all bytes are ASCII."""

@final
class Diagnosis:
    """Which relatives of UTF-8 accept some bytes: see `diagnose`."""

    @staticmethod
    def _restored(found: object) -> Diagnosis: ...
    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    @property
    def best(self) -> str | None:
        """The name of the most likely dialect, or None: 'utf-8', 'cesu-8', 'mutf-8', 'wtf-8' or 'utf-8-rfc2279'."""
    @property
    def accepted(self) -> list[str]:
        """The names of all dialects that accept the bytes, the best one first."""
    @property
    def decided_at(self) -> int | None:
        """The first place at which the bytes are not UTF-8, or None."""

@final
class Validator:
    """Validates text that arrives in pieces, which may end inside a character.

    With a `profile`, a forbidden character is an error as well: see `validate`.
    """

    def __new__(cls, *, profile: _Profile | None = None) -> Validator: ...
    def push(self, data: Buffer, /) -> None:
        """Validate the next piece. Raise `StreamError` as soon as an error is certain, and in every later call."""
    def finish(self) -> None:
        """End the text. Raise `StreamError` if it ends inside a character, or if there was an error."""
    def reset(self) -> None:
        """Reset the validator to its initial state."""
    @property
    def position(self) -> int:
        """The number of bytes, from the start of the text, that are known to be whole characters."""
    @property
    def pending(self) -> bytes:
        """The last bytes so far, if they begin an incomplete character."""

@final
class Part:
    """The judgement on a part of a text: whether it is UTF-8, its counts, and its first error."""

    def __new__(cls) -> Part: ...
    @staticmethod
    def of(data: Buffer, /) -> Part:
        """Judge `data`, which may begin and end inside a character. It is any object with the buffer protocol."""
    def then(self, next: Part, /) -> Part:
        """Return the judgement on this part followed by the next one, as one part."""
    def finish(self) -> Tally:
        """Return the counts of the text, if this part is the whole text and is UTF-8. Otherwise, raise `PartError`."""
    @property
    def has_failed(self) -> bool:
        """Whether the part has an error, regardless of its neighbours."""
    def to_bytes(self) -> bytes:
        """Return the judgement as 64 bytes, which are the same on all machines."""
    @staticmethod
    def from_bytes(data: Buffer, /) -> Part:
        """Return the judgement from the bytes of `to_bytes`. Raise ValueError if they are not those of a judgement."""
    def __len__(self) -> int: ...
    def __bool__(self) -> bool: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Array:
    """An array of Arrow, with the PyCapsule interface: ``pyarrow.array(array)`` and ``nanoarrow.Array(array)`` take it."""

    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...
    def __arrow_array__(self, type: object | None = None) -> object: ...
    def __array__(self, dtype: object | None = None, copy: bool | None = None) -> object:
        """The conversion for numpy. This needs pyarrow."""
    def to_pylist(self) -> list[object]:
        """Return the values as Python objects. This needs pyarrow."""
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: int, /) -> object:
        """Return a value, or a list of values, as Python objects. This needs pyarrow."""
    @overload
    def __getitem__(self, index: slice, /) -> list[object]: ...
    def __iter__(self) -> Iterator[object]: ...
    @property
    def left(self) -> list[str]:
        """The names of the columns with bytes that were left as they are. `errors` judges them too."""

@final
class Stream:
    """A column or a table of Arrow in chunks, with the PyCapsule interface: ``pyarrow.table(stream)``, ``polars.DataFrame(stream)`` and ``pyarrow.chunked_array(stream)`` take it."""

    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __arrow_array__(self, type: object | None = None) -> object: ...
    def to_pylist(self) -> list[object]:
        """Return the values as Python objects. This needs pyarrow."""
    def __len__(self) -> int: ...
    @property
    def left(self) -> list[str]:
        """The names of the columns with bytes that were left as they are. `errors` judges them too."""

@final
class Reader:
    """The rows of a table, which are checked while somebody reads them. ``pyarrow.table(reader)``, ``polars.DataFrame(reader)`` and ``pyarrow.RecordBatchReader.from_stream(reader)`` take it, once."""

    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def read_all(self) -> Stream:
        """Read all batches. A row that is refused raises `RowError`, with its number, path, kind and offset."""

def _check(arguments: list[str]) -> int: ...
def _mistake(data: bytes, /) -> tuple[int, str] | None: ...
def _panic() -> None: ...
def _use_kernel(name: str, /) -> bool: ...
def _class_at(data: bytes, start: int, reason: str, /) -> str | None: ...
def _describe(data: bytes, start: int, /) -> tuple[str, str] | None: ...
def _dialect_decode(name: str, data: Buffer, errors: str | None, final: bool, /) -> tuple[str, int]: ...
def _dialect_encode(name: str, text: str, surrogates: bool, /) -> bytes | None: ...
def _arrow_is_valid(array: object, profile: _Profile | None = None) -> Array | Stream: ...
def _arrow_errors(array: object, profile: _Profile | None = None, text: bool = False) -> Stream: ...
def _arrow_timed(array: object, rounds: int) -> float: ...
def _arrow_convert(
    array: object,
    policy: str | None,
    table: bool,
    columns: list[str] | None,
    profile: _Profile | None = None,
    copy: bool = True,
) -> Array | Stream: ...
def _arrow_checked(
    array: object,
    policy: str | None,
    mask: str | None,
    table: bool,
    profile: _Profile | None = None,
    copy: bool = False,
    dictionaries: list[str] | None = None,
) -> Reader | Array | Stream: ...
