"""Writes docs/python.md and docs/python.svg from the files that `figures.py` has printed.

    python/measure/report.py FOLDER

The folder has VERSION.times.json and VERSION.memory.json for each version of Python, and perhaps VERSION.avx2.json.
"""

from __future__ import annotations

import json
import sys
import textwrap
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def main() -> None:
    runs = [
        json.loads(path.read_text()) | json.loads(Path(str(path).replace(".times.", ".memory.")).read_text())
        for path in Path(sys.argv[1]).glob("*.times.json")
    ]
    others = [json.loads(path.read_text()) for path in Path(sys.argv[1]).glob("*.avx2.json")]
    for some in runs, others:
        some.sort(key=lambda run: [int(number) for number in run["python"].split(".")])
    (DOCS / "python.md").write_text(page(runs, others), encoding="utf-8")
    (DOCS / "python.svg").write_text(plot(runs), encoding="utf-8")


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|---" * 1 + "|---:" * (len(head) - 1) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def times(ratio: float) -> str:
    return f"{ratio:.1f}" if ratio >= 10 else f"{ratio:.2f}"


def short_name(run: dict) -> str:
    return ".".join(run["python"].split(".")[:2])


def verdicts(runs: list[dict], others: list[dict]) -> list[tuple[str, str, float, float, bool]]:
    """Each target, the case that is nearest to it or furthest below, its figure, and whether it is met."""

    def worst(cases):
        return min(cases, key=lambda case: case[0])

    found = []

    def cases_of(kernel, is_ascii=False):
        every = [run for run in runs + others if run["kernel"] == kernel]
        return [(run, one) for run in every for one in run["long"] if (one["text"] == "ASCII") == is_ascii]

    def where(run, one, *more):
        return ", ".join(["Python " + short_name(run), one["text"], *more])

    def of_long(cases, name):
        return [(one["ns"]["bytes.decode"] / one["ns"][name], where(run, one, one["size"])) for run, one in cases]

    best = runs[0]["kernel"]
    found.append(("`is_utf8` against `bytes.decode` thrown away, not ASCII, from 4 KiB", 20, *worst(of_long(cases_of(best), "is_utf8"))))
    for kernel, target in ("avx512", 4), ("avx2", 1.5):
        if cases := cases_of(kernel):
            found.append((f"`decode`, not ASCII, from 4 KiB, kernel `{kernel}`", target, *worst(of_long(cases, "decode"))))
    for kernel in ("avx512", "avx2"):
        if cases := cases_of(kernel, is_ascii=True):
            found.append((f"`decode`, ASCII, kernel `{kernel}`", 0.95, *worst(of_long(cases, "decode"))))
    found.append(("`decode`, strings below 64 bytes, against the method call", 0.9, *worst(
        [(one["ns"]["bytes.decode"] / one["ns"]["decode"], where(run, one, one["lengths"] + " bytes"))
         for run in runs for one in run["short"]])))
    found.append(("`decode` of faulty text with `replace`", 3, *worst(
        [(one["ns"]["bytes.decode"] / one["ns"]["decode"], where(run, one, f"a fault in {one['every']} bytes"))
         for run in runs for one in run["faulty"]])))
    found.append(("columns, against the same work in Rust", 0.9, *worst(
        [(one["ns"]["Rust"] / one["ns"]["as_utf8"], where(run, one)) for run in runs for one in run["columns"]])))
    found.append(("peak memory of CPython's decoder against that of `decode`", 1, *worst(
        [(one["peak"]["CPython"] / max(1, one["peak"]["trust8"]), where(run, one, one["errors"]))
         for run in runs for one in run["memory"]])))
    return [(name, place, figure, target, figure >= target * 0.995) for name, target, figure, place in found]


def page(runs: list[dict], others: list[dict]) -> str:
    versions = [short_name(run) for run in runs]
    out = [
        "# How fast the Python package is\n",
        "`python/measure/run.sh` writes this page. All contestants of a line take turns in one process, the smallest time of each",
        "counts, and every answer is compared first. The calls stand in a loop over different texts of one kind: 64 texts of 4 KiB,",
        "16 of 64 KiB, or one of 1 MiB. Figures are how many times as fast as CPython's way, unless a line says otherwise: 2 is half",
        "the time.\n",
        f"CPU: {runs[0]['cpu']}, kernel `{runs[0]['kernel']}`, one core of a shared machine. Python " + ", ".join(run["python"] for run in runs) + ".\n",
        "![How many times as fast as bytes.decode](python.svg)\n",
        "## Targets\n",
    ]
    rows = [
        [name, f"{target}", times(figure), place, "met" if met else f"**missed by {100 * (1 - figure / target):.0f} %**"]
        for name, place, figure, target, met in verdicts(runs, others)
    ]
    out.append(table(["target", "at least", "worst case", "where", ""], rows))
    missing = [version for version in ["3.10", "3.11", "3.12", "3.13"] if version not in versions]
    lacks = [*([] if others else ["the AVX2 kernel"]), *(f"Python {version}" for version in missing)]
    if lacks:
        out.append(f"This run has no figures for {', '.join(lacks)}.\n")
    out += limits(runs)
    out.append("## `decode` against `bytes.decode`\n")
    out.append(table(["text", *[f"{v}, {s}" for v in versions for s in ("4 KiB", "64 KiB", "1 MiB")]], [
        [name, *[times(ratio(run, name, size, "decode")) for run in runs for size in ("4 KiB", "64 KiB", "1 MiB")]]
        for name in names(runs)
    ]))
    out.append("## `is_utf8` against `bytes.decode` whose result is thrown away\n")
    out.append(table(["text", *[f"{v}, {s}" for v in versions for s in ("4 KiB", "64 KiB", "1 MiB")]], [
        [name, *[times(ratio(run, name, size, "is_utf8")) for run in runs for size in ("4 KiB", "64 KiB", "1 MiB")]]
        for name in names(runs)
    ]))
    if others:
        out.append("## The same with the kernel `avx2`\n")
        out.append("`decode` against `bytes.decode`, as on a CPU without AVX-512.\n")
        versions_of_others = [short_name(run) for run in others]
        out.append(table(["text", *[f"{v}, {s}" for v in versions_of_others for s in ("4 KiB", "64 KiB", "1 MiB")]], [
            [name, *[times(ratio(run, name, size, "decode")) for run in others for size in ("4 KiB", "64 KiB", "1 MiB")]]
            for name in names(runs)
        ]))
    out.append("## One text again and again\n")
    out.append("A loop that decodes the same 4 KiB again and again teaches the CPU where each character ends. CPython's decoder has a branch\n"
               "for each character, so on mixed text it takes about half the time then. Programs rarely do this; benchmarks do. `decode`, and\n"
               "`is_utf8` against `bytes.decode` whose result is thrown away:\n")
    out.append(table(["text", *[f"{v}, {what}" for v in versions for what in ("`decode`", "`is_utf8`")]], [
        [name, *[times(ratio(run, name, "4 KiB", what, of="one")) for run in runs for what in ("decode", "is_utf8")]]
        for name in names(runs)
    ]))
    out.append("## `encode` against `str.encode`\n")
    out.append(table(["text", *[f"{v}, {s}" for v in versions for s in ("4 KiB", "64 KiB", "1 MiB")]], [
        [name, *[times(ratio(run, name, size, "encode", "str.encode")) for run in runs for size in ("4 KiB", "64 KiB", "1 MiB")]]
        for name in names(runs)
    ]))
    out.append("## Faulty text with `replace`, 64 KiB\n")
    out.append(table(["text", *[f"{v}, 1 in {e}" for v in versions for e in (50, 1000)]], [
        [name, *[times(next(one["ns"]["bytes.decode"] / one["ns"]["decode"] for one in run["faulty"]
                            if (one["text"], one["every"]) == (name, every))) for run in runs for every in (50, 1000)]]
        for name in names(runs)
    ]))
    out.append("## Strings below 64 bytes\n")
    out.append("Nanoseconds for each string, with the loop around the call. `bytes.decode` is a method and `trust8.decode` a function of a\n"
               "module; a call of either costs about the same, and for a few bytes it is most of the time.\n")
    run = runs[-1]
    out.append(f"Python {run['python']}:\n")
    out.append(table(["text and length", "the loop alone", "`bytes.decode`", "`str(b, 'utf-8')`", "`decode`", "`is_utf8`", "`decode` against `bytes.decode`"], [
        [f"{one['text']}, {one['lengths']}", *[f"{one['ns'][key]:.0f}" for key in ("loop", "bytes.decode", "str", "decode", "is_utf8")],
         times(one["ns"]["bytes.decode"] / one["ns"]["decode"])]
        for one in run["short"]
    ]))
    out.append("Ratios for all versions, the worst of three lengths:\n")
    out.append(table(["text", *versions], [
        [name, *[times(min(one["ns"]["bytes.decode"] / one["ns"]["decode"] for one in run["short"] if one["text"] == name)) for run in runs]]
        for name in names(runs)
    ]))
    out.append("## What else makes strings of bytes\n")
    out.append("A JSON parser makes a `str` of a JSON string, and validates it. GB/s, 64 KiB without escapes.\n")
    out.append(f"Python {run['python']}:\n")
    out.append(table(["text", "`trust8.decode`", "`orjson.loads`", "`simdjson.Parser.parse`"], [
        [one["text"], *[f"{one['bytes'] / one['ns'][key]:.2f}" for key in ("decode", "orjson.loads", "simdjson.parse")]]
        for one in run["others"]
    ]))
    out.append("## Columns\n")
    out.append("An array of words, from bytes into text. GB/s of the array's memory, with offsets. The column *Rust* is the same work\n"
               "without the interface to Python.\n")
    out.append(f"Python {run['python']}:\n")
    out.append(table(["text", "rows", "`trust8.arrow.as_utf8`", "Rust", "pyarrow's `cast`", "polars' `cast`"], [
        [one["text"], f"{one['rows']:,}", *[f"{one['bytes'] / one['ns'][key]:.2f}" for key in ("as_utf8", "Rust", "pyarrow cast", "polars cast")]]
        for one in run["columns"]
    ]))
    out.append("## Memory\n")
    out.append("The most memory that decoding 8 MiB needs besides the bytes, in MiB: CPython / trust8. Faulty text has a fault in 1000 bytes.\n")
    out.append(f"Python {run['python']}:\n")
    kinds = ["strict", "replace", "ignore", "surrogateescape"]
    out.append(table(["text", *kinds], [
        [name, *[next(f"{one['peak']['CPython'] / 2**20:.0f} / {one['peak']['trust8'] / 2**20:.0f}" for one in run["memory"]
                      if (one["text"], one["errors"]) == (name, kind)) for kind in kinds]]
        for name in names(runs)
    ]))
    return "\n".join(out)


def limits(runs: list[dict]) -> list[str]:
    """What the time goes to where faulty text misses its target."""
    slow = [(one["ns"]["bytes.decode"] / one["ns"]["decode"], run, one) for run in runs for one in run["faulty"]]
    figure, run, one = min(slow, key=lambda case: case[0])
    if figure >= 3 * 0.995:
        return []
    clean = next(other for other in run["long"] if (other["text"], other["size"]) == (one["text"], "64 KiB"))["ns"]["decode"]
    bare = next(other for other in run["long"] if (other["text"], other["size"]) == ("ASCII", "64 KiB"))["ns"]["decode"]
    micro = {name: f"{ns / 1000:.1f} µs" for name, ns in [*one["ns"].items(), ("clean", clean), ("bare", bare)]}
    text = (
        f"With Python {short_name(run)}, `decode` takes {micro['decode']} for 64 KiB of {one['text']} with a fault in {one['every']} bytes,"
        f" and CPython {micro['bytes.decode']}. A call, a new string and a copy take {micro['bare']}: that is `decode` of as much ASCII."
        f" The same text without faults takes {micro['clean']}. The rest is the library's lossy conversion: it replaces the ill-formed"
        " sequences of a block one after the other, and the CPU can't predict how many a block has."
    )
    return [textwrap.fill(text, 125) + "\n"]


def names(runs: list[dict]) -> list[str]:
    return list(dict.fromkeys(one["text"] for one in runs[0]["long"]))


def ratio(run: dict, name: str, size: str, ours: str, theirs: str = "bytes.decode", of: str = "long") -> float:
    one = next(one for one in run[of] if (one["text"], one["size"]) == (name, size))
    return one["ns"][theirs] / one["ns"][ours]


def plot(runs: list[dict]) -> str:
    """Bars: how many times as fast as `bytes.decode` `decode` is, by text and version, for 64 KiB."""
    colors = ["#9ecae1", "#6baed6", "#3182bd", "#08519c"]
    top = max(ratio(run, name, "64 KiB", "decode") for run in runs for name in names(runs))
    step = 5 if top > 10 else 2
    top = (int(top / step) + 1) * step
    left, base, height, bar = 50, 290, 240, 18
    group = bar * len(runs) + 24
    width = left + group * len(names(runs)) + 20
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} 350" font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="350" fill="white"/>',
        f'<text x="{left}" y="20" font-size="14">trust8.decode against bytes.decode, 64 KiB: times as fast</text>',
    ]
    for value in range(0, top + 1, step):
        y = base - height * value / top
        out.append(f'<line x1="{left}" y1="{y:.1f}" x2="{width - 10}" y2="{y:.1f}" stroke="#ddd"/>')
        out.append(f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{value}</text>')
    one = base - height / top
    out.append(f'<line x1="{left}" y1="{one:.1f}" x2="{width - 10}" y2="{one:.1f}" stroke="#c33" stroke-dasharray="4 3"/>')
    for i, name in enumerate(names(runs)):
        x = left + 12 + i * group
        for j, run in enumerate(runs):
            value = ratio(run, name, "64 KiB", "decode")
            h = height * value / top
            out.append(f'<rect x="{x + j * bar}" y="{base - h:.1f}" width="{bar - 2}" height="{h:.1f}" fill="{colors[j % 4]}"/>')
            out.append(f'<text x="{x + j * bar + bar / 2 - 1}" y="{base - h - 4:.1f}" text-anchor="middle" font-size="9">{value:.1f}</text>')
        out.append(f'<text x="{x + bar * len(runs) / 2}" y="{base + 18}" text-anchor="middle">{name}</text>')
    for j, run in enumerate(runs):
        x = left + 12 + j * 90
        out.append(f'<rect x="{x}" y="{base + 32}" width="12" height="12" fill="{colors[j % 4]}"/>')
        out.append(f'<text x="{x + 17}" y="{base + 42}">Python {short_name(run)}</text>')
    out.append("</svg>\n")
    return "\n".join(out)


if __name__ == "__main__":
    main()
