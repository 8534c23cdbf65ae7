# SPDX-License-Identifier: MIT
"""Random stacks of Keras layers: what they predict and what one step of training makes of their weights, on the host and on
an IPU, against torch. A stack is wrong if it is wrong on three sets of data: where sums are rounded, equal values may part."""
import os
import sys

import numpy as np
import on_ipus
import pytest
import torch
from stacks import Stack
from tensorflow import keras

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from random_seeds import check_thrice, seeds

RATE = 0.125


def compiled(model):
    model.compile(keras.optimizers.SGD(RATE), "mse")
    return model


def moved(model, first, x, y):
    """The trained weights' changes in one step, and the weights that are not trained."""
    model.set_weights(first)
    before = [w.numpy() for w in model.trainable_weights]
    model.fit(x, y, batch_size=len(x), shuffle=False, verbose=0)
    return [w.numpy() - b for w, b in zip(model.trainable_weights, before)] + [w.numpy() for w in model.non_trainable_weights]


def wanted(stack, first, x, y):
    stack.model.set_weights(first)
    prediction, _ = stack.torch(x, False)
    result, trained = stack.torch(x, True)
    ((result - torch.tensor(y, dtype=torch.float64)) ** 2).mean().backward()
    return prediction.detach().numpy(), [np.zeros(w.shape) if w.grad is None else -RATE * w.grad.numpy() for w in trained]


def off(found, expected):
    """How far, in parts of what is tolerated: sums that cancel out are as rough as what is summed."""
    worst, largest = 0.0, max(float(np.abs(b).max(initial=0)) for b in expected)
    for a, b in zip(found, expected):
        size = max(float(np.abs(b).max(initial=0)), 1e-3)
        worst = max(worst, float(np.abs(a - b).max(initial=0)) / (2e-4 * size + 1e-5 * largest + 1e-6))
    return worst if np.isfinite(worst) else np.inf


def wrong(stack, twin, first):
    """What differs on one set of data; "" if nothing does."""
    x, y = stack.data()
    prediction, steps = wanted(stack, first, x, y)
    if not all(np.isfinite(a).all() and np.abs(a).max(initial=0) < 1e6 for a in (prediction, *steps)):
        return ""
    said = []
    results = {}
    for name, model in (("host", stack.model), ("IPU", twin)):
        model.set_weights(first)
        if (by := off([model.predict(x, batch_size=len(x))], [prediction])) > 1:
            said.append(f"{name} predicts {by:.1f} tolerances off")
        results[name] = moved(model, first, x, y)
        if (by := off(results[name], steps)) > 1:
            said.append(f"{name} steps {by:.1f} tolerances off")
    if (by := off(results["IPU"], results["host"])) > 1:
        said.append(f"IPU and host are {by:.1f} tolerances apart")
    return "; ".join(said)


@pytest.mark.parametrize("seed", seeds(60))
def test_host_and_ipu_compute_what_torch_does(seed):
    stack = Stack(seed)
    with on_ipus.strategy().scope():
        twin = compiled(Stack(seed).model)
    compiled(stack.model)
    first = stack.model.get_weights()
    check_thrice(seed, stack, lambda: wrong(stack, twin, first))
