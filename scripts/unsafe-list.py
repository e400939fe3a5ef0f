#!/usr/bin/env python3
"""Writes docs/unsafe.md: every use of `unsafe`, where it is, and what it relies on.

    unsafe-list.py               writes it
    unsafe-list.py --check       fails if it is not up to date, or a use of `unsafe` is not in order
    unsafe-list.py --self-test   shows that what is not in order is refused

In order means: it says in a `// SAFETY:` comment what it relies on; and in the library, it is in a file that DESIGN.md
allows it in, and the comment is of one of the kinds that DESIGN.md names. Places are named by function, not by line, so
that the list changes only when there is something new to review.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "docs" / "unsafe.md"

# Where DESIGN.md allows it in the library. All other files of it forbid it to themselves.
ALLOWED = re.compile(r"src/(simd/(units/)?\w+|transcode/(form|mod|output)|dispatch|kernel|lib|string|intake|append|copy|chunks|lossy|runs)\.rs$")

# The kinds of reason, as DESIGN.md has them; a comment may give several. What a comment of each kind says.
KINDS = {
    "possession": ("The token in hand was made by a function compiled for the instruction set, on a CPU that has it.",
                   r"by `self`|is the proof|kernel_neon"),
    "length": ("The slice has as many bytes as are accessed.",
               r"has \d+ bytes|not accessed|is alive and|neither faults"),
    "detection": ("The CPU was asked for what is called, or every CPU of the target has it.",
                  r"asked the CPU|CPU has been asked|available|build\.rs|every CPU with|OSXSAVE|are ever stored|reference to a kernel|SSE2 includes"),
    "validity": ("The bytes were found to be UTF-8, or any value of the type will do.",
                 r"in this form|found (the|these|those|them)\b|to be text|appended text|came out of a `String`|every `u8` is one"),
    "initialisation": ("The memory was written just before, by the same method or by who promises it.",
                       r"written|is initialised"),
    "representation": ("Integers and `char` are bytes without padding, in memory that is aligned for them.",
                       r"no padding|all of them its number|may hold any bytes"),
    "contract": ("The caller of an unsafe function has promised it, or here promises it; `# Safety` there says what.",
                 r"the fence below|[Cc]aller( vouches|\'s| appends)|caller\'s:"),
}


class Use:
    def __init__(self, path, line, what, where, reason):
        self.path, self.line, self.what, self.where, self.reason = path, line, what, where, reason

    def is_library(self):
        """Whether it can be part of somebody's program."""
        return self.path.startswith("src/") and not self.path.endswith("/model.rs") and "tests" not in self.where.split("::")

    def kinds(self):
        return [kind for kind, (_, says) in KINDS.items() if re.search(says, self.reason)]


def without_comments_and_literals(source):
    """The code alone, everything else replaced by spaces, so that places stay what they are."""
    literal = re.compile(
        r'//[^\n]*|/\*.*?\*/|b?r(#*)".*?"\1|b?c?"(?:\\.|[^"\\])*"|b?\'(?:\\[^\']*|[^\'\\])\'', re.S)
    code = literal.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), source)
    # The semicolon of an array's type ends nothing.
    return re.sub(r"\[[^\[\]{}]*\]", lambda found: found[0].replace(";", " "), code)


def place(code, at):
    """The functions, and the type or module around them, in which `at` is."""
    names, begin = [], 0
    for brace in re.finditer(r"[{};]", code[:at]):
        header = code[begin:brace.start()]
        begin = brace.end()
        if brace[0] == "{":
            # The generics of an `impl` may have bounds, so the type is what comes last.
            found = (re.search(r"\bfn\s+(\w+)", header) or re.search(r"\bimpl\b.*?(?:\bfor\s+)?(\w+)(?:<[^>]*>)?\s*$", header, re.S)
                     or re.search(r"\b(?:mod|static|const|trait)\s+(\w+)", header))
            names.append(found[1] if found else None)
        elif brace[0] == "}" and names:
            names.pop()
    return "::".join(name for name in names if name)


def uses_in(path, source):
    """Every use of `unsafe` in a file, the reason empty where none is given."""
    code = without_comments_and_literals(source)
    code_lines, lines = code.splitlines(), source.splitlines()
    for found in re.finditer(r"\bunsafe\b", code):
        after = code[found.end():].lstrip()
        if re.match(r"fn\s*\(", after) or re.match(r"extern\s+\"?\s*\"?\s*fn\s*\(", after):
            continue  # a type: who calls through it writes `unsafe`
        what = ("block" if after.startswith("{") else "attribute" if after.startswith("(") else after.split()[0])
        line = code.count("\n", 0, found.start())
        declared = re.match(r"fn\s+(\w+)", after)
        where = place(code, found.start())
        if declared:
            where = "::".join(filter(None, [where, declared[1]]))
        reason = ""
        # The comment stands above, with nothing unsafe in between that it would be for.
        for above in range(line - 1, max(line - 8, -1), -1):
            text = lines[above].strip()
            if text.startswith("// SAFETY:") or text.startswith("/// # Safety") or text == "// # Safety":
                last = above
                while last + 1 < len(lines) and lines[last + 1].strip().startswith("//"):
                    last += 1
                block = [lines[i].strip().lstrip("/").strip() for i in range(above, last + 1)]
                reason = " ".join(block).replace("SAFETY:", "").replace("# Safety", "The caller's:").strip()
                break
            if re.search(r"\bunsafe\b", code_lines[above]) or re.match(r"\s*\}", code_lines[above]):
                break
        yield Use(path, line + 1, what, where, reason)


def complaints_about(use):
    at = f"{use.path}:{use.line}"
    if not use.reason:
        yield f"{at}: `unsafe` without a SAFETY comment"
    elif re.match(r"as (above|below|before)\b|as in `\w+`\.$", use.reason):
        yield f"{at}: a SAFETY comment that only points to another one"
    if use.is_library():
        if not ALLOWED.match(use.path):
            yield f"{at}: DESIGN.md does not allow `unsafe` in this file"
        if use.reason and not use.kinds():
            yield f"{at}: a reason of a kind that DESIGN.md does not have: {use.reason}"


def all_uses():
    files = [path for folder in ("src", "cli", "benches", "fuzz", "tests", "tests-nostd") for path in ROOT.joinpath(folder).rglob("*.rs")
             if "target" not in path.relative_to(ROOT).parts]
    for path in sorted(files):
        yield from uses_in(str(path.relative_to(ROOT)), path.read_text())


def rows(uses):
    """One row for each reason in a file, with all the places that have it."""
    files = {}
    for use in uses:
        places = files.setdefault(use.path, {}).setdefault((use.reason, use.what), [])
        places.append(use.where or "the file")
    for path, reasons in files.items():
        yield ""
        yield f"### {path}"
        yield ""
        yield "| in | what | relies on |"
        yield "|---|---|---|"
        for (reason, what), places in reasons.items():
            counted = {place: places.count(place) for place in places}
            named = ", ".join(f"`{place}`" + (f" ({n}x)" if n > 1 else "") for place, n in counted.items())
            number = f"{len(places)} {what}s" if len(places) > 1 else what
            yield f"| {named} | {number} | {reason.replace('|', chr(92) + '|')} |"


def document(uses):
    library = [use for use in uses if use.is_library()]
    others = [use for use in uses if use not in library]
    yield "# Every use of `unsafe`"
    yield ""
    yield "Written by `scripts/unsafe-list.py` from the `SAFETY` comments; `.ci/run unsafe` fails when it is not up to date, when a use has"
    yield "no such comment, and when the library has one outside the files, or for another kind of reason, than"
    yield "[DESIGN.md](../DESIGN.md#unsafe-code) allows. What a kind of reason rests on is explained there."
    yield ""
    yield f"The library has {len(library)} uses of `unsafe`; a use may have several reasons:"
    yield ""
    yield "| kind | uses | what it says |"
    yield "|---|---:|---|"
    for kind, (says, _) in KINDS.items():
        yield f"| {kind} | {sum(kind in use.kinds() for use in library)} | {says} |"
    yield ""
    yield "## The library"
    yield from rows(library)
    yield ""
    yield "## Tests, benchmarks, fuzzing"
    yield ""
    yield f"{len(others)} uses, none of which is compiled into anybody's program."
    yield from rows(others)


BAD = {
    "src/kernel.rs": [("fn f() {\n    unsafe { g() }\n}\n", "without a SAFETY comment"),
                      ("// SAFETY: because.\nunsafe { g() }\n", "of a kind that DESIGN.md does not have"),
                      ("// SAFETY: as above.\nunsafe { g() }\n", "only points to another one"),
                      # One comment is not for two.
                      ("// SAFETY: available.\nlet a = unsafe { g() };\nlet b = unsafe { g() };\n", "without a SAFETY comment")],
    "src/stream.rs": [("// SAFETY: AVX2, by `self`.\nunsafe { g() }\n", "does not allow `unsafe` in this file")],
}
GOOD = '// unsafe { }\nlet a = "unsafe {"; let b = \'{\'; type F = unsafe fn(&[u8]);\n// SAFETY: available.\nunsafe { g() }\n'


def self_test():
    for path, cases in BAD.items():
        for source, expected in cases:
            complaints = [complaint for use in uses_in(path, source) for complaint in complaints_about(use)]
            if not any(expected in complaint for complaint in complaints):
                yield f"not refused as {expected!r}: {source!r}"
    good = list(uses_in("src/kernel.rs", GOOD))
    if len(good) != 1 or list(complaints_about(good[0])):
        yield "good code is refused"


def main():
    if "--self-test" in sys.argv:
        complaints = list(self_test())
    else:
        uses = list(all_uses())
        complaints = [complaint for use in uses for complaint in complaints_about(use)]
        text = "\n".join(document(uses)) + "\n"
        if "--check" not in sys.argv:
            LIST.write_text(text)
        elif not LIST.exists() or LIST.read_text() != text:
            complaints.append("docs/unsafe.md is not up to date; review what is new, and run scripts/unsafe-list.py")
    for complaint in complaints:
        print(f"unsafe-list.py: {complaint}", file=sys.stderr)
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
