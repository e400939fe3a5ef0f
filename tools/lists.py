#!/usr/bin/env python3
"""Checks that two lists name what is there: the files with unsafe code in DESIGN.md, and the tests in tools/tests-all.

- DESIGN.md, "Unsafe code", has a table of the files in src/ that do not forbid unsafe code. Its line `src/simd/**/SET.rs` stands for one file of
  each module in sets.rs. Only unit tests use the files model.rs, so these do not count.
- Each folder of tests must be in tools/tests-all/tests/all.rs, and each of its files in the folder's main.rs.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FORBID = "#![forbid(unsafe_code)]"


def unsafe_files():
    """Yields the differences between the table in DESIGN.md and the files."""
    design = (ROOT / "DESIGN.md").read_text()
    section = re.search(r"(?ms)^## Unsafe code$(.*?)^### ", design)[1]
    rows = "".join(line for line in section.splitlines(True) if line.startswith("|"))
    listed = set(re.findall(r"`(src/[^`]*\.rs)`", rows))
    if "src/simd/**/SET.rs" in listed:
        listed.remove("src/simd/**/SET.rs")
        for name in re.findall(r"(?m)^ +(\w+): [A-Z]\w+, \"", (ROOT / "src/simd/sets.rs").read_text()):
            x86 = f"src/simd/x86/{name}.rs"
            listed.add(x86 if (ROOT / x86).exists() else f"src/simd/{name}.rs")
    files = [file for file in (ROOT / "src").rglob("*.rs") if file.name != "model.rs"]
    found = {str(file.relative_to(ROOT)) for file in files if FORBID not in file.read_text().splitlines()}
    for name in sorted(listed - found):
        yield f"DESIGN.md lists {name}, but it forbids unsafe code or is missing"
    for name in sorted(found - listed):
        yield f"{name} does not forbid unsafe code, and DESIGN.md does not list it"


def tests():
    """Yields the tests that the lists leave out."""
    every = "tools/tests-all/tests/all.rs"
    folders = ["tests", *(str(folder.relative_to(ROOT)) for folder in (ROOT / "crates").glob("*/tests"))]
    listed = {every: (ROOT / every).read_text()}
    needed = [("tools/tests-all/tests/stack.rs", every)]
    for folder in folders:
        mains = [main.parent for main in (ROOT / folder).glob("*/main.rs")]
        # The command is no library, and Arrow and DataFusion are for the host alone.
        if folder in ("crates/cli/tests", "crates/arrow/tests", "crates/datafusion/tests"):
            continue
        needed += [(str(main.relative_to(ROOT)), every) for main in mains]
        if folder == "tests":
            needed += [(str(file.relative_to(ROOT)), every) for file in (ROOT / folder).glob("*.rs")]
        for main in mains:
            name = str((main / "main.rs").relative_to(ROOT))
            listed[name] = (main / "main.rs").read_text()
            needed += [(str(file.relative_to(ROOT)), name) for file in main.glob("*.rs") if file.name != "main.rs"]
    for file, name in needed:
        if not re.search(rf"(?m)^mod {Path(file).stem};$", listed[name]):
            yield f"{name} leaves out {file}"


if __name__ == "__main__":
    wrong = [*unsafe_files(), *tests()]
    for complaint in wrong:
        print(f"lists.py: {complaint}", file=sys.stderr)
    sys.exit(1 if wrong else 0)
