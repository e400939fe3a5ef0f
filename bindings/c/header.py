#!/usr/bin/env python3
"""Writes include/trust8.h from the Rust source.

    header.py            writes the header
    header.py --check    fails if the header is not what the source says

The header has every public constant, every `#[repr(C)]` struct, and every exported function, in the order of the files
below and of the source, with their comments. A type that the table below does not have is an error. So is an exported
function that this script does not understand.
"""

import pathlib
import re
import sys
import textwrap

HERE = pathlib.Path(__file__).parent
HEADER = HERE / "include/trust8.h"
# The order of the header.
FILES = "lib errors slices profiles streams lossy counts columns encodings conversions validation kernels".split()
WIDTH = 100

TYPES = {
    "bool": "bool",
    "u8": "uint8_t",
    "u32": "uint32_t",
    "u64": "uint64_t",
    "i32": "int32_t",
    "i64": "int64_t",
    "usize": "size_t",
    "c_char": "char",
    "c_void": "void",
}

ITEM = re.compile(
    r"""
    (?P<banner>(?:^//\ [^\n]*\n|^//\n)+)
    | (?P<docs>(?:^///[^\n]*\n)+)
      (?:^\#\[(?:repr\(C\)|derive\([^\n]*\)|unsafe\(no_mangle\))\]\n)*
      ^pub\ (?:
          const\ (?P<const>\w+):\ (?P<const_type>\w+)\ =\ (?P<value>[^;]+);
        | struct\ (?P<struct>\w+)\ \{(?P<fields>.*?)^\}
        | (?:unsafe\ )?extern\ "C"\ fn\ (?P<function>\w+)\((?P<parameters>[^)]*)\)(?:\ ->\ (?P<result>[^{]+?))?\ \{
      )
    """,
    re.M | re.S | re.X,
)
FIELD = re.compile(r"((?:^    ///[^\n]*\n)+)    pub (\w+): ([^,]+),", re.M)


def c_declaration(rust, name):
    """Returns the declaration in C of `name` with a type of Rust."""
    rust = rust.strip()
    if array := re.fullmatch(r"\[(\w+); (\d+)\]", rust):
        return c_declaration(array[1], f"{name}[{array[2]}]")
    if pointer := re.fullmatch(r"\*(const|mut) (\w+)", rust):
        return ("const " if pointer[1] == "const" else "") + c_declaration(pointer[2], f"*{name}")
    base = rust if rust.startswith("trust8_") else TYPES[rust]
    return f"{base} {name}".rstrip() if not name.startswith("*") else f"{base} {name}"


def paragraphs(docs, prefix):
    """Returns the paragraphs of a comment. Lines that are indented, and items of a list, stay as they are."""
    lines = [line.strip().removeprefix(prefix).removeprefix(" ") for line in docs.strip().splitlines()]
    block = []
    for line in [*lines, ""]:
        if block and (not line or line.startswith("- ")) and not block[0].startswith("    "):
            yield " ".join(block)
            block = []
        if line.startswith("    "):
            yield line
        elif line:
            block.append(line.strip())
        else:
            yield ""


def comment(docs, prefix="///", indent=""):
    """Returns a comment in C."""
    out, width = [], WIDTH - len(indent) - 3
    for paragraph in paragraphs(docs, prefix):
        paragraph = paragraph.replace("`", "")
        hanging = "  " if paragraph.startswith("- ") else ""
        is_code = paragraph.startswith("    ")
        out += [paragraph] if is_code or not paragraph else textwrap.wrap(
            paragraph, width, subsequent_indent=hanging, break_long_words=False, break_on_hyphens=False)
    while out and not out[-1]:
        out.pop()
    if len(out) == 1:
        return f"{indent}/* {out[0]} */\n"
    body = "".join(f"{indent} * {line}".rstrip() + "\n" for line in out[1:])
    return f"{indent}/* {out[0]}\n{body}{indent} */\n"


def section(docs, prefix):
    """Returns the heading of a section and what follows it."""
    title, _, rest = docs.strip().removeprefix(prefix).strip().removeprefix("# ").partition("\n")
    rule = f"/* ---- {title} " + "-" * (WIDTH - len(title) - 12) + " */\n"
    rest = rest.removeprefix(prefix).strip("\n")
    return "\n" + rule + ("\n" + comment(rest, prefix) if rest.strip() else "")


def constant(item):
    value = item["value"]
    value = {"usize::MAX": "SIZE_MAX"}.get(value, value)
    # With `u`, the complement of a small number would have no more than 32 bits.
    value = {"u64": f"UINT64_C({value})", "u32": f"{value}u", "u8": value, "usize": value}[item["const_type"]]
    return f"#define {item['const']} {value}\n"


def struct(item):
    fields = FIELD.findall(item["fields"])
    declared = len(re.findall(r"^    pub ", item["fields"], re.M))
    assert fields and len(fields) == declared, item["struct"]
    body = "".join(comment(docs, indent="  ") + f"  {c_declaration(kind, name)};\n" for docs, name, kind in fields)
    return f"typedef struct {item['struct']} {{\n{body}}} {item['struct']};\n"


def function(item):
    parameters = [parameter.strip().split(": ") for parameter in item["parameters"].split(",") if parameter.strip()]
    parameters = [c_declaration(kind, name) for name, kind in parameters] or ["void"]
    result = c_declaration(item["result"], "").rstrip() if item["result"] else "void"
    result += "" if result.endswith("*") else " "
    line = f"{result}{item['function']}({', '.join(parameters)});"
    if len(line) <= WIDTH:
        return line + "\n"
    start = f"{result}{item['function']}("
    wrapped = textwrap.wrap(", ".join(parameter.replace(" ", "\0") for parameter in parameters), WIDTH - len(start) - 2)
    return start + ("\n" + " " * len(start)).join(wrapped).replace("\0", " ") + ");\n"


def items(source):
    """Yields the items of a file as text of C."""
    declared = set(re.findall(r"extern \"C\" fn (trust8_\w+)", source)) | set(re.findall(r"^pub const (TRUST8_\w+)", source, re.M))
    declared |= set(re.findall(r"#\[repr\(C\)\]\n(?:#\[[^\n]*\n)*pub struct (\w+)", source))
    found = set()
    for item in ITEM.finditer(source):
        if item["banner"]:
            if item["banner"].startswith("// # "):
                yield section(item["banner"], "//")
            continue
        found.add(item["const"] or item["struct"] or item["function"])
        make = constant if item["const"] else struct if item["struct"] else function
        text = comment(item["docs"]) + make(item)
        yield text if item["const"] else "\n" + text
    missing = declared - found
    assert not missing, f"not understood: {missing}"


def header():
    out = []
    for name in FILES:
        source = (HERE / f"src/{name}.rs").read_text()
        docs = "".join(re.findall(r"^//![^\n]*\n", source, re.M))
        if name == "lib":
            out.append(comment(docs, "//!"))
            out.append(
                "\n/* header.py has written this file from the comments in src/, which are the place to change it. */\n"
                "\n#ifndef TRUST8_H\n#define TRUST8_H\n\n#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n"
                "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
            )
        else:
            out.append(section(docs, "//!"))
        before = None
        for text in items(source.split("#[cfg(test)]\nmod tests {")[0]):
            # A list of constants begins with an empty line.
            if not text.startswith("\n") and (before is None or before.startswith("\n")):
                out.append("\n")
            out.append(text)
            before = text
    exported = {path.stem for path in (HERE / "src").glob("*.rs") if "no_mangle" in path.read_text()}
    assert exported <= set(FILES), exported - set(FILES)
    out.append("\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n")
    return "".join(out)


def main():
    text = header()
    if sys.argv[1:] == ["--check"]:
        if HEADER.read_text() != text:
            sys.exit("include/trust8.h is not what the source says; bindings/c/header.py writes it")
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        HEADER.parent.mkdir(exist_ok=True)
        HEADER.write_text(text)


main()
