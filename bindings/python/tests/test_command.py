"""`python -m trust8` against the command's `check`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest
from trust8 import _trust8
from trust8.__main__ import check

if not hasattr(_trust8, "_check"):
    pytest.skip("this build is without the command", allow_module_level=True)

# The command itself.
COMMAND = os.environ.get("TRUST8_COMMAND")


def test_the_command_is_here():
    if COMMAND is None:
        pytest.skip("TRUST8_COMMAND is not set: the command's output is not compared")
    assert os.access(COMMAND, os.X_OK), COMMAND


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "valid").write_bytes(b"caf\xc3\xa9\n")
    (tmp_path / "invalid").write_bytes(b"caf\xe9 au lait\nand \xc0\xaf\n")
    (tmp_path / "fix").write_bytes(b"a file with the name of a command \xff\n")
    return tmp_path


def run(folder, *arguments, command=None, check=True, stdin=b""):
    words = [sys.executable, "-m", "trust8"] if command is None else [command, "check"] if check else [command]
    done = subprocess.run([*words, *arguments], cwd=folder, capture_output=True, input=stdin)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["valid"], 0),
        (["invalid"], 1),
        (["missing"], 2),
        (["valid", "invalid", "fix"], 1),
        (["--all", "invalid"], 1),
        (["--list", "."], 1),
        (["--quiet", "invalid"], 1),
        (["-"], 1),
        (["--no-such-option"], 2),
        (["--help"], 0),
    ],
)
def test_output_and_exit_codes(folder, arguments, code):
    ours = run(folder, *arguments, stdin=b"from a pipe \xff")
    assert ours[0] == code, ours
    if COMMAND:
        assert ours == run(folder, *arguments, command=COMMAND, stdin=b"from a pipe \xff")


def test_the_place_of_an_error(folder):
    code, out, err = run(folder, "invalid")
    assert code == 1
    assert b"invalid" in out and b"E9" in out


def test_what_a_build_without_the_command_prints(folder, capfd, monkeypatch):
    """The first line of each report, which shows no text."""
    monkeypatch.chdir(folder)
    (folder / "late").write_bytes("日本\n語 ".encode() + b"\xed\xa0\x80 \xff")
    for files in ["valid"], ["valid", "invalid", "late"], ["invalid", "missing"]:
        code = check(files)
        ours, errors = capfd.readouterr()
        assert (code, bool(errors)) == (run(folder, *files)[0], "missing" in files)
        theirs = run(folder, *files)[1].decode().splitlines()
        assert ours.splitlines() == [line for line in theirs if line and not line.startswith(" ")]
    assert check(["--list", "invalid"]) == check([]) == 2


WITHOUT = """
import sys
from trust8 import _trust8

del _trust8._check
from trust8.__main__ import main

sys.exit(main())
"""


def test_a_build_without_the_command_prints_any_name_and_needs_no_reader(folder):
    """A name that is not text was a `UnicodeEncodeError`, and `| head -1` a `BrokenPipeError`, with tracebacks."""
    name = os.fsdecode(b"caf\xe9")
    (folder / name).write_bytes(b"\xff")
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8:strict"}
    words = [sys.executable, "-c", WITHOUT, "check"]
    done = subprocess.run([*words, name], cwd=folder, capture_output=True, env=environment)
    assert done.returncode == 1 and done.stdout.startswith(b"caf\xe9:1:1: byte 0: ") and not done.stderr, done
    process = subprocess.Popen([*words, *["invalid"] * 5000], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b"" and process.wait() == -signal.SIGPIPE
    process.stderr.close()


def test_a_build_without_the_command_says_what_it_cannot_print(folder):
    """A closed or full output was a traceback and the exit code for invalid files, and a closed standard error sent errors to the other stream."""
    name = "a\nb\x1b[2J\u202e"
    (folder / name).write_bytes(b"\xff")
    for output, streams in [(">&-", b"Bad file descriptor"), (">/dev/full", b"No space left on device")]:
        words = ["-c", f'exec "$@" {output}', "sh", sys.executable, "-c", WITHOUT]
        assert run(folder, *words, "valid", command="/bin/sh", check=False) == (0, b"", b"")
        assert run(folder, *words, "invalid", command="/bin/sh", check=False) == (2, b"", b"trust8: standard output: " + streams + b"\n")
    words = ["-c", 'exec "$@" 2>&-', "sh", sys.executable, "-c", WITHOUT, "missing"]
    assert run(folder, *words, command="/bin/sh", check=False) == (2, b"", b"")
    code, out, _ = run(folder, "-c", WITHOUT, name, command=sys.executable, check=False)
    assert code == 1 and out.startswith(rb"a\nb\u{1b}[2J\u{202e}:1:1: byte 0: ") and out.count(b"\n") == 1
    # A file that can't be read is worse than one that is invalid, in any order.
    for names in [("missing", "invalid"), ("invalid", "missing")]:
        assert run(folder, "-c", WITHOUT, *names, command=sys.executable, check=False)[0] == 2


def test_ctrl_c_ends_it(folder):
    """The command waits for a pipe, and dies of the signal as a command does."""
    process = subprocess.Popen([sys.executable, "-m", "trust8", "-"], stdin=subprocess.PIPE, cwd=folder)
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) in (-signal.SIGINT, 130)
    process.stdin.close()
