# SPDX-License-Identifier: MIT
"""Keras' layers, one family a file: a file's __all__ is shown here, and its layers can be loaded by their names."""
import importlib as _importlib
import pkgutil as _pkgutil

from tensorflow import _names
from tensorflow.keras.engine.base_layer import InputSpec, Layer  # noqa: F401
from tensorflow.keras.named import Registry as _Registry

registry = _Registry("layer")
__all__ = ["InputSpec", "Layer"]
for _file in sorted(_pkgutil.iter_modules(__path__), key=lambda f: f.name):
    _module = _importlib.import_module(f"{__name__}.{_file.name}")
    for _name in getattr(_module, "__all__", ()):
        globals()[_name] = getattr(_module, _name)
        __all__.append(_name)
        if isinstance(globals()[_name], type):
            registry.named[_name] = globals()[_name]


def serialize(layer):
    return registry.serialize(layer)


def deserialize(config, custom_objects=None):
    return registry.deserialize(config, custom_objects)


_names.lazy(globals(), {})
