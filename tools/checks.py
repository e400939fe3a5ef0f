#!/usr/bin/env python3
"""Writes what the runs of .ci/run have checked into docs/correctness.md.

    tools/checks.py [FILE]     (default: target/checks.tsv, to which each run appends)

A line of the file has a kernel, a check, a date and a CPU, with tabs between them. The newest date counts. What an older file knew
is in the document, and stays there.
"""

import pathlib
import re
import sys

CHECKS = ["native", "all windows", "AddressSanitizer", "Valgrind", "Miri", "emulator", "proofs"]
BEGIN, END = "<!-- tools/checks.py writes this -->\n", "<!-- up to here -->\n"

root = pathlib.Path(__file__).resolve().parent.parent
# The rows of the list of instruction sets: avx2: Avx2, "avx2", ...
sets = (root / "src/simd/sets.rs").read_text()
KERNELS = [*re.findall(r'^ +\w+: \w+, "([^"]+)"', sets, re.MULTILINE), "scalar"]
document = root / "docs/correctness.md"
before, _, rest = document.read_text().partition(BEGIN)
table, found, after = rest.partition(END)
if not found:
    sys.exit(f"{document} lacks the line {BEGIN} or {END}")

cpus, dates = {}, {}
for date, cpu in re.findall(r"^- (\S+): (.*)$", table, re.MULTILINE):
    cpus[date] = cpu
for row in re.findall(r"^\| ([^|]+) \|(.*)\|$", table, re.MULTILINE):
    for check, cell in zip(CHECKS, row[1].split("|")):
        if row[0] in KERNELS and cell.strip() != "–":
            dates[row[0], check] = cell.strip()
file = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root / "target/checks.tsv"
for line in file.read_text().splitlines():
    kernel, check, date, cpu = line.split("\t")
    if kernel not in KERNELS or check not in CHECKS:
        sys.exit(f"{file}: no such kernel or check: {line}")
    dates[kernel, check] = max(date, dates.get((kernel, check), ""))
    cpus[date] = cpu

lines = ["| kernel | " + " | ".join(CHECKS) + " |", "|---" * (len(CHECKS) + 1) + "|"]
for kernel in KERNELS:
    lines.append(f"| {kernel} | " + " | ".join(dates.get((kernel, check), "–") for check in CHECKS) + " |")
lines += ["", "The CPUs on these days:", ""]
lines += [f"- {date}: {cpus[date]}" for date in sorted(set(dates.values())) if date in cpus]
document.write_text(before + BEGIN + "\n" + "\n".join(lines) + "\n\n" + END + after)
