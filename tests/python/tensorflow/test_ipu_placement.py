# SPDX-License-Identifier: MIT
"""Arguments of pipelines and accumulation that say where a training keeps its tensors: the program is another one, its numbers
are the same."""
import inspect

import numpy as np
import popart
import pytest
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow import keras
from tensorflow.python import ipu
from tensorflow.ops.placement import ARGUMENTS, OF_ACCUMULATION, OF_PIPELINES

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(64, 16)).astype("float32"), RNG.normal(size=(64, 8)).astype("float32")
FORMAT = popart.IrSerializationFormat.JSON
MODE = ipu.pipelining_ops.RecomputationMode


def strategy(ipus, recompute=False):
    config = ipu.config.IPUConfig()
    config.auto_select_ipus, config.allow_recompute = ipus, recompute
    config.configure_ipu_system()
    return ipu.ipu_strategy.IPUStrategy()


def made(optimizer, steps=8):
    tf.random.set_seed(2)
    model = keras.Sequential([keras.layers.Dense(32, activation="tanh", input_shape=(16,)),
                              keras.layers.Dense(32, activation="tanh"), keras.layers.Dense(8)])
    model.compile(optimizer, "mse", steps_per_execution=steps)
    return model


OPTIMIZERS = {"fused": lambda: keras.optimizers.Adam(0.01), "written out": lambda: keras.optimizers.Nadam(0.01)}
PLAIN = {}


def plain(kind):
    if kind not in PLAIN:
        model = made(OPTIMIZERS[kind](), 1)
        model.fit(X, Y, batch_size=32, epochs=2, shuffle=False, verbose=0)
        PLAIN[kind] = model.get_weights()
    return PLAIN[kind]


SCHEDULE = ipu.pipelining_ops.PipelineSchedule


def trained(kind, ipus, tolerance=1e-4, recompute=False, replicas=1, schedule=SCHEDULE.Interleaved, **given):
    """The weights are those of the plain run; the operators of the program."""
    expected = plain(kind)
    with strategy(ipus * replicas, recompute).scope():
        model = made(OPTIMIZERS[kind](), 8 // replicas)
        if ipus > 1:
            model.set_pipeline_stage_assignment([0, 0, 1])
            model.set_pipelining_options(4 // replicas, gradient_accumulation_reduction_method="mean",
                                         pipeline_schedule=schedule, **given)
        else:
            model.set_gradient_accumulation_options(4 // replicas, "mean", **given)
        model.fit(X, Y, batch_size=8, epochs=2, shuffle=False, verbose=0)
        program = next(p for key, p in model._programs.items() if key[0] == "train")
        for a, b in zip(model.get_weights(), expected):
            np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance / 10)
        return str(program.executable.session._serializeIr(FORMAT))


@pytest.mark.parametrize("kind", OPTIMIZERS)
@pytest.mark.parametrize("argument", ["offload_weight_update_variables", "offload_gradient_accumulation_buffers",
                                      "offload_weights"])
def test_off_the_chip(kind, argument):
    assert "RemoteLoad" not in trained(kind, 2)
    assert "RemoteLoad" in trained(kind, 2, **{argument: True})


@pytest.mark.parametrize("kind", OPTIMIZERS)
def test_activations_off_the_chip(kind):
    """Stages that run at the same time keep theirs on the tiles."""
    assert "RemoteLoad" in trained(kind, 2, schedule=SCHEDULE.Sequential, offload_activations=True)
    with pytest.raises(tf.errors.InvalidArgumentError, match="cannot wait off the chip for the backward pass"):
        trained(kind, 2, offload_activations=True)


def test_off_the_chip_without_a_pipeline():
    assert "RemoteLoad" in trained("fused", 1, offload_weight_update_variables=True)


def test_small_tensors_stay():
    config = ipu.config.IPUConfig()
    config.optimizations.minimum_remote_tensor_size = 1 << 20
    config.configure_ipu_system()
    with ipu.ipu_strategy.IPUStrategy().scope():
        model = made(OPTIMIZERS["fused"]())
        model.set_gradient_accumulation_options(4, "mean", offload_weight_update_variables=True)
        model.fit(X, Y, batch_size=8, shuffle=False, verbose=0)
        program = next(iter(model._programs.values()))
        assert "RemoteLoad" not in str(program.executable.session._serializeIr(FORMAT))


@pytest.mark.parametrize("argument", ["replicated_optimizer_state_sharding", "replicated_weight_sharding"])
def test_shared_out_over_replicas(argument):
    ipus = 2 if argument == "replicated_weight_sharding" else 1  # an argument of pipelines
    assert "ReduceScatter" in trained("fused", ipus, replicas=2, schedule=SCHEDULE.Sequential, **{argument: True})


def test_state_that_is_written_out_is_not_shared_out():
    with pytest.raises(NotImplementedError, match="replicated_optimizer_state_sharding: an optimiser whose update is written "
                                                  "out"):
        trained("written out", 1, replicas=2, replicated_optimizer_state_sharding=True)


@pytest.mark.parametrize("mode", MODE)
def test_recomputation(mode):
    assert trained("fused", 2, recompute=True, recomputation_mode=mode) != trained("fused", 2)


def test_modes_of_recomputation_differ():
    one, other = (trained("fused", 2, recompute=True, recomputation_mode=mode) for mode in
                  (MODE.RecomputeThenBackpropagate, MODE.RecomputeAndBackpropagateInterleaved))
    assert one != other


@pytest.mark.parametrize("kind", OPTIMIZERS)
def test_the_type_of_accumulated_gradients(kind):
    text = trained(kind, 1, tolerance=2e-2, dtype="float16")
    assert "float16" in text.lower()
    assert "float16" not in trained(kind, 1, dtype=lambda variable: tf.float32).lower()
    with pytest.raises(ValueError, match="float32 or float16, not int32"):
        trained(kind, 1, dtype="int32")


def test_every_argument_is_one_of_those_who_take_it():
    """docs/tensorflow-options.md has the table; test_ipu_options.py compares them."""
    taken = inspect.signature(ipu.pipelining_ops.pipeline).parameters
    assert set(OF_PIPELINES) == set(ARGUMENTS) & set(taken)
    taken = inspect.signature(ipu.optimizers.GradientAccumulationOptimizerV2).parameters
    assert set(OF_ACCUMULATION) == set(ARGUMENTS) & set(taken)


@pytest.mark.parametrize("method", ["sum", "mean", "running_mean"])
@pytest.mark.parametrize("optimizer", ["GradientDescentOptimizer", "AdamOptimizer"])
def test_tensorflow1(method, optimizer):
    """loops.repeat with GradientAccumulationOptimizerV2, all arguments given."""
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = 1
    config.configure_ipu_system()
    with tf1.Graph().as_default():
        data = tf1.data.Dataset.from_tensor_slices((X, Y)).batch(8, drop_remainder=True).repeat()
        queue = ipu.ipu_infeed_queue.IPUInfeedQueue(data)
        kernel = tf1.get_variable("kernel", initializer=np.full((16, 8), 0.1, "float32"))

        def body(x, y):
            loss = tf1.reduce_mean(tf1.square(tf1.matmul(x, kernel) - y))
            own = getattr(tf1.train, optimizer)(0.1)
            return ipu.optimizers.GradientAccumulationOptimizerV2(
                own, 4, offload_weight_update_variables=True, dtype=tf.float32, reduction_method=method).minimize(loss)
        with ipu.scopes.ipu_scope("/device:IPU:0"):
            run = ipu.ipu_compiler.compile(lambda: ipu.loops.repeat(8, body, [], queue))
        with tf1.Session() as session:
            session.run(tf1.global_variables_initializer())
            session.run(queue.initializer)
            session.run(run)
            found = session.run(kernel)
    w, times = np.full((16, 8), 0.1), 4 if method == "sum" else 1
    m = v = 0
    for t in (1, 2):
        rows = slice(32 * (t - 1), 32 * t)
        error = X[rows].astype(float) @ w - Y[rows]
        g = times * 2 * X[rows].T @ error / error.size
        if optimizer.startswith("Gradient"):
            w = w - 0.1 * g
        else:
            m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
            w = w - 0.1 * np.sqrt(1 - 0.999 ** t) / (1 - 0.9 ** t) * m / (np.sqrt(v) + 1e-8)
    np.testing.assert_allclose(found, w, rtol=1e-3, atol=1e-5)
