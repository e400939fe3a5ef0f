"""What the workers of Spark do with the ranges of a file, without Spark: however a file is cut, the result is that of one pass."""

from __future__ import annotations

import gzip
import os
import random
from itertools import groupby, product

import pytest
import trust8
from support import SCALE

pyarrow = pytest.importorskip("pyarrow")
fs = pytest.importorskip("pyarrow.fs")

from trust8.spark import _errors, _files, _listing, _reading, _scan  # noqa: E402

LOCAL = fs.LocalFileSystem()
POLICIES = ["replace", "java", "drop", "escape", "windows-1252"]
# One byte of each kind that the grammar knows.
BYTES = bytes.fromhex("0A 41 80 A0 BF C3 E2 ED F0 F4 FF")


def rows_of(path, range_bytes):
    """The ranges of a file, as `_listing.ranges` makes them."""
    _, [file] = _listing.list_files(path)
    count = 1 if file.codec else max(1, -(-file.size // range_bytes))
    for index in range(count):
        offset = 0 if file.codec else index * range_bytes
        end = file.size if file.codec else min(file.size, offset + range_bytes)
        yield file._asdict() | {"ranges": count, "index": index, "offset": offset, "end": end}


def table(rows, schema):
    return list(_listing.batches(rows, schema))


def scanned(path, range_bytes):
    rows = [_scan._judge(LOCAL, row) for row in rows_of(path, range_bytes)]
    ranges = len(rows)
    batches = table(rows, _scan._JUDGED)
    while ranges > 1:
        batches = list(_scan._join(batches))
        ranges = -(-ranges // _scan.FAN)
    [row] = _listing.rows(_scan._finish(batches))
    return row


def all_errors(path, range_bytes):
    surveyed = table([_errors._survey(LOCAL, row) for row in rows_of(path, range_bytes)], _errors._SURVEYED)
    placed = _listing.rows(_errors._place(surveyed))
    return [found for row in placed for found in _errors._errors_of(LOCAL, row)]


def repaired(path, range_bytes, policy, folder):
    rows = [_files._write_range(LOCAL, row, str(folder), policy) for row in rows_of(path, range_bytes)]
    [row] = _files._joined(LOCAL, _listing.rows(table(rows, _files._WRITTEN)), str(folder))
    names = [field.name for field in _files._WRITTEN]
    return dict(zip(names, row, strict=True))


def expected_errors(path, data):
    """All errors of a text, by one pass."""
    for error in trust8.errors(data):
        before = data[: error.start]
        line = before[before.rfind(b"\n") + 1 :]
        length = None if error.kind == "incomplete" else error.end - error.start
        message = f"invalid UTF-8 at byte {error.start}: {error.explanation}"
        place = before.count(b"\n") + 1, len(line.decode(errors="replace")) + 1
        yield path, error.start, *place, length, error.kind, message, None


def expected_scan(path, data):
    """What `scan_files` says of a text."""
    numbers = dict.fromkeys(["characters", "newlines", "offset", "line", "column", "length", "kind", "message", "error"])
    errors = list(expected_errors(path, data))
    if errors:
        names = ["offset", "line", "column", "length", "kind", "message"]
        numbers |= dict(zip(names, errors[0][1:], strict=False))
    else:
        numbers |= {"characters": len(data.decode()), "newlines": data.count(b"\n")}
    return {"path": path, "valid": not errors, "bytes": len(data)} | numbers


def check(path, data, range_bytes, tmp_path, policies=POLICIES):
    path.write_bytes(data)
    name = str(path)
    assert scanned(name, range_bytes) == expected_scan(name, data), (data, range_bytes)
    expected = list(expected_errors(name, data))
    assert all_errors(name, range_bytes) == expected, (data, range_bytes)
    for policy in policies:
        row = repaired(name, range_bytes, policy, tmp_path)
        with open(row["name"], "rb") as file:
            written = file.read()
        assert written == trust8.repair(data, policy), (data, range_bytes, policy)
        assert (row["before"], row["after"], row["repaired"]) == (len(data), len(written), len(expected))


def test_every_sequence_across_every_cut(tmp_path):
    # Between texts that need no repair, each sequence is cut at each of its bytes.
    chosen = random.Random(24)
    sequences = [bytes(found) for length in range(1, 5) for found in product(BYTES, repeat=length)]
    sequences += [sequence + b"\xa0" * more for sequence in sequences for more in (1, 4) if len(sequence) == 2]
    if SCALE > 1:
        sequences = chosen.sample(sequences, max(50, len(sequences) // SCALE))
    else:
        sequences = chosen.sample(sequences, 3000)
    folder = tmp_path / "out"
    folder.mkdir()
    for number, sequence in enumerate(sequences):
        data = b"ab\n\xc3\xa9"[: number % 6] + sequence + (b"", b"z", b"\xe2\x82\xac\n")[number % 3]
        check(tmp_path / "text", data, 1 + number % 7, folder, [POLICIES[number % 5]])
        for written in folder.iterdir():
            written.unlink()


def test_one_byte_ranges_of_every_policy(tmp_path):
    data = b"\x80\x80\x80\x80\x80\xf0\x9f\x98\x80\xed\xa0\x80\xed\xb0\x80\xf0\x80\x80\x80\xe2\x82\n\xf4\x90\x80\x80\xc3"
    for range_bytes in range(1, len(data) + 2):
        check(tmp_path / "text", data, range_bytes, tmp_path)


def test_ranges_longer_than_a_piece(tmp_path, monkeypatch):
    monkeypatch.setattr(_reading, "PIECE", 16)
    data = "Größe\n色は匂へど 🌍 ".encode() * 30
    for at in range(0, len(data), 7):
        faulty = data[:at] + b"\xe2\x28\xa1" + data[at:]
        check(tmp_path / "text", faulty, 100, tmp_path, ["replace"])
        check(tmp_path / "text", faulty, len(faulty), tmp_path, ["escape"])


def test_compressed_files_are_one_range(tmp_path):
    data = b"one\ntw\xffo\xe2\x82"
    path = tmp_path / "text.gz"
    path.write_bytes(gzip.compress(data[:5]) + gzip.compress(data[5:]))
    assert scanned(str(path), 1) == expected_scan(str(path), data)
    assert all_errors(str(path), 1) == list(expected_errors(str(path), data))
    row = repaired(str(path), 1, "drop", tmp_path)
    with gzip.open(row["name"]) as file:
        assert file.read() == b"one\ntwo"

    path = tmp_path / "text.zst"
    with LOCAL.open_output_stream(str(path), compression="zstd") as sink:
        sink.write(data)
    assert scanned(str(path), 1) == expected_scan(str(path), data)

    # The error comes early, but the file is not complete.
    path = tmp_path / "cut.gz"
    path.write_bytes(gzip.compress(b"\xff" + os.urandom(5000))[:4000])
    row = scanned(str(path), 1)
    assert row["valid"] is None and "Truncated" in row["error"]
    assert all_errors(str(path), 1)[-1][-1] == row["error"]
    assert repaired(str(path), 1, "drop", tmp_path)["error"] == row["error"]


@pytest.mark.parametrize("change", ["append", "shorten", "rewrite", "vanish", "folder"])
@pytest.mark.parametrize("when", ["before", "while"])
@pytest.mark.parametrize("text", [b"a" * 50, b"\xff" + b"a" * 49])
def test_a_file_that_changes_is_a_row_with_an_error(tmp_path, monkeypatch, change, when, text):
    path = tmp_path / "text"
    path.write_bytes(text)
    rows = list(rows_of(str(path), 1000))

    def happen():
        if change == "append":
            with path.open("ab") as file:
                file.write(b"!")
        elif change == "shorten":
            os.truncate(path, 40)
        elif change == "rewrite":
            path.write_bytes(b"b" * 50)
            os.utime(path, ns=(1, 1))
        else:
            path.unlink()
            if change == "folder":
                path.mkdir()

    if when == "before":
        happen()
    else:
        monkeypatch.setattr(_reading, "PIECE", 16)
        pending = [happen]

        class Meanwhile:
            """`Part`, during whose first judgement the file changes."""

            def __new__(cls):
                return trust8.Part()

            @staticmethod
            def of(piece):
                while pending:
                    pending.pop()()
                return trust8.Part.of(piece)

        monkeypatch.setattr(_scan, "Part", Meanwhile)
    row = dict(zip([field.name for field in _scan._JUDGED], _scan._judge(LOCAL, rows[0]), strict=True))
    assert row["part"] is None
    assert row["error"] is not None
    monkeypatch.undo()
    [found] = _listing.rows(_scan._finish(table([tuple(row.values())], _scan._JUDGED)))
    assert found["valid"] is None and found["error"] == row["error"]


def test_a_listing_names_what_can_not_be_read(tmp_path):
    (tmp_path / "text").write_bytes(b"x")
    os.symlink("/nowhere/at/all", tmp_path / "link")
    os.mkfifo(tmp_path / "pipe")
    with open(os.fsencode(tmp_path) + b"/name-\xff", "wb"):
        pass
    _, files = _listing.list_files([tmp_path, tmp_path / "text", tmp_path / "missing"])
    found = {os.path.basename(file.path): file.error for file in files}
    assert found == {
        "text": None,
        "link": "cannot be read: No such file or directory",
        "pipe": "not a regular file",
        "name-\\xff": "the name of the file is not UTF-8",
        "missing": "cannot be read: No such file or directory",
    }
    # The time that is listed is the one that workers see.
    info = LOCAL.get_file_info(str(tmp_path / "text"))
    assert (info.size, info.mtime_ns) == next(file[1:3] for file in files if file.path.endswith("text"))


def test_a_range_that_is_missing_is_no_verdict(tmp_path):
    path = tmp_path / "text"
    path.write_bytes(b"0123456789")
    rows = [_scan._judge(LOCAL, row) for row in rows_of(str(path), 3)]
    for wrong in [rows[1:], rows[:-1], rows[:1] + rows[2:], rows[:2] + rows[1:]]:
        with pytest.raises(RuntimeError, match="range"):
            list(_scan._join(table(wrong, _scan._JUDGED)))


def test_a_tree_of_judgements(tmp_path, monkeypatch):
    monkeypatch.setattr(_scan, "FAN", 3)
    data = "né\n".encode() * 20 + b"\xff!"
    path = tmp_path / "text"
    path.write_bytes(data)
    for range_bytes in range(1, 9):
        rows = table([_scan._judge(LOCAL, row) for row in rows_of(str(path), range_bytes)], _scan._JUDGED)
        levels, ranges = 0, -(-len(data) // range_bytes)
        while ranges > 1:
            # A task has whole groups of rows, which need not be neighbours.
            groups = groupby(_listing.rows(rows), lambda row: row["index"] // 3)
            groups = [table([tuple(row.values()) for row in group], _scan._JUDGED) for _, group in groups]
            rows = [batch for group in groups for batch in _scan._join(group)]
            levels, ranges = levels + 1, -(-ranges // 3)
        [found] = _listing.rows(_scan._finish(rows))
        assert found == expected_scan(str(path), data)
    assert levels >= 2
