# SPDX-License-Identifier: MIT
"""What Lightning's own IPU plugin asks of PopTorch, by a stand-in that asks it in the same order."""
import lit
import pytest
import torch

poptorch = pytest.importorskip("poptorch")


class Wrapped(torch.nn.Module):
    """As the plugin wraps a module: forward is the step."""

    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, x, y):
        scores = self.module(x)
        return torch.nn.functional.cross_entropy(scores, y) if self.training else scores.argmax(-1)


def options(replicas, accumulation, iterations):
    made = poptorch.Options()
    made.deviceIterations(iterations)
    made.replicationFactor(replicas)
    made.Training.gradientAccumulation(accumulation)
    made.randomSeed(42)
    return made


def test_what_the_plugin_calls():
    assert poptorch.ipuHardwareIsAvailable()
    training, inference = options(2, 2, 2), options(2, 1, 2)
    assert training.replication_factor == 2
    assert training.device_iterations == 2 and training.Training.gradient_accumulation == 2

    plain = lit.loader(4)
    loader = poptorch.DataLoader(training, dataset=plain.dataset, batch_size=4, num_workers=0, drop_last=True,
                                 collate_fn=plain.collate_fn)
    assert loader.options is training and loader.drop_last and len(loader) == 256 // (4 * 8)

    module = torch.nn.Linear(12, 4)
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
    model = Wrapped(module).train()
    trains = poptorch.trainingModel(model=model, options=training, optimizer=optimizer)
    assert trains._options.toDict()["replication_factor"] == 2
    model.eval()
    evaluates = poptorch.inferenceModel(model=trains, options=inference)
    model.train()
    before = module.weight.detach().clone()
    for batch in loader:
        trains.setOptimizer(optimizer)
        loss = trains(*batch)
    assert loss.shape == (2,)
    assert trains._executable and trains.isAttachedToDevice()
    trains.detachFromDevice()
    assert not trains.isAttachedToDevice()
    assert not torch.equal(before, module.weight)

    rows = poptorch.DataLoader(inference, dataset=plain.dataset, batch_size=4)
    assert evaluates(*next(iter(rows))).shape[0] == 16
    evaluates.detachFromDevice()
    trains.attachToDevice()
    trains(*batch)
    for executor in (trains, evaluates):
        executor.destroy()
    assert torch.isfinite(module.weight).all()
