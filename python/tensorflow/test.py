# SPDX-License-Identifier: MIT
"""tf.test: test cases of tensors. There are no GPUs."""
from tensorflow import _names
from tensorflow.compat.v1.test_cases import TestCase, main, mock  # noqa: F401
from popart import _files


def get_temp_dir():
    return _files.new_folder("test")


def is_built_with_cuda():
    return False


def is_built_with_gpu_support():
    return False


def is_gpu_available(cuda_only=False, min_cuda_compute_capability=None):
    return False


def gpu_device_name():
    return ""


_names.explain_missing(globals())
