# SPDX-License-Identifier: MIT
"""Layers and optimisers beside TensorFlow's own, on OpenIPU's TensorFlow: keras.layers, keras.optimizers, v1.layers.

docs/tensorflow.md lists what there is."""
from tensorflow import _names
from tensorflow._version import VERSION as __version__

_names.lazy(globals(), {name: f"ipu_tensorflow_addons.{name}" for name in ("keras", "v1")})
