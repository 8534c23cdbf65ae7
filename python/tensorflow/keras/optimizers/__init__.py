# SPDX-License-Identifier: MIT
"""Keras' optimisers, one a file."""
import importlib as _importlib
import pkgutil as _pkgutil

from tensorflow import _names
from tensorflow.keras.optimizers.base import Optimizer, deserialize, get, serialize  # noqa: F401

for _file in sorted(_pkgutil.iter_modules(__path__), key=lambda f: f.name):
    _module = _importlib.import_module(f"{__name__}.{_file.name}")
    for _name in getattr(_module, "__all__", ()):
        globals()[_name] = getattr(_module, _name)
_names.lazy(globals(), {"schedules": "tensorflow.keras.optimizers.schedules"})
