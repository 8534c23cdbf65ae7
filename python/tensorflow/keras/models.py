# SPDX-License-Identifier: MIT
"""tf.keras.models"""
from tensorflow import _names
from tensorflow.keras.engine.functional import Functional  # noqa: F401
from tensorflow.keras.engine.saving import clone_model, load_model, model_from_json  # noqa: F401
from tensorflow.keras.engine.sequential import Sequential  # noqa: F401
from tensorflow.keras.engine.training import Model  # noqa: F401


def save_model(model, filepath, **kwargs):
    model.save(filepath, **kwargs)


_names.lazy(globals(), {})
