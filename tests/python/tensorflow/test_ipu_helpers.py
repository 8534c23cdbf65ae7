# SPDX-License-Identifier: MIT
"""Helpers of the ipu package: layers and optimisers of its own, collectives of groups, checkpoints, printing, benchmarks."""
import json

import numpy as np
import pytest
import tensorflow as tf
import tensorflow.compat.v1 as tf1
import torch
from on_ipus import strategy
from tensorflow import keras
from tensorflow.python import ipu

X = np.random.default_rng(0).normal(1, 2, size=(4, 5, 6, 8)).astype("float32")


@pytest.mark.parametrize("strided", [False, True])
@pytest.mark.parametrize("axis", [-1, 1])
def test_group_normalisation(strided, axis):
    layer = keras.ipu.layers.GroupNormalization(4, axis, epsilon=0.01, strided_channel_grouping=strided,
                                                gamma_initializer=keras.initializers.RandomNormal(1, 0.2),
                                                beta_initializer="random_normal")
    x = X if axis == -1 else X.transpose(0, 3, 1, 2)
    found = keras.Sequential([layer]).predict(x, batch_size=4)
    second = torch.tensor(X.transpose(0, 3, 1, 2))
    gamma, beta = (torch.tensor(w) for w in layer.get_weights())
    order = torch.arange(8).reshape(2, 4).T.reshape(-1) if strided else torch.arange(8)  # groups one after the other
    wanted = torch.empty_like(second)
    wanted[:, order] = torch.nn.functional.group_norm(second[:, order], 4, gamma[order], beta[order], 0.01)
    wanted = wanted.numpy() if axis == 1 else wanted.numpy().transpose(0, 2, 3, 1)
    np.testing.assert_allclose(found, wanted, rtol=2e-4, atol=2e-5)


def test_instance_and_layer_normalisation():
    layers = ipu.keras.layers
    mean, var = X.mean((1, 2), keepdims=True), X.var((1, 2), keepdims=True)
    np.testing.assert_allclose(layers.InstanceNormalization()(X), (X - mean) / np.sqrt(var + 1e-3), rtol=2e-4, atol=2e-5)
    mean, var = X.mean((1, 2, 3), keepdims=True), X.var((1, 2, 3), keepdims=True)
    np.testing.assert_allclose(layers.LayerNormalization()(X), (X - mean) / np.sqrt(var + 1e-3), rtol=2e-4, atol=2e-5)
    with pytest.raises(ValueError, match="8 channels cannot be split into 3 groups"):
        layers.GroupNorm(3)(X)
    again = layers.GroupNorm.from_config(layers.GroupNorm(4, epsilon=0.5).get_config())
    assert again.groups == 4 and again.epsilon == 0.5


def test_names_of_ipu_keras(capfd):
    assert ipu.keras.PipelineStage is keras.ipu.PipelineStage and ipu.keras.layers is keras.ipu.layers
    keras.ipu.layers.Embedding(5, 2, serialization_factor=3)
    assert "serialization_factor = 3 has no effect" in capfd.readouterr().err
    with pytest.raises(AttributeError, match="PopnnLSTM"):
        keras.ipu.layers.PopnnLSTM


def test_checkpoints_are_kept():
    """The same training with and without recomputation, and with a checkpoint within."""
    found = []
    for recompute, checkpoint in ((False, False), (True, False), (True, True)):
        tf.random.set_seed(1)
        with strategy(allow_recompute=recompute).scope():
            layers = [keras.layers.Dense(8, "tanh", input_shape=(8,)), keras.layers.Dense(8, "tanh"), keras.layers.Dense(8)]
            if checkpoint:
                layers.insert(1, keras.ipu.layers.RecomputationCheckpoint())
            model = keras.Sequential(layers)
            model.compile("sgd", "mse")
            model.fit(X[0, 0], X[0, 1], batch_size=3, shuffle=False, verbose=0)
            found.append(model.get_weights())
    for other in found[1:]:
        for a, b in zip(found[0], other):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_printing(capfd):
    def f(x):
        ipu.internal_ops.print_tensor(x * 2.0, name="doubled")
        return x + 1.0
    one = strategy()
    with one.scope():
        one.run(tf.function(f), [tf.constant([1.5, 2.5])])
    err = capfd.readouterr().err
    assert "doubled" in err and "3.0" in err and "5.0" in err


def test_means_over_replicas():
    """Of all replicas and of pairs, where a replica has one IPU of four."""
    def f(x):
        mine = x * (1.0 + ipu_number())
        return ipu.cross_replica_ops.cross_replica_sum(mine), ipu.cross_replica_ops.cross_replica_mean(mine)

    def ipu_number():
        return tf.constant(0.0)
    four = strategy(4)
    with four.scope():
        total, mean = four.run(tf.function(f), [tf.constant([3.0])])
    assert float(total) == 12 and float(mean) == 3
    pairs = strategy(4)
    with pairs.scope():
        both = tf.function(lambda x: (
            ipu.cross_replica_ops.cross_replica_sum(x, 2), ipu.cross_replica_ops.cross_replica_mean(x, 2)))
        total, mean = pairs.run(both, [tf.constant([3.0])])
    assert float(total) == 6 and float(mean) == 3
    with pytest.raises(ValueError, match="positive number, not 0"):
        ipu.cross_replica_ops.cross_replica_sum(1.0, 0)


def test_gradients_that_are_mapped():
    strategy()
    with tf1.Graph().as_default():
        w = tf1.get_variable("w", initializer=np.float32(3))
        own = ipu.optimizers.MapGradientOptimizer(tf1.train.GradientDescentOptimizer(0.1), lambda g, v: g * 0.0 + v)
        step = own.minimize(w * w)
        with tf1.Session() as session:
            session.run(tf1.global_variables_initializer())
            session.run(step)
            assert session.run(w) == pytest.approx(2.7)


def test_a_custom_step_on_replicas_averages():
    class Own(keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = keras.layers.Dense(2, kernel_initializer="ones")

        def call(self, x):
            return self.dense(x)

        def train_step(self, data):
            x, y = data
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((self(x, training=True) - y) ** 2)
            self.optimizer.apply_gradients(zip(tape.gradient(loss, self.trainable_variables), self.trainable_variables))
            return {"loss": loss}

    def run(batch):
        model = Own()
        model.compile(keras.optimizers.SGD(0.05, 0.9))
        model.fit(X[:, 0, 0], X[:, 1, 1, :2], batch_size=batch, epochs=3, shuffle=False, verbose=0)
        return model.get_weights()
    expected = run(4)
    with strategy(2).scope():
        found = run(2)
    for a, b in zip(found, expected):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_benchmarks_of_data():
    data = tf.data.Dataset.from_tensor_slices(np.zeros((6, 4), "float32")).batch(2, drop_remainder=True)
    at_once = ipu.dataset_benchmark.dataset_benchmark(data, 2, 5, print_stats=False)
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        run = session.run(ipu.dataset_benchmark.infeed_benchmark(ipu.ipu_infeed_queue.IPUInfeedQueue(data), 2, 5, False))
    for text in (at_once[0].numpy(), run[0]):
        rows = json.loads(text)["epochs"]
        assert [r["elements_processed"] for r in rows] == [5, 5] and rows[0]["total_bytes_processed"] == 5 * 32
        assert rows[0]["bandwidth"] > 0
    with pytest.raises(ValueError, match="at least 1"):
        ipu.dataset_benchmark.dataset_benchmark(data, 0, 5)
    with pytest.raises(TypeError, match="must be an IPUInfeedQueue"):
        ipu.dataset_benchmark.infeed_benchmark(data, 1, 1)


def test_what_is_not_there_says_so():
    for name in ("wrappers", "estimator"):
        with pytest.raises(AttributeError, match=f"no attribute '{name}': OpenIPU's TensorFlow does not have it"):
            getattr(keras, name)
    assert tf.get_logger().name == "tensorflow"


def test_asking_for_the_default_graph_leaves_operations_eager():
    graph = tf.compat.v1.get_default_graph()
    assert tf.compat.v1.trainable_variables() == [] and tf.executing_eagerly()
    assert tf.compat.v1.get_default_graph() is graph
    with graph.as_default():
        assert tf.compat.v1.get_default_graph() is graph and not tf.executing_eagerly()


def test_a_pipeline_in_a_function_trains_what_it_reads():
    """Of SGD: (w x - y)^2 with x = y = 1, 2, ..., 8 twice."""
    x = np.arange(1, 9, dtype="float32")
    on = strategy(2)
    with on.scope():
        infeed = ipu.ipu_infeed_queue.IPUInfeedQueue(tf.data.Dataset.from_tensor_slices((x, x)).repeat())
        outfeed = ipu.ipu_outfeed_queue.IPUOutfeedQueue()
        w, other = tf.Variable(0.0, name="w"), tf.Variable(5.0, name="other")
        stages = [lambda x, y: (x * w, y), lambda p, y: tf.square(p - y)]

        @tf.function
        def train():
            ipu.pipelining_ops.pipeline(
                stages, 8, infeed_queue=infeed, outfeed_queue=outfeed, outfeed_loss=True, reduction_method="mean",
                optimizer_function=lambda loss: ipu.pipelining_ops.OptimizerFunctionOutput(keras.optimizers.SGD(0.01), loss))
        infeed.initializer
        wanted = 0.0
        for _ in range(2):
            on.run(train)
            np.testing.assert_allclose(outfeed.dequeue(), (wanted * x - x) ** 2, rtol=1e-4)
            wanted -= 0.01 * np.mean(2 * (wanted * x - x) * x)
            assert float(w) == pytest.approx(wanted, rel=1e-5)
    assert float(other) == 5
