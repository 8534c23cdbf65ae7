# SPDX-License-Identifier: MIT
"""Ten steps of every optimiser against torch.optim."""
import numpy as np
import popart
import pytest
import torch
from harness import Trainer

rng = np.random.default_rng(3)
START = rng.uniform(-1, 1, (4, 3)).astype(np.float32)
TARGET = rng.uniform(-1, 1, (5, 3)).astype(np.float32)
INPUTS = rng.uniform(0.5, 1.5, (10, 5, 4)).astype(np.float32)

Decay, L2 = popart.WeightDecayMode.Decay, popart.WeightDecayMode.L2Regularization
Separate = popart.SGDAccumulatorAndMomentum.Separate


def values(**given):
    return {("defaultL" if k[0] == "l" else "default" + k[0].upper()) + k[1:]: (v, False) for k, v in given.items()}


def sgd(nesterov=False, **given):
    pyd = values(**given)
    if nesterov:
        pyd["nesterov"] = (1.0, True)
    return pyd


def build(builder, x, _):
    w = builder.addInitializedInputTensor(START, "w")
    target = builder.aiOnnx.constant(TARGET)
    off = builder.aiOnnx.sub([builder.aiOnnx.matmul([x, w]), target])
    return builder.aiGraphcore.identityloss([builder.aiOnnx.mul([off, off])], reduction=popart.ReductionType.Sum)


CASES = {
    "sgd": (lambda: popart.SGD({"defaultLearningRate": (0.01, True)}), lambda w: torch.optim.SGD(w, 0.01)),
    "sgd_decay": (lambda: popart.SGD(sgd(learningRate=0.01, weightDecay=0.1)),
                  lambda w: torch.optim.SGD(w, 0.01, weight_decay=0.1)),
    "momentum": (lambda: popart.SGD(sgd(learningRate=0.01, momentum=0.8)),
                 lambda w: torch.optim.SGD(w, 0.01, momentum=0.8)),
    "momentum_decay": (lambda: popart.SGD(sgd(learningRate=0.01, momentum=0.8, weightDecay=0.1)),
                       lambda w: torch.optim.SGD(w, 0.01, momentum=0.8, weight_decay=0.1)),
    "separate_decay": (lambda: popart.SGD(sgd(learningRate=0.01, momentum=0.8, weightDecay=0.1),
                                          accumulatorAndMomentum=Separate),
                       lambda w: torch.optim.SGD(w, 0.01, momentum=0.8, weight_decay=0.1)),
    "nesterov": (lambda: popart.SGD(sgd(learningRate=0.01, momentum=0.8, weightDecay=0.1, nesterov=True),
                                    accumulatorAndMomentum=Separate),
                 lambda w: torch.optim.SGD(w, 0.01, momentum=0.8, weight_decay=0.1, nesterov=True)),
    "loss_scaling": (lambda: popart.SGD({**sgd(learningRate=0.01, momentum=0.8), "lossScaling": (64.0, False)}),
                     lambda w: torch.optim.SGD(w, 0.01, momentum=0.8)),
    "adam": (lambda: popart.Adam(values(learningRate=0.05, eps=1e-6), weight_decay_mode=L2),
             lambda w: torch.optim.Adam(w, 0.05, eps=1e-6)),
    "adam_decay": (lambda: popart.Adam(values(learningRate=0.05, eps=1e-6, weightDecay=0.1), weight_decay_mode=L2),
                   lambda w: torch.optim.Adam(w, 0.05, eps=1e-6, weight_decay=0.1)),
    "adamw": (lambda: popart.Adam(values(learningRate=0.05, eps=1e-6, weightDecay=0.1), weight_decay_mode=Decay),
              lambda w: torch.optim.AdamW(w, 0.05, eps=1e-6, weight_decay=0.1)),
    "adamax": (lambda: popart.Adam(values(learningRate=0.05, eps=1e-8), mode=popart.AdamMode.AdaMax),
               lambda w: torch.optim.Adamax(w, 0.05, eps=1e-8)),
    "rmsprop": (lambda: popart.Adaptive(values(learningRate=0.02, alpha=0.9, eps=1e-6), weight_decay_mode=L2),
                lambda w: torch.optim.RMSprop(w, 0.02, alpha=0.9, eps=1e-6)),
    "rmsprop_centred": (lambda: popart.Adaptive(values(learningRate=0.02, alpha=0.9, eps=1e-4),
                                                mode=popart.AdaptiveMode.CenteredRMSProp, weight_decay_mode=L2),
                        lambda w: torch.optim.RMSprop(w, 0.02, alpha=0.9, eps=1e-4, centered=True)),
    "rmsprop_momentum": (lambda: popart.Adaptive(values(learningRate=0.02, alpha=0.9, eps=1e-6, momentum=0.7,
                                                        weightDecay=0.1), weight_decay_mode=L2),
                         lambda w: torch.optim.RMSprop(w, 0.02, alpha=0.9, eps=1e-6, momentum=0.7, weight_decay=0.1)),
    "adagrad": (lambda: popart.Adaptive(values(learningRate=0.1, eps=1e-6), mode=popart.AdaptiveMode.AdaGrad),
                lambda w: torch.optim.Adagrad(w, 0.1, eps=1e-6)),
    "adadelta": (lambda: popart.Adaptive(values(learningRate=1.0, alpha=0.9, eps=1e-4),
                                         mode=popart.AdaptiveMode.AdaDelta),
                 lambda w: torch.optim.Adadelta(w, 1.0, rho=0.9, eps=1e-4)),
}


@pytest.mark.parametrize("name", CASES)
def test_ten_steps(name):
    ours, theirs = CASES[name]
    trainer = Trainer(build, ours(), [5, 4], labels=False)
    w = torch.tensor(START, requires_grad=True)
    optimiser = theirs([w])
    for x in INPUTS:
        trainer.step(x)
        optimiser.zero_grad()
        ((torch.tensor(x) @ w - torch.tensor(TARGET)) ** 2).sum().backward()
        optimiser.step()
    moved = np.abs(w.detach().numpy() - START).max()
    assert moved > 0.05  # or the comparison says nothing
    np.testing.assert_allclose(trainer.weights()["w"], w.detach().numpy(), rtol=2e-5, atol=2e-5 * moved + 2e-6)


def test_changing_the_learning_rate():
    trainer = Trainer(build, popart.SGD({"defaultLearningRate": (0.01, False)}), [5, 4], labels=False)
    trainer.step(INPUTS[0])
    before = trainer.weights()["w"]
    trainer.session.updateOptimizerFromHost(popart.SGD({"defaultLearningRate": (0.0, False)}))
    trainer.step(INPUTS[1])
    assert np.array_equal(trainer.weights()["w"], before)
    with pytest.raises(popart.popart_runtime_error):
        trainer.session.updateOptimizerFromHost(popart.Adam({}))


def test_values_that_make_no_sense():
    for bad in ({"defaultLearningRate": (-1.0, False)}, {"defaultLearningRate": (0.0, True)},
                {"lossScaling": (0.0, True)}, {"speed": (1.0, True)}):
        with pytest.raises(popart.popart_exception):
            popart.SGD(bad)
