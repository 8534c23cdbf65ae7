# SPDX-License-Identifier: MIT
"""Optimizers against Paddle's formulas in numpy, float64, on the CPU and on IPUs, with gradients so small that the
place of epsilon matters; and training that goes on where a saved state left off."""
import numpy as np
import pytest

import paddle
from paddle import static, unique_name

FIRST = np.linspace(-0.5, 0.7, 6).reshape(6, 1)
ROWS = np.random.RandomState(3).randn(8, 6) * 0.02


def gradient(w):
    """Of mean((x w)^2)."""
    return 2 * ROWS.T @ (ROWS @ w) / len(ROWS)


class Formula:
    """step() gives what is taken off the weights; a, b, c are the state."""

    def __init__(self, **numbers):
        self.__dict__.update(numbers)
        self.a, self.b, self.c = (np.zeros_like(FIRST) for _ in range(3))

    def weights(self, rates):
        w = FIRST.copy()
        for t, rate in enumerate(rates):
            w = w - self.step(gradient(w), t + 1, rate, w)
        return w


class Sgd(Formula):
    def step(self, g, t, rate, w):
        return rate * g


class Momentum(Formula):
    def step(self, g, t, rate, w):
        self.a = self.mu * self.a + g
        return rate * self.a


class Nesterov(Formula):
    """Of gradients that were made smaller after the decay was added."""

    def step(self, g, t, rate, w):
        g = self.smaller * (g + self.decay * w)
        self.a = self.mu * self.a + g
        return rate * (g + self.mu * self.a)


class Adam(Formula):
    decay = 0.0

    def step(self, g, t, rate, w):
        self.a = 0.9 * self.a + 0.1 * g
        self.b = 0.99 * self.b + 0.01 * g * g
        corrected = rate * np.sqrt(1 - 0.99**t) / (1 - 0.9**t)
        return corrected * self.a / (np.sqrt(self.b) + self.eps * np.sqrt(1 - 0.99**t)) + rate * self.decay * w


class Lamb(Formula):
    def step(self, g, t, rate, w):
        self.a = 0.9 * self.a + 0.1 * g
        self.b = 0.99 * self.b + 0.01 * g * g
        x = self.a / (1 - 0.9**t) / (np.sqrt(self.b / (1 - 0.99**t)) + self.eps) + self.decay * w
        return rate * np.linalg.norm(w) / np.linalg.norm(x) * x


class Adamax(Formula):
    def step(self, g, t, rate, w):
        self.a = 0.9 * self.a + 0.1 * g
        self.b = np.maximum(0.99 * self.b + self.eps, np.abs(g))
        return rate / (1 - 0.9**t) * self.a / self.b


class AdaBelief(Formula):
    def step(self, g, t, rate, w):
        self.a = 0.9 * self.a + 0.1 * g
        self.b = 0.99 * self.b + 0.01 * (g - self.a)**2 + self.eps
        return rate * (self.a / (1 - 0.9**t) / (np.sqrt(self.b / (1 - 0.99**t)) + self.eps) + self.decay * w)


class Adagrad(Formula):
    def step(self, g, t, rate, w):
        if t == 1:
            self.a += self.start
        self.a = self.a + g * g
        return rate * g / (np.sqrt(self.a) + self.eps)


class Adadelta(Formula):
    def step(self, g, t, rate, w):
        self.a = self.rho * self.a + (1 - self.rho) * g * g
        x = np.sqrt((self.b + self.eps) / (self.a + self.eps)) * g
        self.b = self.rho * self.b + (1 - self.rho) * x * x
        return rate * x


class RmsProp(Formula):
    def step(self, g, t, rate, w):
        self.a = self.rho * self.a + (1 - self.rho) * g * g
        self.b = self.rho * self.b + (1 - self.rho) * g
        spread = self.a - self.b**2 if self.centered else self.a
        self.c = self.mu * self.c + rate * g / np.sqrt(spread + self.eps)
        return self.c


EPS = 1e-5
RMS = dict(rho=0.9, eps=EPS, mu=0.0, centered=False)
CASES = {
    "sgd": (lambda r: paddle.optimizer.SGD(r), Sgd()),
    "momentum": (lambda r: paddle.optimizer.Momentum(r, 0.8), Momentum(mu=0.8)),
    "adam": (lambda r: paddle.optimizer.Adam(r, beta2=0.99, epsilon=EPS), Adam(eps=EPS)),
    "adamw": (lambda r: paddle.optimizer.AdamW(r, beta2=0.99, epsilon=EPS, weight_decay=0.1), Adam(eps=EPS, decay=0.1)),
    "lamb": (lambda r: paddle.optimizer.Lamb(r, 0.02, beta2=0.99, epsilon=EPS), Lamb(eps=EPS, decay=0.02)),
    "adabelief": (lambda r: paddle.optimizer.AdaBelief(r, beta_2=0.99, epsilon=EPS, weight_decay=0.02),
                  AdaBelief(eps=EPS, decay=0.02)),
    "adagrad": (lambda r: paddle.optimizer.Adagrad(r, EPS, initial_accumulator_value=1e-6),
                Adagrad(eps=EPS, start=1e-6)),
    "adadelta": (lambda r: paddle.optimizer.Adadelta(r, EPS, 0.9), Adadelta(eps=EPS, rho=0.9)),
    "rmsprop": (lambda r: paddle.optimizer.RMSProp(r, 0.9, EPS), RmsProp(**RMS)),
    "rmsprop_momentum": (lambda r: paddle.optimizer.RMSProp(r, 0.9, EPS, 0.7), RmsProp(**{**RMS, "mu": 0.7})),
    "rmsprop_centered": (lambda r: paddle.optimizer.RMSProp(r, 0.9, EPS, 0.7, True),
                         RmsProp(**{**RMS, "mu": 0.7, "centered": True})),
}


class Training:
    """A program of one layer without a bias, and how it runs."""

    def __init__(self, optimizer, ipu, options=None):
        self.ipu, self.options, self.exe = ipu, options, static.Executor()
        self.main, self.startup, self.scope = static.Program(), static.Program(), static.Scope()
        with self, unique_name.guard():
            x = static.data("x", [8, 6])
            first = paddle.ParamAttr(initializer=paddle.nn.initializer.Assign(FIRST.astype(np.float32)))
            self.loss = paddle.mean(paddle.square(static.nn.fc(x, 1, weight_attr=first, bias_attr=False)))
            self.rate = optimizer
            optimizer.minimize(self.loss)
            self.exe.run(self.startup)
        self.program = self.backend = None

    def __enter__(self):
        self.guards = [static.program_guard(self.main, self.startup), static.scope_guard(self.scope)]
        for guard in self.guards:
            guard.__enter__()

    def __exit__(self, *problem):
        for guard in reversed(self.guards):
            guard.__exit__(*problem)

    def run(self, rates):
        with self:
            if self.ipu and self.program is None:
                strategy = static.IpuStrategy()
                strategy.set_graph_config(micro_batch_size=8)
                strategy.set_options(self.options or {})
                compiled = static.IpuCompiledProgram(ipu_strategy=strategy)
                self.program, self.backend = compiled.compile(["x"], [self.loss.name]), compiled._backend
            for rate in rates:
                self.rate.set_lr(rate)
                self.exe.run(self.program, feed={"x": ROWS.astype(np.float32)}, fetch_list=[self.loss])
            if self.ipu:
                self.backend.weights_to_host()
        return self.weights()

    def weights(self):
        return np.array(self.scope.array("fc_0.w_0"))

    def state(self):
        return {v.name: np.array(self.scope.array(v.name)) for v in self.main.list_vars()
                if v.persistable and self.scope.array(v.name) is not None}


RATES = [0.05] * 3 + [0.02] * 3  # RMSProp keeps the rate within its momentum


@pytest.mark.parametrize("ipu", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_updates_are_those_of_the_formula(name, ipu):
    make, formula = CASES[name]
    formula.__init__(**{k: v for k, v in vars(formula).items() if k not in "abc"})
    expected = formula.weights(RATES)
    learnt = Training(make(0.05), ipu).run(RATES)
    np.testing.assert_allclose(learnt, expected, rtol=0, atol=2e-4 * np.abs(expected - FIRST).max() + 3e-7)


ON_THE_CPU = {
    "nesterov": (lambda r: paddle.optimizer.Momentum(r, 0.8, use_nesterov=True, rescale_grad=0.5, weight_decay=0.1),
                 Nesterov(mu=0.8, smaller=0.5, decay=0.1)),
    "adamax": (lambda r: paddle.optimizer.Adamax(r, beta2=0.99, epsilon=EPS), Adamax(eps=EPS)),
}


@pytest.mark.parametrize("name", ON_THE_CPU)
def test_the_cpu_has_formulas_of_its_own(name):
    make, formula = ON_THE_CPU[name]
    expected = formula.weights(RATES)
    np.testing.assert_allclose(Training(make(0.05), False).run(RATES), expected, atol=2e-4 * np.abs(expected - FIRST).max())


@pytest.mark.parametrize("name", [*CASES, "adamax"])
def test_the_device_brings_the_state_back(name):
    make = CASES[name][0] if name in CASES else lambda r: paddle.optimizer.Adamax(r)
    on_cpu, on_ipu = Training(make(0.05), False), Training(make(0.05), True)
    on_cpu.run(RATES)
    on_ipu.run(RATES)
    expected, found = on_cpu.state(), on_ipu.state()
    assert list(expected) == list(found)
    for variable, value in expected.items():
        if (name == "rmsprop" and "_momentum" in variable) or (name != "rmsprop_centered" and "_mean_grad" in variable):
            continue  # the device keeps none where the formula needs none
        np.testing.assert_allclose(found[variable], value, rtol=2e-3, atol=2e-7, err_msg=variable)


@pytest.mark.parametrize("options", [{}, {"scaled_optimizer_state": True, "loss_scaling": 64.0}])
@pytest.mark.parametrize("name", ["momentum", "adam", "rmsprop_centered", "adagrad"])
def test_a_restart_gives_the_same_bits(name, options, tmp_path):
    make = CASES[name][0]
    whole = Training(make(0.05), True, options)
    whole.run(RATES[:3])
    expected = whole.run(RATES[3:])
    first = Training(make(0.05), True, options)
    first.run(RATES[:3])
    with first:
        static.save(first.main, str(tmp_path / "state"))
    second = Training(make(0.05), True, options)
    with second:
        static.load(second.main, str(tmp_path / "state"))
    assert np.array_equal(second.run(RATES[3:]), expected)
