# SPDX-License-Identifier: MIT
"""torch's own list of its operators, with its own examples of inputs: what of it agrees with the CPU.

    PYTHONPATH=build/ci/python python3 tests/python/poptorch/models/operators.py [--only nn.functional] [--json results.json]

For each operator the first example. Ends are "ok"; "refused", by an error of PopTorch's; "wrong", other results; "broken", any
other exception. Operators that draw random numbers are compared by shape and type alone.
"""
import argparse
import json
import os
import subprocess
import sys
import time
import types
import unittest
import warnings
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

FOLDER = os.path.dirname(os.path.abspath(__file__))
NARROW = {"int64": "int32", "float64": "float32", "bfloat16": "float32"}


def op_db():
    if "expecttest" not in sys.modules:  # torch's lists import it, for tests of texts that are not run here
        try:
            import expecttest  # noqa: F401
        except ImportError:
            sys.modules["expecttest"] = types.SimpleNamespace(ACCEPT=False, TestCase=unittest.TestCase)
    from torch.testing._internal.common_methods_invocations import op_db as found
    return found


def example(op):
    """(function of tensors, tensors) of the first example."""
    import torch
    from torch.utils._pytree import tree_flatten, tree_unflatten
    sample = next(iter(op.sample_inputs("cpu", torch.float32, requires_grad=False)))
    leaves, structure = tree_flatten((sample.input, tuple(sample.args), dict(sample.kwargs)))
    places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]

    def function(*tensors):
        filled = list(leaves)
        for i, tensor in zip(places, tensors):
            filled[i] = tensor
        first, args, kwargs = tree_unflatten(filled, structure)
        return op.op(first, *args, **kwargs)

    return function, [leaves[i] for i in places]


def flat(value):
    import torch
    if isinstance(value, torch.Tensor):
        return [value]
    return [tensor for part in value for tensor in flat(part)] if isinstance(value, (list, tuple)) else []


def compared(op):
    """How it ends, and why."""
    import poptorch
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode
    drawn = []

    class Draws(TorchDispatchMode):  # examples of torch's set the seed themselves
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            drawn.extend(a.name for a in func._schema.arguments if a.name == "generator" or "dropout" in func._schema.name)
            return func(*args, **(kwargs or {}))

    try:
        function, tensors = example(op)
        wanted = flat(function(*[t.clone() for t in tensors]))
    except Exception as problem:
        return "not on the CPU", str(problem)
    if not wanted:
        return "no tensors", ""
    try:
        with Draws():
            function(*[t.clone() for t in tensors])
    except Exception:  # modes are not for every operator
        pass

    class Model(torch.nn.Module):
        def forward(self, *inputs):
            return tuple(flat(function(*inputs)))

    try:
        found = flat(poptorch.inferenceModel(Model())(*[t.clone() for t in tensors]))
    except poptorch.Error as problem:
        return "refused", str(problem)
    except Exception as problem:
        return "broken", f"{type(problem).__name__}: {problem}"
    for mine, theirs in zip(found, wanted):
        if theirs.layout is not torch.strided:
            return "no tensors", "but sparse ones"
        kind = str(theirs.dtype).split(".")[1]
        if mine.shape != theirs.shape or str(mine.dtype).split(".")[1] not in (kind, NARROW.get(kind)):
            return "wrong", f"{tuple(mine.shape)} {mine.dtype}, torch has {tuple(theirs.shape)} {theirs.dtype}"
        if not drawn and not torch.allclose(mine.double(), theirs.double(), 1e-3, 1e-4, equal_nan=True):
            return "wrong", f"differs by {(mine.double() - theirs.double()).abs().max():.2g}"
    return "ok", ""


def part(only, i, n):
    """Every nth operator, in this process; a line each as it ends."""
    warnings.simplefilter("ignore")
    import torch
    torch.set_num_threads(1)
    for op in [op for op in op_db() if op.name.startswith(only)][i::n]:
        name = op.name + (f".{op.variant_test_name}" if op.variant_test_name else "")
        end, why = compared(op)
        print(json.dumps([name, end, " ".join(why.split())[:400]]), flush=True)


def in_process(only, i, n, limit, until=float("inf")):
    """The rows of part i of n: those that are ready after so many seconds, or then (of time.monotonic())."""
    limit = max(1, min(limit, until - time.monotonic()))
    command = [sys.executable, os.path.abspath(__file__), "--only", only, "--part", str(i), str(n)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            output, errors = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            process.kill()
            output, errors = process.communicate()
    rows = [json.loads(line) for line in output.splitlines() if line.startswith("[") and line.endswith("]")]
    if process.returncode:
        rows.append([f"(part {i} after {rows[-1][0] if rows else 'nothing'})", "broken",
                     f"ended with {process.returncode}: {errors[-300:]}"])
    return rows


def tried(jobs, limit, only=""):
    with ThreadPoolExecutor(jobs) as pool:
        return [row for rows in pool.map(lambda i: in_process(only, i, jobs, limit), range(jobs)) for row in rows]


def shown(rows, width=110):
    counts = Counter(end for _, end, _ in rows)
    lines = ["operators of torch's list: " + ", ".join(f"{n} {end}" for end, n in counts.most_common())]
    for kind in ("wrong", "broken"):
        lines += [f"  {kind} {name}: {why}"[:width] for name, end, why in sorted(rows) if end == kind]
    refused = Counter(name.split(".")[0] if not name.startswith("nn.") else name for name, end, _ in rows if end == "refused")
    return "\n".join([*lines, "  refused: " + " ".join(sorted(refused))])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="operators whose names begin with this")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--limit", type=int, default=600, help="seconds in all")
    parser.add_argument("--json", help="writes all that was found into this file")
    parser.add_argument("--part", nargs=2, type=int, metavar=("I", "N"), help="every Nth in this process")
    given = parser.parse_args()
    if given.part:
        return part(given.only, *given.part)
    rows = tried(given.jobs, given.limit, given.only)
    print(shown(rows))
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=0)


if __name__ == "__main__":
    main()
