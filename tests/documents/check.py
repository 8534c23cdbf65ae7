# SPDX-License-Identifier: MIT
"""check.py ROOT: paths in ARCHITECTURE.md and CONTRIBUTING.md exist, ARCHITECTURE.md names every internal header and every
layer, clang-tidy looks at the headers of all layers, a pass over models finds its file, docs/scaling.md has the rates of
docs/timing.md, docs/accuracy.md, README.md and docs/howto/publish.md its errors, docs/tools.md has every command, and the tests
that docs/bits.md names are there; every source has its licence line."""
import itertools
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
layers = list(dict.fromkeys(re.findall(r"add_subdirectory\((\w+)", (root / "CMakeLists.txt").read_text())))
problems = []


def known(path):
    """A path from the top, with <library> or * for any name."""
    return any(True for _ in root.glob(re.sub(r"<\w+>", "*", path)))


def paths(text):
    """What looks like the path of a file: it begins with a layer's folder."""
    first = "|".join(layers)
    return set(re.findall(rf"(?<![\w/.-])((?:{first})/[\w./<>*-]*[\w*>])", text))


for name in ("ARCHITECTURE.md", "CONTRIBUTING.md"):
    for path in sorted(paths((root / name).read_text())):
        if not known(path):
            problems.append(f"{name} names {path}, which is not there")

architecture = (root / "ARCHITECTURE.md").read_text()
# Those of single kernels are a folder each library has.
headers = sorted(h for layer in layers for h in (root / layer).glob("**/internal/**/*.hpp") if h.parent.name != "kernels")
if len(headers) < 30:
    problems.append(f"only {len(headers)} internal headers were found: this test looks in the wrong place")
for header in headers:
    if not re.search(rf"\b{header.stem}(\.hpp)?\b", architecture):
        problems.append(f"ARCHITECTURE.md does not name the internal header {header.relative_to(root)}")

filtered = re.search(r"HeaderFilterRegex: '\(([^)]*)\)", (root / ".clang-tidy").read_text()).group(1).split("|")
for layer in layers:
    if any((root / layer).glob("**/*.hpp")) and layer not in filtered:
        problems.append(f".clang-tidy leaves the headers of {layer}/ out")

# {"merge equal nodes", ..., transforms::mergeEqualNodes(...)} is transforms/*/mergeequalnodes.cpp.
listed = (root / "popart/src/session/prepare.cpp").read_text()
entries = re.findall(r'\{"([^"]+)", Skip::(.*?)(?=\{"|^\S)', listed, re.S | re.M)
passes = {name for name, rest in entries if "transforms::" in rest}
if len(passes) < 20:
    problems.append(f"only {len(passes)} passes were found in prepare.cpp: this test looks in the wrong place")
for name in sorted(passes):
    if not known(f"popart/src/transforms/*/{name.replace(' ', '').lower()}.cpp"):
        problems.append(f"the pass \"{name}\" of popart has no file of its name in a folder of transforms/")

# | 64 GC200 (M18) | 3 | 92,997 | 0.93 | 100,469 | 0.87 |: modelled and published as in the row of M18 with that system.
timing = (root / "docs/timing.md").read_text()
rows = re.findall(r"^\| (\d+) \w+ \((M\d+)\) \|[^|]*\| ([\d,]+) \|[^|]*\| ([\d,]+) \|", (root / "docs/scaling.md").read_text(),
                  re.M)
if len(rows) < 10:
    problems.append(f"only {len(rows)} rows were found in docs/scaling.md: this test looks in the wrong place")
for ipus, row, modelled, published in rows:
    rates = rf"^  {row}\b.*, {ipus} \w+ +{published.replace(',', '')} +{modelled.replace(',', '')} /s"
    if not re.search(rates, timing, re.M):
        problems.append(f"docs/scaling.md has {modelled} for {row} on {ipus} IPUs, docs/timing.md has not")

# products, half            16   4.5 %   2.9 %         0.89: the table of docs/accuracy.md has them in words of its own.
printed = re.findall(r"^  .*?  +(\d+) +([\d.]+) % +([\d.]+) % +([\d.]+) ", timing, re.M)
told = re.findall(r"^\| .*? \| (\d+) \| ([\d.]+) % \| ([\d.]+) % \| ([\d.]+) \|",
                  (root / "docs/accuracy.md").read_text().replace("*", ""), re.M)
if len(printed) < 12 or sorted(printed) != sorted(told):
    problems.append(f"docs/accuracy.md and the errors of docs/timing.md differ: {set(printed) ^ set(told)}")
shown = re.findall(r"(\d+) (?:published measurements|runs) \| \[(\d+) %\]\(docs/accuracy", (root / "README.md").read_text())
if len(shown) < 2 or not set(shown) <= {(rows, f"{float(mean):.0f}") for rows, mean, *_ in printed}:
    problems.append(f"README.md has errors of the model that docs/timing.md has not: {shown}")
cited = re.findall(r"over (\d+) published measurements is ([\d.]+) %, the\s+worst ratio ([\d.]+)",
                   (root / "docs/howto/publish.md").read_text().replace("\n   ", "\n"))
if not cited or not {tuple(row) for row in cited} <= {(rows, mean, worst) for rows, mean, _, worst in printed}:
    problems.append(f"docs/howto/publish.md cites errors of the model that docs/timing.md has not: {cited}")

# `Suite.Test` of docs/bits.md is TEST(Suite, Test).
held = re.findall(r"`([A-Z]\w+)\.([A-Z]\w+)`", (root / "docs/bits.md").read_text())
tests = {test for layer in layers for file in (root / layer).rglob("*_test.cpp")
         for test in re.findall(r"^TEST\((\w+), (\w+)\)", file.read_text(), re.M)}
if len(held) < 10:
    problems.append(f"only {len(held)} tests were found in docs/bits.md: this test looks in the wrong place")
problems += [f"docs/bits.md names the test {'.'.join(test)}, which is not there" for test in sorted(set(held) - tests)]

# A command is a folder of tools/; popvision has a layer of its own.
tools = (root / "docs/tools.md").read_text()
commands = ["popvision", *(f.name for f in (root / "tools").iterdir() if f.is_dir() and f.name != "gc-common")]
problems += [f"docs/tools.md does not name {name}" for name in sorted(commands) if f"`{name}`" not in tools]

# The licence stands in every source, in its first lines ("#!/bin/sh" may come before it).
kinds = ("*.cpp", "*.hpp", "*.h", "*.def", "*.inc", "*.proto", "*.py", "*.sh", "*.ts", "*.js", "*.mjs", "*.css")
sources = [f for kind in kinds for f in root.rglob(kind) if not {"build", "node_modules"} & set(f.relative_to(root).parts)]
if len(sources) < 2000:
    problems.append(f"only {len(sources)} sources were found: this test looks in the wrong place")
for source in sorted(sources):
    with open(source, encoding="utf-8") as text:
        if not any("SPDX-License-Identifier: MIT" in line for line in itertools.islice(text, 3)):
            problems.append(f"{source.relative_to(root)} lacks the licence line")

print("\n".join(problems))
sys.exit(bool(problems))
