# SPDX-License-Identifier: MIT
"""All front ends in one process, in either order."""
import subprocess
import sys

import pytest

PROGRAM = """
import {0}
import {1}
import numpy as np, paddle, poptorch, tensorflow as tf, torch
model = poptorch.inferenceModel(torch.nn.Linear(2, 1))
assert model(torch.ones(1, 2)).shape == (1, 1)
assert tf.function(lambda x: x + 1.0)(tf.constant(1.0)).numpy() == 2
paddle.enable_static()
y = paddle.static.data("x", [1]) + 1.0
assert paddle.static.Executor().run(feed={{"x": np.ones(1, "float32")}}, fetch_list=[y])[0] == 2
"""


@pytest.mark.parametrize("first,second", [("tensorflow", "poptorch"), ("poptorch", "tensorflow")])
def test_packages_do_not_disturb_each_other(first, second):
    done = subprocess.run([sys.executable, "-c", PROGRAM.format(first, second)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_the_ipu_package_brings_neither_keras_nor_tensorflow_1():
    """They are loaded when they are used."""
    program = "import sys; from tensorflow.python import ipu; print(*sys.modules, sep='\\n')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=True)
    names = done.stdout.split()
    assert "tensorflow.python.ipu.ipu_strategy" in names
    assert not [name for name in names if name.startswith(("tensorflow.keras", "tensorflow.compat"))]
