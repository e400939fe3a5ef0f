#!/usr/bin/env python3
"""Runs the first commands of README and of the packages as they are written there, from a copy of the checkout in a fresh folder.

    tools/first-minute.py                    all
    tools/first-minute.py rust command ...   these

    rust       README's example, installed by its line; and the examples in the packages' READMEs
    arrow      the example of trust8-arrow, with the dependencies that its README names
    patch      a program that uses simdutf8, patched as crates/simdutf8 says
    command    the command, installed by README's line, run by its other line; the first report and session in crates/cli
    c          installed by README's line; a program by each row of the table in bindings/c
    python     installed by README's line; the session in bindings/python
    npm        built and installed by the lines of bindings/web/npm; its example
    action     the steps of action.yml, on a repository with a bad file

The commands and programs are those of the documents. This script adds what a document leaves to its reader: names of folders, `fn main`, pyarrow.
CARGO_TARGET_DIR is the folder to compile in (default: target). The fresh folder is a temporary one, outside of any workspace.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()
WORK = pathlib.Path(tempfile.mkdtemp(prefix="first-minute-"))
CHECKOUT = WORK / "trust8"


def document(name):
    return (CHECKOUT / name).read_text(encoding="utf-8")


def blocks(name, language):
    """Returns the blocks of code of a document."""
    found = re.findall(rf"^```{language}\n(.*?)^```$", document(name), re.M | re.S)
    assert found, f"{name} has no block of {language}"
    return found


def line(name, start):
    """Returns the command of a document that begins like this, without its comment."""
    found = [text for block in blocks(name, "sh") for text in block.splitlines() if text.startswith(start)]
    assert len(found) == 1, f"{name}: {len(found)} commands begin with {start!r}"
    return found[0].split(" #")[0].strip()


def run(command, cwd=None, code=0, **environment):
    """Runs a command of a shell in a folder, and returns what it prints."""
    print(f"$ {command}", flush=True)
    done = subprocess.run(["bash", "-euc", command], cwd=cwd or WORK, env={**os.environ, **environment}, errors="replace",
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != code:
        sys.exit(f"{done.stdout}\nthe exit code is {done.returncode}, not {code}")
    return done.stdout


def fresh(name):
    folder = WORK / name
    folder.mkdir()
    return folder


def project(name):
    """Returns a new package of cargo, with the checkout in the folder `trust8`, where the examples have it."""
    folder = fresh(name)
    run(f"cargo init --quiet --vcs none --name {name}", folder)
    (folder / "trust8").symlink_to(CHECKOUT)
    return folder


def compiled(folder, program):
    (folder / "src/main.rs").write_text(program, encoding="utf-8")
    return run("cargo run --quiet", folder, CARGO_TARGET_DIR=str(TARGET / "first-minute-rust"))


def rust():
    folder = project("rust")
    add = line("README.md", "cargo add trust8 ")
    run(add.replace("PATH/TO/CHECKOUT", "trust8"), folder)
    assert "trust8-profile is in crates/profile/" in document("README.md")
    packages = ["columns", "counts", "dialect", "profile", "transcode"]
    for package in packages:
        run(f"cargo add trust8-{package} --path trust8/crates/{package}", folder)
    examples = {"readme": blocks("README.md", "rust")[0]}
    examples |= {package: blocks(f"crates/{package}/README.md", "rust")[0] for package in packages}
    functions = [f"fn {name}() {{\n{example}}}\n" for name, example in examples.items()]
    compiled(folder, "".join(functions) + f"fn main() {{ {''.join(name + '(); ' for name in examples)}}}\n")


def arrow():
    folder = project("arrow")
    manifest = folder / "Cargo.toml"
    manifest.write_text(manifest.read_text().replace("[dependencies]\n", blocks("crates/arrow/README.md", "toml")[0]))
    example = blocks("crates/arrow/README.md", "rust")[0]
    printed = compiled(folder, f"fn main() -> Result<(), Box<dyn std::error::Error>> {{\n{example}drop(text);\nOk(()) }}\n")
    promised = re.search(r'// (row .*?) \.\.\.', example)[1]
    assert promised in printed, (promised, printed)


def patch():
    folder = project("patch")
    manifest = folder / "Cargo.toml"
    patched = blocks("crates/simdutf8/README.md", "toml")[0]
    manifest.write_text(manifest.read_text() + '\nsimdutf8 = "0.1.5"\n' + patched)
    compiled(folder, 'fn main() { assert!(simdutf8::basic::from_utf8(b"caf\\xC3\\xA9").is_ok()) }')
    printed = [run(command.split("#")[0], folder) for command in blocks("crates/simdutf8/README.md", "sh")[0].splitlines()]
    assert "v0.1.5+trust8" in printed[1], printed


def command():
    folder, root = fresh("command"), WORK / "installed"
    run(line("README.md", "cargo install "), CHECKOUT, CARGO_INSTALL_ROOT=str(root), CARGO_TARGET_DIR=str(TARGET / "first-minute-rust"))
    (folder / "notes.txt").write_bytes(b"abc\n\xE6\x97\xA5x\xC0\xAF and more")
    transcript = next(block for block in blocks("crates/cli/README.md", "text") if block.startswith("$ "))
    typed, expected = transcript.removeprefix("$ ").split("\n", 1)
    path = f"{root}/bin:{os.environ['PATH']}"
    printed = run(typed, folder, code=1, PATH=path)
    assert printed.strip() == expected.strip(), f"{printed}\nis not\n{expected}"
    session, german = fresh("session"), "Die Straße ist für die Gäste zu schmal.\n".encode("latin-1")
    (session / "german.txt").write_bytes(german)
    # It repairs a file, finds no other, and takes it back.
    for typed in blocks("crates/cli/README.md", "sh")[0].splitlines():
        run(typed, session, PATH=path)
    assert (session / "german.txt").read_bytes() == german and len(list(session.iterdir())) == 1
    (folder / "good.txt").write_text("café\n", encoding="utf-8")
    run(line("README.md", "cargo run --release -- ").replace("FILE...", f"'{folder}/good.txt'"), CHECKOUT,
        CARGO_TARGET_DIR=str(TARGET / "first-minute-rust"))


def c():
    folder, prefix = fresh("c"), WORK / "prefix"
    run(line("README.md", "bindings/c/install.sh ").replace("PREFIX", f"'{prefix}'"), CHECKOUT, CARGO_TARGET_DIR=str(TARGET / "first-minute-c"))
    program = blocks("bindings/c/README.md", "c")[0]
    (folder / "main.c").write_text(program + "int main(void) { check(\"one\\ntwo \\xC0\\xAF\", 10); }\n")
    promised = re.search(r"puts\(message\); /\* (.*?) \.\.\. \*/", program)[1]
    rows = dict(re.findall(r"^\| (\S+|a compiler) \| (`.*) \|$", document("bindings/c/README.md"), re.M))
    for tool in ("a compiler", "pkg-config"):
        commands = "; ".join(re.findall(r"`([^`]*)`", rows[tool])).replace("PREFIX", str(prefix))
        run(commands, folder)
        printed = run("./a.out", folder)
        assert printed.startswith(promised), printed
    find, link = re.findall(r"`([^`]*)`", rows["CMake"])[:2]
    (folder / "CMakeLists.txt").write_text(f"cmake_minimum_required(VERSION 3.16)\nproject(main C)\n{find}\nadd_executable(main main.c)\n{link}\n")
    run(f"cmake -S . -B cmake -DCMAKE_PREFIX_PATH='{prefix}' && cmake --build cmake", folder)
    assert run("cmake/main", folder).startswith(promised)
    (folder / "meson.build").write_text(f"project('main', 'c')\nexecutable('main', 'main.c', dependencies: {rows['Meson'].strip('`')})\n")
    run(f"PKG_CONFIG_PATH='{prefix}/lib/pkgconfig' meson setup meson && meson compile -C meson", folder)
    assert run("meson/main", folder).startswith(promised)


def python():
    folder = fresh("python")
    run("python3 -m venv venv", folder)
    path = f"{folder}/venv/bin:{os.environ['PATH']}"
    install = line("README.md", "pip install ")
    # Without cargo, the error says what is missing.
    without = ":".join(part for part in path.split(":") if not os.path.exists(f"{part}/cargo"))
    assert "there is no cargo on the path: install Rust" in run(f"PATH='{without}' {install}", CHECKOUT, 1)
    run(install, CHECKOUT, PATH=path, CARGO_TARGET_DIR=str(TARGET / "first-minute-python"))
    # Who reads the section on columns has it.
    run("pip install --only-binary :all: pyarrow", folder, PATH=path)
    run(f"python -m doctest '{CHECKOUT}/bindings/python/README.md'", folder, PATH=path)


def npm():
    folder = fresh("your-project")
    install = re.search(r"^## Installing\n.*?((?:^    [^\n]*\n)+)", document("bindings/web/npm/README.md"), re.M | re.S)[1]
    run("npm init --yes", folder)
    run("\n".join(text.strip() for text in install.splitlines()), CHECKOUT)
    example = blocks("bindings/web/npm/README.md", "js")[0]
    (folder / "example.mjs").write_text(example, encoding="utf-8")
    printed = run("node example.mjs", folder).splitlines()
    promised = [found[1] for found in re.finditer(r"console\.log\(.*\);(?:\n// (?=invalid)| // )(.*)$", example, re.M)]
    assert printed == promised, (printed, promised)


def action():
    """The steps as GitHub's runner calls them: with inputs in place of the expressions."""
    folder = fresh("action")
    text = document("action.yml")
    inputs = dict(re.findall(r"^  (\w+):\n    description: .*\n    default: \"?(.*?)\"?$", text, re.M))
    steps = [match.strip("'") for match in re.findall(r"^    - run: (.*)$", text, re.M)]
    assert len(steps) == 2 and len(inputs) == 3, (steps, inputs)
    for name, content in (("good", b"caf\xC3\xA9\n"), ("bad", b"caf\xE9\n")):
        (folder / name).write_bytes(content)
    run("git init --quiet && git add good bad", folder)
    temporary = fresh("action-temporary")
    path = temporary / "path"
    path.touch()
    (temporary / "bin").mkdir()
    environment = {"GITHUB_ACTION_PATH": str(CHECKOUT), "RUNNER_TEMP": str(temporary), "GITHUB_PATH": str(path),
                   "CARGO_INSTALL_ROOT": str(temporary), "CARGO_TARGET_DIR": str(TARGET / "first-minute-rust"),
                   "PATH": f"{temporary}/bin:{os.environ['PATH']}", "PATHS": inputs["paths"], "ARGS": inputs["args"], "TRACKED": "yes"}
    run(steps[0], folder, **environment)
    printed = run(steps[1], folder, code=1, **environment)
    assert "::error" in printed and "bad" in printed and "good" not in printed, printed


MINUTES = {run_.__name__: run_ for run_ in (rust, arrow, patch, command, c, python, npm, action)}


def main():
    names = sys.argv[1:] or list(MINUTES)
    if unknown := set(names) - set(MINUTES):
        sys.exit(f"first-minute.py: no such part: {', '.join(sorted(unknown))}\n{__doc__}")
    run(f"set -o pipefail; git ls-files -z --cached --others --exclude-standard | tar -c --null -T - | tar -x -C '{fresh('trust8')}'", ROOT)
    for name in names:
        print(f"--- {name}", flush=True)
        MINUTES[name]()


try:
    main()
finally:
    shutil.rmtree(WORK)
