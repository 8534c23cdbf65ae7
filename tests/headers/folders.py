#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Folders of a layer include each other in one direction.

A layer is a folder `src`; its folders are those right below it, with all that is in them. Files that
stand in `src` itself (doors such as Access.hpp) and tests may include any of them.
"""
import collections
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include "([^"]+)"', re.M)
TESTS = re.compile(r"_test\.cpp$|Test\w*\.hpp$|testing/")


def includes(src):
    """{(folder, folder): the files that include across} of one layer."""
    edges = collections.defaultdict(list)
    for file in sorted(src.rglob("*")):
        name = file.relative_to(src).as_posix()
        if file.suffix not in (".cpp", ".hpp", ".h", ".def") or "/" not in name or TESTS.search(name):
            continue
        for included in INCLUDE.findall(file.read_text(errors="replace")):
            for found in (src / included, file.parent / included):
                if found.is_file() and src in found.resolve().parents:
                    to = found.resolve().relative_to(src).as_posix()
                    if "/" in to and to.split("/")[0] != name.split("/")[0]:
                        edges[name.split("/")[0], to.split("/")[0]].append(name)
                    break
    return edges


def cycle(edges):
    """Folders that lead back to the first, or nothing."""
    after = collections.defaultdict(list)
    for a, b in sorted(edges):
        after[a].append(b)
    done = set()

    def walk(folder, path):
        if folder in path:
            return path[path.index(folder):] + [folder]
        if folder in done:
            return []
        for to in after[folder]:
            if found := walk(to, path + [folder]):
                return found
        done.add(folder)
        return []

    return next((found for folder in sorted(after) if (found := walk(folder, []))), [])


def main(root):
    wrong = []
    for src in sorted(path for path in root.glob("**/src") if path.is_dir() and "build" not in path.parts):
        edges = includes(src.resolve())
        if found := cycle(edges):
            wrong.append(f"{src.relative_to(root).as_posix()}: {' -> '.join(found)}")
            wrong += [f"    {a} -> {b} by {', '.join(edges[a, b][:4])}" for a, b in zip(found, found[1:])]
    print("\n".join(wrong) or "no cycles")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
