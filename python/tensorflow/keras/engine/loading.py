# SPDX-License-Identifier: MIT
"""Models from files and configurations that saving.py wrote."""
from __future__ import annotations

import json
import os
from typing import Any, Callable

from tensorflow.framework.logs import warning
from tensorflow.framework.typed import PathLike
from tensorflow.keras import losses, metrics, named, optimizers
from tensorflow.keras.engine.functional import Functional
from tensorflow.keras.engine.saving import Store, load_weights
from tensorflow.keras.engine.sequential import Sequential
from tensorflow.keras.utils import custom_object_scope


def _made(value, kinds):
    """Objects in the place of their configurations, in lists and dictionaries too."""
    if isinstance(value, dict):
        return kinds.deserialize(value) if "class_name" in value else {name: _made(v, kinds) for name, v in value.items()}
    return [_made(v, kinds) for v in value] if isinstance(value, list) else value


def load_model(filepath: PathLike, custom_objects: dict | None = None, compile: bool = True,
               options: Any = None) -> Functional | Sequential:
    """A model that save() wrote."""
    store = Store.reading(os.fspath(filepath))
    try:
        text = store.get_text("model_config")
        if text is None:
            raise ValueError(f"No model config found in {filepath}: it has weights alone. Use load_weights.")
        with custom_object_scope(custom_objects or {}):
            model = model_from_config(json.loads(text))
            load_weights(model, store, False, False)
            training = store.get_text("training_config")
            if compile and training is not None:
                given = json.loads(training)
                optimizer = optimizers.deserialize(given.pop("optimizer_config"))
                for name, kinds in (("loss", losses), ("metrics", metrics), ("weighted_metrics", metrics)):
                    given[name] = _made(given.get(name), kinds)
                model.compile(optimizer, **given)
                saved = store.arrays("optimizer_weights")
                if saved:
                    _restore(optimizer, model, saved, filepath)
        return model
    finally:
        store.close()


def _restore(optimizer, model, saved, path):
    if len(saved) > 1:
        optimizer._create_all(model.trainable_variables)
    own = optimizer.weights
    if len(saved) != len(own) or any(tuple(v.shape) != w.shape for v, w in zip(own, saved)):
        warning(f"Error in loading the saved optimizer state of {path}. As a result, your model is starting with a freshly "
                "initialized optimizer.")
        return
    optimizer.set_weights(saved)


def model_from_config(config, custom_objects=None):
    kinds = {"Sequential": Sequential, "Functional": Functional, "Model": Functional}
    kind = kinds.get(config["class_name"]) or named.custom.get(config["class_name"]) or (custom_objects or {}).get(
        config["class_name"])
    if kind is None:
        raise ValueError(f"Unknown model class {config['class_name']}: give it as custom_objects.")
    return kind.from_config(config["config"])


def model_from_json(text: str, custom_objects: dict | None = None) -> Functional | Sequential:
    """A model, without weights, from what Model.to_json gave."""
    return model_from_config(json.loads(text), custom_objects)


def clone_model(model: Any, input_tensors: Any = None, clone_function: Callable | None = None) -> Sequential:
    """The same structure with weights of its own."""
    for value, what in ((input_tensors, "input_tensors"), (clone_function, "clone_function")):
        if value is not None:
            raise NotImplementedError(f"clone_model(..., {what}=...) is not there; docs/tensorflow.md lists what is.")
    return type(model).from_config(model.get_config())
