# SPDX-License-Identifier: MIT
"""What forward() may do while it is captured, and what it is told where it may not."""
import collections
import copy
import dataclasses
import os
import sys
import types

import pytest
import torch

import poptorch

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "ops"))
from modules import check_inference, check_step

nn, F = torch.nn, torch.nn.functional


class Module(nn.Module):
    """forward() is a function of the module and its inputs."""

    def __init__(self, forward, buffers=(), **members):
        super().__init__()
        self._forward = forward
        for name, value in members.items():
            setattr(self, name, value)
        for name, value in dict(buffers).items():
            self.register_buffer(name, value)

    def forward(self, *args, **kwargs):
        return self._forward(self, *args, **kwargs)


def run(forward, *inputs, **members):
    return poptorch.inferenceModel(Module(forward, **members))(*inputs)


# ---- results

@pytest.mark.parametrize("nothing", [None, (), 3, "text", {"a": [None]}], ids=str)
def test_a_model_may_return_no_tensor(nothing):
    assert run(lambda s, x: nothing, torch.ones(2)) == nothing


def test_a_model_that_returns_nothing_still_changes_its_buffers():
    def forward(self, x):
        self.total.add_(x.sum())
    module = Module(forward, {"total": torch.zeros(())})
    model = poptorch.inferenceModel(module)
    assert model(torch.ones(3)) is None and model(torch.ones(3)) is None
    model.copyWeightsToHost()
    assert module.total == 6


def test_constants_of_the_module_are_results():
    values = torch.arange(6.0).reshape(2, 3).t()
    assert torch.equal(run(lambda s, x: s.values, torch.ones(2), values=values), values)


def test_inputs_and_results_without_rows():
    x, total = run(lambda s, x: (x * 2, x.sum()), torch.ones(0, 3))
    assert x.shape == (0, 3) and total == 0


@dataclasses.dataclass
class Pair:
    first: object
    second: object = 1


def test_classes_of_results_stay():
    def forward(self, x):
        table = collections.defaultdict(list, a=[x])
        return Pair(x, Pair(x + 1)), table
    pair, table = run(forward, torch.ones(2))
    assert isinstance(pair.second, Pair) and torch.equal(pair.second.first, torch.full((2,), 2.0))
    assert torch.equal(table["a"][0], torch.ones(2)) and table["b"] == []


class Box:
    def __init__(self, tensor):
        self.tensor = tensor


class BoxParser(poptorch.ICustomArgParser):
    def yieldTensors(self, struct):
        yield struct.tensor

    def reconstruct(self, original_structure, tensor_iterator):
        return Box(next(tensor_iterator))


def test_registered_types_are_results_too():
    poptorch.registerCustomArgParser(Box, BoxParser())
    try:
        result = run(lambda s, box: [Box(box.tensor + 1)], Box(torch.ones(2)))
    finally:
        poptorch.registerCustomArgParser(Box, None)
    assert torch.equal(result[0].tensor, torch.full((2,), 2.0))


def test_inputs_that_a_model_writes_are_written():
    def forward(self, x, named):
        x.add_(1)
        named["a"][0] = 5.0
        return x * 2
    x, a, model = torch.zeros(2, 3), torch.zeros(3), poptorch.inferenceModel(Module(forward))
    for times in (1, 2):
        assert torch.equal(model(x, {"a": a}), torch.full((2, 3), 2.0 * times))
        assert torch.equal(x, torch.full((2, 3), float(times))) and torch.equal(a, torch.tensor([5.0, 0, 0]))


# ---- values that are known

def test_known_values_are_python_values():
    def forward(self, x):
        order = torch.tensor([3, 1, 2]).sort()[1].tolist()
        return x[:, order] * torch.arange(4).numpy()[2] * torch.tensor([2.0, 5.0]).max(0)[0].item()
    x = torch.rand(2, 3)
    assert torch.allclose(run(forward, x), x[:, [1, 2, 0]] * 10)


def test_splits_at_known_places():
    check_inference(Module(lambda s, x: torch.tensor_split(x, torch.tensor([1, 2]))
                           + x.tensor_split(torch.tensor(2), 1)), torch.rand(4, 3))


def test_sizes_that_stay():
    x = torch.rand(2, 3)
    assert torch.equal(run(lambda s, x: x.clone().resize_(2, 3).resize_as_(x), x), x)


@pytest.mark.parametrize("ask, name", [
    (lambda s, x: x if x.sum() > 0 else -x, "aten::item"), (lambda s, x: x.numpy(), r"numpy\(\)"),
    (lambda s, x: x.tolist(), r"tolist\(\)"), (lambda s, x: x[torch.equal(x, x)], "aten::equal"),
    (lambda s, x: torch.allclose(x, x), "aten::allclose"), (lambda s, x: range(x.int()[0]), "aten::item")])
def test_unknown_values_are_refused_where_they_are_asked_for(ask, name):
    model = poptorch.inferenceModel(nn.Sequential(nn.ReLU(), Module(ask)))
    where = r' \(in "1", at .*test_capture.py:\d+\)'
    with pytest.raises(poptorch.Error, match=name + where + ": A value of a tensor is needed.*Use torch.where"):
        model(torch.ones(2))


@pytest.mark.parametrize("ask", ["nonzero", "unique", "argwhere", "unique_consecutive"])
def test_shapes_that_depend_on_values_are_refused_with_their_line(ask):
    model = poptorch.inferenceModel(nn.Sequential(nn.ReLU(), Module(lambda s, x: getattr(x, ask)())))
    where = r'aten::_?\w+ \(in "1", at .*test_capture.py:\d+\)'
    with pytest.raises(poptorch.Error, match=where + ": The shape of a result"):
        model(torch.ones(2))


def test_hooks_of_gradients_are_refused():
    with pytest.raises(poptorch.Error, match=r"register_hook\(\) \(at .*test_capture.py:\d+\): Hooks on gradients"):
        run(lambda s, x: x.register_hook(print), torch.ones(2))


@pytest.mark.parametrize("ask", [lambda loss, p: loss.backward(), lambda loss, p: torch.autograd.grad(loss, p)])
def test_gradients_within_forward_are_refused(ask):
    module = Module(lambda s, x: ask((s.p * x).sum(), s.p), p=nn.Parameter(torch.ones(2)))
    with pytest.raises(poptorch.Error, match=r"\(at .*test_capture.py:\d+\): Gradients cannot be asked for within forward"):
        poptorch.trainingModel(module)(torch.ones(2))


def test_sparse_inputs_are_refused():
    with pytest.raises(poptorch.Error, match="Sparse tensors are not supported: args"):
        run(lambda s, x: x, torch.eye(2).to_sparse())


# ---- gradients

def clamped(self, x):
    y = self.p * x
    with torch.no_grad():
        y.clamp_(min=0.1)
    return y * y


def test_writes_without_gradients_keep_those_of_what_they_change():
    check_step(Module(clamped, p=nn.Parameter(torch.tensor([-1.0, 0.5, 2.0]))), torch.ones(3))


def limited(self, x):
    with torch.no_grad():
        self.p.clamp_(-0.1, 0.1)
    return self.p * x


def limited_in_part(self, x):
    with torch.no_grad():
        self.p[1:].zero_()
    return self.p * x


def limited_apart(self, x):
    self.p.detach().mul_(0.5)
    return self.p * x


@pytest.mark.parametrize("forward", [limited, limited_in_part, limited_apart])
def test_parameters_that_a_model_changes_are_trained_from_there(forward):
    check_step(Module(forward, p=nn.Parameter(torch.tensor([1.0, -1.0, 0.05]))), torch.ones(3), steps=2)


def test_tables_that_are_renormalised_are_trained():
    check_step(nn.Embedding(5, 3, max_norm=0.5), torch.tensor([1, 1, 3]), steps=2)


def test_doubles_are_trained():
    check_step(nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3)).double(), torch.rand(4, 3).double(), steps=2)
    module = nn.Linear(2, 1).double()
    model = poptorch.trainingModel(Module(lambda s, x: poptorch.identity_loss(s.m(x), "sum"), m=module))
    model.compile(torch.ones(1, 2).double())
    with torch.no_grad():
        module.weight.fill_(7.0)
    model.copyWeightsToDevice()
    model(torch.ones(1, 2).double())
    assert module.weight.dtype is torch.double and torch.allclose(module.weight, torch.full((1, 2), 6.99).double())


# ---- modules

def test_normalisation_by_the_mean_of_all_batches():
    check_step(nn.BatchNorm1d(3, momentum=None), torch.rand(4, 3), steps=3)


@pytest.mark.parametrize("keywords", [{}, {"full": True, "reduction": "sum"}])
def test_gaussian_loss(keywords):
    target = torch.rand(4, 3)
    loss = nn.GaussianNLLLoss(**keywords)
    for var in (torch.rand(4, 3) + 0.1, torch.rand(4) + 0.1, torch.rand(4, 1) + 0.1, torch.zeros(4, 3) + 2e-7):
        check_step(Module(lambda s, t: loss(s.p, t, s.var), p=nn.Parameter(torch.rand(4, 3)), var=nn.Parameter(var)),
                   target, lr=1e-3, rtol=1e-3)


def test_clusters_of_classes():
    module, target = nn.AdaptiveLogSoftmaxWithLoss(16, 12, [4, 7]), torch.tensor([1, 5, 9])
    check_inference(module, torch.rand(3, 16), target)
    check_step(module, torch.rand(3, 16), target)


class Doubling(nn.Module):
    def forward(self, x, n: int):
        for _ in range(n):
            x = x * 2 + 1
        return x


def test_modules_of_torchscript():
    linear = nn.Linear(3, 3)
    for inner in (torch.jit.script(copy.deepcopy(linear)), torch.jit.trace(linear, torch.rand(2, 3))):
        module = Module(lambda s, x: s.m(s.twice(x, 2)), m=inner, twice=torch.jit.script(Doubling()))
        x = torch.rand(2, 3)
        assert torch.allclose(poptorch.inferenceModel(module)(x), linear(x * 4 + 3), atol=1e-5)


def test_modules_of_torchscript_are_trained():
    plain = nn.Linear(3, 1)
    script = torch.jit.script(copy.deepcopy(plain))
    x = torch.rand(4, 3)
    model = poptorch.trainingModel(Module(lambda s, x: poptorch.identity_loss(s.m(x), "sum"), m=script))
    model(x)
    model.copyWeightsToHost()
    plain(x).sum().backward()
    assert torch.allclose(script.weight.detach(), plain.weight.detach() - 0.01 * plain.weight.grad, atol=1e-6)


# ---- functions with a gradient of their own

def function(forward, backward):
    members = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type("Function", (torch.autograd.Function,), members)


def saved_sign(context, x):
    context.save_for_backward(x)
    return x.sign()


def within_one(context, gradient):
    return gradient * (context.saved_tensors[0].abs() <= 1).float()


def where_positive(context, gradient):
    gradient = gradient.clone()
    gradient[context.saved_tensors[0] < 0] = 0
    return gradient


def by_side(context, gradient):
    x, = context.saved_tensors
    return torch.where(x > 0, gradient, torch.zeros_like(gradient)) + torch.where(x < 0, gradient / 2, 0.0)


@pytest.mark.parametrize("backward", [lambda context, g: g, lambda context, g: -2 * g, within_one, where_positive,
                                      by_side])
def test_gradients_that_functions_say_themselves(backward):
    sign = function(saved_sign, backward)
    before = dict(vars(torch.autograd.Function))
    check_step(Module(lambda s, x: sign.apply(s.p * x) * s.p, p=nn.Parameter(torch.tensor([-1.5, -0.3, 0.4, 2.0]))),
               torch.ones(4))
    x = torch.ones(3, requires_grad=True)
    sign.apply(x).sum().backward()
    assert torch.equal(x.grad, torch.full((3,), float(backward(Saved(x), torch.ones(3))[0])))
    assert dict(vars(torch.autograd.Function)) == before


class Saved:
    def __init__(self, *tensors):
        self.saved_tensors = tensors


@pytest.mark.parametrize("torch_has_it", [True, False])
def test_functions_whose_context_is_set_up_apart(torch_has_it, monkeypatch):
    """As torch has it since 2.0: forward() gets no context, and another function fills it. What torch 1.13 is asked is whether
    its functions have that."""
    if not hasattr(torch.autograd.Function, "setup_context"):
        if torch_has_it:
            monkeypatch.setattr(torch.autograd.Function, "setup_context", staticmethod(lambda *args: None), raising=False)

    def backward(context, gradient):
        return gradient * context.saved_tensors[0] * context.scale, None
    members = {"backward": staticmethod(backward)}
    if torch_has_it:
        members["forward"] = staticmethod(lambda x, scale: x.sign())
        members["setup_context"] = staticmethod(fill)
    else:
        members["forward"] = staticmethod(lambda context, x, scale: (fill(context, (x, scale), None), x.sign())[1])
    weighted = type("Weighted", (torch.autograd.Function,), members)
    p = nn.Parameter(torch.tensor([-1.5, 0.4, 2.0]))
    wanted = (p - 0.01 * p * 3).detach()
    model = poptorch.trainingModel(Module(lambda s, x: poptorch.identity_loss(weighted.apply(s.p * x, 3.0), "sum"), p=p),
                                   optimizer=torch.optim.SGD([p], lr=0.01))
    model(torch.ones(3))
    model.copyWeightsToHost()
    assert torch.allclose(p, wanted, atol=1e-6)


def fill(context, inputs, output):
    context.save_for_backward(inputs[0])
    context.scale = inputs[1]


def test_functions_of_several_arguments():
    def forward(context, x, y, scale):
        context.save_for_backward(x, y)
        context.scale = scale
        return x * y

    def backward(context, gradient):
        x, y = context.saved_tensors
        return gradient * y * context.scale, gradient * x, None
    product = function(forward, backward)
    check_step(Module(lambda s, x: product.apply(s.p * x, s.p, 3.0), p=nn.Parameter(torch.rand(4))), torch.rand(4))


def test_gradients_that_mix_elements_are_those_of_forward():
    def forward(context, x, w):
        return x @ w

    def backward(context, gradient):
        return gradient.sum(1, keepdim=True).expand(2, 4), None
    product = function(forward, backward)
    plain = Module(lambda s, x: x @ s.p, p=nn.Parameter(torch.rand(4, 3)))
    module, x = Module(lambda s, x: poptorch.identity_loss(product.apply(x, s.p), "sum"), p=plain.p), torch.rand(2, 4)
    wanted = (plain.p - 0.01 * x.sum(0, keepdim=True).t()).detach()
    model = poptorch.trainingModel(module)
    model(x)
    model.copyWeightsToHost()
    assert torch.allclose(module.p, wanted, atol=1e-6)


@pytest.mark.parametrize("reentrant", [True, False])
def test_checkpoints_of_torch_are_trained(reentrant):
    from torch.utils.checkpoint import checkpoint
    check_step(Module(lambda s, x: checkpoint(s.m, x, use_reentrant=reentrant).relu(), m=nn.Linear(3, 3)),
               torch.rand(2, 3, requires_grad=True))


# ---- results that hold tensors

def test_sets_are_results():
    made = run(lambda s, x: {x + 1, frozenset([3])}, torch.ones(2))
    tensor, = (value for value in made if isinstance(value, torch.Tensor))
    assert torch.equal(tensor, torch.full((2,), 2.0)) and frozenset([3]) in made


@pytest.mark.parametrize("result, words", [(lambda s, x: (v for v in [x]), "A generator cannot be a result"),
                                           (lambda s, x: [Box(x)], "The type Box is not supported for results: it holds")])
def test_results_with_tensors_that_nobody_finds_are_refused(result, words):
    with pytest.raises(poptorch.Error, match=words):
        run(result, torch.ones(2))


def test_tensors_in_texts():
    seen = []

    def forward(self, x):
        seen.append(f"{x} {torch.tensor(2.0):.2f}")
        return x
    run(forward, torch.ones(2))
    assert seen[0].endswith("2.00") and "unavailable" in seen[0]
    with pytest.raises(poptorch.Error, match=r"format\(\) \(at .*test_capture.py:\d+\): A value of a tensor is needed"):
        run(lambda s, x: f"{x.sum():.2f}", torch.ones(2))


# ---- memory

@pytest.mark.parametrize("other", [lambda x: x, lambda x: x[1:], lambda x: x.t()])
def test_inputs_that_share_memory_are_refused_if_one_is_written(other):
    def forward(self, x, y):
        x.add_(1)
        return y * 2
    x = torch.zeros(3, 3)
    model = poptorch.inferenceModel(Module(forward))
    with pytest.raises(poptorch.Error, match="writes to its input args.0., which shares memory with the input args.1."):
        model(x, other(x))
    assert not x.any()


def test_inputs_that_lie_between_each_other_share_nothing():
    def forward(self, x, y):
        x.add_(1)
        return y * 2
    both = torch.zeros(3, 4)
    assert not poptorch.inferenceModel(Module(forward))(both[:, ::2], both[:, 1::2]).any()
    assert torch.equal(both, torch.tensor([1.0, 0, 1, 0]).expand(3, 4))


def test_inputs_that_are_weights_are_refused_if_they_are_written():
    module = Module(lambda s, x: x.add_(s.total), {"total": torch.ones(3)})
    with pytest.raises(poptorch.Error, match="shares memory with the parameter or buffer total"):
        poptorch.inferenceModel(module)(module.total)


@pytest.mark.parametrize("look", [lambda m: m.total, lambda m: m.state_dict()["total"], lambda m: copy.deepcopy(m).total])
def test_the_host_sees_buffers_that_an_inference_writes(look):
    module = Module(lambda s, x: s.total.add_(x).sum(), {"total": torch.zeros(2)})
    model = poptorch.inferenceModel(module)
    for times in (1, 2, 3):
        assert model(torch.ones(2)) == 2 * times
    assert torch.equal(look(module), torch.full((2,), 3.0))
    model(torch.ones(2))
    del model
    assert type(module.total) is torch.Tensor and torch.equal(module.total, torch.full((2,), 4.0))


@pytest.mark.parametrize("dims", [[0], [-1], None])
def test_spread_of_one_number(dims):
    def forward(self, x):
        return x.sum().var(dims, unbiased=False), x.sum().std(dims, unbiased=False), x.sum().var(dims, unbiased=True)
    for ours, theirs in zip(run(forward, torch.ones(3)), forward(None, torch.ones(3))):
        torch.testing.assert_close(ours, theirs, equal_nan=True)


# ---- what libraries decide while they are captured

class Asking(nn.Module):
    """Looks at values where it is not compiled, as libraries of models do."""

    def __init__(self, mask=None):
        super().__init__()
        self.linear, self.own, self.heard = nn.Linear(3, 3), mask, []

    def forward(self, x, mask=None):
        mask = self.own if mask is None else mask
        self.heard.append(torch.compiler.is_compiling())
        if not self.heard[-1] and mask.all():
            return self.linear(x)
        return self.linear(x) * mask if self.heard[-1] else self.linear(x) * mask * 2


@pytest.fixture
def asked(monkeypatch):
    """torch 1.13 does not have the question yet."""
    if not hasattr(getattr(torch, "compiler", None), "is_compiling"):
        monkeypatch.setattr(torch, "compiler", types.SimpleNamespace(is_compiling=lambda: False), raising=False)


@pytest.mark.parametrize("mask", [[True] * 3, [True, False, True]])
def test_what_is_chosen_by_values_that_are_known_is_chosen_as_in_torch(asked, mask):
    module, x = Asking(torch.tensor(mask)), torch.rand(2, 3)
    torch.testing.assert_close(poptorch.inferenceModel(module)(x), module(x))
    assert module.heard == [False, False]


def test_where_values_are_not_known_libraries_hear_that_they_are_compiled(asked):
    module, x, mask = Asking(), torch.rand(2, 3), torch.tensor([True, False, True])
    found = poptorch.inferenceModel(module)(x, mask)
    torch.testing.assert_close(found, module.linear(x) * mask)
    assert module.heard == [False, True]
    assert not torch.compiler.is_compiling()


def test_the_first_mistake_is_told_of_if_the_second_way_fails_too(asked):
    def forward(self, x):
        if torch.compiler.is_compiling():
            raise AttributeError("of the other way")
        return x if x.sum() > 0 else -x
    with pytest.raises(poptorch.Error, match="known only when the model runs"):
        run(forward, torch.ones(2))


def test_a_mistake_of_those_who_do_not_ask_comes_at_once(asked):
    calls = []

    def forward(self, x):
        calls.append(x)
        raise ValueError("own mistake")
    with pytest.raises(ValueError, match="own mistake"):
        run(forward, torch.ones(2))
    assert len(calls) == 1


# ---- constants that operators make

@pytest.mark.parametrize("make", [
    lambda: torch.hann_window(6), lambda: torch.hamming_window(5, periodic=False), lambda: torch.blackman_window(7),
    lambda: torch.kaiser_window(6, True, 3.0), lambda: torch.bartlett_window(6, device="cpu"),
    lambda: torch.fft.fftfreq(6, d=0.5), lambda: torch.logspace(0, 1, 6)])
def test_windows_are_constants(make):
    x = torch.rand(6)
    torch.testing.assert_close(run(lambda s, x: x * make()[:x.shape[0]].sum(), x), x * make()[:6].sum())


def test_a_window_of_the_device():
    x = torch.rand(2, 64)

    def forward(self, x):
        return torch.view_as_real(torch.stft(x, 16, window=torch.hann_window(16, device=x.device), return_complex=True))
    torch.testing.assert_close(run(forward, x), forward(None, x), rtol=1e-4, atol=1e-5)


# ---- bfloat16

def test_models_of_bfloat16_compute_in_float():
    torch.manual_seed(1)
    module = Module(lambda s, x: s.linear(x.to(torch.bfloat16)) * s.scale, {"scale": torch.tensor(1.5, dtype=torch.bfloat16)},
                    linear=nn.Linear(4, 3).bfloat16())
    x = torch.rand(2, 4)
    wide = copy.deepcopy(module.linear).float()
    torch.testing.assert_close(poptorch.inferenceModel(module)(x).float(), wide(x) * 1.5)


def test_weights_of_bfloat16_are_trained_in_float():
    torch.manual_seed(1)
    module = nn.Linear(4, 3).bfloat16()
    wide = copy.deepcopy(module).float()
    step = torch.optim.SGD(wide.parameters(), lr=0.1)

    def forward(self, x):
        y = self.linear(x)
        return y, poptorch.identity_loss((y ** 2).sum(), "sum")
    model = poptorch.trainingModel(Module(forward, linear=module), optimizer=torch.optim.SGD(module.parameters(), lr=0.1))
    x = torch.rand(2, 4).bfloat16().float()
    for _ in range(5):  # a step of the float's size is lost in a bfloat16
        model(x.bfloat16())
        step.zero_grad()
        (wide(x) ** 2).sum().backward()
        step.step()
    model.copyWeightsToHost()
    assert module.weight.dtype is torch.bfloat16
    torch.testing.assert_close(module.weight, wide.weight.bfloat16(), rtol=1e-2, atol=1e-3)
