# SPDX-License-Identifier: MIT
"""torchvision's classifiers with random weights: logits of an inference, and the weights after one training step.

One small model of every family runs always. OPENIPU_TEST_TORCHVISION=all runs every constructor, and
OPENIPU_TEST_TORCHVISION=resnet50,vit_b_32 those named.
"""
import copy
import inspect
import os

import pytest
import torch

import poptorch

torchvision = pytest.importorskip("torchvision")
models = torchvision.models

CLASSES = 10
# What a constructor needs besides the number of classes, and the size of its pictures.
ARGUMENTS = {
    "googlenet": dict(init_weights=False),
    "inception_v3": dict(init_weights=False, aux_logits=False),
}
SIZES = {"inception_v3": 96, "alexnet": 96, "maxvit_t": 224, "vit_h_14": 56}
# Steps of these in double precision take more memory than hosts of tests have.
TOO_LARGE_TO_TRAIN = {"regnet_y_128gf", "vit_h_14"}


def small_vit():
    return models.VisionTransformer(image_size=32, patch_size=8, num_layers=2, num_heads=2, hidden_dim=32, mlp_dim=64,
                                    num_classes=CLASSES)


def small_swin(block=None):
    make = models.swin_transformer
    extra = {} if block is None else dict(block=make.SwinTransformerBlockV2,
                                          downsample_layer=make.PatchMergingV2)
    return make.SwinTransformer(patch_size=[4, 4], embed_dim=16, depths=[2, 2], num_heads=[2, 4], window_size=[4, 4],
                                num_classes=CLASSES, **extra)


def small_convnext():
    setting = models.convnext.CNBlockConfig
    return models.ConvNeXt([setting(16, 32, 2), setting(32, None, 2)], num_classes=CLASSES)


def by_name(name):
    arguments = dict(num_classes=CLASSES, **ARGUMENTS.get(name, {}))
    if name.startswith("vit_"):
        arguments["image_size"] = SIZES.get(name, 64)
    return getattr(models, name)(**arguments)


SMALL = {  # a constructor and the size of the picture
    **{name: (lambda name=name: by_name(name), SIZES.get(name, 64)) for name in (
        "resnet18", "mobilenet_v2", "mobilenet_v3_small", "squeezenet1_1", "shufflenet_v2_x0_5", "mnasnet0_5",
        "regnet_x_400mf", "googlenet", "efficientnet_b0", "densenet121")},
    "vit": (small_vit, 32),
    "swin": (small_swin, 32),
    "swin_v2": (lambda: small_swin(2), 32),
    "convnext": (small_convnext, 32),
}


def all_names():
    functions = inspect.getmembers(models, inspect.isfunction)
    return [n for n, f in functions if not n.startswith(("get_", "list_", "_")) and f.__module__ != models.__name__]


def chosen():
    asked = os.environ.get("OPENIPU_TEST_TORCHVISION", "")
    if not asked:
        return SMALL
    names = all_names() if asked == "all" else asked.split(",")
    return {name: SMALL.get(name) or (lambda name=name: by_name(name), SIZES.get(name, 64)) for name in names}


CHOSEN = chosen()


def made(name):
    """The module without what is random, and a batch of two pictures."""
    make, size = CHOSEN[name]
    torch.manual_seed(1)
    module = make()
    for part in module.modules():
        if "Dropout" in type(part).__name__ or type(part).__name__ == "StochasticDepth":
            part.p = 0.0
    return module, torch.rand(2, 3, size, size)


class WithLoss(torch.nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module, self.loss = module, torch.nn.CrossEntropyLoss()

    def forward(self, x, labels):
        y = self.module(x)
        parts = [y] if isinstance(y, torch.Tensor) else [part for part in y if part is not None]
        return self.loss(sum(parts[1:], parts[0]), labels)


def distance(a, b):
    """Relative to the size of b."""
    return ((a - b).double().norm() / b.double().norm().clamp_min(1e-12)).item()


@pytest.mark.parametrize("name", CHOSEN)
def test_inference(name):
    module, x = made(name)
    module.eval()
    with torch.no_grad():
        expected = module(x)
    actual = poptorch.inferenceModel(module)(x)
    assert distance(actual, expected) < 1e-4


def torchs_step(module, x, labels):
    """What one step of SGD adds to every parameter and buffer, and the loss."""
    before = copy.deepcopy(module.state_dict())
    loss = WithLoss(module)(x, labels)
    loss.backward()
    torch.optim.SGD(module.parameters(), lr=0.1).step()
    return {name: (after - before[name]).double() for name, after in module.state_dict().items()}, loss.item()


def large(steps):
    """The steps without those that are rounding alone, as those of a bias in front of a normalisation."""
    whole = sum(step.square().sum() for step in steps.values()).sqrt().item()
    return {key: step for key, step in steps.items() if step.norm().item() > 1e-4 * whole}


def spread(module, x, labels, expected):
    """How far torch's own steps in single precision are off, for pictures that differ in their last bits."""
    nearly = [x] + [x * (1 + 1.2e-7 * (2 * torch.rand(x.shape, generator=torch.Generator().manual_seed(seed)) - 1))
                    for seed in range(3)]
    steps = [torchs_step(copy.deepcopy(module), pictures, labels)[0] for pictures in nearly]
    return max(distance(step[key], wanted) for step in steps for key, wanted in expected.items())


def step_errors(module, x, labels):
    """How far a step is from torch's in double precision, by weight, and the step that it should be."""
    module.train()
    expected, loss = torchs_step(copy.deepcopy(module).double(), x.double(), labels)
    expected = large(expected)
    before = copy.deepcopy(module.state_dict())
    training = poptorch.trainingModel(WithLoss(module), optimizer=torch.optim.SGD(module.parameters(), lr=0.1))
    assert training(x, labels).item() == pytest.approx(loss, rel=1e-3)
    training.copyWeightsToHost()
    after = module.state_dict()
    return {key: distance((after[key] - before[key]).double(), step) for key, step in expected.items()}, expected


def smooth(module):
    for name, part in module.named_children():
        if isinstance(part, (torch.nn.ReLU, torch.nn.ReLU6)):
            setattr(module, name, torch.nn.SiLU())
        else:
            smooth(part)


@pytest.mark.parametrize("name", CHOSEN)
def test_training_step(name):
    """With two small pictures, normalisations of deep layers see few values and make much of rounding. Where that turns the
    sign of what enters a relu, torch itself is off by hundredths of the step; then it must be as far off as we are, and a
    model without relus must agree."""
    if name in TOO_LARGE_TO_TRAIN:
        pytest.skip("takes too much memory of the host")
    labels = torch.tensor([3, 7])
    errors, expected = step_errors(*made(name), labels)
    if max(errors.values()) < 5e-3:
        return
    module, x = made(name)
    module.train()
    off = spread(module, x, labels, expected)
    assert {key: error for key, error in errors.items() if error > 3 * off} == {}
    smooth(module)
    errors, _ = step_errors(module, x, labels)
    assert {key: error for key, error in errors.items() if error > 5e-3} == {}
