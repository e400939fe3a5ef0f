"""``python -m trust8 check FILE...`` is the command's `check`.

What `pip install` compiles is without the command. It takes only names of files, and prints the same line about each.
"""

import os
import signal
import sys


def check(words: list[str]) -> int:
    """Print the first error in each file. Return 1 if there is one, or 2 if a file can't be read."""
    from . import Utf8Error, validate
    from ._trust8 import _mistake

    if not words or any(word.startswith("-") for word in words):
        print("trust8: this build is without the command, and takes only names of files", file=sys.stderr)
        return 2
    code = 0
    for word in words:
        try:
            with open(word, "rb") as file:
                data = file.read()
        except OSError as error:
            print(f"trust8: {word}: {error.strerror}", file=sys.stderr)
            code = 2
            continue
        try:
            validate(data)
        except Utf8Error as error:
            at = error.start
            line, start = data.count(b"\n", 0, at) + 1, data.rfind(b"\n", 0, at) + 1
            _, message = _mistake(data[at : at + 6]) or (0, error.reason)
            place = f":{line}:{len(data[start:at].decode()) + 1}: byte {at}: {message}\n"
            # The name of a file need not be text.
            sys.stdout.buffer.write(os.fsencode(word) + place.encode())
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
