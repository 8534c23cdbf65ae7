# SPDX-License-Identifier: MIT
"""layers.experimental: EinsumDense, and the preprocessing layers under their older place."""
import types

from tensorflow.framework.shapes import TensorShape
from tensorflow.keras import activations
from tensorflow.keras.engine.base_layer import Layer
from tensorflow.keras.layers import parts
from tensorflow.keras.layers import preprocessing as _preprocessing
from tensorflow.ops import math_ops

__all__ = []
preprocessing = types.SimpleNamespace(**{n: getattr(_preprocessing, n) for n in _preprocessing.__all__})


class EinsumDense(Layer):
    """activation(einsum(equation, x, kernel) + bias), such as "abc,cd->abd"."""

    def __init__(self, equation, output_shape, activation=None, bias_axes=None, kernel_initializer="glorot_uniform",
                 bias_initializer="zeros", kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                 kernel_constraint=None, bias_constraint=None, **kwargs):
        given = dict(locals())
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.equation, self.bias_axes = equation.replace(" ", ""), bias_axes
        self.partial_output_shape = [output_shape] if isinstance(output_shape, int) else list(output_shape)
        self.activation = activations.get(activation)
        parts.take(self, ("kernel", "bias"), given)

    def build(self, input_shape):
        left, out = self.equation.split("->")
        inputs, kernel = left.split(",")
        if "..." in inputs or "..." in out:
            raise NotImplementedError(f"EinsumDense({self.equation!r}): axes by name are there, `...` is not.")
        sizes = dict(zip(inputs, TensorShape(input_shape)))
        for letter, n in zip(out[1:], self.partial_output_shape):
            sizes[letter] = sizes.get(letter) if n is None else n
        self.kernel = parts.weight(self, "kernel", [sizes[c] for c in kernel])
        self.bias = None
        if self.bias_axes:
            first = min(out.index(c) for c in self.bias_axes)
            self.bias = parts.weight(self, "bias", [sizes[c] if c in self.bias_axes else 1 for c in out[first:]])

    def call(self, inputs):
        inputs = parts.floating(self, inputs)
        y = math_ops.einsum(self.equation, inputs, math_ops.cast(self.kernel, inputs.dtype))
        y = y if self.bias is None else math_ops.add(y, math_ops.cast(self.bias, y.dtype))
        return self.activation(y)

    def get_config(self):
        return {**super().get_config(), "equation": self.equation, "output_shape": tuple(self.partial_output_shape),
                "activation": activations.serialize(self.activation), "bias_axes": self.bias_axes,
                **parts.config(self, ("kernel", "bias"))}
