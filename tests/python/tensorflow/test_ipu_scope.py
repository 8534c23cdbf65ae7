# SPDX-License-Identifier: MIT
"""Variables that were made outside of the strategy's scope, and profiles of programs of TensorFlow."""
import json
import os
import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu


def strategy():
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = 1
    config.configure_ipu_system()
    return ipu.ipu_strategy.IPUStrategy()


def test_variables_of_functions():
    one, outside = strategy(), tf.Variable([1.0, 2.0], name="mine")
    step = tf.function(lambda: outside.assign_add([1.0, 1.0]))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"resource mine located in device /device:CPU:0 from device "
                                                             r"/device:IPU:0: the variable of shape \(2,\) was created "
                                                             r"outside"):
        one.run(step)
    with one.scope():
        inside = tf.Variable([1.0, 2.0])
    one.run(tf.function(lambda: inside.assign_add([1.0, 1.0])))
    np.testing.assert_array_equal(inside.numpy(), [2, 3])
    np.testing.assert_array_equal(outside.numpy(), [1, 2])


def test_models_and_layers():
    one = strategy()
    outside = keras.Sequential([keras.layers.Dense(2, input_shape=(3,), name="first")])
    with one.scope():
        with pytest.raises(ValueError, match=r"Variable \(first/kernel:0, shape \(3, 2\)\) was not created in the "
                                             "distribution strategy scope"):
            outside.compile("sgd", "mse")
        with pytest.raises(ValueError, match="with strategy.scope"):
            keras.Sequential([outside, keras.layers.Dense(1)]).compile("sgd", "mse")
        keras.models.clone_model(outside).compile("sgd", "mse")
    outside.compile("sgd", "mse")
    outside.fit(np.ones((4, 3), "float32"), np.ones((4, 2), "float32"), verbose=0)


PROGRAM = """
import numpy as np, tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu
config = ipu.config.IPUConfig()
config.auto_select_ipus = 2
config.configure_ipu_system()
with ipu.ipu_strategy.IPUStrategy().scope():
    model = keras.Sequential([keras.layers.Dense(8, input_shape=(8,)), keras.layers.Dense(2)])
    model.compile("sgd", "mse", steps_per_execution=8)
    model.set_pipeline_stage_assignment([0, 1])
    model.set_pipelining_options(4)
    model.fit(np.ones((64, 8), "float32"), np.ones((64, 2), "float32"), batch_size=8, verbose=0)
"""


def test_a_profile_is_written(tmp_path):
    """POPLAR_ENGINE_OPTIONS, as for every other front end; the report has both IPUs."""
    import pva
    environment = {**os.environ, "POPLAR_ENGINE_OPTIONS": json.dumps({"autoReport.all": "true",
                                                                      "autoReport.directory": str(tmp_path)})}
    subprocess.run([sys.executable, "-c", PROGRAM], check=True, env=environment, cwd=tmp_path)
    found = [os.path.join(folder, f) for folder, _, files in os.walk(tmp_path) for f in files if f == "profile.pop"]
    assert found
    report = pva.openReport(found[0])
    assert report.compilation.target.numIPUs == 2 and len(report.execution.steps) > 0
    tiles = list(report.compilation.tiles)
    half = len(tiles) // 2
    assert all(sum(t.memory.total.includingGaps for t in part) > 0 for part in (tiles[:half], tiles[half:]))
