# SPDX-License-Identifier: MIT
"""What fails is said, and the model goes on: callbacks and generators that raise, data without an end, IPUs that cannot be
had, models that do not fit."""
import contextlib
import os
import subprocess
import sys

import numpy as np
import on_ipus
import pytest
import tensorflow as tf

X = np.random.default_rng(0).normal(size=(16, 3)).astype("float32")
Y = X.sum(1, keepdims=True)
PLACES = pytest.mark.parametrize("on_ipu", [False, True], ids=["host", "ipu"])


@contextlib.contextmanager
def place(on_ipu):
    with on_ipus.strategy().scope() if on_ipu else contextlib.nullcontext():
        yield


def model(steps=1):
    made = tf.keras.Sequential([tf.keras.layers.Dense(4, "tanh", input_shape=(3,), kernel_initializer="ones"),
                                tf.keras.layers.Dense(1, kernel_initializer="ones")])
    made.compile(tf.keras.optimizers.SGD(0.05, momentum=0.5), "mse", steps_per_execution=steps)
    return made


def trained(first, last):
    """Batches of four, without anything that fails."""
    made = model()
    made.fit(X[4 * first:4 * last], Y[4 * first:4 * last], batch_size=4, shuffle=False, verbose=0)
    return made


def agree(found, wanted):
    for a, b in zip(found.get_weights(), wanted.get_weights()):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


class Raises(tf.keras.callbacks.Callback):
    def __init__(self, problem, at):
        super().__init__()
        self.problem, self.at = problem, at

    def on_train_batch_end(self, batch, logs=None):
        if batch == self.at:
            raise self.problem

    on_test_batch_end = on_predict_batch_end = on_train_batch_end


@PLACES
@pytest.mark.parametrize("problem", [RuntimeError("enough"), KeyboardInterrupt()], ids=["error", "interrupt"])
def test_a_callback_that_raises_loses_no_step(problem, on_ipu):
    with place(on_ipu):
        wanted, found = trained(0, 2), model()
        with pytest.raises(type(problem)):
            found.fit(X, Y, batch_size=4, shuffle=False, verbose=0, callbacks=[Raises(problem, 1)])
        agree(found, wanted)
        for made in (found, wanted):
            made.fit(X[8:], Y[8:], batch_size=4, shuffle=False, verbose=0)
        agree(found, wanted)
        for run in (found.evaluate, found.predict):
            with pytest.raises(type(problem)):
                run(X, batch_size=4, verbose=0, callbacks=[Raises(problem, 0)], **({"y": Y} if run == found.evaluate else {}))
        np.testing.assert_allclose(found.predict(X, batch_size=4), wanted.predict(X, batch_size=4), rtol=1e-5, atol=1e-6)


def batches(fails):
    for i in range(0, 16, 4):
        if fails and i == 8:
            raise OSError("the disk is gone")
        yield X[i:i + 4], Y[i:i + 4]


@PLACES
@pytest.mark.parametrize("as_dataset", [False, True])
def test_data_that_raises_loses_no_step(as_dataset, on_ipu):
    def given(fails):
        if not as_dataset:
            return batches(fails)
        spec = tuple(tf.TensorSpec((4, n), tf.float32) for n in (3, 1))
        return tf.data.Dataset.from_generator(lambda: batches(fails), output_signature=spec)
    with place(on_ipu):
        wanted, found = trained(0, 2), model()
        with pytest.raises(OSError, match="the disk is gone"):
            found.fit(given(True), verbose=0)
        agree(found, wanted)
        for made in (found, wanted):
            made.fit(given(False), verbose=0)
        agree(found, wanted)


@PLACES
def test_a_function_that_raises_while_it_is_traced_may_be_called_again(on_ipu):
    fails, v = [True], None

    @tf.function
    def function(x):
        y = v.assign_add(x)
        if fails:
            raise ValueError(fails.pop())
        return y * 2.0
    strategy = on_ipus.strategy() if on_ipu else None
    with strategy.scope() if on_ipu else contextlib.nullcontext():
        v = tf.Variable([1.0, 2.0])

        def call():
            return strategy.run(function, [tf.constant([1.0, 1.0])]) if on_ipu else function(tf.constant([1.0, 1.0]))
        with pytest.raises(ValueError):
            call()
        assert call().numpy().tolist() == [4, 6] and v.numpy().tolist() == [2, 3]


@PLACES
def test_data_without_an_end_wants_a_number_of_steps(on_ipu):
    endless = tf.data.Dataset.from_tensor_slices((X, Y)).batch(4, drop_remainder=True).repeat()
    said = "infinite dataset, you must specify the number of steps" if on_ipu else \
        "infinitely repeating dataset, please specify"
    with place(on_ipu):
        made = model()
        for data in (endless, endless.map(lambda x, y: (x, y)).prefetch(1), endless.shuffle(4)):
            with pytest.raises(ValueError, match=f"{said}.*`steps_per_epoch`"):
                made.fit(data, verbose=0)
        with pytest.raises(ValueError, match=f"{said}.*`validation_steps`"):
            made.fit(X, Y, batch_size=4, validation_data=endless, verbose=0)
        for run in (made.evaluate, made.predict):
            with pytest.raises(ValueError, match=f"{said}.*`steps`"):
                run(endless)
        made.fit(endless, steps_per_epoch=2, validation_data=endless, validation_steps=1, verbose=0)
        made.fit(endless.take(2), verbose=0)
        made.evaluate(endless, steps=2, verbose=0)
        assert made.predict(endless, steps=2).shape == (8, 1)


def said_by(program, **environment):
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120,
                          env=dict(os.environ, **environment))
    return done.stdout + done.stderr


def test_a_wrong_target_option_is_named():
    program = ("from tensorflow.python import ipu\nc = ipu.config.IPUConfig()\nc.auto_select_ipus = 1\n"
               "c.configure_ipu_system()\n")
    assert "gateMode" in said_by(program, POPLAR_TARGET_OPTIONS='{"gateMode": "false"}')


def test_a_model_that_does_not_fit_is_told(tmp_path):
    (tmp_path / "small.chip").write_text("base = ipu2\nname = small\ntiles = 4\n")
    for size, there in ((8, False), (1200, True)):
        said = said_by("import numpy as np, tensorflow as tf, on_ipus\n"
                       "with on_ipus.strategy().scope():\n"
                       f"    m = tf.keras.Sequential([tf.keras.layers.Dense({size}, input_shape=({size},))])\n"
                       f"    print(m.predict(np.ones((2, {size}), 'float32'), batch_size=2).shape)\n",
                       OPENIPU_CHIP=str(tmp_path / "small.chip"), PYTHONPATH=os.pathsep.join(sys.path))
        assert f"(2, {size})" in said, said
        assert ("The model does not fit the IPU's memory: the fullest tile needs" in said) == there, said
