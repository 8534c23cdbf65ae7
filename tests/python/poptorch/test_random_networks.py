# SPDX-License-Identifier: MIT
"""Random networks (networks.py) against torch in double precision: inference, and one step of training with and without
accumulation. What may differ is found by torch itself, in single precision with inputs and weights moved by their last
digits; a mismatch counts if it is there on three sets of data.
OPENIPU_SWEEP_SEEDS=100 tries more seeds, 7000:100 those from 7000. A failure prints a program that shows it."""
import copy
import os
import pathlib
import sys

import poptorch
import pytest
import torch
import torch.nn.functional as F

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from networks import Network

FIRST, COUNT = ([0] + [int(n) for n in os.environ.get("OPENIPU_SWEEP_SEEDS", "2").split(":")])[-2:]
EACH = 8  # networks of a seed
OPTIMIZERS = ["torch.optim.SGD(p, lr=0.05)", "torch.optim.SGD(p, lr=0.05, momentum=0.9, weight_decay=0.01)",
              "torch.optim.Adam(p, lr=0.01)", "torch.optim.AdamW(p, lr=0.01, weight_decay=0.1)",
              "torch.optim.RMSprop(p, lr=0.01)"]


class OnHost:
    """poptorch's names for a model that runs in torch."""
    @staticmethod
    def identity_loss(x, reduction):
        return x


def module_of(source, seed, kind=poptorch):
    scope = {"nn": torch.nn, "torch": torch, "F": F, "poptorch": kind}
    exec(source, scope)
    torch.manual_seed(seed)
    return scope["Net"]()


def on_host(source, seed, x, state, precision, optimizer=None, accumulation=1, noise=0.0):
    """What a model computes in torch: its result, or its weights after a step."""
    model = module_of(source, seed, OnHost).to(precision)
    model.load_state_dict(state)
    x = x.to(precision) if x.is_floating_point() else x.clone()
    if noise:
        with torch.no_grad():
            for tensor in [*model.parameters(), *([x] if x.is_floating_point() else [])]:
                tensor.mul_(1 + noise * torch.randn_like(tensor))
    if optimizer is None:
        with torch.no_grad():
            return {"result": model.eval()(x)}
    made = eval(optimizer, {"torch": torch, "p": model.parameters()})
    model.train()
    for part in x.chunk(accumulation):
        (model(part)[1] / accumulation).backward()
    made.step()
    return {name: p.detach() for name, p in model.named_parameters()}


def on_ipu(source, seed, x, state, optimizer=None, accumulation=1):
    model = module_of(source, seed)
    model.load_state_dict(state)
    x = x.float() if x.is_floating_point() else x
    options = poptorch.Options()
    if optimizer is None:
        compiled = poptorch.inferenceModel(model.eval(), options)
        result = {"result": compiled(x).double()}
    else:
        options.Training.gradientAccumulation(accumulation)
        made = eval(optimizer, {"torch": torch, "p": model.parameters()})
        compiled = poptorch.trainingModel(model.train(), options, made)
        compiled(x)
        compiled.copyWeightsToHost()
        result = {name: p.detach().double().clone() for name, p in model.named_parameters()}
    compiled.destroy()
    return result


def differences(source, seed, x, state, relative, **how):
    """Names whose values are further from torch's than torch's own runs are from each other."""
    exact = on_host(source, seed, x, state, torch.float64, **how)
    runs = [on_host(source, seed, x, state, torch.float32, noise=noise, **how) for noise in (0.0, 1e-6, 1e-6, 1e-6)]
    ours = on_ipu(source, seed, x, state, **how)
    found = {}
    for name, expected in exact.items():
        if not expected.isfinite().all() or not all(run[name].isfinite().all() for run in runs):
            continue
        spread = max(float((run[name].double() - expected).abs().max()) for run in runs)
        allowed = relative * max(float(expected.abs().max()), 1e-3) + 40 * spread
        off = float((ours[name].reshape(expected.shape) - expected).abs().max())
        if not off <= allowed:
            found[name] = f"off by {off:.3g}, allowed {allowed:.3g} of {float(expected.abs().max()):.3g}"
    return found


PROGRAM = """
import poptorch, torch
import torch.nn as nn
import torch.nn.functional as F

{source}
torch.manual_seed({seed})
model = Net()
x = {x}
# {how}: {found}
"""


def check(network, relative, accumulation=1, **how):
    source = network.source()
    state = copy.deepcopy(module_of(source, network.seed).state_dict())
    for data in range(3):  # rounding that decides a comparison does so on one set of data
        x = torch.cat([network.inputs(10 * data + i) for i in range(accumulation)])
        if accumulation > 1:
            how["accumulation"] = accumulation
        found = differences(source, network.seed, x, state, relative, **how)
        if not found:
            return
    shown = f"torch.tensor({x.tolist()})" if x.numel() < 200 else f"{x.dtype} {list(x.shape)}"
    pytest.fail(f"seed {network.seed}:" + PROGRAM.format(source=source, seed=network.seed, x=shown, how=how, found=found))


@pytest.mark.parametrize("seed", [seed * EACH + i for seed in range(FIRST, FIRST + COUNT) for i in range(EACH)])
def test_a_random_network_computes_what_torch_does(seed):
    network = Network(seed)
    print(network.source())
    check(network, 1e-4)
    optimizer = network.random.choice(OPTIMIZERS)
    check(network, 3e-4, optimizer=optimizer)
    if network.random.random() < 0.4:
        check(network, 3e-4, accumulation=2, optimizer=optimizer)
