# SPDX-License-Identifier: MIT
"""Models of transformers and torch_geometric, and what only new versions of torch have: what they give, and their weights after
a step of training, against torch. What is not installed is skipped, by name."""
import importlib.util

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
        raise
    return ""


@pytest.mark.parametrize("name", packages.CASES)
def test_case(name):
    case = packages.CASES[name]
    reason = absent(case)
    if reason:
        pytest.skip(reason)
    report = {"name": name, "step": "torch"}
    trial.forward(case, report)
    if case.train:
        trial.train(case, report)
