"""What the workers of Spark do with the ranges of a file, without Spark: however a file is cut, the result is that of the command."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import random
import subprocess
import sys
from itertools import groupby, product

import pytest
import trust8
from support import SCALE

pyarrow = pytest.importorskip("pyarrow")
fs = pytest.importorskip("pyarrow.fs")

from trust8._lake import judging, listing, reading  # noqa: E402
from trust8.spark import _errors, _files  # noqa: E402

LOCAL = fs.LocalFileSystem()
POLICIES = ["replace", "java", "drop", "escape", "windows-1252"]
# One byte of each kind that the grammar knows.
BYTES = bytes.fromhex("0A 41 80 A0 BF C3 E2 ED F0 F4 FF")


def rows_of(path, range_bytes):
    """The ranges of a file."""
    _, [file] = listing.list_files(path)
    return listing.rows(table(listing.ranges_of(file, range_bytes), listing.RANGE))


def table(rows, schema):
    return list(listing.batches(rows, schema))


def scanned(path, range_bytes, profile=None):
    rows = [judging.judge(LOCAL, row, profile) for row in rows_of(path, range_bytes)]
    batches = table(rows, judging.JUDGED)
    for _ in range(judging.levels(len(rows))):
        batches = list(judging.join(batches))
    return found(batches, profile)


def found(judged, profile=None):
    """The row of the result, for the judgement on a whole file."""
    [row] = listing.rows(judged)
    return dict(zip(judging.FOUND.names, judging.found(LOCAL, row, profile), strict=True))


def all_errors(path, range_bytes):
    surveyed = table([_errors._survey(LOCAL, row) for row in rows_of(path, range_bytes)], _errors._SURVEYED)
    placed = listing.rows(_errors._place(surveyed))
    return [one for row in placed for one in _errors._errors_of(LOCAL, row)]


def repaired(path, range_bytes, policy, folder):
    rows = [_files._write_range(LOCAL, row, str(folder), policy) for row in rows_of(path, range_bytes)]
    [row] = _files._joined(LOCAL, listing.rows(table(rows, _files._WRITTEN)), str(folder))
    names = [field.name for field in _files._WRITTEN]
    return dict(zip(names, row, strict=True))


def said_by_command(folder):
    """All errors of the files of a folder, as the command reports them, in the columns of `errors`."""
    words = [sys.executable, "-m", "trust8", "--all", "--json", "--binary", "-HI", str(folder)]
    run = subprocess.run(words, capture_output=True)
    assert run.returncode in (0, 1), run.stderr.decode()
    names = [field.name for field in _errors._FOUND][1:-1]
    files = {name: [] for name in os.listdir(folder)}
    for file in json.loads(run.stdout)["files"]:
        files[os.path.basename(file["path"])] = [tuple(error[name] for name in names) for error in file["errors"]]
    return files


def expected_scan(path, data, errors):
    """What `scan_files` says of a text with these errors."""
    numbers = dict.fromkeys(["characters", "newlines", "offset", "line", "column", "length", "kind", "message", "error"])
    if errors:
        names = ["offset", "line", "column", "length", "kind", "message"]
        numbers |= dict(zip(names, errors[0], strict=True))
    else:
        numbers |= {"characters": len(data.decode()), "newlines": data.count(b"\n")}
    return {"path": path, "valid": not errors, "bytes": len(data)} | numbers


def check(tmp_path, cases):
    """Compare with the command and with one pass. Each case is a text, the length of its ranges, and policies."""
    texts, folder = tmp_path / "texts", tmp_path / "out"
    texts.mkdir()
    folder.mkdir()
    for number, (data, _, _) in enumerate(cases):
        (texts / str(number)).write_bytes(data)
    said = said_by_command(texts)
    for number, (data, range_bytes, policies) in enumerate(cases):
        name, errors = str(texts / str(number)), said[str(number)]
        assert scanned(name, range_bytes) == expected_scan(name, data, errors), (data, range_bytes)
        assert all_errors(name, range_bytes) == [(name, *error, None) for error in errors], (data, range_bytes)
        for policy in policies:
            row = repaired(name, range_bytes, policy, folder)
            with open(row["name"], "rb") as file:
                written = file.read()
            assert written == trust8.repair(data, policy), (data, range_bytes, policy)
            sequences = sum(1 for _ in trust8.errors(data))
            assert (row["before"], row["after"], row["repaired"]) == (len(data), len(written), sequences)
        for written in folder.iterdir():
            written.unlink()


def test_every_sequence_across_every_cut(tmp_path):
    # Between texts that need no repair, each sequence is cut at each of its bytes.
    chosen = random.Random(24)
    sequences = [bytes(found) for length in range(1, 5) for found in product(BYTES, repeat=length)]
    sequences += [sequence + b"\xa0" * more for sequence in sequences for more in (1, 4) if len(sequence) == 2]
    if SCALE > 1:
        sequences = chosen.sample(sequences, max(50, len(sequences) // SCALE))
    else:
        sequences = chosen.sample(sequences, 3000)
    cases = []
    for number, sequence in enumerate(sequences):
        data = b"ab\n\xc3\xa9"[: number % 6] + sequence + (b"", b"z", b"\xe2\x82\xac\n")[number % 3]
        cases.append((data, 1 + number % 7, [POLICIES[number % 5]]))
    check(tmp_path, cases)


def test_ranges_of_all_lengths_and_policies(tmp_path):
    # Mistakes of up to six bytes, next to continuations that belong to none.
    data = b"\x80\x80\x80\x80\x80\xf0\x9f\x98\x80\xed\xa0\x80\xed\xb0\x80\xf0\x80\x80\x80\xe2\x82\n\xf4\x90\x80\x80\xc3"
    more = b"\xfd\x80\x80\x80\x80\x80\x80\xed\xa0\x80\xed\xb0\x80\xed\xb0\x80\x80\xed\xbf\xf8\x88\x80\x80\x80\x80\xed\xa1\x8c\xed\xa1\x8c\xed\xbe\xb4"
    check(tmp_path, [(text, length, POLICIES) for text in (data, more) for length in range(1, len(text) + 2)])


def test_ranges_longer_than_a_piece(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "PIECE", 32)
    data = "Größe\n色は匂へど 🌍 ".encode() * 30
    cases = []
    for at in range(0, len(data), 7 if SCALE == 1 else 97):
        for fault in (b"\xe2\x28\xa1", b"\xfd\x80\x80\x80\x80\x80\x80", b"\xed\xa0\x80\xed\xb0\x80\xed\xb0\x80"):
            faulty = data[:at] + fault + data[at:]
            cases += [(faulty, 100, ["replace"]), (faulty, len(faulty), ["escape"])]
    check(tmp_path, cases)


def test_compressed_files_are_one_range(tmp_path, monkeypatch):
    # The first error is in the second piece, and not at its start.
    monkeypatch.setattr(reading, "PIECE", 32)
    data = b"one\n" * 10 + b"tw\xf8\x88\x80\x80\x80o\xe2\x82"
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "text").write_bytes(data)
    errors = said_by_command(tmp_path / "plain")["text"]
    path = tmp_path / "text.gz"
    path.write_bytes(gzip.compress(data[:5]) + gzip.compress(data[5:]))
    assert scanned(str(path), 1) == expected_scan(str(path), data, errors)
    assert all_errors(str(path), 1) == [(str(path), *error, None) for error in errors]
    row = repaired(str(path), 1, "drop", tmp_path)
    with gzip.open(row["name"]) as file:
        assert file.read() == b"one\n" * 10 + b"two"

    path = tmp_path / "text.zst"
    with LOCAL.open_output_stream(str(path), compression="zstd") as sink:
        sink.write(data)
    assert scanned(str(path), 1) == expected_scan(str(path), data, errors)

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
        monkeypatch.setattr(reading, "PIECE", 16)
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

        monkeypatch.setattr(judging, "Part", Meanwhile)
    row = dict(zip([field.name for field in judging.JUDGED], judging.judge(LOCAL, rows[0]), strict=True))
    assert row["part"] is None
    assert row["error"] is not None
    monkeypatch.undo()
    result = found(table([tuple(row.values())], judging.JUDGED))
    assert result["valid"] is None and result["error"] == row["error"]


@pytest.mark.parametrize("opens", [False, True])
def test_a_file_that_fails_is_a_row_with_an_error(tmp_path, opens):
    # Everybody may look at the file, but reading it fails: at once, or after the first piece.
    class Failing:
        type_name = "local"
        get_file_info = LOCAL.get_file_info

        def open_output_stream(self, path, compression):
            return LOCAL.open_output_stream(path, compression=compression)

        def open_input_file(self, path):
            if not opens:
                raise PermissionError(13, "Permission denied")
            return contextlib.nullcontext(self)

        def seek(self, offset):
            self.left = [b"caf\xc3\xa9"]

        def read(self, length):
            if not self.left:
                raise OSError(5, "Input/output error")
            return self.left.pop()

    reason = "cannot be read: " + ("[Errno 5] Input/output error" if opens else "[Errno 13] Permission denied")
    path = tmp_path / "text"
    path.write_bytes(b"caf\xc3\xa9" * 10)
    [row] = rows_of(str(path), 1000)
    judged = table([judging.judge(Failing(), row)], judging.JUDGED)
    assert found(judged)["valid"] is None and found(judged)["error"] == reason
    assert next(_errors._errors_of(Failing(), row | {"line": 0, "column": 0}))[-1] == reason
    assert _files._write_range(Failing(), row, str(tmp_path), "drop")[-1] == reason


@pytest.mark.parametrize("change", ["append", "vanish"])
def test_a_file_that_changes_before_its_error_is_read_again(tmp_path, change):
    path = tmp_path / "text"
    path.write_bytes(b"caf\xe9")
    judged = table([judging.judge(LOCAL, row) for row in rows_of(str(path), 1000)], judging.JUDGED)
    if change == "append":
        with path.open("ab") as file:
            file.write(b"!")
    else:
        path.unlink()
    result = found(judged)
    assert result["valid"] is None and "after it was listed" in result["error"]


def test_a_listing_names_what_can_not_be_read(tmp_path):
    (tmp_path / "text").write_bytes(b"x")
    os.symlink("/nowhere/at/all", tmp_path / "link")
    os.mkfifo(tmp_path / "pipe")
    with open(os.fsencode(tmp_path) + b"/name-\xff", "wb"):
        pass
    _, files = listing.list_files([tmp_path, tmp_path / "text", tmp_path / "missing"])
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
    ranges = list(rows_of(str(path), 3))
    for wrong in [ranges[1:], ranges[:-1], ranges[:1] + ranges[2:], ranges[:2] + ranges[1:]]:
        with pytest.raises(RuntimeError, match="range"):
            list(judging.join(table([judging.judge(LOCAL, row) for row in wrong], judging.JUDGED)))
        with pytest.raises(RuntimeError, match="range"):
            list(_errors._place(table([_errors._survey(LOCAL, row) for row in wrong], _errors._SURVEYED)))
        written = table([_files._write_range(LOCAL, row, str(tmp_path), "drop") for row in wrong], _files._WRITTEN)
        with pytest.raises(RuntimeError, match="range"):
            list(_files._joined(LOCAL, listing.rows(written), str(tmp_path)))


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_a_profile(tmp_path, ending):
    """However a file is cut, its first error is that of the whole: what is not UTF-8, or a forbidden character."""
    chosen = random.Random(5)
    parts = [b"text\n", "Größe 世界".encode(), "\u202e".encode(), b"\0", b"\xff", "\ufeff".encode(), b"\xed\xa0\x80"]
    for number in range(max(20, 400 // SCALE)):
        some = parts[:2] if number % 3 else parts
        data = chosen.choice([b"", parts[5]]) + b"".join(chosen.choice(some) for _ in range(chosen.randrange(12)))
        data += chosen.choice(parts)
        path = tmp_path / f"{number}{ending}"
        path.write_bytes(gzip.compress(data) if ending else data)
        for range_bytes in [1, 2, 3, 5, 7, 1000]:
            row = scanned(str(path), range_bytes, "source")
            error = next(trust8.errors(data, profile="source"), None)
            assert row["error"] is None and row["valid"] == (error is None)
            if error is None:
                assert (row["bytes"], row["characters"]) == (len(data), len(data.decode()))
                continue
            before = data[: error.start].decode()
            place = error.start, before.count("\n") + 1, len(before[before.rfind("\n") + 1 :]) + 1
            assert (row["offset"], row["line"], row["column"]) == place
            assert (row["bytes"], row["kind"]) == (len(data), error.kind)
            if isinstance(error, trust8.ProfileError):
                assert (row["length"], row["message"]) == (error.end - error.start, error.explanation)


def test_as_many_levels_as_the_tree_needs():
    fan = judging.FAN
    assert [judging.levels(ranges) for ranges in [1, 2, fan, fan + 1, fan**2, fan**2 + 1]] == [0, 1, 1, 2, 2, 3]


def test_a_tree_of_judgements(tmp_path, monkeypatch):
    monkeypatch.setattr(judging, "FAN", 3)
    data = "né\n".encode() * 20 + b"\xff!"
    path = tmp_path / "tree" / "text"
    path.parent.mkdir()
    path.write_bytes(data)
    errors = said_by_command(path.parent)["text"]
    for range_bytes in range(1, 9):
        rows = table([judging.judge(LOCAL, row) for row in rows_of(str(path), range_bytes)], judging.JUDGED)
        levels, ranges = 0, -(-len(data) // range_bytes)
        while ranges > 1:
            # A task has whole groups of rows, which need not be neighbours.
            groups = groupby(listing.rows(rows), lambda row: row["index"] // 3)
            groups = [table([tuple(row.values()) for row in group], judging.JUDGED) for _, group in groups]
            rows = [batch for group in groups for batch in judging.join(group)]
            levels, ranges = levels + 1, -(-ranges // 3)
        assert found(rows) == expected_scan(str(path), data, errors)
    assert levels >= 2


def test_what_was_private_stays_private(tmp_path):
    """Repaired files and their folders had the permissions of any new file."""
    source, work = tmp_path / "source", tmp_path / "work"
    for name, mode in [("a", 0o600), ("b/c/d", 0o640), ("b/c/long", 0o400)]:
        file = source / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"caf\xe9" * (100 if name == "b/c/long" else 1))
        file.chmod(mode)
    for name, mode in [("", 0o500), ("b", 0o710), ("b/c", 0o777)]:
        (source / name).chmod(mode)
    work.mkdir()
    _, files = listing.list_files(source)
    rows = [row for file in files for row in listing.rows(table(listing.ranges_of(file, 50), listing.RANGE))]
    written = table([_files._write_range(LOCAL, row, str(work), "drop") for row in rows], _files._WRITTEN)
    joined = table(_files._joined(LOCAL, listing.rows(written), str(work)), _files._WRITTEN)
    _files._commit(LOCAL, pyarrow.Table.from_batches(joined), str(source), str(work), str(tmp_path / "target"))
    for name in ["", "a", "b", "b/c", "b/c/d", "b/c/long"]:
        # Whoever renames a folder has to write to it.
        least = 0o700 if (source / name).is_dir() else 0
        assert (tmp_path / "target" / name).stat().st_mode == (source / name).stat().st_mode | least, name
    assert (tmp_path / "target" / "b/c/long").read_bytes() == b"caf" * 100


def test_what_a_profile_says_does_not_depend_on_the_pieces(tmp_path, monkeypatch):
    """`scan_files` judged each piece without the one before, and reported an innocent file as changed if its end cut a family of emoji."""
    monkeypatch.setattr(reading, "PIECE", 40)
    file, family = tmp_path / "f", "👨\u200d👩\u200d👧\u200d👦"
    for before in range(26):
        for end in ["", "\u200d", "\ufeff", "\u202e"]:
            data = ("a" * before + family * 8 + end + "\n").encode()
            file.write_bytes(data)
            error = next(trust8.errors(data, profile="source"), None)
            assert (error is None) == (end == "")
            for range_bytes in [61, 1000]:
                row = scanned(str(file), range_bytes, "source")
                assert row["error"] is None and row["valid"] == (error is None)
                assert error is None or (row["offset"], row["length"], row["kind"]) == (error.start, error.end - error.start, error.kind)


def test_what_a_profile_says_does_not_depend_on_the_ranges(tmp_path):
    """A profile judges invisible characters by what is before them, which may be in another range."""
    pieces = ["a", "\n", "é", "日", "\U000e0101", "\u200b", "\u200c", "\u202e", "\0", "\ue000", "\u05d0", "\u200f", "😀", "\ufe0f", "\u200d"]
    chance, file = random.Random(1), tmp_path / "f"
    whole = 0
    for number in range(40):
        text = "".join(chance.choice(pieces) for _ in range(chance.randrange(1, 150)))
        data = (("x" * 50 + "\ue000" * 9 if number % 7 == 0 else "") + text).encode() + (b"\xff\0" if number % 3 == 0 else b"")
        file.write_bytes(data)
        for profile in ["source", ["prompt", "line-feed"]]:
            expected = list(trust8.errors(data, profile=profile))
            for range_bytes in [16, 33, 200]:
                surveyed = table([_errors._survey(LOCAL, row, profile) for row in rows_of(file, range_bytes)], _errors._SURVEYED)
                placed = listing.rows(_errors._place(surveyed))
                rows = [one for row in placed for one in _errors._errors_of(LOCAL, row, profile)]
                assert [(row[1], row[4], row[5]) for row in rows] == [(error.start, error.end - error.start, error.kind) for error in expected]
                for row in rows:
                    before = data[: row[1]].decode(errors="replace")
                    assert row[2:4] == (before.count("\n") + 1, len(before) - before.rfind("\n"))
                first = scanned(file, range_bytes, profile)
                assert (first["offset"], first["kind"]) == ((expected[0].start, expected[0].kind) if expected else (None, None))
                whole += len(rows)
            [row] = rows_of(file, sys.maxsize)
            written = _files._write_range(LOCAL, row, str(tmp_path), "drop", profile)
            with open(written[4], "rb") as repaired:
                assert repaired.read() == trust8.repair(data, "drop", profile=profile)
            assert written[7] == len(expected)
    assert whole > 1000
