# SPDX-License-Identifier: MIT
"""A TensorFlow operation on symbolic tensors, as a layer."""
from tensorflow.framework.dispatch import apply
from tensorflow.keras.engine.base_layer import Layer
from tensorflow.keras.engine.nodes import KerasTensor


class OperationLayer(Layer):
    def __init__(self, op, inputs, attributes, outputs=1, out_types=None, name=None):
        super().__init__(name=name or _name(op))
        self._op, self._attributes, self._outputs, self._out_types = op, attributes, outputs, out_types
        self._places = [None if isinstance(t, KerasTensor) else t for t in inputs]
        self._autocast = False

    def call(self, inputs):
        given = iter(inputs if isinstance(inputs, (list, tuple)) else [inputs])
        return apply(self._op, [next(given) if t is None else t for t in self._places], self._attributes, self._outputs,
                     self._out_types)


def _name(op):
    from tensorflow.keras import backend
    from tensorflow.keras.engine.base_layer import snake
    return backend.unique_name("tf." + snake(op))


__all__ = []
