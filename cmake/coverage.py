# SPDX-License-Identifier: MIT
"""Prints what part of the lines of each folder was run, of a summary that gcovr wrote: coverage.py SUMMARY.json"""
import collections
import json
import sys


def folders(files):
    """Lines of the folders: base, arch ..., and those below poplar/src."""
    total = collections.defaultdict(lambda: [0, 0])
    for file in files:
        parts = file["filename"].split("/")
        names = [parts[0], "all"] + (["/".join(parts[:3])] if len(parts) > 3 and parts[1] == "src" else [])
        for name in names:
            total[name][0] += file["line_covered"]
            total[name][1] += file["line_total"]
    return total


def main(path):
    with open(path, encoding="utf-8") as text:
        total = folders(json.load(text)["files"])
    for name in sorted(total, key=lambda n: (n == "all", n)):
        covered, lines = total[name]
        print(f"{name:28} {covered:7} of {lines:7} lines {100 * covered / max(1, lines):6.1f} %")


main(*sys.argv[1:])
