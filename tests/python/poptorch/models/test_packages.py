# SPDX-License-Identifier: MIT
"""Models of transformers and torch_geometric, and what only new versions of torch have: what they give, and their weights after
a step of training, against torch. What is not installed is skipped, by name."""
import importlib.metadata
import importlib.util

import further
import packages
import pytest
import torch
import trial


def absent(case):
    """Why a case cannot be tried here; "" if it can."""
    if importlib.util.find_spec(case.package) is None:
        return f"{case.package} is not installed"
    torch.manual_seed(3)
    try:
        model, inputs = case.make()
        with torch.no_grad():
            model.eval()(*inputs)
    except (AttributeError, TypeError) as problem:
        if case.package == "torch":  # an older one
            return f"torch {torch.__version__}: {problem}"
        where = getattr(getattr(problem, "obj", None), "__name__", "")
        if isinstance(problem, AttributeError) and where.startswith(case.package):
            return f"{case.package} {importlib.metadata.version(case.package)}: {problem}"  # has no such class
        raise
    return ""


CASES = {**packages.CASES, **further.CASES}


@pytest.mark.parametrize("name", CASES)
def test_case(name):
    case = CASES[name]
    reason = absent(case)
    if reason:
        pytest.skip(reason)
    report = {"name": name, "step": "torch"}
    trial.forward(case, report)
    if case.train:
        trial.train(case, report)
