# SPDX-License-Identifier: MIT
"""Moving statistics of BatchNormalization on IPUs: every batch counts by itself, whatever gradients are accumulated over and
wherever the stage is; replicas keep those of their own batches."""
import numpy as np
import pytest
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

import on_ipus

X = np.random.default_rng(0).normal(2, 3, size=(64, 6, 5, 3)).astype("float32")
Y = np.random.default_rng(1).normal(size=(64, 2)).astype("float32")


def made(steps, rate=0.01):
    tf.random.set_seed(4)
    model = keras.Sequential([keras.layers.BatchNormalization(momentum=0.9, input_shape=(6, 5, 3), name="norm"),
                              keras.layers.Conv2D(4, 3), keras.layers.BatchNormalization(momentum=0.8, name="second"),
                              keras.layers.Flatten(), keras.layers.Dense(2)])
    model.compile(keras.optimizers.SGD(rate, 0.9), "mse", steps_per_execution=steps)
    return model


def fit(model, batch=8, epochs=2):
    model.fit(X, Y, batch_size=batch, epochs=epochs, shuffle=False, verbose=0)
    return model


def moved(batches, momentum=0.9):
    """Of the layer that sees the data: images have the variance of n - 1 elements."""
    mean, variance = np.zeros(3), np.ones(3)
    for rows in batches:
        flat = rows.reshape(-1, 3).astype(float)
        mean = momentum * mean + (1 - momentum) * flat.mean(0)
        variance = momentum * variance + (1 - momentum) * flat.var(0, ddof=1)
    return mean, variance


def check(model, batches):
    for found, wanted in zip((model.layers[0].moving_mean, model.layers[0].moving_variance), moved(batches)):
        np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-4)


def batches_of(size, epochs=2):
    return [X[i:i + size] for i in range(0, len(X), size)] * epochs


def test_plain():
    check(fit(made(1)), batches_of(8))


@pytest.mark.parametrize("count", [2, 4])
def test_accumulation(count):
    with on_ipus.strategy(1).scope():
        model = made(8)
        model.set_gradient_accumulation_options(count)
        check(fit(model), batches_of(8))


def test_replicas_have_their_own():
    with on_ipus.strategy(2).scope():
        model = fit(made(4))
        own = [batches_of(8)[i::2] for i in (0, 1)]
        found = model.layers[0].moving_mean.numpy()
        assert min(np.abs(found - moved(b)[0]).max() for b in own) < 1e-4
        model.evaluate(X, Y, batch_size=8, verbose=0)  # all replicas go on with the same ones
        np.testing.assert_array_equal(found, model.layers[0].moving_mean.numpy())


@pytest.mark.parametrize("schedule", ["Grouped", "Interleaved", "Sequential"])
def test_pipelines(schedule):
    """Also of a layer behind others, whose numbers depend on the weights: as accumulation without a pipeline has them."""
    with on_ipus.strategy(1).scope():
        plain = made(8)
        plain.set_gradient_accumulation_options(4)
        fit(plain)
        expected = plain.get_weights()
    with on_ipus.strategy(2).scope():
        model = made(8)
        model.set_pipeline_stage_assignment([0, 0, 1, 1, 1])
        model.set_pipelining_options(4, pipeline_schedule=ipu.pipelining_ops.PipelineSchedule[schedule])
        check(fit(model), batches_of(8))
        for a, b in zip(model.get_weights(), expected):
            np.testing.assert_allclose(a, b, rtol=2e-4, atol=1e-5)


def test_frozen_layers_keep_theirs():
    with on_ipus.strategy(1).scope():
        model = made(8)
        model.layers[0].trainable = False
        model.compile("sgd", "mse", steps_per_execution=8)
        fit(model)
        np.testing.assert_array_equal(model.layers[0].moving_mean.numpy(), np.zeros(3))
        assert model.layers[2].moving_mean.numpy().any()


def test_written_out_optimisers_too():
    with on_ipus.strategy(1).scope():
        model = made(8)
        model.compile(keras.optimizers.Adam(0.01, clipnorm=0.5), "mse", steps_per_execution=8)
        model.set_gradient_accumulation_options(4)
        check(fit(model), batches_of(8))


def grouped(ipus, group):
    """After an epoch on so many replicas that share statistics in groups of this size."""
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = ipus
    config.norms.experimental.distributed_batch_norm_replica_group_size = group
    config.configure_ipu_system()
    with ipu.ipu_strategy.IPUStrategy().scope():
        model = made(2 if ipus == 4 else 1)
        fit(model, 32 // ipus, 3)
        return model


def test_replicas_share_the_statistics_of_a_group():
    """Four replicas with 8 samples each are one with 32: weights, and the moving statistics of both layers."""
    whole, shared, alone = (grouped(*how).get_weights() for how in ((1, 1), (4, 4), (4, 1)))
    for a, b in zip(whole, shared):
        np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-5)
    assert max(np.abs(a - b).max() for a, b in zip(whole, alone)) > 1e-2


def test_groups_of_half_the_replicas():
    """The first half of every 32 samples is the group of the replica whose variables the host sees."""
    norm = grouped(4, 2).layers[0]
    mean, variance = moved([X[start:start + 16] for _ in range(3) for start in (0, 32)])
    np.testing.assert_allclose(norm.moving_mean, mean, rtol=1e-4)
    np.testing.assert_allclose(norm.moving_variance, variance, rtol=1e-4)


def test_groups_that_do_not_divide_the_replicas():
    with pytest.raises(ValueError, match="replica_group_size is 3, which does not divide the 4 replicas"):
        grouped(4, 3)
    with pytest.raises(ValueError, match="must be at least 1, not 0"):
        grouped(4, 0)


def test_groups_in_a_function_of_the_strategy():
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = 2
    config.norms.experimental.distributed_batch_norm_replica_group_size = 2
    config.configure_ipu_system()
    strategy = ipu.ipu_strategy.IPUStrategy()
    with strategy.scope():
        norm, out = keras.layers.BatchNormalization(momentum=0.0), ipu.ipu_outfeed_queue.IPUOutfeedQueue()
        data = iter(tf.data.Dataset.from_tensor_slices(X.reshape(64, 90)).batch(32, drop_remainder=True))

        @tf.function
        def step(data):
            out.enqueue(norm(next(data), training=True))
        strategy.run(step, [data])
    rows = X.reshape(64, 90).astype(float)
    wanted = (rows - rows.mean(0)) / np.sqrt(rows.var(0) + 1e-3)
    np.testing.assert_allclose(out.dequeue().numpy().reshape(64, 90), wanted, rtol=1e-3, atol=1e-4)
