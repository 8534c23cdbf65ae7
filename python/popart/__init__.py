# SPDX-License-Identifier: MIT
"""PopART for the simulated IPU: build, import, train and run models.

The package `onnx` may be imported before or after this one.
"""
from collections.abc import MutableMapping as _Mapping

from popart import popart_core as _core
from popart.popart_core import *  # noqa: F401,F403
from popart.popart_core import DataType, TensorInfo  # noqa: F401
from popart.builder import Builder  # noqa: F401
from popart.names import *  # noqa: F401,F403
from popart.session import InferenceSession, OutOfMemoryException, TrainingSession  # noqa: F401
from popart.version import __version__, packageHash, versionNumber, versionString  # noqa: F401

# The options that are maps: the core gives items, this the rest of a dict's methods.
for _map in (_core._StringMap, _core._LocationMap, _core._DepthMap, _core._ListMap):
    for _method in ("keys", "items", "values", "get", "update", "pop", "popitem", "setdefault", "clear",
                    "__contains__", "__eq__"):
        setattr(_map, _method, getattr(_Mapping, _method))
    _Mapping.register(_map)
