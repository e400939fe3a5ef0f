#!/usr/bin/env python3
"""Leaves of the seeds those that some target needs: minimise-seeds.py FOLDER, with the compiled targets in FOLDER.

`.ci/run fuzz` compiles them, to target/fuzz-run/<host>/release. For each target libFuzzer picks seeds that together reach
all that the seeds reach; a seed that no target picks goes."""

import pathlib
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).parent
seeds = {path: path.read_bytes() for path in sorted((here / "seeds").iterdir())}
needed = set()
for source in sorted((here / "fuzz_targets").glob("*.rs")):
    with tempfile.TemporaryDirectory() as picked:
        command = [pathlib.Path(sys.argv[1]) / source.stem, "-merge=1", picked, here / "seeds"]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        contents = {path.read_bytes() for path in pathlib.Path(picked).iterdir()}
    print(f"{source.stem}: {len(contents)}")
    needed |= contents
for path, content in seeds.items():
    if content not in needed:
        path.unlink()
print(f"{len(needed)} of {len(seeds)} are left")
