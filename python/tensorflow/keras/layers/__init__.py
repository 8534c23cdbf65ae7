# SPDX-License-Identifier: MIT
"""Keras' layers, one family a file: a file's __all__ is shown here, and its layers can be loaded by their names."""
from tensorflow import _names
from tensorflow.keras.engine.base_layer import InputSpec, Layer, registry

_families = _names.families(globals())
__all__ = ["InputSpec", "Layer", *_families]
registry.named.update((_name, globals()[_name]) for _name in _families if isinstance(globals()[_name], type))


def serialize(layer):
    return registry.serialize(layer)


def deserialize(config, custom_objects=None):
    return registry.deserialize(config, custom_objects)


_names.explain_missing(globals())
