# SPDX-License-Identifier: MIT
"""PopART for the simulated IPU: build, import, train and run models."""
from popart.popart_core import *  # noqa: F401,F403
from popart.popart_core import DataType, TensorInfo  # noqa: F401
from popart.builder import Builder  # noqa: F401
from popart.names import *  # noqa: F401,F403
from popart.session import InferenceSession, OutOfMemoryException, TrainingSession  # noqa: F401
from popart.version import __version__, packageHash, versionNumber, versionString  # noqa: F401
