#!/usr/bin/env python3
"""Writes into docs/correctness.md how much of src/, crates/columns/, crates/counts/, crates/transcode/, crates/dialect/, crates/profile/ and crates/tokio/ the tests run.

    tools/coverage.py

The library's tests are compiled with the compiler's own instrumentation, in the folder `coverage` of CARGO_TARGET_DIR. Debian's llvm-22
reads what they leave. TRUST8_TEST_SCALE cuts the largest sets of inputs. Code for CPUs other than this one is not compiled, so it is not counted.
"""

import collections
import datetime
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/correctness.md"
BEGIN, END = "<!-- tools/coverage.py writes this -->", "<!-- up to here: coverage -->"
LLVM = "22"
PACKAGES = ("trust8", "trust8-columns", "trust8-counts", "trust8-transcode", "trust8-dialect", "trust8-profile", "trust8-tokio")
SOURCES = tuple(f"{ROOT / folder}/" for folder in ("src", "crates/columns/src", "crates/counts/src", "crates/transcode/src", "crates/dialect/src", "crates/profile/src", "crates/tokio/src"))


def folder_of(file: str) -> str:
    """Returns the folder of a source file to which its lines are counted: a folder of src/, or that of another package."""
    parts = pathlib.PurePath(file).relative_to(ROOT).parts
    return f"{parts[0]}/" if parts[0] != "src" or len(parts) == 2 else f"src/{parts[1]}/"


def run() -> list[dict]:
    """Runs the tests, and returns llvm-cov's summary of each file."""
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve() / "coverage"
    profiles = target / "profiles"
    profiles.mkdir(parents=True, exist_ok=True)
    for old in profiles.glob("*.profraw"):
        old.unlink()
    environment = os.environ | {
        "CARGO_TARGET_DIR": str(target),
        "RUSTFLAGS": "-Cinstrument-coverage",
        "LLVM_PROFILE_FILE": str(profiles / "%m-%p.profraw"),
    }
    packages = [word for package in PACKAGES for word in ("--package", package)]
    command = ["cargo", "test", *packages, "--all-features", "--lib", "--tests"]
    built = subprocess.run(
        [*command, "--no-run", "--message-format=json"], cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE
    )
    messages = (json.loads(line) for line in built.stdout.splitlines())
    programs = [message["executable"] for message in messages if message.get("executable")]
    subprocess.run(command, cwd=ROOT, env=environment, check=True)
    data = target / "tests.profdata"
    raw = [str(path) for path in profiles.glob("*.profraw")]
    if not raw or not programs:
        sys.exit("coverage.py: the tests have left no profile")
    subprocess.run([f"llvm-profdata-{LLVM}", "merge", "--sparse", *raw, f"--output={data}"], check=True)
    objects = [word for program in programs[1:] for word in ("--object", program)]
    summary = subprocess.run(
        [f"llvm-cov-{LLVM}", "export", "--summary-only", f"--instr-profile={data}", programs[0], *objects],
        check=True,
        stdout=subprocess.PIPE,
    )
    return json.loads(summary.stdout)["data"][0]["files"]


def main() -> None:
    sums: dict[str, list[int]] = collections.defaultdict(lambda: [0, 0])
    missed = []
    for file in run():
        name, lines = os.path.normpath(file["filename"]), file["summary"]["lines"]
        if not name.startswith(SOURCES) or not lines["count"]:
            continue
        for key in (folder_of(name), "all"):
            sums[key][0] += lines["covered"]
            sums[key][1] += lines["count"]
        missed.append((lines["count"] - lines["covered"], name.removeprefix(f"{ROOT}/")))
    for count, name in sorted(missed, reverse=True)[:12]:
        print(f"{count:6} lines not run: {name}")
    total = sums.pop("all")
    rows = [
        f"| `{name}` | {covered} of {count} | {100 * covered / count:.1f} % |"
        for name, (covered, count) in [*sorted(sums.items())]
    ]
    rows.append(f"| all | {total[0]} of {total[1]} | {100 * total[0] / total[1]:.1f} % |")
    today = datetime.date.today().isoformat()
    table = "\n".join([f"On {today}:", "", "| folder | lines that ran | |", "|---|---:|---:|", *rows])
    before, _, rest = PAGE.read_text().partition(BEGIN)
    _, found, after = rest.partition(END)
    if not found:
        sys.exit(f"coverage.py: {PAGE} has no place for the table")
    PAGE.write_text(f"{before}{BEGIN}\n\n{table}\n\n{END}{after}")


if __name__ == "__main__":
    main()
