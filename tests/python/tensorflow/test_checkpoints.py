# SPDX-License-Identifier: MIT
"""tf.train.Checkpoint: training goes on as if it had not been interrupted."""
import numpy as np
import pytest
import tensorflow as tf
from tensorflow.python import ipu

X = np.random.default_rng(0).normal(size=(32, 4)).astype("float32")
Y = X.sum(1, keepdims=True)


def made(optimizer=None):
    model = tf.keras.Sequential([tf.keras.layers.Dense(3, input_shape=(4,)), tf.keras.layers.Dense(1)])
    model.compile(optimizer or tf.keras.optimizers.Adam(0.05), "mse")
    return model


def fit(model):
    model.fit(X, Y, batch_size=8, shuffle=False, verbose=0)


@pytest.mark.parametrize("on_ipus", [False, True])
@pytest.mark.parametrize("optimizer", [lambda: tf.keras.optimizers.Adam(0.05),
                                       lambda: tf.keras.optimizers.SGD(0.01, 0.9),
                                       lambda: tf.keras.optimizers.Nadam(0.01)])
def test_training_goes_on(tmp_path, on_ipus, optimizer):
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = 1
    config.configure_ipu_system()
    scope = ipu.ipu_strategy.IPUStrategy().scope if on_ipus else tf.distribute.get_strategy().scope
    with scope():
        first = made(optimizer())
        fit(first)
        path = tf.train.Checkpoint(model=first, optimizer=first.optimizer).save(str(tmp_path / "ckpt"))
        fit(first)
        again = made(optimizer())
        status = tf.train.Checkpoint(model=again, optimizer=again.optimizer).restore(path)
        status.assert_consumed()
        fit(again)
        for a, b in zip(again.get_weights(), first.get_weights()):
            np.testing.assert_array_equal(a, b)
        assert int(again.optimizer.iterations) == 8


def test_variables_lists_and_modules(tmp_path):
    class Two(tf.Module):
        def __init__(self):
            super().__init__()
            self.a, self.rest = tf.Variable([1.0, 2.0]), {"b": tf.Variable(3)}
    step, two, lot = tf.Variable(5), Two(), [tf.Variable(1.0), tf.Variable(2.0)]
    kept = tf.train.Checkpoint(step=step, two=two, lot=lot)
    path = kept.save(tmp_path / "folder" / "c")
    assert path.endswith("c-1") and tf.train.latest_checkpoint(tmp_path / "folder") == path
    for v in (step, two.a, two.rest["b"], *lot):
        v.assign(tf.zeros_like(v))
    kept.restore(path).assert_consumed()
    assert [int(step), *two.a.numpy(), int(two.rest["b"]), *(float(v) for v in lot)] == [5, 1, 2, 3, 1, 2]


def test_the_manager_keeps_the_newest(tmp_path):
    step = tf.Variable(0)
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(step=step), tmp_path, max_to_keep=2)
    assert manager.restore_or_initialize() is None
    for _ in range(4):
        step.assign_add(1)
        manager.save()
    assert [p[-6:] for p in manager.checkpoints] == ["ckpt-3", "ckpt-4"]
    step.assign(0)
    assert manager.restore_or_initialize() == manager.latest_checkpoint == str(tmp_path / "ckpt-4")
    assert int(step) == 4


def test_what_does_not_fit_is_told(tmp_path):
    path = tf.train.Checkpoint(a=tf.Variable([1.0])).write(str(tmp_path / "one"))
    other = tf.train.Checkpoint(b=tf.Variable([1.0]))
    assert other.restore(None).expect_partial() is not None
    with pytest.raises(AssertionError, match="no values for b"):
        other.restore(path).assert_existing_objects_matched()
    with pytest.raises(AssertionError, match="Nothing was restored"):
        other.restore(path).assert_nontrivial_match()
    with pytest.raises(ValueError, match="of another model"):
        tf.train.Checkpoint(a=tf.Variable([1.0, 2.0])).restore(path)
    with pytest.raises(tf.errors.NotFoundError, match="there is no"):
        other.restore(str(tmp_path / "none"))
    with pytest.raises(ValueError, match="trackable"):
        tf.train.Checkpoint(a=3)
    unbuilt = tf.keras.Sequential([tf.keras.layers.Dense(2)])
    with pytest.raises(ValueError, match="build it first"):
        tf.train.Checkpoint(m=unbuilt).restore(path)
