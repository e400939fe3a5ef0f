#!/usr/bin/env python3
"""Checks the links of all Markdown files of the project.

    tools/links.py

- A relative link must lead to a file of the project, and what follows `#` must be a heading there.
- A README that is also a package's page may link to files of that package alone, because the page has no others. (A package
  registry shows them next to the page.)
- An address of docs.rs must name an item that the library has: the program looks for a public item of that name in src/.

Addresses elsewhere are printed and not opened. The exit code is 1 if a link is broken.
"""

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"(?<!\\)\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)|^\[[^\]]+\]:\s*(\S+)", re.MULTILINE)
IMAGE = re.compile(r"<(?:img|source|a)\b[^>]*?(?:src|srcset|href)=\"([^\"]+)\"")


def tracked(pattern):
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", pattern],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout
    return [ROOT / name for name in listed.split("\0") if name]


def without_code(text):
    """Returns `text` with all code made blank, so that lines keep their numbers."""
    blank = lambda match: re.sub(r"[^\n]", " ", match[0])
    text = re.sub(r"^(```|~~~).*?^\1", blank, text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", blank, text)


def anchors(path):
    """Returns the anchors of the headings of a Markdown file, as public hosts of source code make them."""
    text = re.sub(r"^(```|~~~).*?^\1", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
    found, seen = set(), {}
    for heading in re.findall(r"^#{1,6}\s+(.*?)\s*#*$", text, re.MULTILINE):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        count = seen.get(name, 0)
        seen[name] = count + 1
        found.add(name if count == 0 else f"{name}-{count}")
    return found | set(re.findall(r"<a\s+(?:id|name)=\"([^\"]+)\"", text))


def packages():
    """Returns the page of each package, and the files that the package has."""
    pages = {}
    for manifest in tracked("*Cargo.toml"):
        package = tomllib.loads(manifest.read_text()).get("package", {})
        if package.get("publish") is False or "readme" not in package:
            continue
        listed = subprocess.run(
            ["cargo", "package", "--list", "--allow-dirty", "--manifest-path", str(manifest)],
            cwd=ROOT, check=True, capture_output=True, text=True,
        ).stdout
        folder = manifest.parent
        pages[folder / package["readme"]] = {(folder / name).resolve() for name in listed.split("\n") if name}
    return pages


def main():
    pages = packages()
    sources = "\n".join(path.read_text() for path in tracked("src/*.rs"))
    broken, elsewhere, count = [], set(), 0
    for page in tracked("*.md"):
        text = without_code(page.read_text())
        links = [(match.start(), match[1] or match[2]) for match in LINK.finditer(text)]
        links += [(match.start(), match[1]) for match in IMAGE.finditer(text)]
        for place, link in links:
            count += 1
            where = f"{page.relative_to(ROOT)}:{text.count(chr(10), 0, place) + 1}"
            if item := re.fullmatch(r"https://docs\.rs/trust8/[^/]+/trust8/(?:.*/)?\w+\.(\w+)\.html(?:#.*)?", link):
                if not re.search(rf"\bpub (?:(?:const|unsafe) )*\w+ {item[1]}\b", sources):
                    broken.append(f"{where}: the library has no public item {item[1]}: {link}")
            if re.match(r"[a-z]+:", link):
                elsewhere.add(link)
                continue
            name, _, anchor = link.partition("#")
            target = (page.parent / unquote(name)).resolve() if name else page
            if not target.exists():
                broken.append(f"{where}: no such file: {link}")
            elif page in pages and target.is_file() and target not in pages[page]:
                broken.append(f"{where}: the package does not have this file: {link}")
            elif anchor and target.suffix == ".md" and anchor not in anchors(target):
                broken.append(f"{where}: no such heading: {link}")
    print(f"{count} links in {len(tracked('*.md'))} files, pages of {len(pages)} packages; not opened:")
    print("\n".join(f"  {link}" for link in sorted(elsewhere)))
    print("\n".join(broken) if broken else "no link is broken")
    return 1 if broken or not count else 0


if __name__ == "__main__":
    sys.exit(main())
