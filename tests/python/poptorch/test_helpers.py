# SPDX-License-Identifier: MIT
"""The helper operations within models on the IPU, against torch or numbers worked out otherwise."""
import itertools
import math
import re

import pytest
import torch

import poptorch


class Calls(torch.nn.Module):
    """A model that is one function."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args):
        return self.function(*args)


def run(function, *args, options=None):
    return poptorch.inferenceModel(Calls(function), options)(*args)


def close(ours, torchs, tolerance=1e-5):
    torch.testing.assert_close(ours, torchs, rtol=tolerance, atol=tolerance)


class Trained(torch.nn.Module):
    """function(x, w), with a weight that learns."""

    def __init__(self, function, *shape):
        super().__init__()
        self.w = torch.nn.Parameter(torch.randn(shape, generator=torch.Generator().manual_seed(2)))
        self.function = function

    def forward(self, *args):
        return self.function(*args, self.w)


def trained(function, shape, *args, steps=2, options=None):
    """Results and weights on the IPU and on the CPU; the last result is the loss."""
    ours, torchs = Trained(function, *shape), Trained(function, *shape)
    model = poptorch.trainingModel(ours, options, torch.optim.SGD(ours.parameters(), lr=0.1))
    optimizer = torch.optim.SGD(torchs.parameters(), lr=0.1)
    for _ in range(steps):
        result = model(*args)
        expected = torchs(*args)
        optimizer.zero_grad()
        (expected[-1] if isinstance(expected, tuple) else expected).backward()
        optimizer.step()
    return result, expected, ours.w.detach().clone(), torchs.w.detach()


# ---- losses and identities

@pytest.mark.parametrize("reduction", ["sum", "mean", "none"])
def test_identity_losses(reduction):
    x = torch.randn(3, 4)
    function = lambda x, w: (x * w, poptorch.identity_loss((x * w).sum() if reduction == "none" else x * w, reduction))
    result, expected, ours, torchs = trained(function, (4,), x)
    close(result[1], expected[1].detach())
    close(ours, torchs)


def test_identity_losses_that_are_none():
    with pytest.raises(poptorch.Error, match="Unsupported reduction"):
        poptorch.identity_loss(torch.ones(2), "median")
    with pytest.raises(poptorch.Error, match="tensor"):
        poptorch.identity_loss(1.0, "sum")
    with pytest.raises(poptorch.Error, match="one number"):
        trained(lambda x, w: poptorch.identity_loss(x * w, "none"), (4,), torch.ones(3, 4))


def test_nop_and_checkpoints_change_nothing():
    def function(x, w):
        a, (b, c) = poptorch.recomputationCheckpoint(torch.tanh(x @ w), [x + 1, {"y": x - 1}])
        alone = poptorch.recomputationCheckpoint(poptorch.nop(a))
        return poptorch.identity_loss(alone * b.sum() * c["y"].sum() * 0.01, "sum")

    options = poptorch.Options()
    options._Popart.set("autoRecomputation", 1)
    result, expected, ours, torchs = trained(function, (4, 4), 0.1 * torch.randn(3, 4), options=options)
    close(result, expected.detach(), 1e-4)
    close(ours, torchs, 1e-4)
    assert "Nop:0" in " ".join(_names(lambda x: poptorch.nop(x), torch.ones(2)))


def _names(function, *args):
    model = poptorch.inferenceModel(Calls(function))
    model(*args)
    return model.getTensorNames()


# ---- printing

def test_printed_tensors_and_gradients(capfd):
    function = lambda x, w: poptorch.identity_loss(poptorch.ipu_print_tensor(x * w, "product") ** 2, "sum")
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    net = Trained(function, 2)
    net.w.data = torch.ones(2)
    poptorch.trainingModel(net)(x)
    text = capfd.readouterr().err
    assert re.search(r"product: \(\n \(1\.000,2\.000\)\n \(3\.000,4\.000\)\n\)\n", text), text
    assert re.search(r"product_gradient: \(\n \(2\.000,4\.000\)\n \(6\.000,8\.000\)\n\)\n", text), text


def test_printing_as_one_likes_it(capfd):
    run(lambda x: poptorch.ipu_print_tensor(x, "t", digits=2, float_format="scientific", separator=";", open_bracket="[",
                                            close_bracket="]") + 1, torch.tensor([1.0, 20.0]))
    assert re.search(r"t: \[1\.0e\+00;2\.0e\+01\]", capfd.readouterr().err)
    run(lambda x: poptorch.ipu_print_tensor(x, "long", summarise_threshold=10, edge_items=2) + 1, torch.arange(100.0))
    text = capfd.readouterr().err
    assert "..." in text and "50." not in text
    function = lambda x, w: poptorch.identity_loss(poptorch.ipu_print_tensor(x * w, "a", print_gradient=False), "sum")
    poptorch.trainingModel(Trained(function, 2))(torch.ones(2))
    assert "gradient" not in capfd.readouterr().err
    for wrong in (dict(float_format="short"), dict(open_bracket="<<"), dict(separator="and")):
        with pytest.raises(poptorch.Error):
            poptorch.ipu_print_tensor(torch.ones(1), **wrong)


# ---- products and memory

@pytest.mark.parametrize("mode", list(poptorch.MatMulSerializationMode))
@pytest.mark.parametrize("keep", [False, True])
def test_serialized_products(mode, keep):
    factor = 0 if mode is poptorch.MatMulSerializationMode.Disabled else 2
    x = torch.randn(4, 6)
    function = lambda x, w: poptorch.identity_loss(
        poptorch.serializedMatMul(x, w, mode, factor, keep_precision=keep) ** 2, "mean")
    result, expected, ours, torchs = trained(function, (6, 8), x)
    close(result, expected.detach())
    close(ours, torchs)


def test_serialized_products_that_cannot_be():
    with pytest.raises(poptorch.Error, match="MatMulSerializationMode"):
        poptorch.serializedMatMul(torch.ones(2, 2), torch.ones(2, 2), "reducing_dim")
    with pytest.raises(poptorch.Error, match="factor"):
        run(lambda x: poptorch.serializedMatMul(x, x, poptorch.MatMulSerializationMode.ReducingDim, 0), torch.ones(4, 4))


def test_available_memory(capfd):
    conv, x = torch.nn.Conv2d(2, 3, 3), torch.randn(1, 2, 5, 5)

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = conv

        def forward(self, x):
            return poptorch.set_available_memory(self.conv(x), 0.1)

    close(poptorch.inferenceModel(Model())(x), conv(x).detach())
    close(run(lambda x: poptorch.set_available_memory(x @ x, 0.3), x[0, 0]), x[0, 0] @ x[0, 0])
    with pytest.raises(poptorch.Error, match="proportion"):
        poptorch.set_available_memory(x, 2)
    close(run(lambda x: poptorch.set_available_memory(x + 1, 0.5), x), x + 1)
    assert "has no effect: no convolution, product or look-up made the tensor." in capfd.readouterr().err


# ---- transfers that overlap

@pytest.mark.parametrize("mode", list(poptorch.OverlapMode))
def test_overlapped_transfers_change_no_numbers(mode):
    def function(batch, w):
        x = poptorch.set_overlap_for_input(batch, mode)
        out = torch.tanh(x["x"] @ w)
        loss = poptorch.identity_loss((out - x["y"]) ** 2, "mean")
        return poptorch.set_overlap_for_output((out, loss), mode)

    x, y = torch.randn(24, 3), torch.randn(24, 2)
    results = []
    for tiles in (None, 32):
        options = poptorch.Options().deviceIterations(3).outputMode(poptorch.OutputMode.All)
        options.Training.gradientAccumulation(4)
        wanted = function
        if tiles:
            options.TensorLocations.numIOTiles(tiles)
        else:
            wanted = lambda b, w: (torch.tanh(b["x"] @ w),
                                   poptorch.identity_loss((torch.tanh(b["x"] @ w) - b["y"]) ** 2, "mean"))
        net = Trained(wanted, 3, 2)
        model = poptorch.trainingModel(net, options, torch.optim.SGD(net.parameters(), lr=0.1))
        results.append((*model({"x": x, "y": y}), *model({"x": x, "y": y}), net.w.detach().clone()))
    for plain, overlapped in zip(*results):
        close(overlapped, plain)


def test_overlapped_transfers_that_cannot_be():
    mode = poptorch.OverlapMode.OverlapDeviceIterationLoop
    take = lambda x: poptorch.set_overlap_for_input(x, mode) + 1
    with pytest.raises(poptorch.Error, match="No IO tiles allocated. You must allocate at least 32 IO tiles using"):
        run(take, torch.ones(2))
    options = poptorch.Options()
    options.TensorLocations.numIOTiles(32)
    with pytest.raises(poptorch.Error, match="not a tensor input to the model"):
        run(lambda x: poptorch.set_overlap_for_input(x + 1, mode), torch.ones(2), options=options)
    with pytest.raises(poptorch.Error, match="not a tensor output to the model"):
        run(lambda x: poptorch.set_overlap_for_output(x + 1, mode) * 2, torch.ones(2), options=options)
    with pytest.raises(poptorch.Error, match="OverlapMode"):
        poptorch.set_overlap_for_input(torch.ones(2), "overlap")
    assert poptorch.set_overlap_for_output([torch.ones(2)], mode)[0].sum() == 2  # on the CPU

    class Two(torch.nn.Module):
        def forward(self, x):
            x = poptorch.set_overlap_for_input(x, mode)
            with poptorch.Block("a", ipu_id=0):
                x = x + 1
            with poptorch.Block("b", ipu_id=1):
                return x * 2

    with pytest.raises(poptorch.Error, match="Overlapped IO is not supported with poptorch.PipelinedExecution"):
        poptorch.inferenceModel(Two(), options.clone().deviceIterations(2))(torch.ones(2))


# ---- several convolutions at once

def _convolutions(scope):
    def function(x, z, w):
        with scope:
            half = z * 0.5
            a = torch.nn.functional.conv2d(x, w[:, :2], stride=2, padding=1)
            b = torch.relu(torch.nn.functional.conv2d(half, w, bias=w[:, 0, 0, 0], dilation=2))
            c = torch.nn.functional.conv2d(x[:1], w[:, :1].contiguous(), groups=2)
        return a, b, c, poptorch.identity_loss(a.mean() + b.mean() + c.mean(), "sum")

    return function


def test_multi_convolutions():
    scope = (poptorch.MultiConv().availableMemoryProportions([0.3, 0.4, 0.5]).partialsTypes(torch.float)
             .enableConvDithering(False).planType(poptorch.MultiConvPlanType.Parallel).perConvReservedTiles(60)
             .cycleBackOff(0.1))
    x, z = torch.randn(2, 2, 6, 6), torch.randn(2, 4, 7, 7)
    result, expected, ours, torchs = trained(_convolutions(scope), (6, 4, 3, 3), x, z)
    for a, b in zip(result, expected):
        close(a, b.detach(), 1e-4)
    close(ours, torchs, 1e-4)
    model = poptorch.inferenceModel(Trained(_convolutions(poptorch.MultiConv().planType(1)), 6, 4, 3, 3))
    close(model(x, z)[1], Trained(_convolutions(scope), 6, 4, 3, 3)(x, z)[1].detach(), 1e-4)
    assert any("MultiConv" in name for name in model.getTensorNames())


def test_multi_convolutions_that_cannot_be():
    conv, x = torch.nn.functional.conv2d, torch.randn(1, 1, 8, 8)
    w = torch.ones(1, 1, 3, 3)

    def chained(x):
        with poptorch.MultiConv():
            return conv(conv(x, w), w)

    def empty(x):
        with poptorch.MultiConv():
            return x + 1

    def nested(x):
        with poptorch.MultiConv(), poptorch.MultiConv():
            return conv(x, w)

    def three(x):
        with poptorch.MultiConv().availableMemoryProportions([0.1, 0.2, 0.3]):
            return conv(x, w) + conv(x, w)

    for function, text in ((chained, "independent"), (empty, "no convolution"), (nested, "Nested"),
                           (three, "3 values for 2")):
        with pytest.raises(poptorch.Error, match=text):
            run(function, x)
    for name, value in (("partialsTypes", torch.int32), ("cycleBackOff", -1), ("perConvReservedTiles", 1.5),
                        ("availableMemoryProportions", "much"), ("availableMemoryProportions", [0.1, -0.1]),
                        ("planType", 7), ("planType", "serial")):
        with pytest.raises((ValueError, AssertionError), match="Invalid " + name[:3]):
            getattr(poptorch.MultiConv(), name)(value)
    with poptorch.MultiConv():  # on the CPU
        conv(x, w)


# ---- names and attributes

def test_names_of_operators():
    def function(x):
        with poptorch.NameScope("outer"):
            with poptorch.NameScope("inner"):
                x = torch.relu(x)
            return torch.sigmoid(x) * 2

    names = _names(function, torch.randn(3))
    assert any(n.startswith("outer/inner/Relu") for n in names)
    assert any(n.startswith("outer/Sigmoid") for n in names)
    with pytest.raises(poptorch.Error):
        poptorch.NameScope(3)


def test_attributes_of_operators():
    def function(x):
        with poptorch.Attribute(__outline={"layer": "embedding"}):
            x = torch.relu(x)
        return x + 1

    x = torch.randn(3)
    close(run(function, x), torch.relu(x) + 1)


# ---- loops and conditions

def test_loops():
    scale = torch.tensor([1.0, 0.5, 2.0])

    def function(x, y):
        outer = x * 2

        def inner(a):
            return a + outer * scale  # values from two graphs around it, and a constant

        def body(a, b):
            a = poptorch.for_loop(2, inner, [a])[0]
            return a, b + torch.sum(a) + 1

        return poptorch.for_loop(3, body, [x, y])

    x, y = torch.randn(3), torch.randn(1)
    for ours, torchs in zip(run(function, x, y), function(x, y)):
        close(ours, torchs)
    close(run(lambda x: poptorch.for_loop(0, lambda a: a + 1, [x])[0], x), x)


def test_loops_with_weights_and_writes():
    linear = torch.nn.Linear(3, 3)

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = linear

        def forward(self, x):
            def body(a):
                made = torch.zeros(2, 3)
                made[0] = torch.tanh(self.linear(a))[0]
                return made + a
            return poptorch.for_loop(4, body, [x])[0]

    x = torch.randn(2, 3)
    close(poptorch.inferenceModel(Model())(x), Model()(x).detach())


def test_views_are_read_within_a_body_and_after_it():
    """What was made anew in the body is not there after it."""
    def loop(x):
        y = x * 1
        first = y[:1]
        y.add_(1)
        others = [x + n for n in range(4)]
        return [poptorch.for_loop(2, lambda a: a + first, [x])[0], first + 0, *others]

    def condition(x):
        y = x * 1
        first = y[:1]
        y.add_(1)
        return [poptorch.cond(x[0] > 0, lambda a: a + first, [x], lambda a: a - first, [x])[0], first + 0]

    for function in (loop, condition):
        for ours, torchs in zip(run(function, torch.ones(2)), function(torch.ones(2))):
            close(ours, torchs)


def test_bodies_own_their_arguments():
    """What they write to them is not seen outside, on the host as on the device."""
    def more(a):
        return [a.add_(1)]

    def twice(a):
        return [a.mul_(2)]
    for function in (lambda x: [poptorch.for_loop(2, more, [x])[0], x + 0],
                     lambda x: [poptorch.cond(x[0] > 0, more, [x], twice, [x])[0], x + 0],
                     lambda x: [poptorch.cond(x[0] > 5, more, [x], twice, [x])[0], x + 0],
                     lambda x: [poptorch.for_loop(2, lambda a: poptorch.cond(a[0] > 1, more, [a], twice, [a]), [x])[0], x + 0]):
        ours, torchs = run(function, torch.ones(2)), function(torch.ones(2))
        close(ours[0], torchs[0])
        close(ours[1], torch.ones(2))
        close(torchs[1], torch.ones(2))


@pytest.mark.parametrize("use", [
    lambda x, made: made + 1, lambda x, made: made, lambda x, made: poptorch.for_loop(2, lambda a: a + made, [x])[0],
    lambda x, made: poptorch.cond(x[0] > 0, lambda a: a + made, [x], lambda a: a, [x])[0]])
def test_tensors_of_a_body_stay_in_it(use):
    def function(x, within):
        made = []
        others = [x + n for n in range(4)]  # numbers that could stand for it

        def body(a):
            made.append(a * 5)
            return a + 1

        def outer(a):
            poptorch.for_loop(2, body, [a])
            return use(a, made[0])

        if within:
            return poptorch.for_loop(2, outer, [x])[0]
        poptorch.for_loop(2, body, [x])
        return use(x, made[0]), others

    for within in (False, True):
        with pytest.raises(poptorch.Error, match="tensor that is made in the body of a poptorch.for_loop or poptorch.cond is "
                           "used outside of it. Return it from the body."):
            run(lambda x: function(x, within), torch.ones(2))


def test_bodies_that_raise():
    def loop(x):
        try:
            poptorch.for_loop(2, lambda a: {}["nothing"], [x])
        except KeyError:
            return x

    with pytest.raises(poptorch.Error, match="The body of a poptorch.for_loop was left by an error"):
        run(loop, torch.ones(2))
    with pytest.raises(KeyError):
        run(lambda x: poptorch.cond(x[0] > 0, lambda a: {}["nothing"], [x], lambda a: a, [x])[0], torch.ones(2))
    for function in (lambda x: poptorch.for_loop(2, lambda a: None, [x]),
                     lambda x: poptorch.cond(x[0] > 0, lambda a: None, [x], lambda a: a, [x])):
        for call in (lambda: function(torch.ones(2)), lambda: run(function, torch.ones(2))):
            with pytest.raises(poptorch.Error, match="it must return tensors, not NoneType"):
                call()
    with pytest.raises(poptorch.Error, match=r"the condition must be one value; it has shape \[2\]"):
        run(lambda x: poptorch.cond(x > 0, lambda a: a, [x], lambda a: a, [x])[0], torch.ones(2))


def test_loops_that_cannot_be():
    x = torch.ones(2)
    for inputs in ((x,), x, [1.0]):
        with pytest.raises(ValueError, match="list of tensors"):
            poptorch.for_loop(2, lambda a: a, inputs)
    with pytest.raises(poptorch.Error, match="outputs"):
        run(lambda x: poptorch.for_loop(2, lambda a: (a, a), [x])[0], x)
    with pytest.raises(poptorch.Error, match="alike"):
        run(lambda x: poptorch.for_loop(2, lambda a: a.sum(), [x])[0], x)
    function = lambda x, w: poptorch.identity_loss(poptorch.for_loop(2, lambda a: a * 2, [x * w])[0], "sum")
    with pytest.raises(poptorch.Error, match="only supported in inference"):
        trained(function, (2,), x)
    function = lambda x, w: poptorch.identity_loss(
        poptorch.cond(x[0] > 0, lambda a: a, [x * w], lambda a: -a, [x * w])[0], "sum")
    with pytest.raises(poptorch.Error, match="only supported in inference"):
        trained(function, (2,), x)


@pytest.mark.parametrize("value", [-1.0, 0.5, 3.0])
def test_conditions(value):
    def function(x, c):
        outer = x.exp()

        def small(a):
            return poptorch.cond(c > 1, lambda b: b * 3, [a], lambda b: b - outer, [a])

        return poptorch.cond(c > 0, small, [x], lambda a, b: a @ b, [x, x + 1])[0]

    x = torch.randn(2, 2)
    close(run(function, x, torch.tensor([value])), function(x, torch.tensor([value])))


def test_conditions_in_loops():
    def body(i, x):
        even = torch.fmod(i, 2) == 0
        return i + 1, poptorch.cond(even, lambda a: a * 2, [x], lambda a: a + 1, [x])[0]

    function = lambda x: poptorch.for_loop(5, body, [torch.zeros(1), x])[1]
    x = torch.randn(3)
    close(run(function, x), function(x))


def test_bodies_of_conditions_must_agree():
    with pytest.raises(poptorch.Error, match="same shapes"):
        run(lambda x: poptorch.cond(x[0] > 0, lambda a: a, [x], lambda a: a.sum(), [x])[0], torch.ones(2))


# ---- the host

@pytest.mark.parametrize("replicas", [1, 2])
def test_layers_on_the_host(replicas):
    layer, seen = torch.nn.Linear(3, 2), []

    def on_host(x, count, scale=1.0):
        seen.append(poptorch.isRunningOnIpu())
        return layer(x) * scale, {"more": count + 1}

    def function(x, count):
        host = poptorch.CPU(on_host, "linear")
        out, more = host(torch.relu(x), count, scale=2.0)
        again, _ = host(x, more["more"])
        return torch.sigmoid(out) + again, more["more"]

    x, count = torch.randn(12 * replicas, 3), torch.arange(12 * replicas)
    options = poptorch.Options().deviceIterations(3).replicationFactor(replicas)
    model = poptorch.inferenceModel(Calls(function), options)
    for _ in range(2):
        ours, torchs = model(x, count), function(x, count)
        close(ours[0], torchs[0].detach())
        assert ours[1].tolist() == torchs[1].tolist()
    model.detachFromDevice()
    close(model(x, count)[0], function(x, count)[0].detach())
    assert not any(seen)


def test_layers_on_the_host_whose_results_nobody_uses():
    unused = poptorch.CPU(torch.sin, "unused")

    class Model(torch.nn.Module):
        def forward(self, x):
            unused(x)
            return x + 1
    close(poptorch.inferenceModel(Model())(torch.ones(2)), torch.full((2,), 2.0))


def test_layers_on_the_host_that_fail():
    def fails(x):
        if x.sum() > 0:
            raise KeyError("too much")
        return x

    model = poptorch.inferenceModel(Calls(poptorch.CPU(fails, "fails")))
    model(torch.zeros(2))
    with pytest.raises(KeyError, match="too much"):
        model(torch.ones(2))
    model(torch.zeros(2))
    function = lambda x, w: poptorch.identity_loss(poptorch.CPU(torch.relu, "r")(x * w), "sum")
    with pytest.raises(poptorch.Error, match="inference only"):
        trained(function, (2,), torch.ones(2))
    with pytest.raises(poptorch.Error, match="layer or a function"):
        poptorch.CPU(3, "three")


def test_is_running_on_ipu():
    seen = []

    def function(x):
        seen.append(poptorch.isRunningOnIpu())
        return x + 1

    run(function, torch.ones(2))
    function(torch.ones(2))
    assert seen == [True, False]


# ---- places known when the model runs

@pytest.mark.parametrize("start", [0, 2, 3])
def test_dynamic_slices(start):
    x, begin = torch.randn(3, 8), torch.tensor([start])
    close(run(lambda x, s: poptorch.dynamic_slice(x, 1, s, 4, 1), x, begin), x[:, start:start + 4])
    close(run(lambda x, s: poptorch.dynamic_slice(x, -1, s, 4, 2), x, begin), x[:, start:start + 4:2])
    source = torch.randn(3, 4)
    ours = run(lambda x, src, s: poptorch.dynamic_update(x, src, 1, s, 4), x, source, begin)
    close(ours, poptorch.dynamic_update(x, source, 1, begin, 4))
    expected = x.clone()
    expected[:, start:start + 4] = source
    close(ours, expected)


def test_dynamic_slices_that_cannot_be():
    x, s = torch.ones(4), torch.tensor([0])
    with pytest.raises(ValueError, match="positive"):
        poptorch.dynamic_slice(x, 0, s, 2, 0)
    for size, text in ((0, "The start and end of a slice must be different"),
                       (-1, "with the end less than the start is not supported")):
        assert poptorch.dynamic_slice(x, 0, s, size, 1).shape == (0,)
        for function in (lambda x, s: poptorch.dynamic_slice(x, 0, s, size, 1),
                         lambda x, s: poptorch.dynamic_update(x, x, 0, s, size)):
            with pytest.raises(poptorch.Error, match=text):
                run(function, x, s)
    for source, text in ((torch.ones(1, 2), r"same dimensionality. \(1\) vs \(2\)"),
                         (torch.ones(2, dtype=torch.int32), r"same dtype. \(torch.float32 vs torch.int32\)")):
        with pytest.raises(poptorch.Error, match=text):
            run(lambda x, source, s: poptorch.dynamic_update(x, source, 0, s, 2), x, source, s)


# ---- decoding

def _decoded(logs, length, blank):
    """All paths, gathered by what they spell: the exact answer."""
    found = {}
    for path in itertools.product(range(logs.shape[1]), repeat=length):
        spelt = tuple(s for i, s in enumerate(path) if s != blank and (i == 0 or path[i - 1] != s))
        found[spelt] = found.get(spelt, 0.0) + math.exp(sum(float(logs[t, s]) for t, s in enumerate(path)))
    return sorted(found.items(), key=lambda item: -item[1])


@pytest.mark.parametrize("blank", [0, 2])
def test_beam_search(blank):
    torch.manual_seed(5)
    logs = torch.log_softmax(2 * torch.randn(4, 3, 3), dim=-1)
    lengths = torch.tensor([4, 3, 2], dtype=torch.int32)
    probs, sizes, paths = run(lambda p, n: poptorch.ctc_beam_search_decoder(p, n, blank=blank, beam_width=20, top_paths=2),
                              logs, lengths)
    assert probs.shape == (3, 2) and sizes.shape == (3, 2) and paths.shape == (3, 2, 4)
    for n in range(3):
        exact = _decoded(logs[:, n], int(lengths[n]), blank)
        for k in range(2):
            assert tuple(paths[n, k, :sizes[n, k]].tolist()) == exact[k][0]
            assert math.exp(probs[n, k]) == pytest.approx(exact[k][1], rel=1e-3)
    with pytest.raises(poptorch.Error, match="on the IPU only"):
        poptorch.ctc_beam_search_decoder(logs, lengths)


# ---- points

def test_nearest_points():
    x, y = torch.randn(9, 2), torch.randn(4, 2)
    expected = torch.cdist(x, y).argmin(dim=1)
    assert poptorch.nearest(x, y).tolist() == expected.tolist()
    assert run(poptorch.nearest, x, y).tolist() == expected.tolist()
    bx, by = [0, 0, 0, 0, 1, 1, 1, 2, 2], [0, 1, 1, 2]
    ours = run(lambda x, y: poptorch.nearest(x, y, bx, torch.tensor(by)), x, y)
    for i, batch in enumerate(bx):
        same = [j for j, b in enumerate(by) if b == batch]
        assert ours[i] == min(same, key=lambda j: float((x[i] - y[j]).norm()))
    with pytest.raises(poptorch.Error, match="both"):
        poptorch.nearest(x, y, bx)
    with pytest.raises(poptorch.Error, match="coordinates"):
        poptorch.nearest(x, torch.ones(4, 3))


def _farthest(points, count):
    picked = [0]
    while len(picked) < count:
        distance = torch.stack([((points - points[p]) ** 2).sum(1) for p in picked]).amin(0)
        picked.append(int(distance.argmax()))
    return picked


def test_farthest_points():
    points, ptr = torch.randn(13, 3), [0, 5, 13]
    expected = _farthest(points[:5], 3) + [5 + p for p in _farthest(points[5:], 4)]
    assert poptorch.fps(points, ptr).tolist() == expected
    assert run(lambda p: poptorch.fps(p, ptr), points).tolist() == expected
    assert run(lambda p: poptorch.fps(p, torch.tensor(ptr), ratio=0.01), points).tolist() == [0, 5]
    picked = run(lambda p: poptorch.fps(p, ptr, random_start=True), points).tolist()
    assert len(set(picked)) == 7 and all(p < 5 for p in picked[:3])
    for wrong in ([0, 5], [1, 13], [0, 5, 5, 13]):
        with pytest.raises(poptorch.Error, match="ptr"):
            poptorch.fps(points, wrong)
    with pytest.raises(poptorch.Error, match="ratio"):
        poptorch.fps(points, ptr, ratio=0)
