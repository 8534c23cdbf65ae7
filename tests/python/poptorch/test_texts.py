# SPDX-License-Identifier: MIT
"""Errors say what the vendor's say where users search for it; ours add values and advice."""
import re

import poptorch
import pytest
import torch


class Calls(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function
        self.register_buffer("y", torch.ones(2))

    def forward(self, *args, **kwargs):
        return self.function(self, *args, **kwargs)


def run(function, *args, options=None, **kwargs):
    return poptorch.inferenceModel(Calls(function), options)(*args, **kwargs)


def says(text):
    return pytest.raises(poptorch.Error, match=re.escape(text))


X = torch.ones(2)


def test_gradient_accumulation_of_an_inference():
    options = poptorch.Options()
    options.Training.gradientAccumulation(2)
    with says("You must set poptorch.Options().Training.gradientAccumulation to 1 or leave it as its default value (1) when "
              "running a poptorch.inferenceModel()."):
        poptorch.inferenceModel(torch.nn.ReLU(), options)


def test_buffers_that_forward_takes_away():
    def removed(self, x):
        del self.y
        return x

    def reassigned(self, x):
        self.y = x + 1
        return x

    with says("Buffer y is removed from the model when calling the forward method."):
        run(removed, X)
    with says("Buffer y is reassigned within the model when calling the forward method. This is not supported. Consider using "
              "self.y.copy_(src) to copy data from a source tensor, where src is the name of the source tensor."):
        run(reassigned, X)


def test_shapes_that_depend_on_values():
    with says("OneHot num classes must be specified and must be constant."):
        run(lambda _, x: torch.nn.functional.one_hot(x), torch.arange(2))
    with says("Bincount `minlength` must be specified and must be a constant. On the IPU MK2 platform the minimum length is "
              "also the maximum length"):
        run(lambda _, x: torch.bincount(x), torch.arange(2))


def test_hooks_and_log_levels():
    with pytest.raises(RuntimeError, match="must be callable"):
        poptorch.registerPreCompileHook(3)
    with pytest.raises(ValueError, match="Invalid log level integer"):
        poptorch.setLogLevel(5)


def test_loops_and_conditions():
    class Trained(torch.nn.Module):
        def __init__(self, body):
            super().__init__()
            self.w, self.body = torch.nn.Parameter(torch.ones(2)), body

        def forward(self, x):
            return poptorch.identity_loss(self.body(self.w * x)[0], "sum")

    with says("poptorch.for_loop() is only supported in inference"):
        poptorch.trainingModel(Trained(lambda x: poptorch.for_loop(2, lambda y: y + 1, [x])))(X)
    with says("poptorch.cond() is only supported in inference"):
        poptorch.trainingModel(Trained(lambda x: poptorch.cond(x.sum() > 0, lambda y: y, [x], lambda y: y, [x])))(X)
    with pytest.raises(ValueError, match=re.escape("(Object is not list)")):
        poptorch.for_loop(2, lambda y: y, X)
    with pytest.raises(ValueError, match=re.escape("(Object contained in list at index 1 is not torch.tensor)")):
        poptorch.for_loop(2, lambda y: y, [X, 3])


def test_other_inputs_than_those_of_the_first_call():
    def called(*args, **kwargs):
        model = poptorch.inferenceModel(Calls(lambda self, x, **more: x + sum(more.values())))
        model(torch.ones(1), z=torch.ones(1))
        return model(*args, **kwargs)

    with says("expected torch.float32 but got torch.int64"):
        called(torch.ones(1, dtype=torch.int64), z=torch.ones(1))
    with says("expected torch.Size([1]) but got torch.Size([2])"):
        called(X, z=torch.ones(1))
    with says("Missing arguments: z."):
        called(torch.ones(1))
    with pytest.raises(poptorch.Error, match="Type mismatch for z: expected .*Tensor.* but got .*None"):
        called(torch.ones(1), z=None)


def test_numbers_of_ipus():
    def spread(self, x):
        for i in range(3):
            with poptorch.Block(str(i), ipu_id=i):
                x = x + 1
        return x

    with says("The model specifies the use of 3 IPUs, however PopTorch must reserve a minimum of 4 in order to allow the model "
              "to run, because PopTorch must reserve a power of 2 or maximum of 64 IPUs per process. Please reconfigure your "
              "model to use a different number of IPUs or set poptorch.Options().autoRoundNumIPUs(True)."):
        run(spread, X)
    with says("Too many IPUs requested (128). Experiments that need"):
        run(lambda _, x: x + 1, torch.ones(128), options=poptorch.Options().replicationFactor(128))


def test_losses_that_are_independent():
    class Two(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.w = torch.nn.Parameter(torch.ones(2))

        def forward(self, x):
            return poptorch.identity_loss(self.w * x, "sum"), poptorch.identity_loss(self.w + x, "mean")

    with says("Multiple independent losses found in graph. Graph must have one final loss. Wrap final graph loss in "
              "poptorch.identity_loss. The losses are poptorch::identity_loss (at "):
        poptorch.trainingModel(Two())(X)


def test_arguments_that_are_missing():
    class Needs(torch.nn.Module):
        def forward(self, x, z):
            return x + z

    model = poptorch.inferenceModel(Needs())
    model(X, z=X)
    with says("Missing arguments: z."):
        model(X)


@pytest.mark.parametrize("make", [poptorch.MultiConv, lambda: poptorch.NameScope("a"), lambda: poptorch.Block("a")])
@pytest.mark.parametrize("before", [False, True])
def test_contexts_that_are_left_but_were_not_entered(make, before):
    def forward(self, x):
        scope = make()
        if before:
            with scope:
                x = torch.conv1d(x, torch.ones(1, 1, 1))
        scope.__exit__(None, None, None)
        return x

    with says(f"poptorch.{type(make()).__name__} is left but was not entered."):
        run(forward, torch.ones(1, 1, 2))


def test_convolutions_that_are_not_gathered():
    def broken(self, x):
        try:
            with poptorch.MultiConv():
                x = torch.conv1d(x, torch.ones(1, 1, 1))
                raise KeyError
        except KeyError:
            return x

    with says("A poptorch.MultiConv was entered and not left"):
        run(lambda _, x: (poptorch.MultiConv().__enter__(), torch.conv1d(x, torch.ones(1, 1, 1)))[1], torch.ones(1, 1, 2))
    with says("or left by an error."):
        run(broken, torch.ones(1, 1, 2))
    with says("Unexpected end_multi_conv"):
        run(lambda _, x: (poptorch.MultiConv().__exit__(None, None, None), x)[1], X)
    with pytest.raises(ValueError, match="Invalid partials types"):
        poptorch.MultiConv().partialsTypes("half")
    with pytest.raises(AssertionError, match="Invalid plan type"):
        poptorch.MultiConv().planType("parallel")


def test_attributes_that_are_no_dicts():
    with says("poptorch.Attribute takes a dict for each domain"):
        poptorch.Attribute(outline="a")


def test_custom_operators():
    def custom(attribute):
        return lambda _, x: poptorch.custom_op([x], "LeakyRelu", "ai.onnx", 6, example_outputs=[x],
                                               attributes={"alpha": attribute})[0]

    assert torch.equal(run(custom(0.5), -X), -X / 2)
    with says("1e+300 is too high for a Popart float attribute."):
        run(custom(1e300), X)
    with says("-1e+300 is too low for a Popart float attribute."):
        run(custom([1.0, -1e300]), X)
    with says(f"'alpha': {2**63} is too high for a Popart int attribute."):
        run(custom(2**63), X)
    with says(f"'alpha': {-2**63 - 1} is too low for a Popart int attribute."):
        run(custom([0, -2**63 - 1]), X)
    with pytest.raises((poptorch.Error, ValueError), match="contains non-ASCII characters."):
        run(custom("a\u00e4b"), X)


def test_inputs_with_gradients(capfd):
    run(lambda _, x: x + 1, torch.ones(2, requires_grad=True))
    assert ("Input tensor has requires_grad=True set. This tensor will be detached because backward pass via inputs is not "
            "supported.") in capfd.readouterr().err


def test_optimizers_of_ones_own(capfd):
    class Mine(torch.optim.SGD):
        pass

    module = torch.nn.Linear(1, 1)
    poptorch.trainingModel(module, optimizer=Mine(module.parameters(), lr=0.1))
    text = capfd.readouterr().err
    assert "Poptorch does not run Python optimizer code directly" in text and "test_texts.py" in text


def test_backward_of_a_result():
    with says("on outputs of a PopTorch model. If you're using a trainingModel, the backwards pass is performed automatically "
              "when invoking the model. If you're using an inferenceModel, you should use a trainingModel instead."):
        run(lambda _, x: x + 1, X).backward()


# ---- what was an error and need not be

def test_defaults_that_are_tensors_are_inputs():
    class Net(torch.nn.Module):
        def forward(self, a, b=torch.zeros(1)):
            return a + b

    model = poptorch.inferenceModel(Net())
    assert model(torch.ones(1)).item() == 1
    assert model(torch.ones(1), b=torch.full((1,), 4.0)).item() == 5
    assert model(torch.ones(1), torch.full((1,), 3.0)).item() == 4
    assert model(torch.ones(1)).item() == 1


@pytest.mark.parametrize("run_too", [False, True])
def test_models_are_compiled_in_inference_mode(run_too):
    model = poptorch.inferenceModel(Calls(lambda self, x: x[torch.arange(2), :] + self.y[0]))
    with torch.inference_mode():
        model.compile(torch.ones(3, 2))
        if run_too:
            model(torch.ones(3, 2))
    assert torch.equal(model(torch.ones(3, 2)), torch.full((2, 2), 2.0))
