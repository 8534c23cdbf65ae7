# SPDX-License-Identifier: MIT
"""tf.test: test cases of tensors. There are no GPUs."""
from __future__ import annotations

from typing import Any

from tensorflow import _names
from tensorflow.compat.v1.test_cases import TestCase, main, mock  # noqa: F401
from popart import _files


def get_temp_dir() -> Any:
    """A folder for the files of a test."""
    return _files.new_folder("test")


def is_built_with_cuda() -> bool:
    """False."""
    return False


def is_built_with_gpu_support() -> bool:
    """False."""
    return False


def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability: Any = None) -> bool:
    """False."""
    return False


def gpu_device_name() -> str:
    """"": there are no GPUs."""
    return ""


_names.explain_missing(globals())
