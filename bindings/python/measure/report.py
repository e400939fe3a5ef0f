"""Writes docs/python.md and docs/python.svg from the files that `figures.py` has printed.

    bindings/python/measure/report.py FOLDER

The folder has VERSION.times.json and VERSION.memory.json for each version of Python, and perhaps VERSION.avx2.json and
VERSION.KERNEL.cells.json.
"""

from __future__ import annotations

import json
import statistics
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
DOCS = ROOT / "docs"
sys.path.append(str(ROOT / "tools"))
from performance import bars, markdown  # noqa: E402


def main() -> None:
    runs = [
        json.loads(path.read_text()) | json.loads(Path(str(path).replace(".times.", ".memory.")).read_text())
        for path in Path(sys.argv[1]).glob("*.times.json")
    ]
    others = [json.loads(path.read_text()) for path in Path(sys.argv[1]).glob("*.avx2.json")]
    cells = [json.loads(path.read_text()) for path in Path(sys.argv[1]).glob("*.cells.json")]
    for some in runs, others, cells:
        some.sort(key=lambda run: [int(number) for number in run["python"].split(".")])
    (DOCS / "python.md").write_text(page(runs, others, cells), encoding="utf-8")
    # There is room for the oldest and the newest version.
    panels = [
        (f"decode of 64 KiB, Python {short_name(run)}", "", {name: round(ratio(run, name, "64 KiB", "decode"), 1) for name in names(runs)})
        for run in {short_name(run): run for run in (runs[0], runs[-1])}.values()
    ]
    (DOCS / "python.svg").write_text(bars("How many times as fast as bytes.decode", *panels), encoding="utf-8")


def times(ratio: float) -> str:
    return f"{ratio:.1f}" if ratio >= 10 else f"{ratio:.2f}"


def short_name(run: dict) -> str:
    return ".".join(run["python"].split(".")[:2])


def kind(one: dict) -> str:
    """What is wrong with a text."""
    return f"1/{one['every']:,}" if one["every"] else "all"


def verdicts(runs: list[dict], others: list[dict], cells: list[dict]) -> list[tuple[str, str, float, float, bool]]:
    """Each target, the case that is nearest to it or furthest below, its figure, and whether it is met."""

    def worst(cases):
        return min(cases, key=lambda case: case[0])

    def version(run):
        return ["Python " + short_name(run)] if len(runs) > 1 else []

    found = []

    def cases_of(kernel, is_ascii=False):
        every = [run for run in runs + others if run["kernel"] == kernel]
        return [(run, one) for run in every for one in run["long"] if (one["text"] == "ASCII") == is_ascii]

    def where(run, one, *more):
        return ", ".join([*version(run), one["text"], *more])

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
    found.append(("`decode`, strings below 64 bytes, against the method call", 1, *worst(
        [(one["ns"]["bytes.decode"] / one["ns"]["decode"], where(run, one, one["lengths"] + " bytes"))
         for run in runs for one in run["short"]])))
    for kernel in ("avx512", "avx2"):
        faulty = [(run, one) for run in runs + others if run["kernel"] == kernel for one in run["faulty"]]
        for name, long, target in ("4 to 1,000 bytes", False, 1), ("10,000 bytes to 64 KiB", True, 2):
            if faulty:
                found.append((f"faulty text of {name}, any handler, kernel `{kernel}`", target, *worst(
                    [(ratio, where(run, one, errors, f"{one['length']:,} bytes", f"faults {kind(one)}"))
                     for run, one in faulty if (one["length"] > 1000) == long for errors, ratio in one["times"].items()])))
    for run in cells:
        places = [(one["ratio"], ", ".join([*version(run), one["text"], one["what"], f"{one['length']:,} bytes", one["kind"]])) for one in run["cells"]]
        name = f"all handlers and `encode`, 64 bytes to 10 MB, learned and new, kernel `{run['kernel']}`"
        found.append((f"{name}: each of {len(places):,} cells", 0.95, *worst(places)))
        long = [one["ratio"] for one in run["cells"] if one["length"] >= 1000]
        found.append(("the same from 1,000 bytes on: geometric mean", 1.8, statistics.geometric_mean(long), ""))
    found += [(name, 0.95, run["others of Python"][name], *(version(run) or [""])) for run in runs[-1:] for name in run["others of Python"]]
    found.append(("columns, against copying and validating in Rust", 0.9, *worst(
        [(one["ns"]["Rust"] / one["ns"]["as_utf8"], where(run, one)) for run in runs for one in run["columns"]])))
    found.append(("peak memory of CPython's decoder against that of `decode`", 1, *worst(
        [(one["peak"]["CPython"] / max(1, one["peak"]["trust8"]), where(run, one, one["errors"]))
         for run in runs for one in run["memory"]])))
    return [(name, place, figure, target, figure >= target * 0.995) for name, target, figure, place in found]


def page(runs: list[dict], others: list[dict], cells: list[dict]) -> str:
    versions = [short_name(run) for run in runs]
    out = [
        "# How fast the Python package is\n",
        "`bindings/python/measure/run.sh` writes this page. Contestants take turns in one process, and the smallest time of each counts. All",
        "answers are compared first. A loop calls each function on different texts of one kind: 64 of 4 KiB, 16 of 64 KiB, or one of",
        "1 MiB. Figures are speed relative to CPython, unless a row says otherwise.\n",
        f"{runs[0]['cpu']}, {runs[0]['date']}: kernel `{runs[0]['kernel']}`, one core of a shared machine; Python " + ", ".join(run["python"] for run in runs) + ".\n",
        "![How many times as fast as bytes.decode](python.svg)\n",
        "## Targets\n",
    ]
    rows = [
        [name, f"{target}", times(figure), place, "met" if met else f"**missed by {100 * (1 - figure / target):.0f} %**"]
        for name, place, figure, target, met in verdicts(runs, others, cells)
    ]
    out.append(markdown(["target", "at least", "worst case", "where", ""], rows))
    run = runs[-1]
    sizes = ("4 KiB", "64 KiB", "1 MiB")
    if len(runs) > 1:
        out.append(f"The figures below are those of Python {run['python']}.\n")
    out.append("## Long texts\n")
    out.append("`decode` and `is_utf8` against `bytes.decode`, `encode` against `str.encode`.\n")
    other = next((other for other in others if other["python"] == run["python"]), None)
    columns = [("decode", "bytes.decode", run), ("is_utf8", "bytes.decode", run), ("encode", "str.encode", run)]
    head = [f"`{ours}`, {size}" for ours, _, _ in columns for size in sizes]
    if other:
        columns.append(("decode", "bytes.decode", other))
        head += [f"AVX2 `decode`, {size}" for size in sizes]
    out.append(markdown(["text", *head], [
        [name, *[times(ratio(of, name, size, ours, theirs)) for ours, theirs, of in columns for size in sizes]] for name in names(runs)
    ]))
    out.append("## Faulty text\n")
    handlers = list(run["faulty"][0]["times"])
    out.append("In Latin-1, every byte above 7F is a fault. Targets count more lengths.\n")
    out.append(markdown(["text", "bytes", "faults", *[f"`{errors}`" for errors in handlers]], [
        [one["text"], f"{one['length']:,}", kind(one), *[times(one["times"][errors]) for errors in handlers]]
        for one in run["faulty"] if one["length"] in (4, 200, 1000, 64 << 10) or one["text"] == "Latin-1"
    ]))
    out.append("## Profiles\n")
    out.append("Text of 64 KiB that the profile `source` accepts, against `bytes.decode` and a search by `re`.\n")
    out.append(markdown(["text", "`is_utf8`", "`decode`"], [
        [one["text"], *[times(one["ns"]["re"] / one["ns"][name]) for name in ("is_utf8", "decode")]] for one in run["profiles"]
    ]))
    out.append("## Strings below 64 bytes\n")
    costs = [(one["ns"]["decode"] - one["ns"]["bytes.decode"], f"{one['text']}, {one['lengths']} bytes") for one in run["short"]]
    cost, place = max(costs)
    more = f"takes {cost:.0f} ns more than the method ({place})" if cost > 0 else f"takes {-cost:.0f} ns less than the method ({place})"
    out.append(f"`decode` against the method `bytes.decode`. Most of the time is the call. At worst, the function {more}.\n")
    lengths = list(dict.fromkeys(one["lengths"] for one in run["short"]))
    out.append(markdown(["text", *lengths], [
        [name, *[times(one["ns"]["bytes.decode"] / one["ns"]["decode"]) for one in run["short"] if one["text"] == name]] for name in names(runs)
    ]))
    out.append("## Columns\n")
    out.append("An array of words, from bytes into text, in GB/s, with `copy=True`. *Rust* copies and validates, without Python.\n")
    out.append(markdown(["text", "`as_utf8`", "Rust", "pyarrow's `cast`", "polars' `cast`"], [
        [one["text"], *[f"{one['bytes'] / one['ns'][key]:.1f}" for key in ("as_utf8", "Rust", "pyarrow cast", "polars cast")]]
        for one in run["columns"]
    ]))
    out.append("## Memory\n")
    out.append("The most that decoding 8 MiB needs besides the bytes, in MiB: CPython / trust8. Faulty text has a fault in 1000 bytes.\n")
    kinds = ["strict", "replace", "ignore", "surrogateescape"]
    out.append(markdown(["text", *kinds], [
        [name, *[next(f"{one['peak']['CPython'] / 2**20:.0f} / {one['peak']['trust8'] / 2**20:.0f}" for one in run["memory"]
                      if (one["text"], one["errors"]) == (name, kind)) for kind in kinds]]
        for name in names(runs)
    ]))
    return "\n".join(out)


def names(runs: list[dict]) -> list[str]:
    return list(dict.fromkeys(one["text"] for one in runs[0]["long"]))


def ratio(run: dict, name: str, size: str, ours: str, theirs: str = "bytes.decode", of: str = "long") -> float:
    one = next(one for one in run[of] if (one["text"], one["size"]) == (name, size))
    return one["ns"][theirs] / one["ns"][ours]


if __name__ == "__main__":
    main()
