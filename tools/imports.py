#!/usr/bin/env python3
"""Checks that the imports in src/ go one way.

    imports.py [FOLDER]      checks the files in FOLDER (default: src, the packages beside it, and their tests)
    imports.py --self-test   checks that bad imports are refused

A layer is a folder or a file in src/. It may import from itself and from the layers before it in LAYERS. Files may not import each other in
a circle, but a module and its submodules may. An impl is used without an import: it stands in the layer of its trait or its type, and what a
later layer adds to a type, no earlier layer may call. The packages beside src/, and tests, are only checked for circles.

A name that a module re-exports belongs to the file that defines it. lib.rs re-exports from every layer; its own functions have the position
of `lib` in LAYERS. Code under `#[cfg(test)]` and files model.rs are for unit tests, and do not count.
"""

import collections
import graphlib
import pathlib
import re
import sys
import tempfile

LAYERS = "names policy error boundary simd kernel output lib repair stream text io serialize simdutf8 engine foreign".split()

# These folders are only checked for circles. Their files have no order.
PACKAGES = "crates/cli crates/columns crates/counts crates/transcode crates/dialect crates/profile crates/tokio crates/arrow bindings/c".split()

# The main file of a library, of a program or its tests, and of what all tests use.
CRATES = "lib.rs main.rs mod.rs".split()

COMMENT_OR_LITERAL = re.compile(r'//[^\n]*|/\*.*?\*/|\br(#*)".*?"\1|"(?:\\.|[^"\\])*"|\'(?:\\[^\']*|[^\'\\])\'', re.S)
FOR_TESTS = re.compile(r"#\[cfg\((?:all\()?test\b[^]]*\](?:\s*#\[[^]]*\])*(?:[\s\w()]*?\bmod\s+(\w+)\s*(?=;))?")
PATH = re.compile(r"(?<![\w:])\w+(?:\s*::\s*\w+)+")
INSIDE = ("crate", "self", "super")


def block_end(code, start):
    """Returns the place after the item that begins at `start`. The item ends with a semicolon or a block."""
    depth = 0
    for mark in re.finditer(r"[;{}]", code[start:]):
        depth += {"{": 1, "}": -1, ";": 0}[mark[0]]
        if depth == 0:
            return start + mark.end()
    return len(code)


def leaves(tree):
    """Yields the paths in the tree of a `use`, each with the name that it binds."""
    tree = re.sub(r"\s", "", re.sub(r"\s+as\s+", "=", tree))
    while found := re.search(r"([\w:]*)\{([^{}]*)\}", tree):
        inner = ",".join(found[1] + part for part in found[2].split(",") if part)
        tree = tree[:found.start()] + inner + tree[found.end():]
    for leaf in tree.split(","):
        path, _, alias = leaf.partition("=")
        names = path.removesuffix("::self").split("::")
        yield tuple(names), alias or names[-1]


def without_generics(header):
    """Returns the text outside angle brackets. The `>` of an arrow closes none."""
    depth, kept = 0, []
    for i, char in enumerate(header):
        depth += {"<": 1, ">": -(header[i - 1] not in "-=")}.get(char, 0)
        kept.append(char if depth == 0 and char != ">" else " ")
    return "".join(kept)


def impls(code):
    """Yields the path of the trait (or None), that of the type, and the names of the functions, for each impl."""
    for found in re.finditer(r"(?m)^\s*(?:unsafe\s+)?impl\b([^{;]*)\{", code):
        header = without_generics(found[1]).split(" where ")[0]
        *trait, kind = (part.strip().lstrip("&").split() or [""] for part in re.split(r"\bfor\b", header))
        body = code[found.end() : block_end(code, found.start())]
        names = re.findall(r"\bfn\s+(\w+)", body)
        yield (tuple(re.findall(r"\w+", trait[0][-1])) if trait else None), tuple(re.findall(r"\w+", kind[-1])), names


class Tree:
    """The modules of a crate. A module's key is the tuple of names in its path; that of lib.rs is empty."""

    def __init__(self, folder):
        self.main, self.files, self.paths, self.code, for_tests = {}, {}, {}, {}, set()
        # A folder need not have a main file.
        self.bound = collections.defaultdict(dict)
        for file in sorted(folder.rglob("*.rs")):
            name = str(file.relative_to(folder))
            module = () if name in CRATES else tuple(re.sub(r"(/mod|)\.rs$", "", name).split("/"))
            code = COMMENT_OR_LITERAL.sub(" ", file.read_text())
            # What an exported macro names is resolved in the crate that calls it.
            while found := re.search(r"#\[macro_export\]", code):
                code = code[:found.start()] + code[block_end(code, found.end()):]
            while found := FOR_TESTS.search(code):
                for_tests |= {(*module, found[1])} if found[1] else set()
                code = code[:found.start()] + code[block_end(code, found.end()):]
            self.main[name], self.code[name] = module, code
            self.read(module, code, name)
        for name, module in list(self.main.items()):
            if module[-1:] == ("model",) or any(module[:i + 1] in for_tests for i in range(len(module))):
                del self.main[name]

    def read(self, module, code, file):
        """Takes the code of a module in `file`, and of the modules written inside it."""
        while found := re.search(r"\bmod\s+(\w+)\s*\{", code):
            end = block_end(code, found.start())
            self.read((*module, found[1]), code[found.end():end - 1], file)
            code = code[:found.start()] + code[end:]
        self.files[module] = file
        uses = [leaf for found in re.finditer(r"\buse\s+([^;]+);", code) for leaf in leaves(found[1])]
        self.bound[module].update((name, path) for path, name in uses)
        written = [tuple(re.findall(r"\w+", path)) for path in PATH.findall(re.sub(r"\buse\s+[^;]+;", "", code))]
        self.paths.setdefault(module, []).extend([path for path, _ in uses] + written)

    def owner(self, path, here, depth=0):
        """Returns the module that defines what `path` names in the module `here`; None if it is not in this crate."""
        if path[0] not in INSIDE and (*here, path[0]) not in self.files and path[0] not in self.bound[here]:
            return None
        while path and path[0] in INSIDE:
            here, path = {"crate": (), "self": here, "super": here[:-1]}[path[0]], path[1:]
        for i, name in enumerate(path):
            if (*here, name) in self.files:
                here = (*here, name)
            elif name in self.bound[here] and depth < 9:
                return self.owner((*self.bound[here][name], *path[i + 1:]), here, depth + 1) or here
            else:
                break
        return here


def misplaced(tree, layer):
    """Yields what is wrong with the impls: an impl is used without an import, so its own layer decides who may use it."""
    position = {name: LAYERS.index(layer[name]) if name != "lib.rs" else LAYERS.index("lib") for name in tree.main}

    def owner(path, user):
        if path and re.search(rf"\b(?:struct|enum|trait)\s+{path[-1]}\b", tree.code[user]):
            return position[user]
        return path and position.get(tree.files.get(tree.owner(path, tree.main[user])))

    defined = {name: set(re.findall(r"\bfn\s+(\w+)", tree.code[name])) for name in tree.main}
    called = {name: set(re.findall(r"\.\s*(\w+)\s*(?:::\s*<[^(]*>\s*)?\(", tree.code[name])) for name in tree.main}
    for user in tree.main:
        for trait, kind, names in impls(tree.code[user]):
            of_trait, of_kind = owner(trait, user), owner(kind, user)
            if of_trait is not None and position[user] > max(of_trait, of_kind or 0):
                yield f"{user} implements {trait[-1]} for {kind[-1]}, which belong to earlier layers"
            if trait is None and of_kind is not None and of_kind < position[user]:
                for earlier in tree.main:
                    known = set().union(*(defined[name] for name in tree.main if position[name] <= position[earlier]))
                    for method in sorted((called[earlier] & set(names)) - known):
                        if position[earlier] < position[user]:
                            yield f"{earlier} calls {method}, which {user} adds to {kind[-1]} in a later layer"


def complaints(folder):
    """Yields what is wrong with the imports in a folder."""
    tree, graph = Tree(folder), {}
    layer = {name: name.removesuffix(".rs").split("/")[0] for name in tree.main}
    has_layers = folder.parent.name not in [*(pathlib.Path(name).name for name in PACKAGES), "tests"]
    if has_layers and (set(layer.values()) - set(LAYERS) or "lib.rs" not in layer):
        yield f"{folder}: lib.rs is missing, or LAYERS lacks one of {sorted(set(layer.values()))}"
        return
    for module, path in [(module, path) for module, paths in tree.paths.items() for path in paths]:
        user, used = tree.files[module], tree.files.get(tree.owner(path, module))
        if user not in layer or used not in layer:
            continue
        if has_layers and user != "lib.rs" and LAYERS.index(layer[user]) < LAYERS.index(layer[used]):
            yield f"{user} imports {used}, a later layer: {'::'.join(path)}"
        inner, outer = sorted((tree.main[user], tree.main[used]), key=len, reverse=True)
        if inner[:len(outer)] != outer:
            graph.setdefault(user, []).append(used)
    if has_layers:
        yield from misplaced(tree, layer)
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        yield f"{folder}: files import each other in a circle: {' -> '.join(reversed(error.args[1]))}"


GOOD = {
    "lib.rs": "pub use error::{ErrorKind, Utf8Error}; pub use text::inspect; mod error; mod text; pub fn from_utf8() {}",
    "error.rs": "// use crate::text;\nconst A: &str = \"crate::text\"; #[cfg(test)] mod tests { use crate::from_utf8; }",
    "kernel/mod.rs": "pub struct Kernel; pub trait Engine {} mod detect; pub use detect::best; #[cfg(all(test, unix))] mod check; #[cfg(test)] use crate::text;",
    "kernel/detect.rs": "use super::Kernel; mod x86 { use super::super::best; }",
    "kernel/check.rs": "use crate::text;",
    "text/mod.rs": "mod count; mod part; pub use count::{self as number, inspect};",
    "text/count.rs": "use crate::{Utf8Error, kernel::{self, Kernel as K}}; fn f() { kernel::best(); crate::from_utf8() }",
    "text/part.rs": "use super::inspect; use crate::kernel::Kernel;\nimpl Kernel { fn count_all(&self) {} }",
    "text/model.rs": "use crate::foreign;",
    "io/fs.rs": "use super::arrow; use super::super::text;",
    "foreign.rs": "",
}
# Each of these complaints must come if a good file is replaced by the one after it.
BAD = {
    "error.rs imports lib.rs, a later layer": ("error.rs", "use crate::from_utf8;"),
    "error.rs imports kernel/detect.rs, a later": ("error.rs", "pub(crate) use crate::{\n  kernel::{best as b},\n};"),
    "kernel/mod.rs imports text/count.rs, a later layer": ("kernel/mod.rs", "macro_rules! m { () => { $crate::inspect() } }"),
    "in a circle: text/count.rs -> text/part.rs -> text/count.rs": ("text/count.rs", "mod a { use super::super::part; }"),
    "or LAYERS lacks one of": ("attic/mod.rs", ""),
    "text/part.rs implements Engine for Scalar, which belong": (
        "text/part.rs",
        "use crate::kernel::{Engine, detect::Scalar}; use super::inspect;\nimpl<'a> Engine for Scalar { fn go(&self) {} }",
    ),
    "kernel/detect.rs calls count_all, which text/part.rs adds to Kernel": (
        "kernel/detect.rs",
        "use super::Kernel; fn f(kernel: &Kernel) { kernel.count_all::<u8>(1); }",
    ),
}


def self_test():
    """Yields what the check gets wrong."""
    for expected, (changed, code) in {"": ("foreign.rs", ""), **BAD}.items():
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**GOOD, changed: code}.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(exist_ok=True)
                path.write_text(text)
            found = list(complaints(pathlib.Path(folder)))
        if bool(found) != bool(expected) or expected not in "".join(found):
            yield f"expected {expected!r}, found {found}"


if __name__ == "__main__":
    root = pathlib.Path(__file__).resolve().parent.parent
    tests = [file.parent for name in ["", *PACKAGES] for file in (root / name / "tests").glob("*/m[ao]*.rs") if file.name in CRATES]
    folders = [root / "src", *(root / name / "src" for name in PACKAGES), *tests]
    folders = [pathlib.Path(sys.argv[1])] if sys.argv[1:] else folders
    wrong = list(self_test() if sys.argv[1:] == ["--self-test"] else (c for folder in folders for c in complaints(folder)))
    for complaint in wrong:
        print(f"imports.py: {complaint}", file=sys.stderr)
    sys.exit(1 if wrong else 0)
