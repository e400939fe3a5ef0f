#!/usr/bin/env python3
"""Writes into docs/correctness.md how much of src/ and of the packages on it the tests run.

    tools/coverage.py

It needs cargo-llvm-cov, and Debian's llvm-22. TRUST8_TEST_SCALE cuts the largest sets of inputs. Code for CPUs other than this one is not
compiled, so it is not counted.
"""

import collections
import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/correctness.md"
BEGIN, END = "<!-- tools/coverage.py writes this -->", "<!-- up to here: coverage -->"
LLVM = "22"
NAMES = "columns counts transcode dialect profile tokio".split()
PACKAGES = ["trust8", *(f"trust8-{name}" for name in NAMES)]
SOURCES = (f"{ROOT}/src/", *(f"{ROOT}/crates/{name}/src/" for name in NAMES))


def run() -> list[dict]:
    """Runs the tests, and returns llvm-cov's summary of each file."""
    environment = os.environ | {"LLVM_COV": f"llvm-cov-{LLVM}", "LLVM_PROFDATA": f"llvm-profdata-{LLVM}"}
    packages = [f"--package={package}" for package in PACKAGES]
    with tempfile.NamedTemporaryFile() as file:
        command = ["cargo", "llvm-cov", "--json", "--summary-only", "--output-path", file.name, *packages, "--all-features", "--lib", "--tests"]
        subprocess.run(command, cwd=ROOT, env=environment, check=True)
        return json.load(file)["data"][0]["files"]


def main() -> None:
    sums: dict[str, list[int]] = collections.defaultdict(lambda: [0, 0])
    missed = []
    for file in run():
        name, lines = os.path.normpath(file["filename"]), file["summary"]["lines"]
        if not name.startswith(SOURCES) or not lines["count"]:
            continue
        # A folder of src/, or a package.
        parts = pathlib.PurePath(name).relative_to(ROOT).parts[:-1]
        for key in (f"`{'/'.join(parts[:2])}/`", "all"):
            sums[key][0] += lines["covered"]
            sums[key][1] += lines["count"]
        missed.append((lines["count"] - lines["covered"], name.removeprefix(f"{ROOT}/")))
    for count, name in sorted(missed, reverse=True)[:12]:
        print(f"{count:6} lines not run: {name}")
    # `all` comes last, because a backtick is before letters.
    rows = [f"| {name} | {ran} of {count} | {100 * ran / count:.1f} % |" for name, (ran, count) in sorted(sums.items())]
    today = datetime.date.today().isoformat()
    table = "\n".join([f"On {today}:", "", "| folder | lines that ran | |", "|---|---:|---:|", *rows])
    before, _, rest = PAGE.read_text().partition(BEGIN)
    _, found, after = rest.partition(END)
    if not found:
        sys.exit(f"coverage.py: {PAGE} has no place for the table")
    PAGE.write_text(f"{before}{BEGIN}\n\n{table}\n\n{END}{after}")


if __name__ == "__main__":
    main()
