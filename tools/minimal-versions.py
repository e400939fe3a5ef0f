#!/usr/bin/env python3
"""Makes a copy of the packages that resolves to the oldest versions that their manifests allow: tools/minimal-versions.py FOLDER

The copy has no dependencies for tests and no benchmarks, which nobody who uses a package gets.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

root = Path(__file__).resolve().parent.parent
copy = Path(sys.argv[1]).resolve()
shutil.rmtree(copy, ignore_errors=True)
listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, check=True, capture_output=True, text=True).stdout
for name in filter(None, listed.split("\0")):
    (copy / name).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(root / name, copy / name)
for manifest in ["Cargo.toml", *(f"crates/{name}/Cargo.toml" for name in "arrow cli columns counts dialect profile tokio transcode".split())]:
    text = (copy / manifest).read_text()
    text = re.sub(r'"benches", |, "tools/measure", "tools/tests-all"', "", text)
    text = re.sub(r"^\[(?:target\..*\.)?dev-dependencies\]\n(?:(?!\[).*\n)*", "", text, flags=re.MULTILINE)
    (copy / manifest).write_text(text)
(copy / "Cargo.lock").unlink()
subprocess.run(["cargo", "+nightly", "update", "--quiet", "-Zdirect-minimal-versions"], cwd=copy, check=True)
