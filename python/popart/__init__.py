# SPDX-License-Identifier: MIT
"""PopART for the simulated IPU: build, import, train and run models.

The package `onnx` may be imported before or after this one.
"""
from openipu import loading as _loading

with _loading.of("popart_core", __file__):
    import popart_core
    from popart_core import *
    from popart.builder import Builder
    from popart.names import *
    from popart.session import InferenceSession, OutOfMemoryException, TrainingSession
from popart.version import __version__, packageHash, versionNumber, versionString

from collections.abc import MutableMapping as _Mapping
import sys as _sys

_sys.modules["popart.popart_core"] = popart_core  # where it used to be

# The options that are maps: the core gives items, this the rest of a dict's methods.
for _map in (popart_core._StringMap, popart_core._LocationMap, popart_core._DepthMap, popart_core._ListMap):
    for _method in ("keys", "items", "values", "get", "update", "pop", "popitem", "setdefault", "clear",
                    "__contains__", "__eq__"):
        setattr(_map, _method, getattr(_Mapping, _method))
    _Mapping.register(_map)
