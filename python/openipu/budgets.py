# SPDX-License-Identifier: MIT
"""Budgets of cycles and memory for pytest: a test fails if a step takes more than it may.

Name the module in your `conftest.py`, and the fixture `budget` is there:

    pytest_plugins = ["openipu.budgets"]

    def test_stays_within_its_budget(budget):
        training(x, y)
        budget(training, cycles=500_000, fullest_tile=0.5)
"""
import json
import os
import shutil
import subprocess
import typing

import pytest


class Cost(typing.NamedTuple):
    """What one step takes. cycles: of the step; fullest_tile and bytes_per_tile: bytes that the fullest tile needs, and that
    a tile has; how_sure: the published measurements that the cycles are like, with the model's errors; parts: of the cycles."""
    cycles: int
    fullest_tile: int
    bytes_per_tile: int
    how_sure: str
    parts: typing.Dict[str, int]


def _of_report(path: str) -> Cost:
    program = shutil.which("popvision")
    if not program:
        raise FileNotFoundError("popvision is not on the PATH: it reads reports. Enable the SDK.")
    done = subprocess.run([program, "summary", "--json", path], capture_output=True, text=True, check=False)
    if done.returncode:
        raise ValueError(done.stderr.strip())
    told = json.loads(done.stdout)["summary"]
    if told["step"]["run"] < 0:
        raise ValueError(f"{path} has no run: set autoReport.outputExecutionProfile, or autoReport.all.")
    return Cost(told["step"]["cycles"], told["memory"]["fullestTileBytes"], told["target"]["bytesPerTile"],
                told["step"]["howSure"], told["step"]["parts"])


def cost(of: typing.Any) -> Cost:
    """What a step takes: of a compiled model of PopTorch, of its `modelledStep()`, or of a report (`profile.pop`, or a folder
    with one). Raises TypeError for anything else, and ValueError for a report without a run."""
    if isinstance(of, (str, os.PathLike)):
        return _of_report(os.fspath(of))
    step = of.modelledStep() if hasattr(of, "modelledStep") else of
    if not hasattr(step, "cycles_by_kind"):
        raise TypeError(f"A {type(of).__name__} has no cost. Give a compiled model of PopTorch, its modelledStep() or the path "
                        "of a report.")
    return Cost(step.cycles, step.fullest_tile, step.bytes_per_tile, step.how_sure, step.cycles_by_kind)


def excess(of: Cost, cycles: typing.Optional[int] = None,
           fullest_tile: typing.Union[int, float, None] = None) -> typing.List[str]:
    """What is above its limit, a sentence each. cycles: of a step; fullest_tile: bytes, or a share of a tile if it is a float.
    Raises ValueError if there is no limit."""
    if cycles is None and fullest_tile is None:
        raise ValueError("A budget needs a limit: cycles, fullest_tile, or both.")
    found = []
    if cycles is not None and of.cycles > cycles:
        longest = sorted(of.parts.items(), key=lambda part: -part[1])[:3]
        names = ", ".join(f"{name} {spent:,}" for name, spent in longest)
        found.append(f"A step takes {of.cycles:,} cycles, {of.cycles / max(1, cycles) - 1:.1%} more than the budget of "
                     f"{cycles:,}. Most of it: {names}. How sure: {of.how_sure}.")
    if fullest_tile is not None:
        limit = int(fullest_tile * of.bytes_per_tile) if isinstance(fullest_tile, float) else fullest_tile
        if of.fullest_tile > limit:
            found.append(f"The fullest tile needs {of.fullest_tile:,} bytes, {of.fullest_tile / max(1, limit) - 1:.1%} more "
                         f"than the budget of {limit:,}.")
    return found


@pytest.fixture
def budget() -> typing.Callable[..., Cost]:
    """A function: budget(of, cycles=..., fullest_tile=...) fails the test if a step takes more than that, and returns its
    cost. `of` is what `cost` takes."""
    def check(of: typing.Any, cycles: typing.Optional[int] = None,
              fullest_tile: typing.Union[int, float, None] = None) -> Cost:
        step = cost(of)
        sentences = excess(step, cycles, fullest_tile)
        if sentences:
            pytest.fail("\n".join(sentences), pytrace=False)
        return step
    return check
