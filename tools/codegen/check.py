#!/usr/bin/env python3
"""Checks the assembly of the library and of functions that call it, for x86-64 or AArch64.

    check.py [--target TRIPLE]     compiles both and checks them
    check.py --self-test           checks that bad code is refused

In a caller (caller.rs), each function stays small, has no kernel inlined into it, calls through at most one pointer,
and calls nothing but the library.

In the library, no intrinsic and no operation of an instruction set has become a function. If one had, each use would be
a call for a single instruction, with vectors passed through memory. The answers would be right, but slow.

The compiler is $RUSTC, or rustc.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent

# The most instructions that a caller's function may have, cold parts included. The functions need about two thirds of
# this. A kernel has hundreds.
LIMITS = {"entry_is_utf8": 16}
LIMIT = 48

# In a symbol of this mangling, each name of a crate or a module follows its length in plain text.
V0 = "-Csymbol-mangling-version=v0"
LIBRARY = re.compile(r"6trust8")
INTRINSIC = re.compile(r"9core_arch|^_mm\d*_")
# A method of a type in the module simd: M is an inherent method, X and Y are methods of a trait.
IN_SIMD = "4simd"
OPERATION = re.compile(r"^_RI?Nv[MXY].*" + IN_SIMD)
# Some methods of these types are whole loops, or call one. An operation has fewer instructions than this, and no call.
OPERATION_LIMIT = 24

VECTORS = {
    "x86_64": re.compile(r"%[yz]mm\d|%k[0-7]\b"),
    "aarch64": re.compile(r"\bv\d+\.\d*[bhsd]"),
}
# The compiler copies structures with vectors of 16 bytes. So a caller may move and clear these.
XMM = re.compile(r"%xmm\d")
XMM_MOVES = re.compile(r"^v?(mov|xorps|pxor)")


class Function:
    """A function of the assembly. Each instruction is a pair of mnemonic and operands."""

    def __init__(self, name):
        self.name = name
        self.instructions = []

    def calls(self, arch):
        """Yields the symbol that each call or tail call goes to, or None if it goes through a pointer."""
        for mnemonic, operands in self.instructions:
            if arch == "x86_64" and re.match(r"(call|jmp)", mnemonic):
                through_got = re.match(r"\*([\w$.]+)@GOTPCREL\(%rip\)$", operands)
                if through_got:
                    yield through_got[1]
                elif operands.startswith("*"):
                    yield None
                elif not operands.startswith(".L"):
                    yield operands.split("@")[0]
            elif arch == "aarch64" and mnemonic in ("blr", "br"):
                yield None
            elif arch == "aarch64" and mnemonic in ("bl", "b") and not operands.startswith(".L"):
                yield operands


def parse(assembly):
    """Returns the functions of an assembly file, by name."""
    names = set(re.findall(r"^\s*\.type\s+([\w$.]+),\s*[@%]function", assembly, re.M))
    # The compiler emits equal functions once. The other name is an alias: `.set a, b` or `a = b`.
    aliases = re.findall(r"^\s*(?:\.set\s+)?([\w$.]+)\s*(?:,|=)\s*([\w$.]+)\s*$", assembly, re.M)
    functions, current = {}, None
    for line in assembly.splitlines():
        label = re.match(r"([\w$.]+):", line)
        if label and label[1] in names:
            current = functions[label[1]] = Function(label[1])
        elif re.match(r"\s*\.(cfi_endproc|size)\b", line):
            current = None
        elif current and (found := re.match(r"\s+([a-z][\w.]*)(?:\s+(.*?))?\s*(?:#.*|//.*)?$", line)):
            current.instructions.append((found[1], found[2] or ""))
    for alias, name in aliases:
        if name in functions and alias in names:
            functions.setdefault(alias, functions[name])
    return functions


def check_entries(functions, arch, source):
    """Yields what is wrong in the callers' functions."""
    entries = {name: f for name, f in functions.items() if name.startswith("entry_")}
    for name in re.findall(r"fn (entry_\w+)", (HERE / source).read_text()):
        if name not in entries:
            yield f"{name}: not found in the assembly"
    for name, function in sorted(entries.items()):
        count = len(function.instructions)
        limit = LIMITS.get(name, LIMIT)
        if count == 0 or count > limit:
            yield f"{name}: {count} instructions; the limit is {limit}"
        for mnemonic, operands in function.instructions:
            if VECTORS[arch].search(operands) or XMM.search(operands) and not XMM_MOVES.match(mnemonic):
                yield f"{name}: vector code in the caller: {mnemonic} {operands}"
                break
        calls = list(function.calls(arch))
        if calls.count(None) > 1:
            yield f"{name}: calls through {calls.count(None)} pointers"
        for callee in calls:
            if callee is not None and not LIBRARY.search(callee):
                yield f"{name}: calls {callee}"


def check_operations(functions, arch):
    """Yields the operations that have become functions, and the calls of them."""
    bad = {
        name
        for name, function in functions.items()
        if OPERATION.search(name)
        and len(function.instructions) < OPERATION_LIMIT
        and not list(function.calls(arch))
    }
    for function in functions.values():
        if function.name in bad or INTRINSIC.search(function.name):
            yield f"a separate function: {function.name}"
        for callee in function.calls(arch):
            if callee and (callee in bad or INTRINSIC.search(callee)):
                yield f"{function.name}: calls {callee}"


def run(command, **more):
    subprocess.run(command, check=True, cwd=ROOT, **more)


def compile_library(target, folder):
    """Returns the library's assembly, and the arguments of rustc that let a caller find the library."""
    assembly = folder / "library.s"
    run(["cargo", "rustc", "--quiet", "--release", "--package", "trust8", "--all-features", "--lib", "--target", target,
         "--target-dir", folder, "--", V0, f"--emit=asm={assembly},link"])
    out = folder / target / "release"
    return assembly.read_text(), [f"--extern=trust8={out}/libtrust8.rlib", f"-Ldependency={out}/deps"]


def compile_file(source, target, folder, *more):
    assembly = folder / "file.s"
    run([os.environ.get("RUSTC", "rustc"), "--edition=2024", "--target", target, "-Copt-level=3", V0, *more,
         f"--emit=asm={assembly}", str(HERE / source)])
    return assembly.read_text()


def self_test(target, arch, folder):
    """Yields the complaints that bad.rs should cause and does not."""
    functions = parse(compile_file("bad.rs", target, folder))
    complaints = [*check_entries(functions, arch, "bad.rs"), *check_operations(functions, arch)]
    for expected in (
        "entry_two_pointers: calls through 2 pointers",
        "entry_inlined_kernel: vector code in the caller",
        "entry_long: ",
        "entry_calls_elsewhere: calls ",
        "intrinsic_as_function",
        "4plus",
    ):
        if not any(expected in complaint for complaint in complaints):
            yield f"bad code is not refused: {expected}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target")
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()

    version = subprocess.run([os.environ.get("RUSTC", "rustc"), "-vV"], check=True, capture_output=True, text=True)
    target = arguments.target or re.search(r"^host: (.*)$", version.stdout, re.M)[1]
    arch = target.split("-")[0]
    if arch not in VECTORS:
        sys.exit(f"check.py: cannot read the assembly of {arch}")

    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        if arguments.self_test:
            complaints = list(self_test(target, arch, folder))
            done = "bad code is refused"
        else:
            library, extern = compile_library(target, folder)
            library = parse(library)
            caller = parse(compile_file("caller.rs", target, folder, *extern))
            complaints = [*check_entries(caller, arch, "caller.rs"), *check_operations({**library, **caller}, arch)]
            # Without this, a renamed module or assembly that `parse` does not understand would pass.
            if not any(IN_SIMD in name for name in library):
                complaints.append("no function of the library has the module simd in its symbol")
            for name, function in sorted(caller.items()):
                print(f"{name}: {len(function.instructions)} instructions")
            done = f"{len(library)} functions of the library call no intrinsic"
    for complaint in complaints:
        print(f"check.py: {target}: {complaint}", file=sys.stderr)
    if complaints:
        sys.exit(1)
    print(f"{target}: {done}")


if __name__ == "__main__":
    main()
