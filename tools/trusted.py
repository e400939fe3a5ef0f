#!/usr/bin/env python3
"""Counts the trusted base: the files that can make a wrong `&str`, whatever the others do.

    trusted.py            prints the number of lines of code of each file, and checks the table in DESIGN.md
    trusted.py --update   writes the numbers into the table

A line of code has something besides comments, and is not a unit test's. The list is in DESIGN.md, under "Trusted base": a row for each group of
files, which ends with the group's number of lines. Each file with unsafe code must be in it. The sum may not exceed LIMIT; files of
single instruction sets do not count for this, because there may be more of them.

Rows of packages are counted apart: what can make a wrong string or array there, besides what they call. `tools/mutants.toml` must name the
files of the library, and of the packages on its hidden module `engine`, and leave none of them out.
The library as a whole, and with the packages that stand on its hidden module, have limits too.
"""

import fnmatch
import pathlib
import re
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Lower it when the number gets lower.
LIMIT = 3610
# The library, which a parser's author vets; and with the packages on its hidden module `engine`.
WEIGHTS = [(["src"], 7370), (["src", *(f"crates/{name}/src" for name in ("columns", "counts", "transcode", "dialect"))], 17000)]
# Unit tests, and a kernel for tests.
NOT_COUNTED = {"src/simd/model.rs", "src/kernel/counted.rs"}
NOT_MUTATED = ("/neon.rs", "/simd128.rs", "/serialize.rs")  # code for other CPUs, and reports
# They hold no code, only modules that forbid unsafe code could not have inside.
EMPTY = {"src/lib.rs", "src/text/mod.rs", "src/repair/mod.rs", "src/io/mod.rs"}
LITERAL = re.compile(r'r(#*)".*?"\1|"(?:\\.|[^"\\])*"', re.S)


def lines_of_code(text):
    """Returns the number of lines with code, without those of unit tests."""
    text = LITERAL.sub(lambda found: '""' + "\n" * found[0].count("\n"), text)
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r"(?ms)^#\[cfg\((?:all\()?test\b.*?^\}$", "", text)
    return sum(bool(line.strip()) for line in text.split("\n"))


def files(pattern):
    """Returns the files of a name in the table: a file, or a folder and everything in it."""
    path = ROOT / pattern
    found = sorted(path.rglob("*.rs")) if path.is_dir() else [path]
    return [file for file in found if str(file.relative_to(ROOT)) not in NOT_COUNTED and file.name not in ("model.rs", "tests.rs")]


def weights():
    """Yields the groups of folders that have more lines of code than their limit."""
    for folders, limit in WEIGHTS:
        found = [file for folder in folders for file in files(folder) if file.name != "model.rs"]
        lines = sum(lines_of_code(file.read_text()) for file in found)
        print(f"{lines} lines of code in {', '.join(folders)}; at most {limit}")
        if lines > limit:
            yield f"{', '.join(folders)}: {lines} lines of code, and at most {limit} are allowed: take something out"


def main():
    design = ROOT / "DESIGN.md"
    text = design.read_text()
    section = re.search(r"(?ms)^### Trusted base$.*?(?=^##)", text)
    if not section:
        return ["DESIGN.md has no section 'Trusted base'"]
    wrong, listed, total, of_sets, table = [], set(), 0, 0, section[0]
    mutants = tomllib.loads((ROOT / "tools/mutants.toml").read_text())
    mutated, left_out = (re.compile("|".join(map(fnmatch.translate, mutants[key]))) for key in ("examine_globs", "exclude_globs"))
    sets = set(re.findall(r"(?m)^ +(\w+): [A-Z]\w+, \"", (ROOT / "src/simd/sets.rs").read_text()))
    for row in re.findall(r"(?m)^\| `.*$", section[0]):
        names = re.findall(r"`((?:src|crates|bindings)/[^`]+)`", row)
        group = {file for name in names for file in files(name)}
        wrong += [f"{name} is missing" for name in names for file in files(name) if not file.exists()]
        ours = {str(file.relative_to(ROOT)) for folder in WEIGHTS[1][0] for file in group if file.is_relative_to(ROOT / folder)}
        lacks = [file for file in ours if not mutated.match(file) or left_out.match(file) and not file.endswith(NOT_MUTATED)]
        wrong += [f"tools/mutants.toml lacks {file}" for file in lacks]
        lines = {file: lines_of_code(file.read_text()) for file in group - listed if file.exists()}
        if not row.startswith("| `src/"):
            table = table.replace(row, re.sub(r"\| [\d,]+ \|$", f"| {sum(lines.values()):,} |", row))
            continue
        of_sets += sum(number for file, number in lines.items() if file.stem in sets | {"sets"})
        number = sum(lines.values())
        listed |= group
        total += number
        table = table.replace(row, re.sub(r"\| [\d,]+ \|$", f"| {number:,} |", row))
    table = re.sub(r"[\d,]+ lines of code in all", f"{total:,} lines of code in all", table)
    packages = ("columns", "counts", "transcode", "dialect", "profile", "tokio")
    for file in sorted(file for folder in ("src", *(f"crates/{name}/src" for name in packages)) for file in (ROOT / folder).rglob("*.rs")):
        name = str(file.relative_to(ROOT))
        is_listed = f"`{name}`" in text or f"`{name[: name.rindex('/') + 1]}`" in text
        if name.startswith("src/"):
            is_listed = file in listed or name in NOT_COUNTED | EMPTY
        if re.search(r"\bunsafe\b(?!_)", re.sub(r"//[^\n]*", "", file.read_text())) and not is_listed:
            wrong.append(f"{name} has unsafe code, and DESIGN.md does not name it")
    wrong += weights()
    print(f"{total} lines of code in the trusted base; without {of_sets} for single instruction sets, at most {LIMIT}")
    if not of_sets or total - of_sets > LIMIT:
        wrong.append("the trusted base has grown: take something out")
    if table != section[0]:
        if "--update" in sys.argv:
            design.write_text(text.replace(section[0], table))
        else:
            wrong.append("the numbers in DESIGN.md are not those of the files: run tools/trusted.py --update")
    return wrong


if __name__ == "__main__":
    complaints = main()
    for complaint in complaints:
        print(f"trusted.py: {complaint}", file=sys.stderr)
    sys.exit(1 if complaints else 0)
