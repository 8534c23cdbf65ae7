# SPDX-License-Identifier: MIT
"""reference.py ROOT [BUILD]: every public name of the installed C++ headers and of the Python packages has a text, what is
public in Python says its types, and the examples in headers compile.

A name without a text: write a comment above its declaration, or behind it. What it does, its unit, what it throws; not the
name in other words. cmake/docs/headers.py says which comment belongs to what, and which names need none. In Python: a
docstring. Skips headers without doxygen, and the examples without g++."""
import pathlib
import re
import shutil
import subprocess
import sys

root = pathlib.Path(sys.argv[1])
build = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
sys.path.insert(0, str(root / "cmake/docs"))
import headers  # noqa: E402
import packages  # noqa: E402
import reference  # noqa: E402

# What the examples find around them.
poplar = """#include <poplar/Engine.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <poplin/MatMul.hpp>
#include <pva/pva.hpp>
using namespace poplar;
using namespace poplar::program;
using namespace poplin;
void given(Device &device, Graph &graph, Sequence &prog, Tensor x, Tensor y, DataStream in, DataStream out, ComputeSet cs,
           std::vector<float> input, std::vector<float> output, std::uint64_t sum) {
"""
popart = """#include <popart/builder.hpp>
#include <popart/session.hpp>
#include <popart/devicemanager.hpp>
#include <popart/sgd.hpp>
using namespace popart;
void given(std::unique_ptr<Builder> builder, TensorId y, TensorId loss, std::shared_ptr<DeviceInfo> device, IStepIO &stepio) {
"""


def examples(reader, of_popart):
    """(place, code) of each example in a comment."""
    for entry in {(e.header, e.text): e for e in reader.entries if e.text != reader.source(e.header).opening()}.values():
        for block in re.findall(r"^```cpp\n(.*?)^```", reference.markdown(entry.text, "cpp"), re.M | re.S):
            if ";" in block and entry.header.startswith("popart/") == of_popart:
                yield f"{entry.header}:{entry.line}", block


def wrong_examples(reader, given, of_popart):
    found = list(examples(reader, of_popart))
    source = given + "".join(f'  {{\n#line 1 "the example of {place}"\n{code}  }}\n' for place, code in found) + "}\n"
    folders = [root / folder / "include" for folder in headers.libraries.values()]
    if of_popart:
        folders.append(build / "popart/include")
    command = ["g++", "-std=c++20", "-fsyntax-only", "-x", "c++", "-", *[f"-I{folder}" for folder in folders]]
    done = subprocess.run(command, input=source, text=True, stderr=subprocess.PIPE, check=False)
    if len(found) < (2 if of_popart else 6):
        yield f"only {len(found)} examples were found"
    if done.returncode:
        yield done.stderr


def wrong_docstrings():
    read = packages.Packages(root)
    for name in read.missing():
        if name.kind == "gone":
            yield f"docs/reference/names.json: {name.full} is not at {name.where}. Run cmake/docs/names.py write"
        else:
            yield f"{name.where}: {name.full} has no docstring"
    if sum(len(names) for _, names in read.modules()) < 1500:
        yield "docs/reference/names.json has lost names"


def wrong_types():
    for name, missing in packages.Packages(root).untyped():
        yield f"{name.where}: {name.full} does not say the type of {', '.join(missing)}"


def wrong_headers():
    reader = headers.Reader(root)
    wrong = [f"{e.header}:{e.line}: {full} has no text" for full, e in {e.full(): e for e in reader.missing()}.items()]
    if wrong:
        wrong.append("Write a comment above the declaration, or behind it: what it does, its unit, what it throws.")
    if len(reader.texts) < 4000:
        wrong.append(f"only {len(reader.texts)} names were found in the headers")
    if shutil.which("g++"):
        wrong += wrong_examples(reader, poplar, False)
        if build and (build / "popart/include/popart/aionnx.hpp").exists():
            wrong += wrong_examples(reader, popart, True)
    return wrong


def main():
    wrong = [*wrong_docstrings(), *wrong_types()]
    if shutil.which("doxygen"):
        wrong += wrong_headers()
    else:
        print("doxygen is not installed: no header was read")
    print("\n".join(wrong))
    return bool(wrong)


sys.exit(main())
