"""Codecs: UTF-8 by trust8, and its relatives CESU-8, Modified UTF-8 and WTF-8."""

from __future__ import annotations

import codecs
import errno
import io
import operator
import os
import re
import warnings
from typing import TYPE_CHECKING

from . import _trust8
from ._trust8 import repair as _repair
from ._trust8 import encode as _encode_utf8
from ._trust8 import utf_8_decode

if TYPE_CHECKING:
    from typing_extensions import Buffer

# The codec name of trust8's UTF-8. The interpreter reserves the name 'utf-8' for its own codec.
UTF_8 = "trust8-utf-8"

_DIALECTS = {"cesu": "cesu-8", "mutf": "mutf-8", "wtf": "wtf-8"}
_SPELLINGS = re.compile("(trust8[-_ ]?)?(cesu|mutf|wtf|utf)[-_ ]?8")
# How many bytes or characters are read at a time.
_PIECE = 1 << 20

_SURROGATES = re.compile("[\ud800-\udfff]+")


def _encode(text: str, errors: str = "strict") -> tuple[bytes, int]:
    return _encode_utf8(text, errors), str.__len__(text)


def _decode(data: Buffer, errors: str = "strict") -> tuple[str, int]:
    return utf_8_decode(data, errors, True)


class Codec(codecs.Codec):
    """UTF-8, by trust8: the codec that `codecs.lookup` finds as 'trust8-utf-8' after `register`."""

    def encode(self, input: str, errors: str = "strict") -> tuple[bytes, int]:
        return _encode(input, errors)

    def decode(self, input: Buffer, errors: str = "strict") -> tuple[str, int]:
        return _decode(input, errors)


class IncrementalEncoder(codecs.IncrementalEncoder):
    """An encoder like that of `codecs.getincrementalencoder('utf-8')`."""

    def encode(self, input: str, final: bool = False) -> bytes:
        return _encode_utf8(input, self.errors)


class IncrementalDecoder(codecs.BufferedIncrementalDecoder):
    """A decoder like that of `codecs.getincrementaldecoder('utf-8')`.

    >>> import trust8
    >>> decoder = trust8.IncrementalDecoder()
    >>> decoder.decode(b'5 \\xe2\\x82')
    '5 '
    >>> decoder.decode(b'\\xac', final=True) == '\\u20ac'
    True
    """

    def _buffer_decode(self, input: Buffer, errors: str, final: bool) -> tuple[str, int]:
        return utf_8_decode(input, errors, final)


class StreamWriter(Codec, codecs.StreamWriter):
    """A writer like that of `codecs.getwriter('utf-8')`."""


class StreamReader(Codec, codecs.StreamReader):
    """A reader like that of `codecs.getreader('utf-8')`."""

    # This one returns how much it has decoded, and `codecs.StreamReader` keeps the rest.
    def decode(self, input: Buffer, errors: str = "strict") -> tuple[str, int]:
        return utf_8_decode(input, errors)


def _utf_8() -> codecs.CodecInfo:
    return codecs.CodecInfo(
        name=UTF_8,
        encode=_encode,
        decode=_decode,
        incrementalencoder=IncrementalEncoder,
        incrementaldecoder=IncrementalDecoder,
        streamreader=StreamReader,
        streamwriter=StreamWriter,
    )


def _dialect_encode(name: str, text: str, errors: str | None) -> bytes:
    """Encode a text in a dialect."""
    _check_handler(name, errors)
    encoded = _trust8._dialect_encode(name, text, name != "cesu-8" or errors == "surrogatepass")
    if encoded is not None:
        return encoded
    # CESU-8 has no lone surrogates, so the error handler is called, as in the UTF-8 codec. A subclass may have other methods.
    text = str.__str__(text)
    handler = codecs.lookup_error("strict" if errors is None else errors)
    pieces = []
    at = 0
    while found := _SURROGATES.search(text, at):
        start, end = found.span()
        pieces.append(_trust8._dialect_encode(name, text[at:start], False) or b"")
        answer = handler(UnicodeEncodeError(name, text, start, end, "surrogates not allowed"))
        if not isinstance(answer, tuple) or len(answer) != 2 or not isinstance(answer[0], (str, bytes)):
            raise TypeError("encoding error handler must return (str/bytes, int) tuple")
        replacement, at = answer[0], operator.index(answer[1])
        if at < 0:
            at += len(text)
        if not 0 <= at <= len(text):
            raise IndexError(f"position {at} from error handler out of bounds")
        if isinstance(replacement, str):
            piece = _trust8._dialect_encode(name, replacement, False)
            if piece is None:
                raise UnicodeEncodeError(name, text, start, end, "surrogates not allowed")
            pieces.append(piece)
        else:
            pieces.append(replacement)
    pieces.append(_trust8._dialect_encode(name, text[at:], False) or b"")
    return b"".join(pieces)


def _dialect_decode(name: str, data: Buffer, errors: str | None, final: bool) -> tuple[str, int]:
    """Decode a dialect."""
    _check_handler(name, errors)
    return _trust8._dialect_decode(name, data, errors, final)


def _check_handler(name: str, errors: str | None) -> None:
    if errors == "surrogateescape" and name != "cesu-8":
        raise ValueError(
            f"{name} has lone surrogates, so 'surrogateescape' would not return the bytes that it was given: "
            "FF would become ED B3 BF"
        )


def _dialect(name: str, called: str) -> codecs.CodecInfo:
    """Return the codec of a dialect, named as in the lookup."""

    def encode(text: str, errors: str = "strict") -> tuple[bytes, int]:
        return _dialect_encode(name, text, errors), str.__len__(text)

    def decode(data: Buffer, errors: str = "strict") -> tuple[str, int]:
        return _dialect_decode(name, data, errors, True)

    class DialectIncrementalEncoder(codecs.IncrementalEncoder):
        # Half of a pair does not wait for the other half: `io.TextIOWrapper` never makes a last call, and would lose it.
        def encode(self, input: str, final: bool = False) -> bytes:
            return _dialect_encode(name, input, self.errors)

    class DialectIncrementalDecoder(codecs.BufferedIncrementalDecoder):
        def _buffer_decode(self, input: Buffer, errors: str, final: bool) -> tuple[str, int]:
            return _dialect_decode(name, input, errors, final)

    class DialectStreamWriter(codecs.StreamWriter):
        def encode(self, input: str, errors: str = "strict") -> tuple[bytes, int]:
            return _dialect_encode(name, input, errors), str.__len__(input)

    class DialectStreamReader(codecs.StreamReader):
        bytebuffer: bytes
        charbuffer: str

        def decode(self, input: Buffer, errors: str = "strict") -> tuple[str, int]:
            return _dialect_decode(name, input, errors, False)

        def read(self, size: int = -1, chars: int = -1, firstline: bool = False) -> str:
            text = super().read(size, chars, firstline)
            is_at_end = size < 0 and chars < 0 or not text and size != 0 and chars != 0
            if is_at_end and self.bytebuffer:
                # The bytes kept for the next piece are the last character.
                self.charbuffer, _ = _dialect_decode(name, self.bytebuffer, self.errors, True)
                self.bytebuffer = b""
                text += super().read(size, chars, firstline)
            return text

    return codecs.CodecInfo(
        name=called,
        encode=encode,
        decode=decode,
        incrementalencoder=DialectIncrementalEncoder,
        incrementaldecoder=DialectIncrementalDecoder,
        streamreader=DialectStreamReader,
        streamwriter=DialectStreamWriter,
    )


def _windows_1252(error: UnicodeError) -> tuple[str, int]:
    """Read the bytes of an ill-formed sequence as windows-1252."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    found = bytes.__getitem__(error.object, slice(error.start, error.end))
    return _repair(found, "windows-1252").decode(), error.end


# `decode` needs no call of this handler. No other handler has a name that begins with 'trust8.'.
codecs.register_error("trust8.windows-1252", _windows_1252)


def _search(name: str) -> codecs.CodecInfo | None:
    spelled = _SPELLINGS.fullmatch(name)
    if spelled is None:
        return None
    prefix, word = spelled.groups()
    if word == "utf":
        return _utf_8() if prefix else None
    dialect = _DIALECTS[word]
    return _dialect(dialect, f"trust8-{dialect}" if prefix else dialect)


_registered = False


def register() -> None:
    """Register the codecs 'cesu-8', 'mutf-8', 'wtf-8' and 'trust8-utf-8'.

    If another package, such as ftfy, has already registered one of these names, the name stays with that package and a warning
    is issued. 'trust8-cesu-8', 'trust8-mutf-8' and 'trust8-wtf-8' are always those of trust8. MUTF-8 and WTF-8 have lone
    surrogates, so they refuse the handler 'surrogateescape'.

    CESU-8 and WTF-8 follow their specifications. 'mutf-8' is Modified UTF-8, as in Java's class files and NBT, with the lone
    surrogates that Java writes. 'trust8-utf-8' is UTF-8, decoded by trust8.

    An incremental encoder has no state between calls. If one call ends with the first half of a surrogate pair and the next
    begins with the second half, WTF-8 gets two surrogates of three bytes instead of one character.

    >>> import trust8
    >>> trust8.register()
    >>> b'\\xed\\xa0\\xbd\\xed\\xb8\\x80'.decode('cesu-8') == '\\U0001f600'
    True
    >>> '\\0'.encode('mutf-8')
    b'\\xc0\\x80'
    """
    _add()
    for name in _DIALECTS.values():
        if codecs.lookup(name).decode.__module__ != __name__:
            message = f"the codec {name!r} is that of another package; 'trust8-{name}' is that of trust8"
            warnings.warn(message, RuntimeWarning, stacklevel=2)


def _add() -> None:
    global _registered
    if not _registered:
        codecs.register(_search)
        _registered = True


def open_text(
    path: str | bytes | os.PathLike[str] | os.PathLike[bytes] | int,
    mode: str = "r",
    errors: str = "strict",
    newline: str | None = None,
) -> io.TextIOWrapper:
    """Open a file of UTF-8 text, like ``open(path, mode, encoding='utf-8', errors=errors, newline=newline)``.

    Reads are decoded by trust8, and an error is a `Utf8Error`.
    """
    if "b" in mode:
        raise ValueError("a text has no binary mode")
    _add()
    return io.open(path, mode, encoding=UTF_8, errors=errors, newline=newline)  # type: ignore[return-value]


def read_text(
    path: str | bytes | os.PathLike[str] | os.PathLike[bytes] | int,
    errors: str = "strict",
    newline: str | None = None,
) -> str:
    """Return the text of a file, like ``open(path, encoding='utf-8', errors=errors, newline=newline).read()``.

    The file is read as a whole and decoded in one pass, which is faster than in pieces.
    """
    if newline not in (None, "", "\n", "\r", "\r\n"):
        raise ValueError(f"illegal newline value: {newline!r}")
    # A signal is handled only between two calls of the interpreter's own functions.
    data = io.BytesIO()
    with open(path, "rb", buffering=0) as file:
        while piece := file.read(_PIECE):
            data.write(piece)
        if piece is None:
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
    text, _ = utf_8_decode(data.getvalue(), errors, True)
    if newline is None and any(text.find("\r", at, at + _PIECE) >= 0 for at in range(0, len(text), _PIECE)):
        translate = io.IncrementalNewlineDecoder(None, translate=True).decode
        pieces = [translate(text[at : at + _PIECE], final=at + _PIECE >= len(text)) for at in range(0, len(text), _PIECE)]
        text = "".join(pieces)
    return text


