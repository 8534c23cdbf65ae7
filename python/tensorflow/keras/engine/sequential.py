# SPDX-License-Identifier: MIT
"""Sequential: layers one after the other. With a known input shape it is built at once, else when it is first called."""
from __future__ import annotations

from typing import Any, Sequence

from tensorflow.framework.context import eagerly
from tensorflow.framework.typed import ShapeLike, TensorLike
from tensorflow.keras import backend
from tensorflow.keras.engine.base_layer import Layer, registry
from tensorflow.keras.engine.functional import Functional
from tensorflow.keras.engine.input_layer import InputLayer
from tensorflow.keras.engine.training import Model


@registry.add()
class Sequential(Functional):
    """A model of layers, each of which takes what the one before gives."""
    _is_sequential = True

    def __init__(self, layers: Sequence | None = None, name: str | None = None) -> None:
        Model.__init__(self, name=name or backend.unique_name("sequential"))
        self._all_layers, self._stack = [], []
        self._is_graph = False
        for layer in layers or ():
            self.add(layer)

    @property
    def layers(self) -> list:
        """The layers, in order."""
        return [layer for layer in self._stack if not isinstance(layer, InputLayer)]

    def add(self, layer: Any) -> None:
        """Adds a layer at the end."""
        history = getattr(layer, "_keras_history", None)
        if history is not None:
            layer = history[0]
        if not isinstance(layer, Layer):
            raise TypeError(f"The added layer must be an instance of class Layer. Found: {layer}")
        if any(layer.name == other.name for other in self._stack):
            raise ValueError("All layers added to a Sequential model should have unique names. Name "
                             f'"{layer.name}" is already the name of a layer in this model. Update the `name` argument to '
                             "pass a unique name.")
        if not self._stack and not isinstance(layer, InputLayer) and self._first_shape(layer) is not None:
            shape, dtype = self._first_shape(layer)
            self._stack.append(InputLayer(batch_input_shape=shape, dtype=dtype, name=layer.name + "_input"))
        self._stack.append(layer)
        self._layers_inside.append(layer)
        self._rebuild()

    @staticmethod
    def _first_shape(layer):
        if layer._batch_input_shape is not None:
            return layer._batch_input_shape, getattr(layer, "_input_dtype", None) or layer.compute_dtype
        if isinstance(layer, Model) and getattr(layer, "inputs", None):
            return tuple(layer.inputs[0].shape), layer.inputs[0].dtype.name
        return None

    def pop(self) -> None:
        """Takes the last layer away."""
        if not self._stack:
            raise TypeError("There are no layers in the model.")
        layer = self._stack.pop()
        self._layers_inside.remove(layer)
        self._rebuild()

    def _rebuild(self):
        self._is_graph = False
        if not self._stack or not isinstance(self._stack[0], InputLayer) or len(self._stack) < 2:
            return
        x = self._stack[0].output
        first = x
        for layer in self._stack[1:]:
            x = self._output_of(layer, x)
        layers = list(self._layers_inside)
        self._set_up(first, x)
        self.__dict__["_layers_inside"] = [layer for layer in layers if not isinstance(layer, InputLayer)]
        self._is_graph = True

    @staticmethod
    def _output_of(layer, x):
        for node in layer._inbound_nodes:  # the layer was called on this very tensor already
            if len(node.inputs) == 1 and node.inputs[0] is x:
                return node.outputs
        return layer(x)

    def build(self, input_shape: ShapeLike | None = None) -> None:
        if self._is_graph or input_shape is None:
            return
        if not self._stack:
            raise ValueError("Sequential model cannot be built: it has no layers.")
        self._stack.insert(0, InputLayer(batch_input_shape=(None, *tuple(input_shape)[1:]),
                                         name=self._stack[0].name + "_input"))
        with eagerly(collected=True):
            self._rebuild()
        self.built = True

    def _maybe_build(self, inputs):
        if not self._is_graph and hasattr(inputs, "shape"):
            self.build(tuple(inputs.shape))
            return
        super()._maybe_build(inputs)

    def call(self, inputs: TensorLike, training: bool | None = None, mask: TensorLike | None = None) -> Any:
        if self._is_graph:
            return super().call(inputs, training=training)
        for layer in self._stack:
            inputs = layer(inputs)
        return inputs

    def get_config(self) -> dict:
        return {"name": self.name, "layers": [registry.serialize(layer) for layer in self._stack]}

    @classmethod
    def from_config(cls, config: dict, custom_objects: dict | None = None) -> Sequential:
        out = cls(name=config.get("name"))
        for each in config["layers"]:
            out.add(registry.deserialize(each, custom_objects))
        return out
