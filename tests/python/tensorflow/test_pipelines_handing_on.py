# SPDX-License-Identifier: MIT
"""Pipelines whose stages hand values on without computing anything of them."""
import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu
from tensorflow.python.ipu.ops.pipelining_ops import PipelineSchedule, pipeline

A, B = np.arange(12, dtype="float32"), np.arange(12, dtype="float32") * 10


@pytest.mark.parametrize("schedule", list(PipelineSchedule))
def test_inputs_pass_through_all_stages(schedule):
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = 4
    config.configure_ipu_system()
    with tf.Graph().as_default():
        infeed = ipu.ipu_infeed_queue.IPUInfeedQueue(tf.data.Dataset.from_tensor_slices((A, B)))
        outfeed = ipu.ipu_outfeed_queue.IPUOutfeedQueue()

        def model():
            return pipeline([lambda x, y: (x, y, y, x), lambda *a: a, lambda a, b, c, d: (d, c)], 12, infeed_queue=infeed,
                            outfeed_queue=outfeed, pipeline_schedule=schedule)
        with ipu.scopes.ipu_scope("/device:IPU:0"):
            run = ipu.ipu_compiler.compile(model)
        out = outfeed.dequeue()
        with tf.Session() as session:
            session.run(infeed.initializer)
            session.run(run)
            found = session.run(out)
    np.testing.assert_array_equal(found[0], A)
    np.testing.assert_array_equal(found[1], B)
