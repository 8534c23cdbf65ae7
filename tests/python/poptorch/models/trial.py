#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What of today's models runs with the torch that is here: every case of packages.py and test_families.py, each in a process
of its own, compared with torch. Forward agrees to 1e-4, weights after one step of training to 1e-3.

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

FOLDER = os.path.dirname(os.path.abspath(__file__))
FORWARD, WEIGHTS = 1e-4, 1e-3
STEPS = ("absent", "torch", "forward", "train")  # where a case ended: without its package, in torch itself, here; "": well


def cases():
    import packages
    import test_families as families
    found = dict(packages.CASES)
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


def train(case, report):
    import packages
    import poptorch
    import torch
    torch.manual_seed(3)
    model, inputs = case.make()
    model.train()
    with torch.no_grad():
        wanted = torch.rand(copy.deepcopy(model)(*[t.clone() for t in inputs]).shape)
    theirs, ours = packages.Trained(copy.deepcopy(model), wanted), packages.Trained(model, wanted)
    optimizer = torch.optim.SGD(theirs.parameters(), lr=0.1)
    theirs(*inputs).backward()
    optimizer.step()
    report["step"] = "train"
    training = poptorch.trainingModel(ours, optimizer=torch.optim.SGD(ours.parameters(), lr=0.1))
    training(*inputs)
    training.copyWeightsToHost()
    found, gaps = dict(ours.named_parameters()), {}
    for name, value in theirs.named_parameters():
        gaps[name] = difference(found[name], value)
    worst = max(gaps, key=gaps.get)
    report["train"] = gaps[worst]
    if not gaps[worst] <= max(WEIGHTS, case.bound):
        raise AssertionError(f"{worst} differs by {gaps[worst]:.2g}")


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


def in_process(name, limit):
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as scratch:
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENIPU_RUNTIME_DIR": scratch, "HF_HUB_OFFLINE": "1",
                       "TRANSFORMERS_VERBOSITY": "error"}
        try:
            done = subprocess.run([sys.executable, os.path.abspath(__file__), "--one", name], capture_output=True, text=True,
                                  timeout=limit, env=environment, cwd=scratch)
            lines = [line for line in done.stdout.splitlines() if line.startswith("{\"name\"")]
            last = done.stderr[-300:].replace("\n", " ")
            report = json.loads(lines[-1]) if lines else {
                "name": name, "step": "forward", "error": f"ended with {done.returncode}: {last}", "where": "",
                "trace": done.stderr[-6000:]}
        except subprocess.TimeoutExpired:
            report = {"name": name, "step": "forward", "error": f"more than {limit} s", "where": ""}
    return {**report, "seconds": round(time.perf_counter() - start, 1)}


def test_file(path, limit):
    """The tests of a file: the lines that say what failed, and how many did."""
    with tempfile.TemporaryDirectory() as scratch:
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENIPU_RUNTIME_DIR": scratch, "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=line", "-rfE", path]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=limit, env=environment, cwd=scratch)
        except subprocess.TimeoutExpired:
            return {"name": path, "code": -1, "lines": [f"more than {limit} s"], "trace": ""}
    lines = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    summary = [line for line in done.stdout.splitlines() if " passed" in line or " failed" in line or " error" in line]
    return {"name": path, "code": done.returncode, "lines": lines + summary[-1:], "trace": (done.stdout + done.stderr)[-20000:]}


def run_tests(jobs, limit):
    """All test files of PopTorch, in processes of their own."""
    if importlib.util.find_spec("pytest") is None:
        print("The tests of PopTorch need pytest, which is not installed: they were not run.")
        return []
    above = os.path.dirname(FOLDER)
    files = [os.path.join(where, name) for where, _, names in os.walk(above) for name in sorted(names)
             if name.startswith("test_") and name.endswith(".py") and where != FOLDER]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        reports = list(pool.map(lambda path: test_file(path, limit), files))
    for report in reports:
        if report["code"]:
            print(os.path.relpath(report["name"], above), *(line[:300] for line in report["lines"]), sep="\n    ")
    print(f"{sum(not r['code'] for r in reports)} of {len(reports)} test files pass")
    return reports


def versions():
    import importlib.metadata
    found = [f"Python {sys.version.split()[0]}"]
    for name in ("torch", "numpy", "transformers", "torch_geometric", "lightning", "pytorch_lightning"):
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            found.append(f"{name} absent")
    return ", ".join(found)


def shown(report):
    good = report["step"] == ""
    numbers = " ".join(f"{key} {report[key]:.1e}" for key in ("forward", "train") if key in report)
    line = f"{'ok' if good else 'ABSENT' if report['step'] == 'absent' else 'FAILED ' + report['step']:15} {report['name']:34}"
    line += f" {report['seconds']:5.1f} s  {numbers}"
    return line if good else f"{line}\n      {report['error'][:400]}\n      at {report['where']}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many processes run side by side")
    parser.add_argument("--limit", type=int, default=150, help="seconds for a case")
    parser.add_argument("--json", help="writes all that was found into this file, with tracebacks")
    parser.add_argument("--only", default="", help="cases whose names hold this text")
    parser.add_argument("--tests", action="store_true", help="runs all tests of PopTorch too, with pytest")
    parser.add_argument("--one", help="runs a case in this process")
    arguments = parser.parse_args()
    sys.path.insert(0, FOLDER)
    if arguments.one:
        print(json.dumps(one(arguments.one)))
        return 0
    names = [name for name in cases() if arguments.only in name]
    print(versions(), flush=True)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        reports = list(pool.map(lambda name: in_process(name, arguments.limit), names))
    for report in sorted(reports, key=lambda r: (STEPS + ("",)).index(r["step"]), reverse=True):
        print(shown(report))
    good, absent = sum(r["step"] == "" for r in reports), sum(r["step"] in ("absent", "torch") for r in reports)
    print(f"{good} of {len(reports) - absent} agree with torch; {absent} do not run with the torch and packages that are here")
    tests = run_tests(arguments.jobs, 2 * arguments.limit) if arguments.tests else []
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({"cases": reports, "tests": tests}, file, indent=1)
    return good + absent < len(reports) or any(report["code"] for report in tests)


if __name__ == "__main__":
    sys.exit(main())
