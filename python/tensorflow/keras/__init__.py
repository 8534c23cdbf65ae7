# SPDX-License-Identifier: MIT
"""tf.keras"""
from tensorflow import _names

__version__ = "2.6.0"
_modules = {name: f"tensorflow.keras.{name}" for name in
            "layers losses metrics optimizers initializers regularizers constraints activations callbacks datasets utils "
            "backend models ipu mixed_precision applications preprocessing".split()}
_modules |= {"Model": "tensorflow.keras.models:Model", "Sequential": "tensorflow.keras.models:Sequential",
             "Input": "tensorflow.keras.layers:Input"}
_names.lazy(globals(), _modules)
__all__ = sorted(_modules)
