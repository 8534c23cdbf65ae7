# SPDX-License-Identifier: MIT
"""Pipelines with stages of several functions, which are computed side by side."""
import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu
from tensorflow.python.ipu.ops.pipelining_ops import ALL_DEVICES, OptimizerFunctionOutput, PipelineSchedule, pipeline


def run(stages, count, rows, **own):
    """(what came out, the variables)"""
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = 2
    config.configure_ipu_system()
    with tf.Graph().as_default(), tf.Session() as session:
        infeed = ipu.ipu_infeed_queue.IPUInfeedQueue(tf.data.Dataset.from_tensor_slices(rows))
        outfeed = ipu.ipu_outfeed_queue.IPUOutfeedQueue()
        with ipu.scopes.ipu_scope("/device:IPU:0"):
            program = ipu.ipu_compiler.compile(
                lambda: pipeline(stages, count, infeed_queue=infeed, outfeed_queue=outfeed, **own))
        out = outfeed.dequeue()
        session.run([tf.global_variables_initializer(), infeed.initializer])
        session.run(program)
        return session.run(out), session.run(tf.global_variables())


@pytest.mark.parametrize("mapping", [[0, ALL_DEVICES, 1], [1, [1, 0], 0]])
def test_each_function_gets_what_the_stage_gets(mapping):
    rows = np.arange(24, dtype="float32").reshape(12, 2)
    found, _ = run([lambda x: x + 1.0, [lambda x: x * 2.0, lambda x: (x, x * x)], lambda a, b, c: a - b * c], 12, rows,
                   device_mapping=mapping)
    x = rows + 1
    np.testing.assert_array_equal(found, 2 * x - x * x * x)


@pytest.mark.parametrize("schedule, count", [(PipelineSchedule.Grouped, 4), (PipelineSchedule.Interleaved, 4),
                                             (PipelineSchedule.Sequential, 2)])
def test_they_are_trained(schedule, count):
    """loss = sum of w x (u + v) over batches, by a step of gradient descent."""
    rows = np.linspace(1, 2, count, dtype="float32")

    def first(x):
        return x * tf.get_variable("w", initializer=1.0)

    def scaled(name, start):
        return lambda x: x * tf.get_variable(name, initializer=start)

    def optimizer(a, b):
        return OptimizerFunctionOutput(tf.train.GradientDescentOptimizer(0.125), a + b)
    found, variables = run([first, [scaled("u", 2.0), scaled("v", 3.0)]], count, rows, optimizer_function=optimizer,
                           outfeed_loss=True, pipeline_schedule=schedule)
    np.testing.assert_allclose(found, 5 * rows, rtol=1e-6)
    total = rows.sum()
    np.testing.assert_allclose(variables, [1 - 0.125 * 5 * total, 2 - 0.125 * total, 3 - 0.125 * total], rtol=1e-5)


@pytest.mark.parametrize("stages, mapping, message", [
    ([[abs, abs], abs], [[0, 0], 1], "must be ALL_DEVICES or as many different IPUs, not \\[0, 0\\]"),
    ([[abs, abs], abs], [[0], 1], "has 2 functions"), ([[abs, abs], abs], [0, 1], "has 2 functions"),
    ([abs, abs], [0, ALL_DEVICES], "Stage 1 of the pipeline is one function")])
def test_mappings_that_do_not_fit(stages, mapping, message):
    with pytest.raises(ValueError, match=message):
        run(stages, 4, np.zeros(4, "float32"), device_mapping=mapping)
