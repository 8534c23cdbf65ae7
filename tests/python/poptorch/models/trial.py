#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What of today's models runs with the torch that is here: every case of packages.py, further.py and test_families.py, each
in a process of its own, compared with torch. Forward agrees to 1e-4, weights after one step of training to 1e-3.

    PYTHONPATH=build/ci/python python3 tests/python/poptorch/models/trial.py --jobs 16 --json results.json
"""
import argparse
import concurrent.futures
import copy
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter

FOLDER = os.path.dirname(os.path.abspath(__file__))
FORWARD, WEIGHTS = 1e-4, 1e-3
# Where a case ended: not begun, without its package, in torch itself, or here; "": well
STEPS = ("not run", "absent", "torch", "forward", "train")


def cases():
    import further
    import packages
    import test_families as families
    found = {**packages.CASES, **further.CASES}
    for name, (make, inputs) in families.FAMILIES.items():
        found[f"own {name}"] = packages.Case(lambda make=make, inputs=inputs: (make(), inputs()), "torch")
    return found


def tensors_of(value):
    import torch
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = value.values()
    elif hasattr(value, "layers"):  # a cache
        value = [part for layer in value.layers for part in (layer.keys, layer.values)]
    return [t for part in value if part is not None for t in tensors_of(part)]


def difference(found, wanted):
    """The largest difference, of numbers above 1 as a part of them."""
    if tuple(found.shape) != tuple(wanted.shape):
        raise AssertionError(f"shape {tuple(found.shape)}, torch has {tuple(wanted.shape)}")
    found, wanted = found.detach().double(), wanted.detach().double()
    gap = (found - wanted).abs() / wanted.abs().clamp(min=1)
    return float(gap.nan_to_num(float("inf")).max()) if gap.numel() else 0.0


def forward(case, report):
    import poptorch
    import torch
    torch.manual_seed(3)
    model, inputs = case.make()
    model.eval()
    with torch.no_grad():
        wanted = tensors_of(copy.deepcopy(model)(*[t.clone() for t in inputs]))
    report["step"] = "forward"
    executor = poptorch.inferenceModel(model)
    start = time.perf_counter()
    executor.compile(*inputs)
    report["compile"] = round(time.perf_counter() - start, 2)
    found = tensors_of(executor(*inputs))
    report["forward"] = max(difference(a, b) for a, b in zip(found, wanted, strict=True))
    if not report["forward"] <= case.bound:
        raise AssertionError(f"forward differs by {report['forward']:.2g}")


def after_a_step(model, inputs):
    """The weights that torch has."""
    import torch
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model(*inputs).backward()
    optimizer.step()
    return dict(model.named_parameters())


def largest(found, wanted):
    gaps = {name: difference(found[name], value) for name, value in wanted.items()}
    worst = max(gaps, key=gaps.get)
    return gaps[worst], worst


def train(case, report):
    import packages
    import poptorch
    import torch
    torch.manual_seed(3)
    model, inputs = case.make()
    model.train()
    with torch.no_grad():
        wanted = torch.rand(copy.deepcopy(model)(*[t.clone() for t in inputs]).shape)
    ours = packages.Trained(model, wanted)
    before = copy.deepcopy(ours)
    theirs = after_a_step(copy.deepcopy(ours), inputs)
    report["step"] = "train"
    training = poptorch.trainingModel(ours, optimizer=torch.optim.SGD(ours.parameters(), lr=0.1))
    training(*inputs)
    training.copyWeightsToHost()
    found = dict(ours.named_parameters())
    report["train"], worst = largest(found, theirs)
    if report["train"] > max(WEIGHTS, case.bound):  # perhaps no more than floats round: gradients of some norms are 1000
        exact = after_a_step(before.double(), [t.double() if t.is_floating_point() else t for t in inputs])
        report["rounding"], (report["train"], worst) = largest(theirs, exact)[0], largest(found, exact)
        if report["train"] > 3 * report["rounding"]:
            raise AssertionError(f"{worst} differs by {report['train']:.2g}; torch in float by {report['rounding']:.2g}")


def last_of(problem):
    """What went wrong, in one line, and where in whose file."""
    places = [f"{os.path.basename(f.filename)}:{f.lineno}" for f in traceback.extract_tb(problem.__traceback__)
              if "poptorch" not in f.filename.split(os.sep)[:-1] or FOLDER in f.filename]
    return f"{type(problem).__name__}: {problem}".replace("\n", " ")[:500], " < ".join(places[:-6:-1])


def one(name):
    report = {"name": name, "step": "absent"}
    try:
        case = cases()[name]
        if importlib.util.find_spec(case.package) is None:
            raise ImportError(f"{case.package} is not installed")
        import torch
        torch.set_num_threads(1)
        for run in (forward, train) if case.train else (forward,):
            report["step"] = "torch"
            run(case, report)
        report["step"] = ""
    except BaseException as problem:
        report["error"], report["where"] = last_of(problem)
        report["trace"] = traceback.format_exc()[-6000:]
    return report


def in_process(name, limit, until=float("inf")):
    """The report of a case; until: of time.monotonic()"""
    start = time.perf_counter()
    left = until - time.monotonic()
    if left < 10:
        return {"name": name, "step": "not run", "error": "no time was left", "where": "", "seconds": 0}
    with tempfile.TemporaryDirectory() as scratch:
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENIPU_RUNTIME_DIR": scratch, "HF_HUB_OFFLINE": "1",
                       "TRANSFORMERS_VERBOSITY": "error"}
        try:
            done = subprocess.run([sys.executable, os.path.abspath(__file__), "--one", name], capture_output=True, text=True,
                                  timeout=min(limit, left), env=environment, cwd=scratch)
            lines = [line for line in done.stdout.splitlines() if line.startswith("{\"name\"")]
            last = done.stderr[-300:].replace("\n", " ")
            report = json.loads(lines[-1]) if lines else {
                "name": name, "step": "forward", "error": f"ended with {done.returncode}: {last}", "where": "",
                "trace": done.stderr[-6000:]}
        except subprocess.TimeoutExpired:
            report = {"name": name, "step": "forward" if limit <= left else "not run", "where": "",
                      "error": f"more than {min(limit, left):.0f} s"}
    return {**report, "seconds": round(time.perf_counter() - start, 1)}


def versions():
    import importlib.metadata
    found = [f"Python {sys.version.split()[0]}"]
    for name in ("torch", "numpy", "transformers", "torch_geometric", "lightning", "pytorch_lightning"):
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            found.append(f"{name} absent")
    return ", ".join(found)


def line_of(report):
    numbers = " ".join(f"{report[key]:.0e}" for key in ("forward", "train") if key in report)
    if report["step"] == "":
        return f"{report['name']} {numbers}"
    return (f"  {report['name']}: failed in {report['step']} {numbers}; {report['error'][:300]}\n"
            f"      at {report['where'][:200]}")


def shown(reports):
    """The table: what agrees, with the differences of forward and of weights, then what does not, and why."""
    good = [r for r in reports if r["step"] == ""]
    absent = sum(r["step"] in ("not run", "absent", "torch") for r in reports)
    missing = Counter(r["error"] for r in reports if r["step"] in ("not run", "absent"))
    head = (f"models: {len(good)} of {len(reports) - absent} agree with torch; {absent} do not run with the torch and packages "
            "that are here")
    return "\n".join([head, *(f"  {n} not tried: {why}" for why, n in missing.items()),
                      *(line_of(r) for r in reports if r["step"] not in ("", "not run", "absent")),
                      "  agree: " + "; ".join(map(line_of, good))])


def tried(jobs, limit, only=""):
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(lambda name: in_process(name, limit), [name for name in cases() if only in name]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many processes run side by side")
    parser.add_argument("--limit", type=int, default=150, help="seconds for a case")
    parser.add_argument("--json", help="writes all that was found into this file, with tracebacks")
    parser.add_argument("--only", default="", help="cases whose names hold this text")
    parser.add_argument("--one", help="runs a case in this process")
    arguments = parser.parse_args()
    sys.path.insert(0, FOLDER)
    if arguments.one:
        print(json.dumps(one(arguments.one)))
        return 0
    print(versions(), flush=True)
    reports = tried(arguments.jobs, arguments.limit, arguments.only)
    print(shown(reports))
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(reports, file, indent=1)
    return any(report["step"] in ("forward", "train") for report in reports)


if __name__ == "__main__":
    sys.exit(main())
