# SPDX-License-Identifier: MIT
"""A TensorFlow operation on symbolic tensors, as a layer."""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from tensorflow.framework import dispatch, dtypes
from tensorflow.framework.dispatch import apply
from tensorflow.framework.tensors import EagerTensor, Tensor
from tensorflow.framework.typed import TensorLike
from tensorflow.framework.variables import Variable
from tensorflow.keras import backend
from tensorflow.keras.engine.base_layer import Layer
from tensorflow.keras.engine.nodes import KerasTensor
from tensorflow.keras.named import snake

__all__ = ["OperationLayer"]
_CODE = ("UserOp", "HostCall")  # what they name is run


class OperationLayer(Layer):
    """inputs: KerasTensors where the layer's inputs belong, constants elsewhere."""

    def __init__(self, op: str, inputs: TensorLike, attributes: dict, outputs: Any = 1, out_types: Sequence | None = None,
                 name: str | None = None, **kwargs: Any) -> None:
        super().__init__(name=name or _name(op), **kwargs)
        self._op, self._attributes, self._outputs, self._out_types = op, dict(attributes), outputs, out_types
        self._places = [None if isinstance(t, KerasTensor) else t for t in inputs]
        self._autocast = False

    def call(self, inputs: TensorLike) -> Tensor:
        given = iter(inputs if isinstance(inputs, (list, tuple)) else [inputs])
        return apply(self._op, [next(given) if t is None else t for t in self._places], self._attributes, self._outputs,
                     self._out_types)

    def get_config(self) -> dict:
        _require_data(self._op, self.name)
        if any(isinstance(t, Variable) for t in self._places):
            raise ValueError(f"The layer {self.name} uses a variable from outside of the model, which cannot be saved.")
        return {"name": self.name, "op": self._op, "outputs": self._outputs,
                "attributes": {k: _saved(v) for k, v in self._attributes.items()},
                "out_types": None if self._out_types is None else [t and t.name for t in self._out_types],
                "places": [None if t is None else {"dtype": t.dtype.name, "values": t.array.tolist()}
                           for t in self._places]}

    @classmethod
    def from_config(cls, config: dict) -> OperationLayer:
        _require_data(config["op"], config["name"])
        inputs = [KerasTensor((), "float32") if p is None else
                  EagerTensor(np.array(p["values"], dtypes.as_dtype(p["dtype"]).as_numpy_dtype)) for p in config["places"]]
        types = config["out_types"]
        return cls(config["op"], inputs, {k: _loaded(v) for k, v in config["attributes"].items()}, config["outputs"],
                   None if types is None else [t and dtypes.as_dtype(t) for t in types], config["name"])


def _require_data(op, name):
    if op in _CODE:
        raise ValueError(f"The layer {name} calls a function of a library or of the host. Configurations and files of models "
                         "are data and name no code: make the model by its program, and save and load its weights.")


def _saved(value):
    return {"dtype": value.name} if isinstance(value, dtypes.DType) else value


def _loaded(value):
    return dtypes.as_dtype(value["dtype"]) if isinstance(value, dict) else value


def _name(op):
    return backend.unique_name("tf." + snake(op))


def _operation(op, inputs, attributes, outputs, out_types, name):
    """An operation on KerasTensors is a layer of its own."""
    layer = OperationLayer(op, inputs, attributes, outputs, out_types, name)
    return layer([t for t in inputs if isinstance(t, KerasTensor)])


dispatch.keras_hook = _operation
