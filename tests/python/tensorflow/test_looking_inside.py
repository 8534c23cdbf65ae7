# SPDX-License-Identifier: MIT
"""What layers and optimisers put on outfeeds of their own: activations and gradients, beside a training."""
import numpy as np
import pytest
import tensorflow as tf
from on_ipus import strategy
from tensorflow import keras
from tensorflow.python import ipu

X = np.random.default_rng(0).normal(size=(32, 4)).astype("float32")
Y = X.sum(1, keepdims=True)


class Outfeed(keras.layers.Layer):
    def __init__(self, queue, **kwargs):
        super().__init__(**kwargs)
        self.queue = queue

    def call(self, inputs):
        self.queue.enqueue({self.name: inputs, "sum": tf.reduce_sum(inputs)})
        return inputs


def model(*layers):
    return keras.Sequential([keras.layers.Dense(3, kernel_initializer="ones", input_shape=(4,)), *layers,
                             keras.layers.Dense(1, kernel_initializer="ones")])


@pytest.mark.parametrize("mode", list(ipu.ipu_outfeed_queue.IPUOutfeedMode))
@pytest.mark.parametrize("replicas", [1, 2])
def test_activations_of_every_batch(replicas, mode):
    queue = ipu.ipu_outfeed_queue.IPUOutfeedQueue(mode)
    with strategy(replicas).scope():
        m = model(Outfeed(queue, name="hidden"))
        m.compile(keras.optimizers.SGD(0.0), "mse", steps_per_execution=4)
        m.fit(X, Y, batch_size=4, epochs=2, shuffle=False, verbose=0)
        found = {k: v.numpy() for k, v in queue.dequeue().items()}
        m.predict(X, batch_size=4)
        again = {k: v.numpy() for k, v in queue.dequeue().items()}
    hidden = np.repeat(Y, 3, 1).reshape(8 // replicas, *([replicas] if replicas > 1 else []), 4, 3)
    sums = hidden.sum((-1, -2))
    wanted = {"hidden": hidden, "sum": sums}
    for name, values in wanted.items():
        last = mode is ipu.ipu_outfeed_queue.IPUOutfeedMode.LAST
        np.testing.assert_allclose(found[name], values[-1] if last else np.concatenate([values, values]), rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(again[name], values[-1] if last else values, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("schedule", list(ipu.pipelining_ops.PipelineSchedule))
def test_activations_of_a_pipeline(schedule):
    queue = ipu.ipu_outfeed_queue.IPUOutfeedQueue()
    with strategy(2).scope():
        m = model(Outfeed(queue, name="hidden"))
        m.set_pipeline_stage_assignment([0, 0, 1])
        m.set_pipelining_options(gradient_accumulation_steps_per_replica=8, pipeline_schedule=schedule)
        m.compile(keras.optimizers.SGD(0.0), "mse", steps_per_execution=8)
        m.fit(X, Y, batch_size=4, shuffle=False, verbose=0)
    np.testing.assert_allclose(queue.dequeue()["hidden"], np.repeat(Y, 3, 1).reshape(8, 4, 3), rtol=1e-5, atol=1e-5)


class Watched(keras.optimizers.Optimizer):
    """Another one, whose gradients go to a queue."""

    def __init__(self, opt, queue):
        super().__init__("watched")
        self.opt, self.queue = opt, queue

    def apply_gradients(self, grads_and_vars, name=None, experimental_aggregate_gradients=True):
        pairs = list(grads_and_vars)
        self.queue.enqueue([g for g, _ in pairs])
        return self.opt.apply_gradients(pairs, name, experimental_aggregate_gradients)


@pytest.mark.parametrize("accumulation", [1, 4])
def test_gradients_of_every_update(accumulation):
    queue = ipu.ipu_outfeed_queue.IPUOutfeedQueue()
    with strategy().scope():
        m = keras.Sequential([keras.layers.Dense(1, kernel_initializer="zeros", input_shape=(4,))])
        m.set_gradient_accumulation_options(gradient_accumulation_steps_per_replica=accumulation,
                                            gradient_accumulation_reduction_method="mean")
        m.compile(Watched(keras.optimizers.SGD(0.5), queue), "mse", steps_per_execution=8)
        m.fit(X, Y, batch_size=4, shuffle=False, verbose=0)
        kernel, bias = (t.numpy() for t in queue.dequeue())
        weights = m.get_weights()
    w, b = np.zeros((4, 1)), np.zeros(1)
    for i, (x, y) in enumerate(zip(np.split(X, 8 // accumulation), np.split(Y, 8 // accumulation))):
        error = 2 * (x @ w + b - y) / len(x)
        np.testing.assert_allclose(kernel[i], x.T @ error, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(bias[i], error.sum(0), rtol=1e-4, atol=1e-5)
        w, b = w - 0.5 * x.T @ error, b - 0.5 * error.sum(0)
    assert len(kernel) == 8 // accumulation
    np.testing.assert_allclose(weights[0], w, rtol=1e-4)
    if accumulation > 1:
        with strategy(2).scope(), pytest.raises(NotImplementedError, match="in updates of pipelines are of one replica"):
            m = keras.Sequential([keras.layers.Dense(1, input_shape=(4,))])
            m.compile(Watched(keras.optimizers.SGD(0.5), ipu.ipu_outfeed_queue.IPUOutfeedQueue()), "mse")
            m.fit(X, Y, batch_size=4, verbose=0)


def test_outfeeds_belong_to_programs_of_ipus():
    queue = ipu.ipu_outfeed_queue.IPUOutfeedQueue()
    m = model(Outfeed(queue))
    m.compile("sgd", "mse")
    with pytest.raises(RuntimeError, match="enqueue belongs into a program for an IPU"):
        m.fit(X, Y, batch_size=4, verbose=0)
    with strategy().scope():
        m = model(Outfeed(queue, name="one"), Outfeed(queue, name="two"))
        m.compile("sgd", "mse")
        with pytest.raises(ValueError, match="An outfeed can only be enqueued once"):
            m.fit(X, Y, batch_size=4, verbose=0)
