# SPDX-License-Identifier: MIT
"""Kernels stand apart from graphs, so that a second implementation needs only their headers.

  check.py ROOT            what is wrong in the tree, one line each
  check.py ROOT --mistakes the same in copies with a mistake each, which must be found
"""
import os
import re
import shutil
import sys
import tempfile

LIBRARIES = ("poputil", "popfloat", "popops", "poprand", "poplin", "popnn", "popsparse", "gcl")
# What arithmetic may see of the layers below: no graphs, tensors, programs, plans or prices.
ALLOWED = re.compile(r"base/include/|poplar/internal/openipu/(Kernel|Attributes|Overwrite|TypeId|QuarterFormat|Transport)\.hpp$"
                     r"|poplar/include/(poplar|gccs)/(exceptions|Error|StringRef|ArrayRef)\.hpp$"
                     r"|poputil/include/poputil/exceptions\.hpp$"
                     r"|poplibs/\w+/(kernels|internal|include)/")
INCLUDE = re.compile(r'^#include ["<]([\w./]+)[">]', re.M)
NAME = re.compile(r'inline constexpr char (\w+)\[\] =\s+"([\w.]+)";')
JOINED = re.compile(r'\w\)? \+ ("\.[A-Za-z][\w.]*")')  # kernel + ".quarter"
LITERAL = re.compile(r'"((?:%s)\.[A-Za-z][\w.]*)"' % "|".join(LIBRARIES))


def read(path):
    with open(path, encoding="utf-8") as lines:
        return lines.read()


def sources(root, *folder):
    for path, _, names in sorted(os.walk(os.path.join(root, *folder))):
        for name in sorted(names):
            if name.endswith((".cpp", ".hpp", ".inc")) and not name.endswith("_test.cpp"):
                yield os.path.relpath(os.path.join(path, name), root)


def resolve(root, library, file, header):
    folders = [os.path.dirname(file), f"poplibs/{library}/src", f"poplibs/{library}/kernels"]
    folders += [f"poplibs/{other}/{part}" for other in LIBRARIES for part in ("internal", "include")]
    folders += ["poplar/internal", "poplar/include", "base/include", "arch/include"]
    for folder in folders:
        path = os.path.normpath(os.path.join(folder, header))
        if os.path.exists(os.path.join(root, path)):
            return path
    return None


def reached(root, library, file):
    """Headers of ours that a file includes, and through which file each is reached."""
    found, todo = {}, [file]
    while todo:
        at = todo.pop()
        for header in INCLUDE.findall(read(os.path.join(root, at))):
            path = resolve(root, library, at, header)
            if path and path not in found:
                found[path] = at
                todo.append(path)
    return found


def ofIncludes(root, library):
    for file in [*sources(root, "poplibs", library, "kernels"),
                 *sources(root, "poplibs", library, "internal", library, "kernels")]:
        for header, through in reached(root, library, file).items():
            if not ALLOWED.search(header):
                yield f"{file} sees {header}, by {through}"
    for file in sources(root, "poplibs", library, "src"):
        for header in INCLUDE.findall(read(os.path.join(root, file))):
            if f"poplibs/{library}/kernels/" in (resolve(root, library, file, header) or ""):
                yield f"{file} includes {header}, which is a kernel's own"


def ofNames(root, library):
    names = {}
    for header in sources(root, "poplibs", library, "internal", library, "kernels"):
        for constant, name in NAME.findall(read(os.path.join(root, header))):
            if name in names:
                yield f"{header} has the name {name} again"
            names[name] = constant
    arithmetic = "".join(read(os.path.join(root, file)) for file in sources(root, "poplibs", library, "kernels"))
    for name, constant in names.items():
        if not re.search(r"(?:name = |>\(\s*)kernels::%s\b" % constant, arithmetic):
            yield f"no file of poplibs/{library}/kernels registers {name} by kernels::{constant}"
    for file in [*sources(root, "poplibs", library, "src"), *sources(root, "poplibs", library, "kernels")]:
        text = read(os.path.join(root, file))
        if "/src/" in file and "Registered " in text:
            yield f"{file} registers a kernel: arithmetic belongs in poplibs/{library}/kernels"
        if re.search(r"\{\}, \{\}, nullptr", text):
            yield f"{file} registers a kernel by the places of its members"
        for end in JOINED.findall(re.sub("//.*", "", text)):
            if any(name.endswith(end[1:-1]) for name in names):
                yield f"{file} makes a name that ends in {end}: its header has a constant for it"
        for name in LITERAL.findall(re.sub("//.*", "", text)):
            yield f'{file} spells "{name}": its header has a constant for it'


def problems(root):
    return [text for library in LIBRARIES for rule in (ofIncludes, ofNames) for text in rule(root, library)]


MISTAKES = (("poplibs/popops/kernels/encoding/Iota.cpp", '#include "poplar/Graph.hpp"\n',
             "sees poplar/include/poplar/Graph.hpp"),
            ("poplibs/popops/internal/popops/kernels/Iota.hpp", '#include "openipu/Plan.hpp"\n',
             "sees poplar/internal/openipu/Plan.hpp"),
            ("poplibs/popops/src/encoding/Iota.cpp", '#include "sort/Select.hpp"\n', "a kernel's own"),
            ("poplibs/popops/src/encoding/Iota.cpp", "const openipu::Registered again{{}};\n", "registers a kernel"),
            ("poplibs/popops/src/encoding/Iota.cpp", 'auto name = "popops.iota";\n', 'spells "popops.iota"'),
            ("poplibs/poplin/src/matmul/Quarter.cpp", 'auto name = kernel + ".quarter";\n', 'ends in ".quarter"'),
            ("poplibs/popops/internal/popops/kernels/Iota.hpp", 'inline constexpr char other[] = "popops.other";\n',
             "registers popops.other"))


def mistakes(root):
    """Those that are not found."""
    with tempfile.TemporaryDirectory() as copy:
        for folder in ("poplibs", "poplar/internal", "poplar/include", "base/include", "arch/include"):
            shutil.copytree(os.path.join(root, folder), os.path.join(copy, folder))
        for file, line, expected in MISTAKES:
            before = read(os.path.join(copy, file))
            for text in (line + before, before):
                with open(os.path.join(copy, file), "w", encoding="utf-8") as out:
                    out.write(text)
                if text != before and not any(expected in problem for problem in problems(copy)):
                    yield f"not found: {line.strip()} in {file}"


def main(root, *options):
    found = list(mistakes(root)) if options else problems(root)
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
