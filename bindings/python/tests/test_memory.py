"""Memory that changes, threads, signals, references, panics and other interpreters."""

from __future__ import annotations

import contextlib
import gc
import mmap
import os
import subprocess
import sys
import textwrap
import threading
import time

import pytest
import trust8
from support import SCALE, TEXTS, faulty, interrupted
from trust8 import _trust8

LONG = ("Grüße, 世界 🌍 " * 60_000).encode()


def run(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", textwrap.dedent(code), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_threads_hammer_one_buffer():
    """Some threads read a `bytes` object and a `bytearray`; one exchanges the whole of the `bytearray` all the time."""
    fixed = LONG[: 1 << 20]
    fixed = fixed[: fixed.rindex(b" ")]
    wrong = faulty(TEXTS["two"] * 2000, 400)
    versions = [("ä" * 30_000).encode(), ("я" * 30_000).encode(), ("a" * 60_000).encode()]
    changing = bytearray(versions[0])
    expected = {version.decode() for version in versions}
    over = threading.Event()
    failures = []

    def read():
        try:
            while not over.is_set():
                assert trust8.is_utf8(fixed) and not trust8.is_utf8(wrong)
                assert trust8.decode(fixed) == fixed.decode()
                assert trust8.decode(wrong, "replace") == wrong.decode("utf-8", "replace")
                assert trust8.decode(changing) in expected
                assert trust8.is_utf8(changing) and trust8.inspect(changing).bytes == 60_000
                assert trust8.repair(changing).decode() in expected
        except BaseException as error:
            failures.append(error)

    def write():
        i = 0
        while not over.is_set():
            i += 1
            changing[:] = versions[i % 3]

    threads = [threading.Thread(target=read) for _ in range(4)] + [threading.Thread(target=write)]
    for thread in threads:
        thread.start()
    time.sleep(8 / min(SCALE, 8))
    over.set()
    for thread in threads:
        thread.join()
    assert not failures


def test_memory_that_changes_is_copied():
    """A string and an exception keep what the memory had, whatever is written to it later."""
    data = bytearray("Grüße".encode())
    text = trust8.decode(data)
    repaired = trust8.repair(data)
    data[0] = 0xFF
    with pytest.raises(trust8.Utf8Error) as caught:
        trust8.validate(data)
    found = trust8.errors(data)
    data[0] = ord("G")
    assert text == "Grüße" and repaired == "Grüße".encode()
    assert caught.value.object[0] == 0xFF and type(caught.value.object) is bytes
    assert [error.start for error in found] == [0]
    # Nothing holds the memory any more, so it can be resized.
    data.extend(b"!")
    assert trust8.decode(data) == "Grüße!"


def mapped(data: bytes) -> mmap.mmap:
    memory = mmap.mmap(-1, len(data))
    memory.write(data)
    return memory


@pytest.mark.parametrize("kind", [bytes, bytearray, mapped])
@pytest.mark.parametrize("function", [trust8.is_utf8, trust8.decode, trust8.inspect, trust8.repair])
def test_the_lock_is_released_for_long_bytes(function, kind):
    """Another thread runs meanwhile, although the interpreter would not switch threads by itself."""
    data = kind(LONG * 40)
    before = sys.getswitchinterval()
    state = {"running": False, "during": 0}

    def other():
        while not state["over"]:
            state["during"] += state["running"]
            time.sleep(0)

    state["over"] = False
    thread = threading.Thread(target=other)
    thread.start()
    sys.setswitchinterval(100)
    try:
        for _ in range(20):
            state["running"] = True
            function(data)
            state["running"] = False
            if state["during"]:
                break
    finally:
        sys.setswitchinterval(before)
        state["over"] = True
        thread.join()
    assert state["during"] > 0


@pytest.mark.parametrize("function", [trust8.is_utf8, trust8.validate, trust8.inspect, trust8.Part.of])
def test_signals_interrupt_long_calls(function, tmp_path):
    """A file of 16 GiB without data, which takes seconds."""
    path = tmp_path / "sparse"
    path.touch()
    os.truncate(path, 16 << 30)

    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        interrupted(lambda: function(mapped), 0.1)


@pytest.mark.parametrize("line", [b"a line\r\n", "строка\r".encode()])
def test_signals_interrupt_read_text(line, tmp_path):
    """While the file is read, while it is decoded, and while the ends of its lines are replaced. In CPU time, so that a busy machine is no fault."""
    path = tmp_path / "long"
    path.write_bytes(line * ((192 << 20) // len(line)))
    start = time.process_time()
    text = trust8.read_text(path)
    once = time.process_time() - start
    assert text == line.decode().replace("\r\n", "\n").replace("\r", "\n") * ((192 << 20) // len(line))
    del text

    def read_again_and_again():
        # If the machine was slow before, this is done in less time.
        while True:
            trust8.read_text(path)

    # With the stable interface, the interpreter makes the string, and nothing interrupts it.
    late = 0.5 if _trust8.STABLE_ABI else 0.1 * once + 0.05
    for part in [0.1, 0.2, 0.25, 0.5, 0.75]:
        # A busy machine may be late a few times, but not always.
        assert any(interrupted(read_again_and_again, part * once) < part * once + late for _ in range(8))


@pytest.mark.parametrize("newline", [None, "", "\n", "\r", "\r\n"])
def test_ends_of_lines_at_the_end_of_a_piece(newline, tmp_path):
    for before in range((1 << 20) - 3, (1 << 20) + 2):
        for end in ["\r\n", "\r", "\r\r\n", "\n\r", "\r\nz"]:
            path = tmp_path / "text"
            path.write_bytes(b"a" * before + end.encode())
            with open(path, encoding="utf-8", newline=newline) as file:
                assert trust8.read_text(path, newline=newline) == file.read()


def test_signals_interrupt_a_handler_of_errors():
    interrupted(lambda: trust8.decode(b"\xff" * 50_000_000, "backslashreplace"), 0.1)


def resident() -> int:
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * mmap.PAGESIZE


def raising(function, *arguments):
    def call():
        try:
            function(*arguments)
        except ValueError:
            pass

    return call


def calls():
    """Calls of all functions, on all of their ways."""
    valid = [text.encode() for text in TEXTS.values()]
    wrong = [b"\xff", faulty(TEXTS["four"] * 3, 8), b"ab\xe2\x82"]
    part = trust8.Part.of(b"a\n\xff")
    for data in [*valid, *wrong, bytearray(valid[1]), memoryview(valid[1])[1:]]:
        for function in [trust8.is_utf8, trust8.inspect, trust8.diagnose, trust8.repair, trust8.Part.of]:
            yield lambda data=data, function=function: function(data)
        yield raising(trust8.validate, data)
        yield lambda data=data: list(trust8.errors(data))
        for errors in ["strict", "ignore", "replace", "backslashreplace", "surrogateescape", "surrogatepass"]:
            yield raising(trust8.decode, data, errors)
            yield raising(trust8.utf_8_decode, data, errors)
        yield raising(trust8.Validator().push, data)
        yield raising(_trust8._dialect_decode, "mutf-8", data, "strict", True)
    for text in [*TEXTS.values(), "\ud800"]:
        yield raising(trust8.encode, text)
        yield lambda text=text: _trust8._dialect_encode("mutf-8", text, True)
    yield raising(part.finish)
    yield lambda: trust8.Part.from_bytes(part.to_bytes())
    yield lambda: trust8.kernels()


def test_a_million_calls_keep_memory_flat():
    every = list(calls())
    quarter = 250_000 // SCALE
    for call in every:
        for _ in range(20):
            call()
    # Other threads and the allocator take memory now and then. What leaks takes some in every quarter.
    growths = []
    for _ in range(4):
        before = resident()
        for _ in range(quarter // len(every)):
            for call in every:
                call()
        growths.append(resident() - before)
    assert min(growths) < 512 << 10


@pytest.mark.parametrize(
    "call",
    [
        lambda: trust8.encode("\ud800", "replace"),
        lambda: trust8.encode("\ud800"),
        lambda: trust8.encode(5),
        lambda: trust8.encode("a", other=1),
        lambda: trust8.decode(5),
        lambda: trust8.decode(b"\xff", "no such handler"),
        lambda: trust8.is_utf8(5),
    ],
)
def test_the_same_call_keeps_nothing(call):
    """`encode` kept its exceptions, those that the handler answered too, until another function was called."""

    def calls(number):
        for _ in range(number):
            with contextlib.suppress(TypeError, ValueError, LookupError):
                call()

    calls(100)
    gc.collect()
    before = sys.getallocatedblocks()
    calls(2000)
    gc.collect()
    assert sys.getallocatedblocks() - before < 500


PEAK = """
    import ctypes, sys, trust8
    errors, who = sys.argv[1:]
    text = "Größere Übungen für müde Füchse: schön, daß ihr über Zäune springt. "
    data = (text.encode() + (b"" if errors == "strict" else b"\\xff")) * 60_000
    decode = trust8.decode if who == "trust8" else lambda data, errors: data.decode("utf-8", errors)
    decode(data[:100_000], "replace")
    def status():
        with open("/proc/self/status") as file:
            return {line.split(":")[0]: int(line.split()[1]) for line in file if line.startswith(("Vm", "Rss"))}
    # Free memory goes back to the system, and the peak counts from here on.
    getattr(ctypes.CDLL(None), "malloc_trim", lambda spare: None)(0)
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    before = status()
    result = decode(data, errors)
    after = status()
    # Pages of the program's file do not count.
    print(after["VmHWM"] - before["VmRSS"] - (after["RssFile"] - before["RssFile"]))
"""


@pytest.mark.skipif(_trust8.STABLE_ABI, reason="the interpreter makes the string")
@pytest.mark.parametrize("errors", ["strict", "replace", "ignore", "surrogateescape"])
def test_the_peak_of_memory_is_not_above_that_of_cpython(errors):
    peaks = {}
    for who in ["CPython", "trust8"]:
        done = run(PEAK, errors, who)
        if "clear_refs" in done.stderr:
            pytest.skip("this system does not measure peaks")
        assert done.returncode == 0, done.stderr
        peaks[who] = int(done.stdout)
    # In KiB, of about 8000. A few pages more or less are the allocator's.
    assert peaks["trust8"] <= peaks["CPython"] + 100, peaks


def test_references_are_given_back():
    data = b"caf\xe9" * 3
    changing = bytearray(data)
    handler = "backslashreplace"
    gc.collect()
    before = [sys.getrefcount(one) for one in (data, changing, handler, trust8.Utf8Error, None)]
    for _ in range(100):
        for one in (data, changing):
            trust8.is_utf8(one), trust8.inspect(one), trust8.repair(one), trust8.diagnose(one)
            trust8.decode(one, handler), trust8.decode(one, "replace"), list(trust8.errors(one))
            raising(trust8.validate, one)(), raising(trust8.decode, one)()
            raising(trust8.decode, one, "no such handler")
    gc.collect()
    after = [sys.getrefcount(one) for one in (data, changing, handler, trust8.Utf8Error, None)]
    assert all(abs(a - b) < 50 for a, b in zip(before, after)), (before, after)


def test_no_panic_crosses():
    """A panic is an exception, and the module works on."""
    with pytest.raises(BaseException, match="a test has provoked this panic") as caught:
        _trust8._panic()
    assert type(caught.value).__name__ == "PanicException"
    with pytest.raises(BaseException, match="a test has provoked this panic") as caught:
        _trust8._panic_quickly(b"")
    assert type(caught.value).__name__ == "PanicException"
    assert trust8.is_utf8(b"still here")


def test_calls_at_exit():
    """The interpreter clears modules when it ends, and an object that is deleted then can call functions. They once aborted the process."""
    code = """
        import os, trust8
        class Late:
            def __del__(self, write=os.write, trust8=trust8, TypeError=TypeError, UnicodeError=UnicodeError):
                assert trust8.is_utf8(bytearray(b"a")) and trust8.decode(bytearray(b"a"), encoding="utf-8") == "a"
                for function, argument, kind in [(trust8.decode, 5, TypeError), (trust8.encode, "\\ud800", UnicodeError)]:
                    try:
                        function(argument)
                    except kind:
                        write(1, b"refused ")
        late = Late()
    """
    done = run(code)
    assert (done.returncode, done.stdout) == (0, "refused refused "), done.stderr


def test_too_little_memory_is_an_error():
    """The string does not fit, so there is a MemoryError, as in CPython."""
    code = """
        import resource, sys, trust8
        data = ("a" * (1 << 26) + "\\U0001f600").encode()
        resource.setrlimit(resource.RLIMIT_AS, (1 << 28, 1 << 28))
        for errors in ["strict", "replace"]:
            try:
                trust8.decode(data if errors == "strict" else data + b"\\xff", errors)
            except MemoryError:
                print("MemoryError")
    """
    done = run(code)
    assert done.stdout.split() == ["MemoryError"] * 2, done.stderr


def test_subinterpreters_are_refused():
    code = """
        try:
            import _interpreters as interpreters
            execute = interpreters.exec
        except ImportError:
            import _xxsubinterpreters as interpreters
            execute = interpreters.run_string
        import sys
        if sys.argv[1] == "first":
            import trust8
        script = '''
        try:
            import trust8
        except ImportError as error:
            print(error)
        '''
        import textwrap
        execute(interpreters.create(), textwrap.dedent(script))
        sys.stdout.flush()
        import trust8
        print(trust8.is_utf8(b""))
    """
    for order in ["first", "second"]:
        done = run(code, order)
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines() == [
            "trust8 does not support subinterpreters; import it in the main interpreter",
            "True",
        ]


def test_the_lock_cannot_be_off():
    """A build without the lock turns it on for this module, unless it is told not to. There is no such build here, so a test says that this is one."""
    code = """
        import sys
        sys._is_gil_enabled = lambda: sys.argv[1] == "on"
        try:
            import trust8
            print(trust8.is_utf8(b""))
        except ImportError as error:
            print(error)
    """
    assert run(code, "on").stdout == "True\n"
    done = run(code, "off")
    assert done.stdout.startswith("trust8 needs the interpreter's lock"), done.stderr
