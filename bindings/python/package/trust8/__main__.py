"""``python -m trust8 FILE...`` is the command's `check`."""

import signal
import sys


def main() -> int:
    try:
        from ._trust8 import _check
    except ImportError:
        print("trust8: this build of the package is without the command", file=sys.stderr)
        return 2

    # The command does not return to the interpreter, which would only record a signal and wait.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    words = sys.argv[1:]
    return _check(words[1:] if words[:1] == ["check"] else words)


if __name__ == "__main__":
    sys.exit(main())
