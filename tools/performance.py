#!/usr/bin/env python3
"""Makes the tables and charts of the measured pages in docs/ from docs/data/*.csv.

    tools/performance.py           writes them: each table stands between <!-- table --> and <!-- end -->
    tools/performance.py --check   fails if a page or a chart is not what the data say

A line of a summary has a ratio of speeds: the number of cases, their geometric mean, the lowest with its case, and how many are below
1.00, where trust8 loses.
"""

import csv
import math
import pathlib
import re
import sys

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs"
NEW = "Ordinary text / Text that the CPU has not learned"
SHORT = "Short strings / Of random lengths"
# Not every section measures all of them.
PEERS = ["std", "encoding_rs", "simdutf8 avx2", "ps-simdutf8", "smoothutf8", "simdutf C++", "trust8 avx2", "trust8"]
COLORS = dict(zip(PEERS, ["#888888", "#00a5b5", "#0a3282", "#7846b4", "#a06432", "#1e9632", "#f08200", "#d61428"]))


def load(name):
    """Returns {(section, table): {row: {column: value}}}."""
    tables = {}
    with (DOCS / "data" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(line for line in file if not line.startswith("#")):
            rows = tables.setdefault((line["section"], line["table"]), {})
            cells = rows.setdefault(line["row"], {})
            assert line["column"] not in cells, f"{name}: {line} stands twice"
            cells[line["column"]] = line["value"]
    return tables


def measured(cells):
    return [name for name in PEERS if name in cells]


def cell(value):
    return f"{value:.2f}" if value < 9.995 else f"{value:.1f}" if value < 99.95 else f"{value:.0f}"


def markdown(heads, rows):
    lines = [heads, ["---"] + ["---:"] * (len(heads) - 1), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def cases(data, pattern, column):
    """Returns (ratio, row) of the rows for which the pattern matches "section | table | row"."""
    columns = [column] if isinstance(column, str) else column
    found = []
    for (section, table), rows in data.items():
        for row, cells in rows.items():
            if re.match(pattern, f"{section} | {table} | {row}") and all(column in cells for column in columns):
                first, *second = (float(cells[column]) for column in columns)
                found.append((second[0] / first if second else first, row))
    assert found, f"nothing for {pattern}"
    return found


def mean(found):
    return cell(math.exp(sum(math.log(ratio) for ratio, _ in found) / len(found)))


def summary(name, *lines):
    """`lines` are (label, pattern, column with ratios, or two columns the second divided by the first)."""
    data, rows = load(name), []
    for label, pattern, column in lines:
        found = cases(data, pattern, column)
        lowest, where = min(found, key=lambda case: case[0])
        rows.append([label, str(len(found)), mean(found), cell(lowest), where, str(sum(ratio < 1 for ratio, _ in found))])
    return markdown(["ratio of speeds", "cases", "mean", "lowest", "where", "below 1"], rows)


def regimes():
    files = {"Granite Rapids": load("regimes-granite-rapids"), "Zen 4": load("regimes-zen4")}
    columns = [(cpu, kernel, regime) for cpu in files for kernel in ["avx512", "avx2"] for regime in ["learned", "new"]]
    heads = ["text"] + [f"{cpu}, {kernel}, {regime}" for cpu, kernel, regime in columns]
    texts = files["Granite Rapids"]["avx512, new", "bytes"]
    rows = [[text] + [files[cpu][f"{kernel}, {regime}", "bytes"][text]["mean"] for cpu, kernel, regime in columns] for text in texts]
    return markdown(heads, rows)


def short_strings():
    data = load("compare-granite-rapids")
    columns = [
        (kind, lengths)
        for kind in ["all ASCII", "mixed, 1 to 4 bytes"]
        for lengths in ["below 64", "JSON keys", "cells"]
    ]
    heads = ["ns a call"] + [f"{lengths}, {kind.split(',')[0]}" for kind, lengths in columns]
    tables = {kind: data[SHORT, f"ns a call, {kind}"] for kind, _ in columns}
    return markdown(heads, [[name] + [tables[kind][name][lengths] for kind, lengths in columns] for name in PEERS])


def new_text():
    rows = load("compare-granite-rapids")[NEW, "3-byte, every"]
    shown = ["16", "64", "200", "800", "6400"]
    names = measured(rows["200"])
    return markdown(["interval, bytes"] + names, [[row] + [rows[row][name] for name in names] for row in shown])


# Questions by kind, and their sections.
QUESTIONS = {
    "ASCII": "(where ASCII|is it ASCII)",
    "Latin-1": "where Latin-1",
    "well-formed UTF-8": "(where it is malformed|is it well-formed), UTF-8",
    "well-formed UTF-16": "(where it is malformed|is it well-formed), UTF-16",
    "well-formed UTF-32": "(where it is malformed|is it well-formed), UTF-32",
    "make UTF-16 well-formed": "(make it|copy and make it)",
    "lossy length": "length in UTF-8",
    "characters": "how many",
}


def questions():
    data, rows = load("questions-granite-rapids"), []
    for label, pattern in QUESTIONS.items():
        of_kernels = [cases(data, f"{kernel}: {pattern}", "ratio") for kernel in ["avx512", "avx2"]]
        numbers = [[mean(found), cell(min(found)[0]), str(sum(ratio < 1 for ratio, _ in found))] for found in of_kernels]
        rows.append([label, str(len(of_kernels[0])), *numbers[0], *numbers[1]])
    heads = [f"{kernel}{what}" for kernel in ["AVX-512", "AVX2"] for what in [", mean", ", lowest", ", below 1"]]
    return markdown(["ratio of speeds", "cases", *heads], rows)


def offsets():
    data, rows, places = load("questions-granite-rapids"), [], [0, 1, 24, 33]
    for label, pattern in QUESTIONS.items():
        if re.match("ASCII|well-formed", label):
            cells = []
            for kernel in ["avx512", "avx2"]:
                moved = [cases(data, f"{kernel}: {pattern}.* offset {place}$", "ratio") for place in places]
                lowest, where = min(sum(moved, []))
                cells += [*map(mean, moved), f"{cell(lowest)} ({where.replace(' bytes, offset', ' at')})"]
            rows.append([label, *cells])
    heads = [f"{kernel}, {what}" for kernel in ["AVX-512", "AVX2"] for what in [*places, "lowest"]]
    return markdown(["ratio of speeds", *heads], rows)


def whole(name, section):
    """Returns the one table of a section."""
    (rows,) = (rows for (found, _), rows in load(name).items() if found == section)
    heads = list(dict.fromkeys(column for cells in rows.values() for column in cells))
    return markdown(["", *heads], [[row] + [cells.get(head, "") for head in heads] for row, cells in rows.items()])


TABLES = {
    "capi.md": [
        lambda section=section: whole("capi-zen4", section)
        for section in ("Short strings", "Long texts", "Streams, counts and conversions")
    ],
    "performance.md": [regimes, short_strings, new_text, offsets],
    "transcode.md": [
        lambda: summary(
            "transcode-granite-rapids",
            ("UTF-8 to UTF-16", r"(UTF-8|&str) to UTF-16LE \|", "/ simdutf"),
            ("UTF-16 to UTF-8", r"UTF-16LE to UTF-8 \|", "/ simdutf"),
            ("to and from UTF-32", r"UTF-\w+ to UTF-32 \||UTF-32 to", "/ simdutf"),
            ("to and from Latin-1", r"(UTF-8|UTF-16LE) to Latin-1|Latin-1 to", "/ simdutf"),
            ("UTF-16 to UTF-16BE", r"UTF-16LE to UTF-16BE", "/ simdutf"),
            ("lengths", r"Length in", "/ simdutf"),
            ("short strings", r"Short strings \|", "/ simdutf"),
            ("medium lengths", r"Medium lengths \|", "/ simdutf"),
            ("faulty text, lossy, against the fastest", r"Lossy", "ratio"),
        )
    ],
    "questions.md": [questions],
    "lossy.md": [
        lambda: summary(
            "lossy-granite-rapids",
            ("valid text", r"Lossy text / Valid", "/ best"),
            *[(f"one byte in {n} spoiled", rf"Lossy text / One byte in {n} ", "/ best") for n in [100000, 1000, 100, 10, 3]],
            ("bytes that are no text", r"Lossy text / Bytes", "/ best"),
            ("short strings, valid", r"Short strings \| strings \| (?!.*spoiled)", "/ best"),
            ("short strings, half of them spoiled", r"Short strings .*spoiled", "/ best"),
            ("chunks", r"Chunks", "chunks"),
            ("two threads against one", r"On two threads", "two / one"),
        )
    ],
    "streaming.md": [
        lambda: summary(
            "streaming-granite-rapids",
            ("pieces, learned", r"Validation in pieces / One", "/ compat"),
            ("pieces, new", r"Validation in pieces / Text", "/ compat"),
            ("pieces, learned, AVX2", r"Validation in pieces / One", "avx2 / compat"),
            ("pieces, new, AVX2", r"Validation in pieces / Text", "avx2 / compat"),
            ("copy_utf8 against from_utf8 and memcpy", r"Validate and copy", "copy_utf8 / from_utf8"),
            ("fs::read_to_string against std's", r"A file", "std / trust8"),
        )
    ],
    "columns.md": [
        lambda: summary(
            "columns",
            ("clean, against std for each row", r"Clean", "std a row / trust8"),
            ("clean, against the best use of simdutf8", r"Clean", "best simdutf8 / trust8"),
            ("find bad rows, against std for each row", r"Columns with", "std / find"),
            ("repair, against row by row", r"Columns with", "row by row / repair"),
        ),
        lambda: summary(
            "columns_sql",
            ("make_valid_utf8", r"make_valid", "datafusion-spark / trust8"),
            ("is_valid_utf8", r"is_valid", "datafusion-spark / trust8"),
        ),
    ],
    "dialects.md": [
        lambda: summary(
            "dialects-granite-rapids",
            *[
                (f"{name} {label}, one in {own}", rf"{name}.* \| \w+, {own}(,|$)", column)
                for name, label, column in [
                    ("CESU-8", "to UTF-8", "to_utf8 / cesu8"),
                    ("CESU-8", "from UTF-8", "from_utf8 / simd_cesu8"),
                    ("Modified UTF-8", "to UTF-8", "to_utf8 / cesu8"),
                    ("WTF-8", "to UTF-8", "to_utf8 / wtf8"),
                ]
                for own in [1000, 10]
            ],
        )
    ],
    "inspect.md": [
        lambda: summary(
            "columns_and_counts-granite-rapids",
            ("inspect against simdutf's passes", r"inspect", ("simdutf, passes", "trust8 avx512")),
            ("inspect, AVX2, against simdutf's passes", r"inspect", ("simdutf, passes", "trust8 avx2")),
            ("inspect against is_utf8", r"inspect", "trust8 avx512 / is_utf8"),
            ("inspect, AVX2, against is_utf8", r"inspect", "trust8 avx2 / is_utf8"),
            ("count_chars against simdutf", r"Counts.*\| count_chars", "trust8 / simdutf"),
            ("utf16_len against simdutf", r"Counts.*\| utf16_len", "trust8 / simdutf"),
            ("columns against arrow", r"Columns \| .*offsets", ("trust8", "arrow")),
            ("columns against arrow with simdutf8", r"Columns \| .*offsets", ("trust8", "arrow's way, simdutf8")),
        )
    ],
    "worst-case.md": [
        lambda: markdown(
            ["kernel", "best / worst", "Chinese / worst", "exact error, ns"],
            [
                [kernel, cells["best / worst"], cells["Chinese / worst"], errors[kernel]["worst extra, ns"]]
                for data in [load("worst_case-granite-rapids")]
                for errors in [data["Errors, wherever they are", "kernel"]]
                for kernel, cells in data["The worst text for each kernel", "kernel"].items()
            ],
        )
    ],
}


def chart(title, x_title, y_title, marks, series):
    """Returns an SVG of lines over equally spaced marks. The vertical axis is logarithmic."""
    width, height, left, top, right, bottom = 720, 360, 60, 40, 130, 50
    values = [value for _, points in series for value in points if value]
    low, high = math.log10(min(values)) - 0.05, math.log10(max(values)) + 0.05

    def x(i):
        return left + i * (width - left - right) / (len(marks) - 1)

    def y(value):
        return top + (high - math.log10(value)) / (high - low) * (height - top - bottom)

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12" fill="#282828">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{left}" y="22" font-size="15">{title}</text>',
        f'<text x="{(left + width - right) / 2:.0f}" y="{height - 10}" text-anchor="middle">{x_title}</text>',
        f'<text transform="translate(16 {(top + height - bottom) / 2:.0f}) rotate(-90)" text-anchor="middle">{y_title}</text>',
    ]
    for i, mark in list(enumerate(marks))[:: len(marks) // 11 + 1]:
        out.append(f'<text x="{x(i):.0f}" y="{height - bottom + 18}" text-anchor="middle">{mark}</text>')
    for decade in range(-2, 5):
        for value in (10**decade, 2 * 10**decade, 5 * 10**decade):
            if low <= math.log10(value) <= high:
                out.append(f'<path d="M{left} {y(value):.0f}H{width - right}" stroke="#e1e1e1"/>')
                out.append(f'<text x="{left - 6}" y="{y(value) + 4:.0f}" text-anchor="end">{value:g}</text>')
    for name, points in series:
        color = COLORS[name]
        line = " ".join(f"{x(i):.0f},{y(value):.0f}" for i, value in enumerate(points) if value)
        thick = 3 if name == "trust8" else 2
        out.append(f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="{thick}"/>')
    at = 0
    for end, name in sorted((y([value for value in points if value][-1]) + 4, name) for name, points in series):
        at = max(at + 14, end)
        out.append(f'<text x="{width - right + 6}" y="{at:.0f}" fill="{COLORS[name]}">{name}</text>')
    return "\n".join([*out, "</svg>", ""])


def bars(caption, *panels):
    """Returns an SVG of horizontal bars. A panel is (title, unit, {name: value}). There is room for two."""
    out = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 276" font-family="sans-serif" font-size="12" fill="#282828">',
        '<rect width="760" height="276" fill="white"/>',
    ]
    for i, (title, unit, values) in enumerate(panels):
        left = 10 + 380 * i
        out.append(f'<text x="{left}" y="24" font-size="14">{title}</text>')
        for j, (name, value) in enumerate(values.items()):
            y, width, color = 42 + 26 * j, 180 * value / max(values.values()), COLORS.get(name, COLORS["trust8"])
            out.append(f'<text x="{left + 95}" y="{y + 13}" text-anchor="end">{name}</text>')
            out.append(f'<rect x="{left + 100}" y="{y}" width="{width:.1f}" height="18" fill="{color}"/>')
            out.append(f'<text x="{left + 104 + width:.1f}" y="{y + 13}">{value:g} {unit}</text>')
    out.append(f'<text x="10" y="268">{caption}</text>')
    return "\n".join([*out, "</svg>", ""])


def charts():
    data = load("compare-granite-rapids")
    cpu = "Intel Xeon (Granite Rapids)"
    yield "chart.svg", bars(
        f"{cpu}, AVX-512, 29 November 2026. New text: a character of three bytes every 200 bytes.",
        ("Strings below 64 bytes, mixed: lower is better", "ns",
         {name: float(data[SHORT, "ns a call, mixed, 1 to 4 bytes"][name]["below 64"]) for name in PEERS}),
        ("New text, 64 KiB: higher is better", "GB/s",
         {name: float(data[NEW, "3-byte, every"]["200"][name]) for name in measured(data[NEW, "3-byte, every"]["200"])}),
    )
    rows = data[NEW, "3-byte, every"]
    yield "new-text.svg", chart(
        f"Text that the CPU has not seen, GB/s, {cpu}", "bytes from one three-byte character to the next", "GB/s", list(rows),
        [(name, [float(cells[name]) for cells in rows.values()]) for name in measured(rows["200"])],
    )
    rows = data[SHORT, "ns a call, mixed, 1 to 4 bytes"]
    marks = ["below 8", "below 16", "below 32", "below 64", "below 128", "below 256"]
    yield "short-strings.svg", chart(
        f"Short strings of 1- to 4-byte characters, ns a call, {cpu}", "bytes", "ns a call; lower is better", marks,
        [(name, [float(rows[name][mark]) for mark in marks]) for name in PEERS],
    )
    rows = data["By length", "Chinese, bytes"]
    marks = [mark for mark in rows if mark not in ("1", "2", "4", "8")]
    yield "by-length.svg", chart(
        f"Chinese text by length, learned, GB/s, {cpu}", "bytes", "GB/s",
        [mark.replace(" KiB", "K").replace(" MiB", "M").replace(" GiB", "G") for mark in marks],
        [(name, [float(rows[mark].get(name, 0)) for mark in marks]) for name in measured(rows[marks[0]])],
    )


def filled(name, tables):
    """Returns a page with these tables, each between <!-- table --> and <!-- end -->."""
    parts = re.split(r"(<!-- table -->\n).*?(<!-- end -->)", (DOCS / name).read_text(encoding="utf-8"), flags=re.DOTALL)
    assert len(parts) == 1 + 3 * len(tables), f"{name}: {len(tables)} tables between <!-- table --> and <!-- end -->"
    for i, table in enumerate(tables):
        parts[3 * i + 1] += table
    return "".join(parts)


def main():
    check = sys.argv[1:] == ["--check"]
    files = dict(charts()) | {name: filled(name, [maker() for maker in makers]) for name, makers in TABLES.items()}
    stale = []
    for name, text in files.items():
        path = DOCS / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(name)
            if not check:
                path.write_text(text, encoding="utf-8")
    if check and stale:
        sys.exit(f"not what docs/data says: {', '.join(stale)}; run tools/performance.py")


if __name__ == "__main__":
    main()
