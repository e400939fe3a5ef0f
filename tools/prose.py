#!/usr/bin/env python3
"""Looks for phrases of translated English in documents, Rust comments, and the interfaces for other languages.

    tools/prose.py               checks the files
    tools/prose.py --self-test   checks that each phrase is found

A match is a line that a colleague would not say. The list is short, so that each match is worth a change; it replaces no reading.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# A phrase, and a sentence that has it.
PHRASES = {
    r"\bbut for\b": "all before it is valid, but for what it cuts off",
    r"\ball else\b": "planes for all else",
    r"\bso many\b": "one line in so many bytes",
    r"\bof which\b(?! \d)": "two blocks, of which the second may be short",
    r"\bof its own\b": "a function of its own",
    r"\bfunction apart\b": "as a function apart",
    r"\bwhat is (?:left|no|none)\b": "check what is left by blocks",
    r"\bis wanted\b": "where an error is wanted",
    r"\bat hand\b": "if the whole document is at hand",
    r"\blooks? at the faults\b": "between two looks at the faults",
    r"\bpredicted wrongly\b": "a branch would be predicted wrongly",
    r"\bis asked\b": "the CPU is asked",
    r"\b(?:doors?|seams?)\b": "the seam between two pieces",
    r"\bgets on\b": "the routine gets on",
    r"\bgoes on\b": "the search goes on",
    r"\bin the place of\b": "it is put in the place of the file",
    r"\bbecomes of\b": "what becomes of invalid sequences",
    r"\bstands? (?:for|before|after|here)\b": "a lead may stand before it",
    r"\bfor the weight\b": "left out, for the weight",
    r"\bthe same, likewise\b": "the same, likewise",
    r"\bhow-manieth\b": "the how-manieth character",
    r"\bwhat there is\b": "half of what there is to compile",
    r"\bto be said before\b": "to be said before the first read",
    r"\bteaches the CPU\b": "it teaches the CPU",
    r"\bwidest vectors\b": "the widest vectors that the CPU has",
    r"\bas fast as the CPU allows\b": "as fast as the CPU allows",
    r"\bfamily 0x|\bfamily \d+, model \d+": "an AMD EPYC (family 25, model 17)",
    # tools/cpu.py has the name that a document gives.
    r"\bAMD EPYC\b(?! \d)|\bIntel\(R\)": "one core of an AMD EPYC",
}
PATTERN = re.compile("|".join(f"(?:{phrase})" for phrase in PHRASES), re.IGNORECASE)


def prose(path):
    """Yields the numbers and the texts of the lines of prose."""
    code = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if path.suffix == ".rs":
            found = re.match(r"\s*//[/!]? ?(.*)", line)
            line = found[1] if found else "```" if code else ""
            if not found:
                code = False
                continue
        if line.lstrip().startswith("```"):
            code = not code
        elif not code:
            yield number, line


def main():
    if sys.argv[1:] == ["--self-test"]:
        missed = [phrase for phrase, sentence in PHRASES.items() if not re.search(phrase, sentence, re.IGNORECASE)]
        return [f"not found: {phrase}" for phrase in missed]
    listed = subprocess.run(
        ["git", "ls-files", "*.md", "*.rs", "*.pyi", "*.hpp", "*.d.ts", "bindings/python/package/*.py"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout.split()
    return [
        f"{name}:{number}: {found[0]}: {line.strip()}"
        for name in listed
        for number, line in prose(ROOT / name)
        if (found := PATTERN.search(line))
    ]


if __name__ == "__main__":
    wrong = main()
    sys.exit("\n".join(wrong) if wrong else 0)
