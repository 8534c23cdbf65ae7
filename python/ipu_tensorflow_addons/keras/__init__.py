# SPDX-License-Identifier: MIT
"""For Keras."""
from tensorflow import _names

_names.lazy(globals(), {name: f"ipu_tensorflow_addons.keras.{name}" for name in ("layers", "optimizers")})
