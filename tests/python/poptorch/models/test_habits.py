# SPDX-License-Identifier: MIT
"""Habits of today's models: what they ask of tensors, devices and modules while they run."""
import pathlib
import sys

import poptorch
import pytest
import torch
import torch.fx
from torch import nn

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "ops"))

import harness
from harness import check, rand
from modules import check_module


@pytest.fixture(autouse=True)
def same_numbers():
    harness.begin()


class Model(nn.Module):
    """A function of itself and its inputs as forward(), with a layer and a buffer."""

    def __init__(self, function):
        super().__init__()
        self.function, self.linear = function, nn.Linear(4, 4)
        self.register_buffer("buffer", torch.arange(4.0))

    def forward(self, *inputs):
        return self.function(self, *inputs)


def compare(function, *inputs):
    check_module(Model(function), *inputs)


def run(function, *inputs):
    return poptorch.inferenceModel(Model(function))(*inputs)


def test_all_is_on_one_device():
    def function(self, x):
        assert x.device == self.linear.weight.device == self.buffer.device or not poptorch.isRunningOnIpu()
        made = torch.arange(4, device=self.buffer.device) + torch.zeros(4, device=x.device) + torch.tensor(1.0, device=x.device)
        return self.linear(x).to(self.linear.weight.device) + made + self.buffer.to(x.device)
    compare(function, rand(3, 4))


def test_a_tensor_that_is_there_already_is_itself():
    """A write to one is a write to both, as in torch."""
    def function(self, x):
        y = self.linear(x)
        y.to(x.device).add_(1)
        y.to(torch.float32).mul_(2)
        y.to(torch.float32, copy=True).mul_(5)
        return y
    compare(function, rand(3, 4))


@pytest.mark.parametrize("again", ["to(x.device)", "clone()", "contiguous()", "detach()", "reshape(2, 2).view(4)", "float()"])
def test_a_buffer_becomes_what_it_is(again):
    def function(self, x):
        self.buffer = eval(f"self.buffer.{again}", {"self": self, "x": x})
        return self.linear(x) + self.buffer
    compare(function, rand(2, 4))


@pytest.mark.parametrize("other", ["self.buffer + 1", "self.buffer.clone().add_(1)", "x[0]", "self.buffer.flip(0)"])
def test_a_buffer_does_not_become_another(other):
    def function(self, x):
        self.buffer = eval(other, {"self": self, "x": x})
        return self.linear(x) + self.buffer
    with pytest.raises(poptorch.Error, match="Buffer buffer is reassigned within the model"):
        run(function, torch.zeros(2, 4))


def test_values_that_are_known():
    """Numbers, conditions and shapes that go through tensors, none of which depends on an input."""
    def function(self, x):
        lengths = torch.tensor([1, 3, 2])
        ends = torch.cumsum(lengths, 0)
        if not bool((torch.diff(torch.arange(5)) == 1).all()):
            return x
        mask = torch.zeros(x.shape[1], dtype=torch.bool)
        mask[1:3] = True
        places = mask.nonzero(as_tuple=True)[0]
        rows = torch.where(lengths > 1)[0]
        half = int(torch.log2(torch.tensor(float(x.shape[1]))))
        y = self.linear(x)[:, places] * ends.max().item() + x[rows[0], half]
        return y[torch.unique(torch.tensor([1, 0, 1]))].reshape(-1, int(ends[-1] // 3))
    compare(function, rand(3, 4))


def test_a_draw_that_cannot_be():
    """Layers that are left out with probability 0 are never left out, and with 1 always."""
    def function(self, x):
        if self.training and torch.rand([]) < 0.0:
            return x
        if torch.rand(1) >= 1.0 or not torch.rand((), device=x.device) < 1.0:
            return x
        return self.linear(x)
    compare(function, rand(3, 4))


@pytest.mark.parametrize("condition", ["torch.rand([]) < 0.5", "torch.rand([]) <= 0.0", "torch.rand([]) * 2 < 0.0"])
def test_a_draw_that_can_be_is_refused(condition):
    with pytest.raises(poptorch.Error, match="known only when the model runs"):
        run(lambda self, x: x if eval(condition) else self.linear(x), rand(3, 4))


@pytest.mark.parametrize("reentrant", [True, False])
def test_checkpoints(reentrant):
    def function(self, x):
        return torch.utils.checkpoint.checkpoint(lambda y: self.linear(y).tanh(), x.requires_grad_(), use_reentrant=reentrant)
    poptorch.trainingModel(Model(lambda self, x: poptorch.identity_loss(function(self, x), "sum")))(rand(3, 4))
    found = run(function, torch.zeros(3, 4))
    assert found.shape == (3, 4) and found.abs().max() < 1


def test_automatic_precision_that_is_off():
    def function(self, x):
        with torch.autocast(device_type=x.device.type, enabled=False):
            return self.linear(x)
    compare(function, rand(3, 4))


def test_weights_that_are_computed():
    """torch.func.functional_call, and its older name."""
    call = getattr(torch, "func", None)
    call = call.functional_call if call else nn.utils.stateless.functional_call

    def function(self, x):
        return call(self.linear, {"weight": self.linear.weight * self.buffer, "bias": self.linear.bias}, (x,))
    compare(function, rand(3, 4))


@pytest.mark.parametrize("name", ["orthogonal", "spectral_norm", "weight_norm"])
def test_parametrised_modules(name):
    if not hasattr(nn.utils.parametrizations, name):
        pytest.skip(f"torch {torch.__version__} has no parametrizations.{name}")
    module = getattr(nn.utils.parametrizations, name)(nn.Linear(4, 4))
    wanted = module.eval()(torch.ones(2, 4))
    torch.testing.assert_close(poptorch.inferenceModel(module)(torch.ones(2, 4)), wanted.detach(), rtol=1e-4, atol=1e-5)


def test_adam_whose_weights_decay_apart():
    """What torch says in a group of Adam since 2.7, and before by another class."""
    def trained(optimizer):
        torch.manual_seed(1)
        layer = nn.Linear(4, 4)
        model = Model(lambda self, x: poptorch.identity_loss(self.layer(x).pow(2).mean(), "none"))
        model.layer = layer
        poptorch.trainingModel(model, optimizer=optimizer(model.layer))(torch.ones(2, 4))
        return model.layer.weight.detach().clone()

    def adam(layer):
        made = torch.optim.Adam(layer.parameters(), lr=0.1, weight_decay=0.5)
        made.param_groups[0]["decoupled_weight_decay"] = True
        return made
    wanted = trained(lambda layer: torch.optim.AdamW(layer.parameters(), lr=0.1, weight_decay=0.5))
    assert torch.equal(trained(adam), wanted)
    assert not torch.equal(trained(lambda layer: torch.optim.Adam(layer.parameters(), lr=0.1, weight_decay=0.5)), wanted)


def test_complex_rotations():
    angles = torch.outer(torch.arange(3.0), torch.tensor([1.0, 0.3]))
    turns = torch.polar(torch.ones_like(angles), angles)

    def turned(x):
        pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2))
        return torch.view_as_real(pairs * turns[:x.shape[1]].unsqueeze(0)).flatten(2)
    check(turned, rand(2, 3, 4))


def test_complex_arithmetic():
    def function(a, b):
        x, y = torch.complex(a, b), torch.complex(b, 1 - a)
        parts = [x * y, x / y, x + 2, 1 - y, x.conj() * 0.5, torch.stack([x, y])[1], torch.cat([x, y], -1)[:, 1:4],
                 (x @ y.transpose(-1, -2)), -x, x.sum(-1), x.exp(), x * a]
        return [torch.view_as_real(z) for z in parts] + [x.abs(), y.angle(), (x * y).real, x.imag]
    check(function, rand(2, 3, low=0.2), rand(2, 3, low=0.2))


def test_what_complex_numbers_cannot():
    with pytest.raises(poptorch.Error, match="no form for complex numbers"):
        run(lambda self, x: torch.view_as_real(torch.complex(x, x).tanh()), rand(2, 4))
    with pytest.raises(poptorch.Error, match="view_as_real"):
        run(lambda self, x: torch.complex(x, x), rand(2, 4))


SEGMENTS = [dict(lengths=torch.tensor([2, 1, 3])), dict(lengths=torch.tensor([2, 0, 4]), initial=0.5),
            dict(lengths=torch.tensor([2, 3]), unsafe=True, initial=1.0)]


@pytest.mark.parametrize("reduce", ["sum", "mean", "max", "min"])
@pytest.mark.parametrize("keywords", SEGMENTS, ids=["whole", "empty", "rest"])
def test_segments(reduce, keywords):
    gradient = reduce in ("sum", "mean") or "initial" not in keywords
    check(lambda x: torch.segment_reduce(x, reduce, **keywords), rand(6, 3), gradient=gradient)


def test_segments_that_do_not_say_where():
    from poptorch.operators.scatters import segment_reduce
    with pytest.raises(poptorch.Error, match="give lengths or offsets"):
        segment_reduce(rand(6, 3), "sum")
    with pytest.raises(poptorch.Error, match="must be one of"):
        segment_reduce(rand(6, 3), "product", lengths=torch.tensor([6]))


def test_groups_of_products():
    """What torch computes as _grouped_mm, in its four forms."""
    from poptorch.operators.decompositions import grouped_products
    offs = torch.tensor([2, 2, 5], dtype=torch.int32)
    bounds = [(0, 2), (2, 2), (2, 5)]

    def both(function, reference):
        def chosen(a, b):
            return function(a, b) if poptorch.isRunningOnIpu() else reference(a, b)
        return chosen
    check(both(lambda a, b: grouped_products(a, b, offs),
               lambda a, b: torch.cat([a[i:j] @ w for (i, j), w in zip(bounds, b)])), rand(5, 4), rand(3, 4, 2))
    check(both(lambda a, b: grouped_products(a, b, offs),
               lambda a, b: torch.cat([x @ b[:, i:j] for (i, j), x in zip(bounds, a)], 1)), rand(3, 4, 2), rand(2, 5))
    check(both(lambda a, b: grouped_products(a, b, offs),
               lambda a, b: torch.stack([a[:, i:j] @ b[i:j] for i, j in bounds])), rand(4, 5), rand(5, 2))
    check(both(grouped_products, torch.bmm), rand(3, 4, 2), rand(3, 2, 5))


class Layer:
    """As transformers has it: keys and values of a layer, which grow with every call."""
    __module__, __qualname__ = "transformers.cache_utils", "CacheLayerMixin"

    def __init__(self):
        self.keys, self.device, self.is_initialized = None, None, False

    def update(self, keys):
        if not self.is_initialized:
            self.keys, self.device = torch.tensor([], dtype=keys.dtype, device=keys.device), keys.device
            self.is_initialized = True
        self.keys = torch.cat([self.keys, keys], dim=-2)
        return self.keys


Layer.__name__ = "CacheLayerMixin"


class Cache:
    __module__ = "transformers.cache_utils"

    def __init__(self, layers):
        self.layers, self.options = [Layer() for _ in range(layers)], {"offloading": False}


def test_caches_of_transformers():
    """They come back from a model, and go into one."""
    def function(self, x, cache=None):
        cache = cache or Cache(2)
        for i, layer in enumerate(cache.layers):
            y = layer.update(self.linear(x) * (i + 1))
        return {"logits": y.sum(-2), "past": cache}
    model, x = Model(function).eval(), rand(1, 3, 4)
    first, wanted = poptorch.inferenceModel(model)(x), model(x)
    second, then = poptorch.inferenceModel(model)(x[:, :1], first["past"]), model(x[:, :1], wanted["past"])
    assert type(second["past"]) is Cache and first["past"].options == {"offloading": False}
    for found, expected in ((first, wanted), (second, then)):
        torch.testing.assert_close(found["logits"], expected["logits"].detach(), rtol=1e-4, atol=1e-5)
    for mine, theirs in zip(second["past"].layers, then["past"].layers):
        torch.testing.assert_close(mine.keys, theirs.keys.detach(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("eps", [None, 0.1])
@pytest.mark.parametrize("shape", [[4], [3, 4]], ids=str)
def test_root_mean_squares(shape, eps):
    """torch.rms_norm, which torch has since 2.4: recorded as that."""
    from poptorch.base.current import current, empty_meta

    def norm(x, weight):
        capture = current()
        if capture is None:
            axes = list(range(-len(shape), 0))
            least = torch.finfo(x.dtype).eps if eps is None else eps
            return x * torch.rsqrt(x.pow(2).mean(axes, keepdim=True) + least) * weight
        given = {"input": x, "normalized_shape": shape, "weight": weight, "eps": eps}
        return capture.record("aten::rms_norm", given, [empty_meta(x.shape, x.dtype)])[0]
    check(norm, rand(2, 3, 4), rand(*shape))


def of_fx(model, x):
    return torch.fx.symbolic_trace(model)


def of_export(model, x):
    if not hasattr(torch, "export"):
        pytest.skip(f"torch {torch.__version__} has no torch.export")
    return torch.export.export(model, (x,)).module()


@pytest.mark.parametrize("graph", [of_fx, of_export])
def test_graphs_of_torch(graph):
    """Modules that are made of a graph: torch makes a class for each."""
    model, x = nn.Sequential(nn.Linear(4, 4), nn.GELU()), rand(3, 4)
    made = graph(model, x)
    torch.testing.assert_close(poptorch.inferenceModel(made)(x), made(x).detach(), rtol=1e-4, atol=1e-5)


@pytest.mark.skipif(not hasattr(torch, "cond"), reason=f"torch {torch.__version__} has no torch.cond")
def test_operators_that_take_functions():
    def function(self, x):
        return torch.cond(torch.tensor(x.shape[0] > 2), self.linear, lambda y: y * 2, (x,))
    compare(function, rand(3, 4))
    with pytest.raises(poptorch.Error, match="poptorch.cond"):
        run(lambda self, x: torch.cond(x.sum() > 0, self.linear, lambda y: y * 2, (x,)), rand(3, 4))
    from torch._higher_order_ops import while_loop
    with pytest.raises(poptorch.Error, match="while_loop .*take functions are not supported"):
        run(lambda self, x: while_loop(lambda y: y.sum() < 3, lambda y: (self.linear(y),), (x,))[0], rand(3, 4))
