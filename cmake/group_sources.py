# SPDX-License-Identifier: MIT
"""Chooses which files of a target the compiler takes together (CMake's unity groups), so that no two of a group
share a name of their own: files may call their local functions what they like.

  group_sources.py TARGETS.txt GROUPS.cmake

TARGETS.txt has a line per target: its name, its folder, its sources, separated by "|". What is local to a file is found by
its shape: in our format everything that a file defines at namespace level begins in the first column.
"""
import os
import re
import sys

MOST = 8  # files of a group: fewer gain little, more make the longest compilation long

DEFINED = re.compile(
    r"^(?:(?:struct|class|enum|enum class|union) (?:\[\[\w+\]\] )?(\w+)\b(?=[^;]*\{)"  # types
    r"|using (\w+) ="
    r"|(?:const|constexpr|static) [\w:<>,&* ]*?[ &*](\w+);"
    r"|(?:template <.*> )?(?:\[\[\w+\]\] )?[A-Za-z_][\w:<>,&*\[\] ]*?[ &*](\w+)(?:\(|\[| =|\{| = \[))",  # functions, constants
    re.M)
FURTHER = re.compile(r"^(?:const|constexpr|static) .*", re.M)  # a, b = ...: names behind the first
NAMED = re.compile(r"\b(\w+) ?(?:=|\{)")
CALLED = re.compile(r"(?<![\w.>:])([A-Z]\w*|\w+(?=\())")  # one file's own name hides another's from elsewhere
MACRO = re.compile(r"^#define (\w+)", re.M)
INCLUDE = re.compile(r'^#include "([\w./]+)"', re.M)
WIDE = re.compile(r"^using namespace ([\w:]+);", re.M)
# Files that change how the rest is compiled: instruction sets, and headers with macros that other headers do not expect.
ALONE = re.compile(r"^#pragma GCC (?:target|optimize)|^#include <sys/mman.h>|^#undef|\.inc\"$", re.M)


def macros(source, text):
    """The macros that a file defines, and those of the private headers it includes, with the place of each."""
    found = {name: source for name in MACRO.findall(text)}
    for header in INCLUDE.findall(text):
        for folder in ("/src/", "/kernels/"):
            path = re.split("/src/|/kernels/", source)[0] + folder + header
            if os.path.exists(path):
                with open(path, encoding="utf-8") as lines:
                    found |= {name: path for name in MACRO.findall(lines.read())}
    return found


def agree(one, other):
    return all(one.get(name, place) == place for name, place in other.items())


def groups(sources):
    """Sources in groups: lists in which no name occurs twice and all open the same namespaces."""
    made = []
    for source in sources:
        if not source.endswith((".cpp", ".cc")):
            continue
        with open(source, encoding="utf-8") as lines:
            text = lines.read()
        if ALONE.search(text):
            continue
        names = {name for found in DEFINED.findall(text) for name in found if name}
        names |= {name for line in FURTHER.findall(text) for name in NAMED.findall(line)}
        called = set(CALLED.findall(text))
        wide = frozenset(WIDE.findall(text))
        defines = macros(source, text)
        for files, taken, used, opened, defined in made:
            if (len(files) < MOST and opened == wide and taken.isdisjoint(names | called) and used.isdisjoint(names)
                    and agree(defined, defines)):
                files.append(source)
                taken |= names
                used |= called
                defined |= defines
                break
        else:
            made.append(([source], names, called, wide, defines))
    return [files for files, *_ in made if len(files) > 1]


def main(targets, out):
    built = os.path.dirname(targets) + "/"  # generated files stay alone: when this first runs they are not there
    with open(out, "w", encoding="utf-8") as result:
        for line in open(targets, encoding="utf-8"):
            name, folder, *sources = line.strip().split("|")
            for number, files in enumerate(groups(sorted(s for s in sources if not s.startswith(built)))):
                quoted = " ".join(f'"{file}"' for file in files)
                result.write(f"set_source_files_properties({quoted} TARGET_DIRECTORY {name} "
                             f"PROPERTIES UNITY_GROUP {name}{number})\n")


main(*sys.argv[1:])
