"""Writes docs/python.md and docs/python.svg from the files that `figures.py` has printed.

    bindings/python/measure/report.py FOLDER

The folder has VERSION.times.json and VERSION.memory.json for each version of Python, and perhaps VERSION.avx2.json and
VERSION.KERNEL.cells.json.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
DOCS = ROOT / "docs"
sys.path.append(str(ROOT / "tools"))
from performance import bars, cell, filled, markdown  # noqa: E402


def main() -> None:
    runs = [
        json.loads(path.read_text()) | json.loads(Path(str(path).replace(".times.", ".memory.")).read_text())
        for path in Path(sys.argv[1]).glob("*.times.json")
    ]
    others = [json.loads(path.read_text()) for path in Path(sys.argv[1]).glob("*.avx2.json")]
    cells = [json.loads(path.read_text()) for path in Path(sys.argv[1]).glob("*.cells.json")]
    for some in runs, others, cells:
        some.sort(key=lambda run: [int(number) for number in run["python"].split(".")])
    (DOCS / "python.md").write_text(filled("python.md", list(tables(runs, others, cells))), encoding="utf-8")
    # There is room for the oldest and the newest version.
    panels = [
        (f"decode of 64 KiB, Python {short_name(run)}", "", {name: round(ratio(run, name, "64 KiB", "decode"), 1) for name in names(runs)})
        for run in {short_name(run): run for run in (runs[0], runs[-1])}.values()
    ]
    (DOCS / "python.svg").write_text(bars("How many times as fast as bytes.decode", *panels), encoding="utf-8")


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


def tables(runs: list[dict], others: list[dict], cells: list[dict]) -> Iterator[str]:
    """Yields what stands between the marks of the page. Besides the targets, figures are those of the last version."""
    versions = ", ".join(run["python"] for run in runs)
    yield f"{runs[0]['cpu']}, {runs[0]['date']}: kernel `{runs[0]['kernel']}`, one core of a shared machine; Python {versions}.\n"
    yield markdown(["target", "at least", "worst case", "where", ""], [
        [name, f"{target}", cell(figure), place, "met" if met else f"**missed by {100 * (1 - figure / target):.0f} %**"]
        for name, place, figure, target, met in verdicts(runs, others, cells)
    ])
    run = runs[-1]
    sizes = ("4 KiB", "64 KiB", "1 MiB")
    other = next((other for other in others if other["python"] == run["python"]), None)
    columns = [("decode", "bytes.decode", run), ("is_utf8", "bytes.decode", run), ("encode", "str.encode", run)]
    head = [f"`{ours}`, {size}" for ours, _, _ in columns for size in sizes]
    if other:
        columns.append(("decode", "bytes.decode", other))
        head += [f"AVX2 `decode`, {size}" for size in sizes]
    yield markdown(["text", *head], [
        [name, *[cell(ratio(of, name, size, ours, theirs)) for ours, theirs, of in columns for size in sizes]] for name in names(runs)
    ])
    handlers = list(run["faulty"][0]["times"])
    yield markdown(["text", "bytes", "faults", *[f"`{errors}`" for errors in handlers]], [
        [one["text"], f"{one['length']:,}", kind(one), *[cell(one["times"][errors]) for errors in handlers]]
        for one in run["faulty"] if one["length"] in (4, 200, 1000, 64 << 10) or one["text"] == "Latin-1"
    ])
    yield markdown(["text", "`is_utf8`", "`decode`"], [
        [one["text"], *[cell(one["ns"]["re"] / one["ns"][name]) for name in ("is_utf8", "decode")]] for one in run["profiles"]
    ])
    costs = [(one["ns"]["decode"] - one["ns"]["bytes.decode"], f"{one['text']}, {one['lengths']} bytes") for one in run["short"]]
    cost, place = max(costs)
    lengths = list(dict.fromkeys(one["lengths"] for one in run["short"]))
    yield f"At worst, the function takes {abs(cost):.0f} ns {'more' if cost > 0 else 'less'} than the method ({place}).\n\n" + markdown(["text", *lengths], [
        [name, *[cell(one["ns"]["bytes.decode"] / one["ns"]["decode"]) for one in run["short"] if one["text"] == name]] for name in names(runs)
    ])
    yield markdown(["text", "`as_utf8`", "Rust", "pyarrow's `cast`", "polars' `cast`"], [
        [one["text"], *[f"{one['bytes'] / one['ns'][key]:.1f}" for key in ("as_utf8", "Rust", "pyarrow cast", "polars cast")]]
        for one in run["columns"]
    ])
    kinds = ["strict", "replace", "ignore", "surrogateescape"]
    yield markdown(["text", *kinds], [
        [name, *[next(f"{one['peak']['CPython'] / 2**20:.0f} / {one['peak']['trust8'] / 2**20:.0f}" for one in run["memory"]
                      if (one["text"], one["errors"]) == (name, kind)) for kind in kinds]]
        for name in names(runs)
    ])


def names(runs: list[dict]) -> list[str]:
    return list(dict.fromkeys(one["text"] for one in runs[0]["long"]))


def ratio(run: dict, name: str, size: str, ours: str, theirs: str = "bytes.decode", of: str = "long") -> float:
    one = next(one for one in run[of] if (one["text"], one["size"]) == (name, size))
    return one["ns"][theirs] / one["ns"][ours]


if __name__ == "__main__":
    main()
