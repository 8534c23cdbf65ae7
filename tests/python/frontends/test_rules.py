# SPDX-License-Identifier: MIT
"""Optimisers that are data (popart.optimizerRules()): every front end has each by its name, and they train alike, on IPUs and
where an update runs on the host."""
import numpy as np
import popart
import pytest
from models import FRONT_ENDS, first
from popart import _rules

X = np.array([0.5, 1.0, -0.5, 0.25], np.float32)
FUNCTIONS = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "neg": np.negative, "sqrt": np.sqrt,
             "square": np.square, "abs": np.abs, "sign": np.sign, "max": np.maximum, "min": np.minimum, "pow": np.power}
RULES = popart.optimizerRules()


def after(rule, steps, **numbers):
    """w and the states after so many steps."""
    states = {name: np.full(4, value) for name, value in rule.states.items()}
    values = {**rule.numbers, **numbers, **states, "w": first(4).astype(np.float64)}
    for step in range(steps):
        values = _rules.after_step(rule, {**values, "g": 2 * values["w"] * X, "t": step + 1}, FUNCTIONS)
    return {name: values[name] for name in ("w", *states)}


@pytest.fixture
def make(monkeypatch):
    monkeypatch.setenv("OPENIPU_NUM_IPUS", "1")
    made = []

    def make(name, **settings):
        made.append(FRONT_ENDS[name](**settings))
        return made[-1]
    yield make
    for model in made:
        model.close()


each = pytest.mark.parametrize("rule", RULES, ids=[rule.name for rule in RULES])


@each
@pytest.mark.parametrize("name", FRONT_ENDS)
def test_all_front_ends_train_alike(name, rule, make):
    model = make(name, rule=rule.name, learning_rate=0.0625)
    for _ in range(3):
        model.step(X)
    np.testing.assert_allclose(model.weights(), after(rule, 3, learning_rate=0.0625)["w"], rtol=1e-5, atol=1e-6)


@each
def test_keras_sees_the_states(rule, make):
    model = make("keras", rule=rule.name)
    for _ in range(2):
        model.step(X)
    iterations, *states = model.optimizer.get_weights()
    assert iterations == 2
    for got, want in zip(states, list(after(rule, 2, learning_rate=0.1).values())[1:], strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-5)


@each
def test_poptorch_keeps_the_states_for_another_model(rule, make):
    import poptorch
    import torch
    from squares import Squares
    model = make("poptorch", rule=rule.name)
    model.step(X)
    model.step(X)
    kept, learnt = model.optimizer.state_dict(), model.weights()
    model.close()
    net = Squares(learnt)
    optimizer = getattr(poptorch.optim, rule.name)(net.parameters(), lr=0.1)
    optimizer.load_state_dict(kept)
    other = poptorch.trainingModel(net, None, optimizer)
    other(torch.from_numpy(X))
    np.testing.assert_allclose(net.w.detach().numpy(), after(rule, 3, learning_rate=0.1)["w"], rtol=1e-5)
    other.destroy()


@each
def test_torch_steps_on_the_host(rule):
    import poptorch
    import torch
    w = torch.nn.Parameter(torch.from_numpy(first(4)))
    optimizer = getattr(poptorch.optim, rule.name)([w], lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        (w * w * torch.from_numpy(X)).sum().backward()
        optimizer.step()
    np.testing.assert_allclose(w.detach().numpy(), after(rule, 3, learning_rate=0.1)["w"], rtol=1e-5)
    with pytest.raises(TypeError, match=f"{rule.name} has no 'betta'; its numbers are lr"):
        getattr(poptorch.optim, rule.name)([w], betta=1)


def test_torch_takes_norms_on_the_host():
    import torch
    from poptorch.optim import rules
    lines = ["length = norm(w)", "r = max(0.5, trust_ratio(length, norm(d), most))", "w = w - learning_rate * r * d"]
    rule = popart.OptimizerRule("Own", {}, {"learning_rate": 0.5, "most": 4.0}, ["d = g + 0 * w", *lines])
    w = torch.nn.Parameter(torch.tensor([3.0, -4.0]))
    optimizer = rules._class_of(rule)([w])
    for gradient, expected in (([0.0, 2.0], [3, -6]), ([0.0, 0.0], [3, -6]), ([0.0, 1e6], [3, -6 - 2.5e5])):
        w.grad = torch.tensor(gradient)
        optimizer.step()
        np.testing.assert_allclose(w.detach().numpy(), expected)


@each
def test_tensorflow_applies_gradients(rule):
    import tensorflow as tf
    w = tf.Variable(first(4))
    optimizer = tf.keras.optimizers.get(rule.name)
    optimizer.learning_rate = 0.1
    for _ in range(3):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(w * w * X)
        optimizer.apply_gradients([(tape.gradient(loss, w), w)])
    np.testing.assert_allclose(w.numpy(), after(rule, 3, learning_rate=0.1)["w"], rtol=1e-5)
    again = type(optimizer).from_config(optimizer.get_config())
    assert again.get_config() == optimizer.get_config()


@each
def test_paddle_runs_the_operator_on_the_cpu(rule):
    import paddle
    from paddle import static
    paddle.enable_static()
    program, startup, scope = static.Program(), static.Program(), static.Scope()
    with static.scope_guard(scope), static.program_guard(program, startup):
        x = static.data("x", [4])
        w = static.create_parameter([4], "float32", name="w", default_initializer=paddle.nn.initializer.Assign(first(4)))
        getattr(paddle.optimizer, rule.name)(0.1).minimize(paddle.sum(w * w * x))
        exe = static.Executor(paddle.CPUPlace())
        exe.run(startup)
        for _ in range(3):
            exe.run(program, feed={"x": X})
        made = np.array(scope.find_var("w").get_tensor())
    np.testing.assert_allclose(made, after(rule, 3, learning_rate=0.1)["w"], rtol=1e-5)


def test_paddle_refuses_what_it_would_leave_out():
    import paddle
    with pytest.raises(TypeError, match="Lion has no 'betta'; its numbers are learning_rate, beta_1"):
        paddle.optimizer.Lion(0.1, betta=1)
