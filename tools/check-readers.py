#!/usr/bin/env python3
"""Checks the command's output and hooks with the programs that read them: SARIF with its schema, the hooks with pre-commit.

    pip install jsonschema pre-commit
    tools/check-readers.py TRUST8
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import jsonschema

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = ROOT / "crates/cli/tests/sarif/sarif-schema-2.1.0.json"


def check_sarif(trust8, folder):
    schema = json.loads(SCHEMA.read_text())
    validator = jsonschema.validators.validator_for(schema)(schema)
    names = ["a <b>&\"é.txt", "utf-16", "none", "valid"]
    (folder / names[0]).write_bytes(b"x\ny\xC0\xAF \xFF")
    (folder / names[1]).write_bytes(b"\xFF\xFEa\0")
    (folder / names[3]).write_bytes(b"valid")
    for files, results in ((names, 6), (names[3:], 0)):
        run = subprocess.run([trust8, "-af", "sarif", *files], cwd=folder, capture_output=True)
        sarif = json.loads(run.stdout)
        validator.validate(sarif)
        assert len(sarif["runs"][0]["results"]) == results, sarif
    # A validator that accepts everything would not notice this.
    del sarif["runs"][0]["tool"]
    assert not validator.is_valid(sarif)
    print("SARIF: valid")


def check_hooks(trust8, folder):
    environment = {
        **os.environ,
        "PATH": f"{Path(trust8).parent}:{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PRE_COMMIT_HOME": str(folder / "cache"),
        "GIT_CONFIG_GLOBAL": os.devnull,
        **{f"GIT_{who}_{what}": "a@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    }

    def run(*words, cwd):
        return subprocess.run(words, cwd=cwd, env=environment, capture_output=True, text=True)

    hooks, project = folder / "hooks", folder / "project"
    for repository in (hooks, project):
        repository.mkdir()
        run("git", "init", "--quiet", cwd=repository)
    shutil.copy(ROOT / ".pre-commit-hooks.yaml", hooks)
    run("git", "add", ".", cwd=hooks)
    run("git", "commit", "--quiet", "-m", "hooks", cwd=hooks)
    revision = run("git", "rev-parse", "HEAD", cwd=hooks).stdout.strip()
    (project / "valid").write_text("naïve\n")
    bad = project / "bad"
    # The file that each hook must find, and whether the hook repairs it.
    for hook, data, repairs in (
        ("trust8", b"na\xC3\xAFve caf\xC3\xA9 \xFF\n", False),
        ("trust8-fix", b"na\xC3\xAFve caf\xC3\xA9 \xFF\n", False),
        ("trust8-fix", ("schöne Grüße\n".encode() + "schöne Grüße aus München\n".encode("latin-1")) * 10, True),
        ("trust8-source", "if admin \u202E{\n".encode(), False),
    ):
        config = {"repos": [{"repo": str(hooks), "rev": revision, "hooks": [{"id": hook}]}]}
        (project / ".pre-commit-config.yaml").write_text(json.dumps(config))
        bad.write_bytes(data)
        run("git", "add", ".", cwd=project)
        first = run("pre-commit", "run", "--all-files", cwd=project)
        assert first.returncode == 1 and "bad" in first.stdout, (hook, first)
        assert (bad.read_bytes() != data) == repairs, hook
        bad.write_text("valid\n") if not repairs else None
        run("git", "add", ".", cwd=project)
        second = run("pre-commit", "run", "--all-files", cwd=project)
        assert second.returncode == 0 and "Passed" in second.stdout, (hook, second)
        print(f"pre-commit: {hook} fails, and passes afterwards")


with tempfile.TemporaryDirectory() as scratch:
    program = str(Path(sys.argv[1]).resolve())
    check_sarif(program, Path(scratch))
    check_hooks(program, Path(scratch))
