# SPDX-License-Identifier: MIT
"""Input: a tensor that a model gets, and the layer that it comes from."""
from __future__ import annotations

from typing import Any

import numpy as np

from tensorflow.framework.shapes import TensorShape
from tensorflow.framework.typed import DTypeLike, ShapeLike, TensorLike
from tensorflow.framework.tensors import Tensor
from tensorflow.keras import backend
from tensorflow.keras.engine.base_layer import Layer
from tensorflow.keras.engine.nodes import KerasTensor, Node


class InputLayer(Layer):
    """The layer behind keras.Input."""
    def __init__(self, input_shape: ShapeLike | None = None, batch_size: int | None = None, dtype: DTypeLike | None = None,
                 input_tensor: TensorLike | None = None, sparse: bool | None = None, name: str | None = None,
                 ragged: bool | None = None, batch_input_shape: ShapeLike | None = None, **kwargs: Any) -> None:
        if kwargs:
            raise ValueError(f"Unrecognized keyword arguments: {', '.join(kwargs)}")
        for value, what in ((sparse, "sparse"), (ragged, "ragged"), (input_tensor, "input_tensor")):
            if value is not None and value is not False:
                raise NotImplementedError(f"InputLayer(..., {what}=...) is not there; docs/tensorflow.md lists what is.")
        super().__init__(name=name or backend.unique_name("input"), dtype=dtype or backend.floatx())
        shape = batch_input_shape if batch_input_shape is not None else (batch_size, *(input_shape or ()))
        self._batch_input_shape = tuple(TensorShape(shape))
        self.built = True
        tensor = KerasTensor(self._batch_input_shape, dtype or backend.floatx(), self.name)
        Node(self, (), {}, tensor, backend.call.stage)

    def get_config(self) -> dict:
        return {"batch_input_shape": self._batch_input_shape, "dtype": self._policy.name, "sparse": False, "ragged": False,
                "name": self.name}


def Input(shape: ShapeLike | None = None, batch_size: int | None = None, name: str | None = None,
          dtype: DTypeLike | None = None, sparse: bool | None = None, tensor: TensorLike | None = None,
          ragged: bool | None = None, type_spec: Any = None, batch_shape: ShapeLike | None = None) -> Tensor:
    """A tensor that a model gets."""
    if shape is None and batch_shape is None:
        raise ValueError("Please provide to Input a `shape` or a `batch_shape`.")
    for value, what in ((sparse, "sparse"), (ragged, "ragged"), (tensor, "tensor"), (type_spec, "type_spec")):
        if value:
            raise NotImplementedError(f"Input(..., {what}=...) is not there; docs/tensorflow.md lists what is.")
    if isinstance(shape, (int, np.integer)):
        shape = (shape,)
    if name is None:
        backend.get_uid("input_counter")
        name = f"input_{backend.get_uid('input_names')}"
    return InputLayer(shape, batch_size, dtype, name=name, batch_input_shape=batch_shape).output
