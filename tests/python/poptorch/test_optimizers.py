# SPDX-License-Identifier: MIT
"""Optimizers on the device against torch.optim on the host: eight steps of two weights in two groups."""
import copy
import pathlib
import pickle
import sys

import numpy as np
import poptorch
import pytest
import torch
from poptorch import optim
from poptorch.optim.translate import Translator, checkStrategy, countStep, maximizes, translate, untrained

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import popart
from harness import Trainer

rng = np.random.default_rng(5)
W = rng.uniform(-1, 1, (4, 3)).astype(np.float32)
V = rng.uniform(-1, 1, (3,)).astype(np.float32)
TARGET = rng.uniform(-1, 1, (5, 3)).astype(np.float32)
INPUTS = rng.uniform(0.5, 1.5, (8, 5, 4)).astype(np.float32)


def model(sign):
    def build(builder, x, _):
        w = builder.addInitializedInputTensor(W, "w")
        v = builder.addInitializedInputTensor(V, "v")
        off = builder.aiOnnx.sub([builder.aiOnnx.add([builder.aiOnnx.matmul([x, w]), v]), builder.aiOnnx.constant(TARGET)])
        square = builder.aiOnnx.mul([off, off])
        if sign < 0:
            square = builder.aiOnnx.neg([square])
        return builder.aiGraphcore.identityloss([square], reduction=popart.ReductionType.Mean)
    return build


def weights():
    return torch.nn.Parameter(torch.tensor(W)), torch.nn.Parameter(torch.tensor(V))


def loss_of(x, w, v):
    return ((torch.tensor(x) @ w + v - torch.tensor(TARGET)) ** 2).mean()


def names_of(w, v):
    return {id(w): "w", id(v): "v"}


def on_device(optimizer, w, v, changes=None):
    translator = Translator(poptorch.Options(), names_of(w, v))
    trainer = Trainer(model(-1 if maximizes(optimizer) else 1), translator.translate(optimizer), [5, 4], labels=False)
    for i, x in enumerate(INPUTS):
        trainer.step(x)
        countStep(optimizer)
        if translator.begin():
            trainer.session.updateOptimizerFromHost(translator.update(optimizer))
        if changes:
            changes(i, optimizer)
            trainer.session.updateOptimizerFromHost(translator.update(optimizer))
    return trainer.weights()


def on_host(optimizer, w, v, changes=None, norm=None):
    for i, x in enumerate(INPUTS):
        optimizer.zero_grad()
        loss_of(x, w, v).backward()
        if norm:
            torch.nn.utils.clip_grad_norm_([w, v], norm)
        optimizer.step()
        if changes:
            changes(i, optimizer)
    return {"w": w.detach().numpy(), "v": v.detach().numpy()}


def compare(ours, theirs, tolerance=3e-5):
    for name, start in (("w", W), ("v", V)):
        moved = np.abs(theirs[name] - start).max()
        assert moved > 0.005  # or the comparison says nothing
        np.testing.assert_allclose(ours[name], theirs[name], rtol=tolerance, atol=tolerance * moved + 2e-6)


SAME = {  # name: (class, arguments): the same for torch.optim and poptorch.optim
    "sgd": ("SGD", {"lr": 0.05}),
    "sgd_decay": ("SGD", {"lr": 0.05, "weight_decay": 0.1}),
    "sgd_dampening_alone": ("SGD", {"lr": 0.05, "dampening": 0.5}),
    "momentum": ("SGD", {"lr": 0.05, "momentum": 0.8}),
    "momentum_decay": ("SGD", {"lr": 0.05, "momentum": 0.8, "weight_decay": 0.1}),
    "nesterov": ("SGD", {"lr": 0.05, "momentum": 0.8, "weight_decay": 0.1, "nesterov": True}),
    "sgd_maximize": ("SGD", {"lr": 0.02, "momentum": 0.5, "maximize": True, "weight_decay": 0.1}),
    "adam": ("Adam", {"lr": 0.05}),
    "adam_decay": ("Adam", {"lr": 0.05, "weight_decay": 0.1, "betas": (0.8, 0.95), "eps": 1e-5}),
    "adam_maximize": ("Adam", {"lr": 0.05, "maximize": True}),
    "adamw": ("AdamW", {"lr": 0.05}),
    "adamw_decay": ("AdamW", {"lr": 0.05, "weight_decay": 0.2, "betas": (0.8, 0.95), "eps": 1e-6}),
    "rmsprop": ("RMSprop", {"lr": 0.02}),
    "rmsprop_decay": ("RMSprop", {"lr": 0.02, "alpha": 0.9, "eps": 1e-6, "weight_decay": 0.1}),
    "rmsprop_centered": ("RMSprop", {"lr": 0.02, "alpha": 0.9, "eps": 1e-4, "centered": True}),
    "rmsprop_momentum": ("RMSprop", {"lr": 0.02, "momentum": 0.7, "centered": True, "eps": 1e-4}),
}


@pytest.mark.parametrize("module", [torch.optim, optim], ids=["torch", "poptorch"])
@pytest.mark.parametrize("name", SAME)
def test_eight_steps(name, module):
    kind, arguments = SAME[name]
    w, v = weights()
    compare(on_device(getattr(module, kind)([w, v], **arguments), w, v),
            on_host(getattr(torch.optim, kind)([w, v], **arguments), w, v))


@pytest.mark.parametrize("arguments", [
    {}, {"bias_correction": False}, {"weight_decay": 0.2, "betas": (0.8, 0.95)}, {"max_weight_norm": 0.5}], ids=str)
def test_lamb(arguments):
    w, v = weights()
    compare(on_device(optim.LAMB([w, v], lr=0.05, **arguments), w, v),
            on_host(optim.LAMB([w, v], lr=0.05, **arguments), w, v))


@pytest.mark.parametrize("kind, arguments", [
    ("SGD", {"momentum": 0.8, "use_combined_accum": True, "velocity_scaling": 4.0, "loss_scaling": 16.0}),
    ("SGD", {"momentum": 0.8, "loss_scaling": 16.0}), ("SGD", {"momentum": 0.8, "max_grad_norm": 0.3, "loss_scaling": 4.0}),
    ("Adam", {"loss_scaling": 16.0}), ("AdamW", {"loss_scaling": 16.0, "max_grad_norm": 0.3}),
    ("RMSprop", {"loss_scaling": 16.0})], ids=str)
def test_arguments_of_the_device_change_no_step(kind, arguments):
    w, v = weights()
    ours = on_device(getattr(optim, kind)([w, v], lr=0.02, **arguments), w, v)
    own = {"momentum": arguments["momentum"]} if "momentum" in arguments else {}
    compare(ours, on_host(getattr(torch.optim, kind)([w, v], lr=0.02, **own), w, v, norm=arguments.get("max_grad_norm")))


@pytest.mark.parametrize("module", [torch.optim, optim], ids=["torch", "poptorch"])
@pytest.mark.parametrize("kind", ["SGD", "Adam", "AdamW", "RMSprop"])
def test_every_kind_clips_by_the_attribute(kind, module, capsys):
    w, v = weights()
    arguments = {"SGD": {"lr": 0.3}, "RMSprop": {"lr": 0.02, "eps": 0.01}}.get(kind, {"lr": 0.02})
    optimizer = getattr(module, kind)([w, v], **arguments)
    optimizer.max_grad_norm = 0.05
    ours = on_device(optimizer, w, v)
    assert "unexpected" not in capsys.readouterr().err
    compare(ours, on_host(getattr(torch.optim, kind)([w, v], **arguments), w, v, norm=0.05))


@pytest.mark.parametrize("sgd", [torch.optim.SGD, optim.SGD])
def test_dampening_holds_after_the_first_step(sgd):
    w, v = weights()
    settings = dict(lr=0.05, momentum=0.8, dampening=0.4, weight_decay=0.1)
    ours = on_device(sgd([w, v], **settings), w, v)
    compare(ours, on_host(torch.optim.SGD([w, v], **settings), w, v))


@pytest.mark.parametrize("sgd", [torch.optim.SGD, optim.SGD])
def test_dampened_trainings_agree_with_torch(sgd):
    settings = dict(lr=0.1, momentum=0.9, dampening=0.5)
    torch.manual_seed(3)
    module, data = torch.nn.Linear(4, 3), torch.rand(5, 6, 4)
    reference = copy.deepcopy(module)
    host = torch.optim.SGD(reference.parameters(), **settings)
    module.loss = torch.nn.MSELoss()

    class Training(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = module

        def forward(self, x):
            y = self.inner(x)
            return y, self.inner.loss(y, torch.zeros_like(y))
    training = poptorch.trainingModel(Training(), optimizer=sgd(module.parameters(), **settings))
    for x in data:
        training(x)
        host.zero_grad()
        torch.nn.functional.mse_loss(reference(x), torch.zeros(6, 3)).backward()
        host.step()
        torch.testing.assert_close(module.weight.detach().clone(), reference.weight.detach(), rtol=1e-5, atol=1e-6)


def test_adamw_without_correction_and_tensorflows_rmsprop():
    w, v = weights()
    ours = on_device(optim.AdamW([w, v], lr=0.02, bias_correction=False), w, v)
    theirs = on_device(optim.RMSprop([w, v], lr=0.02, alpha=0.9, momentum=0.5, use_tf_variant=True), w, v)
    state = {p: [torch.zeros_like(p), torch.zeros_like(p)] for p in (w, v)}
    for x in INPUTS:
        w.grad = v.grad = None
        loss_of(x, w, v).backward()
        for p in (w, v):
            state[p] = [0.9 * state[p][0] + 0.1 * p.grad, 0.999 * state[p][1] + 0.001 * p.grad ** 2]
            p.data -= 0.02 * (state[p][0] / (state[p][1].sqrt() + 1e-8) + 0.01 * p.data)
    compare(ours, {"w": w.detach().numpy(), "v": v.detach().numpy()})
    w, v = weights()
    state = {p: [torch.ones_like(p), torch.zeros_like(p)] for p in (w, v)}
    for x in INPUTS:
        w.grad = v.grad = None
        loss_of(x, w, v).backward()
        for p in (w, v):
            square = 0.9 * state[p][0] + 0.1 * p.grad ** 2
            state[p] = [square, 0.5 * state[p][1] + 0.02 * p.grad / (square + 1e-8).sqrt()]
            p.data -= state[p][1]
    compare(theirs, {"w": w.detach().numpy(), "v": v.detach().numpy()})


@pytest.mark.parametrize("module", [torch.optim, optim], ids=["torch", "poptorch"])
def test_groups_and_changes(module):
    def groups(w, v):
        return [{"params": [w]}, {"params": [v], "lr": 0.01, "momentum": 0.3, "weight_decay": 0.2}]

    def changes(i, optimizer):
        optimizer.param_groups[0]["lr"] *= 0.9
        optimizer.param_groups[1]["lr"] *= 1.1
    w, v = weights()
    ours = on_device(module.SGD(groups(w, v), lr=0.05, momentum=0.8), w, v, changes)
    compare(ours, on_host(torch.optim.SGD(groups(w, v), lr=0.05, momentum=0.8), w, v, changes))


@pytest.mark.filterwarnings("error")
def test_schedulers():
    w, v = weights()
    optimizer = optim.AdamW([w, v], lr=0.05)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
    ours = on_device(optimizer, w, v, lambda i, o: scheduler.step())
    plain = torch.optim.AdamW([w, v], lr=0.05)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(plain, 0.5)
    compare(ours, on_host(plain, w, v, lambda i, o: scheduler.step()))


# ---- what is constant

def constants(optimizer):
    text = repr(translate(optimizer, poptorch.Options(), {}))
    return {part.split("'")[1] for part in text.split("), ") if part.rstrip(")}").endswith("True")}


def test_constants_of_torch_optimizers():
    w = [torch.nn.Parameter(torch.ones(2))]
    assert constants(torch.optim.SGD(w, lr=0.1)) == {
        "defaultWeightDecay", "defaultMomentum", "defaultDampening", "defaultVelocityScaling", "defaultNesterov",
        "lossScaling"}
    assert constants(torch.optim.SGD(w, lr=0.1, momentum=0.9)) == {
        "defaultWeightDecay", "defaultDampening", "defaultVelocityScaling", "defaultNesterov", "lossScaling"}
    assert {"defaultBeta1", "defaultBeta2", "defaultEps", "defaultWeightDecay"} <= constants(torch.optim.AdamW(w, lr=0.1))
    assert "defaultWeightDecay" not in constants(torch.optim.Adam(w, lr=0.1, weight_decay=1e-2))
    assert "defaultAlpha" in constants(torch.optim.RMSprop(w, lr=0.1, alpha=0.5))


def test_constants_of_poptorch_optimizers():
    w = [torch.nn.Parameter(torch.ones(2))]
    optimizer = optim.SGD(w, lr=0.1, momentum=0.0, loss_scaling=2.0)
    assert constants(optimizer) == {"defaultWeightDecay", "defaultDampening", "defaultVelocityScaling", "defaultNesterov"}
    optimizer.variable_attrs.markAsConstant("momentum")
    optimizer.variable_attrs.markAsVariable("weight_decay")
    assert optimizer.variable_attrs.isConstant("momentum") and "defaultWeightDecay" not in constants(optimizer)
    with pytest.raises(ValueError, match="speed"):
        optimizer.variable_attrs.markAsVariable("speed")
    assert "defaultLearningRate" not in constants(optim.Adam(w))
    options = poptorch.Options()
    options.Training.setAutomaticLossScaling(True)
    assert "'lossScaling': (1, False)" in repr(translate(optim.Adam(w), options, {}))


def test_defaults():
    w = [torch.nn.Parameter(torch.ones(2))]
    assert optim.SGD(w, 0.1).param_groups[0]["momentum"] == 0 and optim.SGD(w, 0.1).max_grad_norm == float("inf")
    assert optim.AdamW(w).param_groups[0]["weight_decay"] == 1e-2 and optim.AdamW(w).bias_correction
    assert optim.LAMB(w).defaults == {"lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 1e-2,
                                      "max_weight_norm": 65500.0}
    adam = optim.Adam(w, accum_type=torch.float16)
    assert adam.accum_type is torch.float16 and adam.first_order_momentum_accum_type is torch.float32
    strategy = poptorch.Options().Training.meanReductionStrategy
    assert strategy(adam) == poptorch.MeanReductionStrategy.Running and strategy() == poptorch.MeanReductionStrategy.Post
    combined = optim.SGD(w, 0.1, use_combined_accum=True, accum_type=torch.float16)
    assert strategy(combined) == poptorch.MeanReductionStrategy.Post
    checkStrategy(poptorch.Options(), poptorch.MeanReductionStrategy.Post, combined)
    with pytest.raises(ValueError, match="is already compiled"):
        checkStrategy(poptorch.Options(), poptorch.MeanReductionStrategy.Post, adam)


def test_what_is_refused():
    w = [torch.nn.Parameter(torch.ones(2))]
    for wrong in (lambda: optim.Adam(w, amsgrad=True), lambda: optim.AdamW(w, amsgrad=True),
                  lambda: optim.SGD(w, 0.1, accum_type=torch.float64), lambda: optim.SGD(w, -0.1),
                  lambda: optim.SGD(w, 0.1, loss_scaling=0), lambda: optim.LAMB(w, betas=(1.0, 0.9)),
                  lambda: optim.SGD(w, 0.1, max_grad_norm=-1), lambda: optim.LAMB(w, lr=-1),
                  lambda: translate(torch.optim.Adam(w, amsgrad=True), poptorch.Options(), {})):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(poptorch.Error, match="Unsupported optimizer type Adagrad"):
        translate(torch.optim.Adagrad(w), poptorch.Options(), {})
    two = [{"params": w}, {"params": [torch.nn.Parameter(torch.ones(1))], "maximize": True}]
    with pytest.raises(poptorch.Error, match="maximize"):
        translate(torch.optim.SGD(two, 0.1), poptorch.Options(), {})


def test_warnings(capsys):
    w = [torch.nn.Parameter(torch.ones(2))]

    class Mine(torch.optim.SGD):
        pass
    optimizer = Mine([{"params": w, "colour": "red"}], 0.1)
    optimizer.mood = "good"
    translate(optimizer, poptorch.Options(), {})
    text = capsys.readouterr().err
    assert "Poptorch does not run Python optimizer code directly: of Mine the device computes what SGD does" in text
    assert "Ignoring unexpected group 0 attribute in Mine optimizer: ['colour']" in text
    assert "Ignoring unexpected optimizer attribute in Mine optimizer: ['mood']" in text
    translate(optim.SGD([{"params": w, "hue": 1}], 0.1), poptorch.Options().relaxOptimizerAttributesChecks(), {})
    optim.SGD(w, 0.1, velocity_scaling=2.0)
    text = capsys.readouterr().err
    assert "hue" not in text and "velocity_scaling is only used with use_combined_accum=True" in text
    torch.optim.lr_scheduler.StepLR(plain := optim.SGD(w, 0.1), 3)
    translate(plain, poptorch.Options(), {})
    assert capsys.readouterr().err == ""


def test_weights_of_no_group_are_told():
    w, v = weights()
    assert untrained(torch.optim.SGD([w], 0.1), names_of(w, v)) == ["v"]


def test_updates_are_made_only_for_changes():
    w, v = weights()
    optimizer = optim.Adam([w, v], lr=0.1)
    translator = Translator(poptorch.Options(), names_of(w, v))
    translator.translate(optimizer)
    assert translator.update(optimizer) is None
    assert translator.update(optim.Adam([w, v], lr=0.1)) is None
    optimizer.param_groups[0]["lr"] = 0.2
    assert "(0.2, False)" in repr(translator.update(optimizer))
    optimizer.loss_scaling = 2.0
    assert "'lossScaling': (2, True)" in repr(translator.update(optimizer))


# ---- state

def test_state_of_the_device():
    w = [torch.nn.Parameter(torch.ones(2))]
    kept = ({"Accl1___w": torch.ones(2)}, {"lr": torch.tensor(0.1)})
    optimizer = optim.Adam(w, lr=0.1)
    assert optimizer.state_dict()["ipu_state"] is None and optimizer.state_dict()["ipu_param"] is None
    written = []
    optimizer.attach(lambda: kept, lambda *state: written.append(state))
    saved = optimizer.state_dict()
    assert saved["ipu_state"] is kept[0] and saved["ipu_param"] is kept[1]
    optimizer.load_state_dict(saved)
    assert written == [kept]
    with pytest.raises(poptorch.Error, match="Only IPU optimizer states can be loaded onto the IPU."):
        optimizer.load_state_dict(torch.optim.Adam(w).state_dict())
    with pytest.raises(poptorch.Error, match="because it is empty"):
        optimizer.load_state_dict({**saved, "ipu_state": {}, "ipu_param": {}})
    later = optim.Adam(w, lr=0.1)
    later.load_state_dict(saved)
    later.attach(lambda: kept, lambda *state: written.append(state))
    assert len(written) == 2


def test_copies():
    w = [torch.nn.Parameter(torch.ones(2))]
    for optimizer in (optim.SGD(w, 0.1, momentum=0.9, loss_scaling=4.0), optim.LAMB(w), optim.RMSprop(w, use_tf_variant=True)):
        for other in (copy.deepcopy(optimizer), pickle.loads(pickle.dumps(optimizer))):
            assert other.loss_scaling == optimizer.loss_scaling
            assert repr(translate(other, poptorch.Options(), {})) == repr(translate(optimizer, poptorch.Options(), {}))
