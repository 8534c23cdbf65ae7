# SPDX-License-Identifier: MIT
"""A program may import any public module of TensorFlow first: they import each other in one order only if nobody asks another
for a name too early."""
import subprocess
import sys

import pytest


@pytest.mark.parametrize("module", [
    "tensorflow.train", "tensorflow.keras", "tensorflow.compat.v1.train", "tensorflow.python.ipu", "keras",
    "tensorflow.python.ipu.optimizers", "tensorflow.keras.ipu", "ipu_tensorflow_addons.keras.optimizers"])
def test_a_module_is_imported_first(module):
    done = subprocess.run([sys.executable, "-c", f"import {module}"], stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 0, done.stderr
