"""``python -m trust8 check FILE...`` is the command's `check`.

What `pip install` compiles is without the command. It takes only names of files, and prints the same line about each.
"""

import contextlib
import os
import re
import signal
import sys

_ESCAPES = {"\t": r"\t", "\n": r"\n", "\r": r"\r"}


def _harmless(name: str) -> str:
    """Escape, as the command does, what can do something to a terminal, end a line, or reorder the text around it."""
    harmful = "[\0-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]"
    return re.sub(harmful, lambda found: _ESCAPES.get(found[0], f"\\u{{{ord(found[0]):x}}}"), name)


def _complain(text: str) -> int:
    # If standard error is closed too, only the exit code can still report the error.
    with contextlib.suppress(OSError):
        os.write(2, os.fsencode(f"trust8: {text}\n"))
    return 2


def check(words: list[str]) -> int:
    """Print the first error in each file. Return 1 if there is one, or 2 if a file can't be read."""
    from . import Utf8Error, validate
    from ._trust8 import _mistake

    if not words or any(word.startswith("-") for word in words):
        return _complain("this build is without the command, and takes only names of files")
    code = 0
    for word in words:
        try:
            with open(word, "rb") as file:
                data = file.read()
        except OSError as error:
            code = _complain(f"{_harmless(word)}: {error.strerror}")
            continue
        try:
            validate(data)
        except Utf8Error as error:
            at = error.start
            line, start = data.count(b"\n", 0, at) + 1, data.rfind(b"\n", 0, at) + 1
            _, message = _mistake(data[at : at + 6]) or (0, error.reason)
            place = f":{line}:{len(data[start:at].decode()) + 1}: byte {at}: {message}\n"
            try:
                # The name of a file need not be text.
                os.write(1, os.fsencode(_harmless(word)) + place.encode())
            except OSError as failed:
                return _complain(f"standard output: {failed.strerror}")
            code = max(code, 1)
    return code


def main() -> int:
    words = sys.argv[1:]
    words = words[1:] if words[:1] == ["check"] else words
    # The command does not return to the interpreter, which would only record a signal and wait.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        from ._trust8 import _check
    except ImportError:
        # If nobody reads on, it ends without a traceback, as the command does.
        if hasattr(signal, "SIGPIPE"):
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        return check(words)

    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    return _check(words)


if __name__ == "__main__":
    sys.exit(main())
