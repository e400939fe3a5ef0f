"""UTF-8, validated and decoded by SIMD, with exact errors.

All functions take any object with the buffer protocol: bytes, bytearray, memoryview, mmap, and the arrays and buffers of numpy
and pyarrow.

>>> import trust8
>>> trust8.is_utf8(b'caf\\xc3\\xa9')
True
>>> trust8.decode(b'caf\\xe9', 'replace')
'caf\\ufffd'

`trust8.arrow` does the same for columns, and `trust8.spark` and `trust8.ray` for files and columns on a cluster.
"""

import sys as _sys
from typing import TYPE_CHECKING as _TYPE_CHECKING

try:
    import _interpreters  # type: ignore[import-not-found,unused-ignore]
except ImportError:
    try:
        import _xxsubinterpreters as _interpreters  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        _interpreters = None  # type: ignore[assignment,unused-ignore]

if _interpreters is not None and _interpreters.get_current() != _interpreters.get_main():
    raise ImportError("trust8 does not support subinterpreters; import it in the main interpreter")
del _interpreters

from . import _trust8
from ._codecs import (
    Codec,
    IncrementalDecoder,
    IncrementalEncoder,
    StreamReader,
    StreamWriter,
    open_text,
    read_text,
    register,
)
from ._exceptions import PartError, ProfileError, RowError, StreamError, Tally, Utf8Error
from ._trust8 import *
from ._trust8 import __version__

# A free-threaded build turns its lock on for this package, unless it is told not to.
if not getattr(_sys, "_is_gil_enabled", lambda: True)():
    raise ImportError("trust8 needs the interpreter's lock; start Python without PYTHON_GIL=0 and -X gil=0")

__all__ = [
    "Codec",
    "IncrementalDecoder",
    "IncrementalEncoder",
    "PartError",
    "ProfileError",
    "RowError",
    "StreamError",
    "StreamReader",
    "StreamWriter",
    "Tally",
    "Utf8Error",
    "__version__",
    "open_text",
    "read_text",
    "register",
]
__all__ += _trust8.__all__

# Public names report the public module.
for _public in __all__:
    if _public != "__version__":
        globals()[_public].__module__ = "trust8"
del _public

if _TYPE_CHECKING:
    from . import arrow as arrow
else:

    def __getattr__(name):
        # Import `trust8.arrow` only when it is first used.
        if name == "arrow":
            import importlib

            return importlib.import_module("trust8.arrow")
        raise AttributeError(f"module 'trust8' has no attribute {name!r}")

    def __dir__():
        return sorted({*globals(), "arrow"})
