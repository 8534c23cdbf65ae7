# SPDX-License-Identifier: MIT
"""tf.keras.models"""
from __future__ import annotations

from typing import Any

from tensorflow import _names
from tensorflow.framework.typed import PathLike
from tensorflow.keras import layers as _layers  # noqa: F401 (models are made of their names)
from tensorflow.keras.engine.functional import Functional, Model  # noqa: F401
from tensorflow.keras.engine.loading import clone_model, load_model, model_from_json  # noqa: F401
from tensorflow.keras.engine.sequential import Sequential  # noqa: F401


def save_model(model: Any, filepath: PathLike, **kwargs: Any) -> None:
    """Model.save of a model."""
    model.save(filepath, **kwargs)


_names.explain_missing(globals())
