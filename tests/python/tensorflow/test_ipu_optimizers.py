# SPDX-License-Identifier: MIT
"""Every optimiser on IPUs with accumulated gradients, replicas and pipelines, fused or written out, against Keras' rule in
numpy's double precision; what it keeps, as get_weights and files see it; rates that callbacks set."""
import numpy as np
import pytest
import tensorflow as tf
from agree import normal
from on_ipus import strategy
from tensorflow import keras
from tensorflow.python import ipu
from test_optimizers import CASES, RATES, O, S, adam, own, sgd, trained

X, Y = normal(64, 4), normal(64, 3, seed=1)
SMALL = ["sgd", "momentum", "adam", "amsgrad", "nadam", "rmsprop, both", "ftrl, all"]


def linear(optimizer, steps, constraint=None):
    model = keras.Sequential([keras.layers.Dense(3, use_bias=False, input_shape=(4,), kernel_constraint=constraint)])
    model.compile(optimizer, "mse", steps_per_execution=steps)
    return model.get_weights()[0].astype(np.float64), model


def expected(name, first, batch, epochs=2, rate=None, change=None):
    _, rule, arguments, tolerance = own(name)
    state, rate = {}, RATES.get(name, 0.05) if rate is None else rate

    def update(w, g, t):
        return rule(state, w, g if change is None else change(g), t, rate, **arguments)
    return trained(X.astype(float), Y, first, batch, epochs, update), tolerance


def close(model, wanted):
    values, tolerance = wanted
    np.testing.assert_allclose(model.get_weights()[0], values, rtol=10 * tolerance, atol=5 * tolerance)


def fit(model, batch=8, epochs=2):
    return model.fit(X, Y, batch_size=batch, epochs=epochs, shuffle=False, verbose=0)


@pytest.mark.parametrize("name", CASES)
def test_accumulation(name):
    with strategy().scope():
        first, model = linear(CASES[name][0](RATES.get(name, 0.05)), 8)
        model.set_gradient_accumulation_options(4, "mean")
        fit(model)
    close(model, expected(name, first, 32))
    assert int(model.optimizer.iterations.numpy()) == 4


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("accumulated", [1, 2])
def test_replicas(name, accumulated):
    with strategy(2).scope():
        first, model = linear(CASES[name][0](RATES.get(name, 0.05)), 2)
        model.set_gradient_accumulation_options(accumulated, "mean")
        fit(model)
    close(model, expected(name, first, 16 * accumulated))


def two_layers(optimizer, steps):
    tf.random.set_seed(5)
    model = keras.Sequential([keras.layers.Dense(6, activation="tanh", input_shape=(4,)), keras.layers.Dense(3)])
    model.compile(optimizer, "mse", steps_per_execution=steps)
    return model


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("schedule", ["Grouped", "Sequential"])
def test_pipelines(name, schedule):
    rate = RATES.get(name, 0.05)
    plain = two_layers(CASES[name][0](rate), 1)
    plain.fit(X, Y, batch_size=32, epochs=2, shuffle=False, verbose=0)
    with strategy(2).scope():
        model = two_layers(CASES[name][0](rate), 8)
        model.set_pipeline_stage_assignment([0, 1])
        model.set_pipelining_options(4, gradient_accumulation_reduction_method="mean",
                                     pipeline_schedule=ipu.pipelining_ops.PipelineSchedule[schedule])
        fit(model)
    for a, b in zip(model.get_weights(), plain.get_weights()):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)
    for a, b in zip(model.optimizer.get_weights(), plain.optimizer.get_weights()):
        np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize("clip", ["clipnorm", "clipvalue", "global_clipnorm"])
@pytest.mark.parametrize("method", ["sum", "mean", "running_mean"])
def test_clipping_is_of_the_accumulated_gradient(clip, method):
    with strategy().scope():
        first, model = linear(O.Adam(0.05, **{clip: 0.3}), 4)
        model.set_gradient_accumulation_options(4, method)
        fit(model)
    times = 4 if method == "sum" else 1

    def change(g):
        g = g * times
        return g.clip(-0.3, 0.3) if clip == "clipvalue" else g * 0.3 / max(np.sqrt((g * g).sum()), 0.3)
    close(model, expected("adam", first, 32, change=change))


def test_constraints_and_schedules_with_accumulation():
    with strategy(2).scope():
        first, model = linear(O.SGD(S.ExponentialDecay(0.2, 1, 0.5)), 8, keras.constraints.NonNeg())
        model.set_gradient_accumulation_options(2, "mean")
        fit(model)
    step = trained(X.astype(float), Y, first, 32, 2, lambda w, g, t: np.maximum(w - 0.2 * 0.5 ** (t - 1) * g, 0))
    np.testing.assert_allclose(model.get_weights()[0], step, rtol=1e-4, atol=1e-6)


def test_variables_without_a_gradient_stay(capfd):
    x = keras.Input((4,))
    used, idle = keras.layers.Dense(3, name="used"), keras.layers.Dense(3, name="idle")
    model = keras.Model(x, used(x) + tf.stop_gradient(idle(x)))
    model.compile(O.Ftrl(0.5), "mse")
    before = idle.get_weights()
    model.fit(X, Y, batch_size=8, verbose=0)
    assert "Gradients do not exist for variables ['idle/kernel:0', 'idle/bias:0']" in capfd.readouterr().err
    for a, b in zip(before, idle.get_weights()):
        np.testing.assert_array_equal(a, b)


# ---- what an optimiser keeps

@pytest.mark.parametrize("name", CASES)
def test_slots_are_what_the_rule_keeps(name):
    """The same steps by apply_gradients give the same slots."""
    rate = RATES.get(name, 0.05)
    first, model = linear(CASES[name][0](rate), 8)
    fit(model, epochs=1)
    other = CASES[name][0](rate)
    v = tf.Variable(first.astype("float32"))
    for i in range(0, 64, 8):
        error = X[i:i + 8] @ v.numpy() - Y[i:i + 8]
        other.apply_gradients([(tf.constant(2 * X[i:i + 8].T @ error / error.size), v)])
    found, wanted = model.optimizer.get_weights(), other.get_weights()
    assert len(found) == len(wanted)
    for a, b in zip(found, wanted):
        np.testing.assert_allclose(a, b, rtol=2e-3, atol=1e-5)


@pytest.mark.parametrize("name", ["momentum", "nesterov", "adam", "adamax", "rmsprop, centred", "adagrad", "adadelta", "nadam"])
@pytest.mark.parametrize("ending", [".h5", ".npz"])
def test_training_goes_on_from_a_file(tmp_path, name, ending):
    if ending == ".h5":
        pytest.importorskip("h5py")
    first, model = linear(CASES[name][0](RATES.get(name, 0.05)), 8)
    fit(model, epochs=1)
    model.save(str(tmp_path / f"m{ending}"))
    again = keras.models.load_model(str(tmp_path / f"m{ending}"))
    again.fit(X, Y, batch_size=8, shuffle=False, verbose=0)
    close(again, expected(name, first, 8))


def test_names_and_order_of_saved_state(tmp_path):
    h5py = pytest.importorskip("h5py")
    model = two_layers(O.Adam(), 1)
    fit(model, epochs=1)
    model.save(str(tmp_path / "m.h5"))
    with h5py.File(tmp_path / "m.h5") as file:
        names = [getattr(n, "decode", lambda n=n: n)() for n in file["optimizer_weights"].attrs["weight_names"]]
    kinds = [n.split(":")[0].rsplit("/", 1)[1] for n in names]
    assert kinds == ["iter"] + ["m"] * 4 + ["v"] * 4
    assert [w.shape for w in model.optimizer.get_weights()[1:3]] == [(4, 6), (6,)]


def test_state_moves_between_programs():
    """fit in executions of eight and of one batch, single batches, an evaluation between, and a written-out program."""
    first, model = linear(O.Adam(0.05), 8)
    fit(model, epochs=1)
    model.evaluate(X, Y, verbose=0)
    model._steps_per_execution = 1
    fit(model, epochs=1)
    for i in range(0, 64, 8):
        model.train_on_batch(X[i:i + 8], Y[i:i + 8])
    model.optimizer.clipvalue = 1e6  # no effect on numbers, but PopART has no such rule
    fit(model, epochs=1)
    model.optimizer.clipvalue = None
    fit(model, epochs=1)
    close(model, expected("adam", first, 8, epochs=5))


def test_state_that_is_set():
    first, model = linear(O.SGD(0.05, 0.9), 8)
    fit(model, epochs=1)
    weights, state = model.get_weights(), model.optimizer.get_weights()
    fit(model, epochs=1)
    end = model.get_weights()[0]
    model.set_weights(weights)
    model.optimizer.set_weights(state)
    fit(model, epochs=1)
    np.testing.assert_allclose(model.get_weights()[0], end, rtol=1e-5, atol=1e-6)
    assert state[0] == 8 and abs(state[1]).max() > 0


# ---- rates

@pytest.mark.parametrize("name", ["momentum", "nesterov", "adam"])
@pytest.mark.parametrize("steps", [1, 4])
def test_rates_of_callbacks(name, steps):
    rates = [0.05, 0.2, 0.01]
    first, model = linear(CASES[name][0](1.0), steps)
    model.fit(X, Y, batch_size=8, epochs=3, shuffle=False, verbose=0,
              callbacks=[keras.callbacks.LearningRateScheduler(lambda epoch, now: rates[epoch])])
    _, rule, arguments, tolerance = own(name)
    state = {}
    wanted = trained(X.astype(float), Y, first, 8, 3,
                     lambda w, g, t: rule(state, w, g, t, rates[(t - 1) // 8], **arguments))
    close(model, (wanted, tolerance))


def test_a_rate_that_falls_on_a_plateau():
    first, model = linear(O.SGD(0.1, 0.9), 8)
    watch = keras.callbacks.ReduceLROnPlateau("loss", 0.1, patience=1, min_delta=1e9, verbose=0)
    history = model.fit(X, Y, batch_size=8, epochs=4, shuffle=False, verbose=0, callbacks=[watch]).history
    rates = history["lr"]
    assert rates[0] == pytest.approx(0.1) and rates[-1] < 0.02
    state = {}
    wanted = trained(X.astype(float), Y, first, 8, 4, lambda w, g, t: sgd(state, w, g, t, rates[(t - 1) // 8], 0.9))
    close(model, (wanted, 2e-4))


def test_a_rate_of_zero_keeps_the_momentum_going():
    first, model = linear(O.SGD(0.1, 0.9), 8)
    rates = [0.1, 0.0, 0.1]
    model.fit(X, Y, batch_size=8, epochs=3, shuffle=False, verbose=0,
              callbacks=[keras.callbacks.LearningRateScheduler(lambda epoch, now: rates[epoch])])
    state = {}
    wanted = trained(X.astype(float), Y, first, 8, 3, lambda w, g, t: sgd(state, w, g, t, rates[(t - 1) // 8], 0.9))
    close(model, (wanted, 2e-4))


def test_hyperparameters_that_are_set_between_fits():
    first, model = linear(O.Adam(0.05), 8)
    fit(model, epochs=1)
    model.optimizer.beta_1 = 0.5
    fit(model, epochs=1)
    state = {}
    wanted = trained(X.astype(float), Y, first, 8, 2,
                     lambda w, g, t: adam(state, w, g, t, 0.05, b1=0.9 if t <= 8 else 0.5))
    close(model, (wanted, 2e-4))
