# SPDX-License-Identifier: MIT
"""Every optimiser against Keras' rule in numpy's double precision: apply_gradients at once and traced, and fit, where the
rule is PopART's fused one or written out. Clipping, decay and schedules."""
import numpy as np
import pytest
import tensorflow as tf
from agree import normal
from tensorflow import keras
from tensorflow.python import ipu

O = keras.optimizers


def sgd(s, w, g, t, r, momentum=0.0, nesterov=False):
    s["v"] = momentum * s.get("v", 0) - r * g
    return w + (momentum * s["v"] - r * g if nesterov else s["v"])


def adam(s, w, g, t, r, b1=0.9, b2=0.999, eps=1e-7, amsgrad=False):
    s["m"] = b1 * s.get("m", 0) + (1 - b1) * g
    s["v"] = b2 * s.get("v", 0) + (1 - b2) * g * g
    s["top"] = np.maximum(s.get("top", 0), s["v"])
    v = s["top"] if amsgrad else s["v"]
    return w - r * np.sqrt(1 - b2 ** t) / (1 - b1 ** t) * s["m"] / (np.sqrt(v) + eps)


def adamax(s, w, g, t, r, b1=0.9, b2=0.999, eps=1e-7):
    s["m"] = b1 * s.get("m", 0) + (1 - b1) * g
    s["v"] = np.maximum(b2 * s.get("v", 0), abs(g))
    return w - r / (1 - b1 ** t) * s["m"] / (s["v"] + eps)


def nadam(s, w, g, t, r, b1=0.9, b2=0.999, eps=1e-7):
    u = lambda k: b1 * (1 - 0.5 * 0.96 ** (0.004 * k))
    product = np.prod([u(k) for k in range(1, t + 1)])
    s["m"] = b1 * s.get("m", 0) + (1 - b1) * g
    s["v"] = b2 * s.get("v", 0) + (1 - b2) * g * g
    top = (1 - u(t)) * g / (1 - product) + u(t + 1) * s["m"] / (1 - product * u(t + 1))
    return w - r * top / (np.sqrt(s["v"] / (1 - b2 ** t)) + eps)


def rmsprop(s, w, g, t, r, rho=0.9, momentum=0.0, eps=1e-7, centered=False):
    s["v"] = rho * s.get("v", 0) + (1 - rho) * g * g
    s["a"] = rho * s.get("a", 0) + (1 - rho) * g
    d = s["v"] - s["a"] ** 2 if centered else s["v"]
    if not momentum:
        return w - r * g / (np.sqrt(d) + eps)
    s["u"] = momentum * s.get("u", 0) + r * g / np.sqrt(d + eps)
    return w - s["u"]


def adagrad(s, w, g, t, r, start=0.1, eps=1e-7):
    s["v"] = s.get("v", start) + g * g
    return w - r * g / (np.sqrt(s["v"]) + eps)


def adadelta(s, w, g, t, r, rho=0.95, eps=1e-7):
    s["v"] = rho * s.get("v", 0) + (1 - rho) * g * g
    x = g * np.sqrt(s.get("u", 0) + eps) / np.sqrt(s["v"] + eps)
    s["u"] = rho * s.get("u", 0) + (1 - rho) * x * x
    return w - r * x


def ftrl(s, w, g, t, r, power=-0.5, start=0.1, l1=0.0, l2=0.0, shrinkage=0.0, beta=0.0):
    n = s.get("n", start)
    s["n"] = n + g * g
    s["z"] = s.get("z", 0) + g + 2 * shrinkage * w - (s["n"] ** -power - n ** -power) / r * w
    size = (beta + s["n"] ** -power) / r + 2 * l2
    return np.where(abs(s["z"]) <= l1, 0.0, (np.sign(s["z"]) * l1 - s["z"]) / size)


CASES = {
    "sgd": (lambda r: O.SGD(r), sgd, {}), "momentum": (lambda r: O.SGD(r, 0.9), sgd, {"momentum": 0.9}),
    "nesterov": (lambda r: O.SGD(r, 0.9, True), sgd, {"momentum": 0.9, "nesterov": True}),
    "adam": (lambda r: O.Adam(r), adam, {}),
    "adam, large epsilon": (lambda r: O.Adam(r, 0.8, 0.95, 0.1), adam, {"b1": 0.8, "b2": 0.95, "eps": 0.1}),
    "amsgrad": (lambda r: O.Adam(r, beta_2=0.5, amsgrad=True), adam, {"b2": 0.5, "amsgrad": True}),
    "adamax": (lambda r: O.Adamax(r), adamax, {}), "nadam": (lambda r: O.Nadam(r), nadam, {}),
    "rmsprop": (lambda r: O.RMSprop(r), rmsprop, {}),
    "rmsprop, large epsilon": (lambda r: O.RMSprop(r, epsilon=0.1), rmsprop, {"eps": 0.1}),
    "rmsprop, centred": (lambda r: O.RMSprop(r, centered=True), rmsprop, {"centered": True, "tolerance": 3e-2}),
    "rmsprop, momentum": (lambda r: O.RMSprop(r, momentum=0.5, epsilon=0.1), rmsprop, {"momentum": 0.5, "eps": 0.1}),
    "rmsprop, both": (lambda r: O.RMSprop(r, 0.8, 0.5, 0.1, True), rmsprop,
                      {"rho": 0.8, "momentum": 0.5, "eps": 0.1, "centered": True}),
    "adagrad": (lambda r: O.Adagrad(r), adagrad, {}),
    "adagrad from 0": (lambda r: O.Adagrad(r, 0.0), adagrad, {"start": 0.0}),
    "adadelta": (lambda r: O.Adadelta(r), adadelta, {}), "ftrl": (lambda r: O.Ftrl(r), ftrl, {}),
    "ftrl, all": (lambda r: O.Ftrl(r, -0.4, 0.2, 0.02, 0.03, "Ftrl", 0.04, 0.05), ftrl,
                  {"power": -0.4, "start": 0.2, "l1": 0.02, "l2": 0.03, "shrinkage": 0.04, "beta": 0.05}),
}
RATES = {"adadelta": 50.0, "ftrl": 0.5, "ftrl, all": 0.5}


def own(name):
    make, rule, arguments = CASES[name]
    arguments = dict(arguments)
    return make, rule, arguments, arguments.pop("tolerance", 2e-4)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("traced", [False, True])
def test_apply_gradients(name, traced):
    make, rule, arguments, tolerance = own(name)
    rate = RATES.get(name, 0.05)
    variables = [tf.Variable(normal(3, 4)), tf.Variable(normal(5, seed=1))]
    expected = [v.numpy().astype(np.float64) for v in variables]
    states = [{}, {}]
    optimizer = make(rate)

    def step(*gradients):
        optimizer.apply_gradients(zip(gradients, variables))

    step = tf.function(step) if traced else step
    for t in range(1, 6):
        gradients = [normal(3, 4, seed=10 + t), normal(5, seed=20 + t)]
        step(*[tf.constant(g) for g in gradients])
        expected = [rule(s, w, g.astype(np.float64), t, rate, **arguments)
                    for s, w, g in zip(states, expected, gradients)]
    for v, w in zip(variables, expected):
        np.testing.assert_allclose(v.numpy(), w, rtol=10 * tolerance, atol=tolerance)
    assert int(optimizer.iterations.numpy()) == 5


def trained(x, y, w, batch, epochs, update):
    """A linear model with mean squared error by numpy."""
    t = 0
    for _ in range(epochs):
        for i in range(0, len(x), batch):
            t += 1
            error = x[i:i + batch] @ w - y[i:i + batch]
            w = update(w, 2 * x[i:i + batch].T @ error / error.size, t)
    return w


def fitted(optimizer, x, y, batch=8, epochs=2, steps=1, constraint=None, model_maker=None):
    model = keras.Sequential([keras.layers.Dense(y.shape[1], use_bias=False, input_shape=(x.shape[1],),
                                                 kernel_constraint=constraint)])
    first = model.get_weights()[0].astype(np.float64)
    model.compile(optimizer, "mse", steps_per_execution=steps)
    model.fit(x, y, batch_size=batch, epochs=epochs, shuffle=False, verbose=0)
    return first, model


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("steps", [1, 3])
def test_fit(name, steps):
    make, rule, arguments, tolerance = own(name)
    rate = RATES.get(name, 0.05)
    x, y = normal(24, 4), normal(24, 3, seed=1)
    first, model = fitted(make(rate), x, y, steps=steps)
    state = {}
    expected = trained(x.astype(float), y, first, 8, 2, lambda w, g, t: rule(state, w, g, t, rate, **arguments))
    np.testing.assert_allclose(model.get_weights()[0], expected, rtol=10 * tolerance, atol=5 * tolerance)
    assert int(model.optimizer.iterations.numpy()) == 6


FUSED = {"sgd", "momentum", "nesterov", "adam", "adam, large epsilon", "adamax", "rmsprop", "rmsprop, large epsilon",
         "rmsprop, centred", "adagrad", "adagrad from 0", "adadelta"}


@pytest.mark.parametrize("name", CASES)
def test_which_are_fused(name):
    import popart
    made = CASES[name][0](0.1).fused_here(popart, 0.1, popart.DataType.UNDEFINED)
    assert (made is not None) == (name in FUSED)


@pytest.mark.parametrize("name", ["sgd", "momentum", "nesterov", "adam", "rmsprop"])
@pytest.mark.parametrize("clip", ["clipnorm", "clipvalue", "global_clipnorm"])
def test_clipping_in_fit(name, clip):
    _, rule, arguments, tolerance = own(name)
    x, y = normal(24, 4), normal(24, 3, seed=1) * 5
    kinds = {"sgd": O.SGD(0.05, **{clip: 0.1}), "momentum": O.SGD(0.05, 0.9, **{clip: 0.1}),
             "nesterov": O.SGD(0.05, 0.9, True, **{clip: 0.1}), "adam": O.Adam(0.05, **{clip: 0.1}),
             "rmsprop": O.RMSprop(0.05, **{clip: 0.1})}
    first, model = fitted(kinds[name], x, y)
    state = {}

    def update(w, g, t):
        g = g.clip(-0.1, 0.1) if clip == "clipvalue" else g * 0.1 / max(np.sqrt((g * g).sum()), 0.1)
        return rule(state, w, g, t, 0.05, **arguments)

    expected = trained(x.astype(float), y, first, 8, 2, update)
    np.testing.assert_allclose(model.get_weights()[0], expected, rtol=10 * tolerance, atol=5 * tolerance)


def test_global_norm_is_of_all_variables():
    variables = [tf.Variable([3.0]), tf.Variable([4.0])]
    optimizer = O.SGD(1.0, global_clipnorm=1.0)
    optimizer.apply_gradients([(tf.constant([3.0]), variables[0]), (tf.constant([4.0]), variables[1])])
    np.testing.assert_allclose([v.numpy()[0] for v in variables], [3 - 0.6, 4 - 0.8], rtol=1e-6)
    with pytest.raises(ValueError, match="global_clipnorm"):
        O.SGD(clipnorm=1.0, global_clipnorm=1.0)
    with pytest.raises(ValueError, match="clipvalue"):
        O.SGD(clipvalue=-1.0)


S = O.schedules
SCHEDULES = [
    (S.ExponentialDecay(0.1, 4, 0.5), lambda t: 0.1 * 0.5 ** (t / 4)),
    (S.ExponentialDecay(0.1, 4, 0.5, staircase=True), lambda t: 0.1 * 0.5 ** (t // 4)),
    (S.PiecewiseConstantDecay([2, 5], [0.1, 0.05, 0.01]), lambda t: 0.1 if t <= 2 else 0.05 if t <= 5 else 0.01),
    (S.PolynomialDecay(0.1, 8, 0.01, 2.0), lambda t: 0.09 * (1 - min(t, 8) / 8) ** 2 + 0.01),
    (S.PolynomialDecay(0.1, 3, 0.01, cycle=True), lambda t: 0.09 * (1 - t / (3 * max(1, -(-t // 3)))) + 0.01),
    (S.InverseTimeDecay(0.1, 4, 0.5), lambda t: 0.1 / (1 + 0.5 * t / 4)),
    (S.CosineDecay(0.1, 8, 0.1), lambda t: 0.1 * (0.9 * (1 + np.cos(np.pi * min(t, 8) / 8)) / 2 + 0.1)),
    (S.CosineDecayRestarts(0.1, 3, 2.0, 0.5), lambda t: 0.1 * (
        (1 + np.cos(np.pi * t / 3)) / 2 if t < 3 else 0.5 * (1 + np.cos(np.pi * (t - 3) / 6)) / 2 if t < 9 else
        0.25 * (1 + np.cos(np.pi * (t - 9) / 12)) / 2)),
    (S.CosineDecayRestarts(0.1, 4, 1.0), lambda t: 0.1 * (1 + np.cos(np.pi * (t % 4) / 4)) / 2),
]


@pytest.mark.parametrize("schedule,formula", SCHEDULES, ids=lambda v: type(v).__name__)
def test_schedules(schedule, formula):
    traced = tf.function(lambda t: tf.convert_to_tensor(schedule(t)))
    for t in range(12):
        assert float(schedule(t)) == pytest.approx(formula(t), rel=1e-4, abs=1e-8)
        assert float(traced(tf.constant(float(t)))) == pytest.approx(formula(t), rel=1e-4, abs=1e-8)
    again = S.deserialize(S.serialize(schedule))
    assert float(again(5)) == float(schedule(5)) and again.get_config() == schedule.get_config()


@pytest.mark.parametrize("name", ["sgd", "momentum", "nesterov", "adam", "rmsprop"])
@pytest.mark.parametrize("steps", [1, 3])
@pytest.mark.parametrize("kind", ["schedule", "decay"])
def test_rates_that_change_in_fit(name, steps, kind):
    _, rule, arguments, tolerance = own(name)
    x, y = normal(24, 4), normal(24, 3, seed=1)
    make = {"sgd": O.SGD, "momentum": lambda r, **k: O.SGD(r, 0.9, **k), "adam": O.Adam, "rmsprop": O.RMSprop,
            "nesterov": lambda r, **k: O.SGD(r, 0.9, True, **k)}[name]
    optimizer = make(S.ExponentialDecay(0.1, 2, 0.5)) if kind == "schedule" else make(0.1, decay=0.3)
    rate = (lambda t: 0.1 * 0.5 ** ((t - 1) / 2)) if kind == "schedule" else (lambda t: 0.1 / (1 + 0.3 * (t - 1)))
    first, model = fitted(optimizer, x, y, steps=steps)
    state = {}
    expected = trained(x.astype(float), y, first, 8, 2, lambda w, g, t: rule(state, w, g, t, rate(t), **arguments))
    np.testing.assert_allclose(model.get_weights()[0], expected, rtol=10 * tolerance, atol=5 * tolerance)


def test_a_rate_that_is_set_between_epochs():
    x, y = normal(24, 4), normal(24, 3, seed=1)
    first, model = fitted(O.SGD(0.1, 0.9), x, y, epochs=1, steps=3)
    model.optimizer.learning_rate = 0.01
    model.fit(x, y, batch_size=8, epochs=1, shuffle=False, verbose=0)
    state = {}
    expected = trained(x.astype(float), y, first, 8, 2, lambda w, g, t: sgd(state, w, g, t, 0.1 if t <= 3 else 0.01, 0.9))
    np.testing.assert_allclose(model.get_weights()[0], expected, rtol=1e-3, atol=1e-5)
    assert float(model.optimizer.lr.numpy()) == pytest.approx(0.01)


def test_minimize_and_configurations():
    v = tf.Variable(3.0)
    optimizer = O.Adam(0.1)
    for _ in range(100):
        optimizer.minimize(lambda: (v - 1.0) ** 2.0, [v])
    assert abs(float(v.numpy()) - 1) < 0.1
    for name in CASES:
        made = CASES[name][0](0.1)
        assert O.deserialize(O.serialize(made)).get_config() == made.get_config()
    for name in ("sgd", "SGD", "adam", "Adam", "rmsprop", "RMSprop", "adagrad", "adadelta", "adamax", "nadam", "ftrl"):
        assert isinstance(O.get(name), O.Optimizer)
    with pytest.raises(ValueError, match="Unknown optimizer: adamw"):
        O.get("adamw")
    with pytest.raises(TypeError, match="weight_decay"):
        O.Adam(weight_decay=0.1)


@pytest.mark.parametrize("make", [
    lambda: keras.optimizers.SGD(0.1, momentum=0.9), lambda: keras.optimizers.SGD(0.1, momentum=0.9, nesterov=True),
    lambda: keras.optimizers.RMSprop(0.1), lambda: keras.optimizers.RMSprop(0.1, momentum=0.9, centered=True),
    lambda: keras.optimizers.Adagrad(0.1), lambda: keras.optimizers.Adadelta(1.0), lambda: keras.optimizers.Adam(0.1),
    lambda: keras.optimizers.Adamax(0.1), lambda: keras.optimizers.Nadam(0.1), lambda: keras.optimizers.Ftrl(0.1),
    lambda: tf.compat.v1.train.MomentumOptimizer(0.1, 0.9).keras, lambda: tf.compat.v1.train.RMSPropOptimizer(0.1).keras,
    lambda: tf.compat.v1.train.FtrlOptimizer(0.1).keras])
def test_rules_of_half_weights_compute_in_float32(make):
    start = np.array([1.0, -0.5, 0.25], np.float16)
    half, whole = tf.Variable(start), tf.Variable(start.astype(np.float32))
    of_half, of_whole = make(), make()
    for g in np.array([[1, -2, 0.5], [0.25, 1, -1], [-1, 0.125, 2]], np.float16):
        of_half.apply_gradients([(tf.constant(g), half)])
        of_whole.apply_gradients([(tf.constant(g.astype(np.float32)), whole)])
        whole.assign(whole.numpy().astype(np.float16).astype(np.float32))
        assert half.numpy().tolist() == whole.numpy().tolist()
    assert not np.array_equal(half.numpy(), start)


def test_half_weights_are_trained_by_an_optimizer_of_tensorflow_1():
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = 1
    config.configure_ipu_system()
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        def net(x):
            w = v1.get_variable("w", [3, 1], dtype=tf.float16, initializer=v1.ones_initializer(tf.float16))
            loss = tf.reduce_mean(tf.cast(tf.matmul(x, w), tf.float32))
            optimizer = v1.train.MomentumOptimizer(0.5, 0.5)
            pairs = [(g / 128., v) for g, v in optimizer.compute_gradients(loss * 128.)]
            return loss, optimizer.apply_gradients(pairs)
        x = v1.placeholder(tf.float16, [2, 3])
        with ipu.scopes.ipu_scope("/device:IPU:0"):
            step = ipu.ipu_compiler.compile(net, [x])
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            found = [float(session.run(step, {x: np.ones((2, 3))})[0]) for _ in range(3)]
    assert found == [3, 1.5, -0.75]
