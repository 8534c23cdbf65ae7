# SPDX-License-Identifier: MIT
"""The fixture of pytest that holds steps to a budget, as a project uses it."""
import json
import os
import subprocess
import sys

import pytest
from openipu import budgets

PROJECT = '''
import poptorch
import torch

def test_within(budget):
    model = poptorch.inferenceModel(torch.nn.Linear(8, 2))
    model(torch.randn(4, 8))
    told = budget(model, cycles=10_000_000, fullest_tile=0.9)
    assert told.cycles == budget(model.modelledStep(), cycles=told.cycles).cycles  # at the limit is within

def test_above(budget):
    model = poptorch.inferenceModel(torch.nn.Linear(8, 2))
    model(torch.randn(4, 8))
    budget(model, cycles=100, fullest_tile=10)
'''


@pytest.fixture(autouse=True)
def enabled(monkeypatch):
    monkeypatch.setenv("PATH", os.path.dirname(os.environ["POPVISION"]), prepend=os.pathsep)


def test_a_project_fails_above_its_budget(tmp_path):
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["openipu.budgets"]\n')
    (tmp_path / "test_project.py").write_text(PROJECT)
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)], capture_output=True,
                          text=True)
    assert "1 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    assert "more than the budget of 100. Most of it: " in done.stdout and "How sure: " in done.stdout
    assert "more than the budget of 10." in done.stdout


def test_reports_have_a_budget_too(popvision, report):
    told = json.loads(popvision("summary", "--json", f"{report}/training").stdout)["summary"]
    cost = budgets.cost(f"{report}/training")
    assert (cost.cycles, cost.fullest_tile) == (told["step"]["cycles"], told["memory"]["fullestTileBytes"])
    assert not budgets.excess(cost, cycles=cost.cycles, fullest_tile=cost.fullest_tile)
    assert len(budgets.excess(cost, cycles=cost.cycles - 1, fullest_tile=cost.fullest_tile - 1)) == 2
    share = cost.fullest_tile / cost.bytes_per_tile
    assert budgets.excess(cost, fullest_tile=0.9 * share) and not budgets.excess(cost, fullest_tile=1.1 * share)


def test_what_has_no_cost_is_told(tmp_path):
    with pytest.raises(TypeError, match="A list has no cost"):
        budgets.cost([])
    with pytest.raises(ValueError, match="There is no file or folder"):
        budgets.cost(tmp_path / "missing")
    with pytest.raises(ValueError, match="A budget needs a limit"):
        budgets.excess(budgets.Cost(1, 1, 1, "", {}))
