#!/usr/bin/env python3
"""Prints the name of the CPU, for documents and data.

Virtual machines give vague names, so on x86 tools/measure/cpus.txt names it by vendor, family and model. A CPU that is not in the list gets
these two numbers, which tools/prose.py refuses in a document: add it to the list.
"""

import pathlib
import platform

LIST = pathlib.Path(__file__).resolve().parent / "measure/cpus.txt"


def name():
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text()
    except OSError:
        text = ""
    fields = {}
    for line in text.splitlines():
        key, _, value = line.partition(":")
        fields.setdefault(key.strip(), value.strip())
    if "model name" not in fields:
        return platform.processor() or platform.machine()
    numbers = [fields.get(key, "?") for key in ("vendor_id", "cpu family", "model")]
    # A hypervisor may report another CPU's model: Granite Rapids as 167, which is Rocket Lake and has no AMX.
    amx = ["+amx"] if "amx_tile" in fields.get("flags", "").split() else []
    names = {tuple(known): name for *known, name in (line.split(" ", 3) for line in LIST.read_text().splitlines())}
    for suffix in amx + [""]:
        if known := names.get((*numbers[:2], numbers[2] + suffix)):
            return known
    return f"{fields['model name']} (family {numbers[1]}, model {numbers[2]})"


if __name__ == "__main__":
    print(name())
