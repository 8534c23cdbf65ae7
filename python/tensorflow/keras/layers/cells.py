# SPDX-License-Identifier: MIT
"""One step of a recurrent layer: SimpleRNNCell, LSTMCell, GRUCell, StackedRNNCells. Gates in Keras' order."""
from __future__ import annotations

from typing import Any, Sequence

from tensorflow.framework.scopes import name_scope
from tensorflow.framework.shapes import TensorShape
from tensorflow.framework.typed import ActivationLike, ConstraintLike, InitializerLike, RegularizerLike, ShapeLike, TensorLike
from tensorflow.keras import activations, initializers
from tensorflow.keras.engine.base_layer import Layer, registry
from tensorflow.keras.layers import parts
from tensorflow.ops import array_ops, math_ops, nn_ops

__all__ = ["SimpleRNNCell", "LSTMCell", "GRUCell", "StackedRNNCells"]
NAMES = ("kernel", "recurrent", "bias")


def zeros_like_rows(x, units, dtype):
    """[rows of x, units], also where the number of rows is not known yet."""
    if x.shape[0] is not None:
        return array_ops.zeros([x.shape[0], units], dtype)
    column = array_ops.reshape(x, [x.shape[0] or -1, _count(x)])[:, :1]
    return array_ops.tile(array_ops.zeros_like(math_ops.cast(column, dtype)), [1, units])


def _count(x):
    out = 1
    for d in x.shape[1:]:
        out *= d
    return out


class _Cell(Layer):
    _gates = 1

    def __init__(self, units, activation, recurrent_activation, use_bias, dropout, recurrent_dropout, given, kwargs):
        kwargs.pop("implementation", None)
        super().__init__(**kwargs)
        if units < 0:
            raise ValueError(f"Received an invalid value for units, expected a positive integer, got {units}.")
        self.units, self.use_bias = int(units), use_bias
        self.activation = activations.get(activation)
        if recurrent_activation is not None:
            self.recurrent_activation = activations.get(recurrent_activation)
        self.dropout, self.recurrent_dropout = min(1.0, max(0.0, dropout)), min(1.0, max(0.0, recurrent_dropout))
        parts.take(self, NAMES, given)
        self._masks = {}

    state_size = property(lambda self: self.units)
    output_size = property(lambda self: self.units)

    def build(self, input_shape):
        width = self._gates * self.units
        self.kernel = parts.weight(self, "kernel", (TensorShape(input_shape)[-1], width))
        self.recurrent_kernel = parts.weight(self, "recurrent_kernel", (self.units, width), "recurrent")
        self.bias = self._bias(width) if self.use_bias else None

    def _bias(self, width):
        return parts.weight(self, "bias", (width,))

    def _dropped(self, which, x, training):
        """The same entries at all steps of a sequence."""
        rate = getattr(self, which)
        if not training or not rate:
            return x
        mask = self._masks.get(which)
        if mask is None:
            mask = self._masks[which] = nn_ops.dropout(array_ops.ones_like(x), rate)
        return math_ops.multiply(x, mask)

    def reset_masks(self):
        self._masks = {}

    reset_dropout_mask = reset_recurrent_dropout_mask = reset_masks

    def get_initial_state(self, inputs=None, batch_size=None, dtype=None):
        sizes = self.state_size if isinstance(self.state_size, (list, tuple)) else [self.state_size]
        out = [zeros_like_rows(inputs, n, dtype or inputs.dtype) if inputs is not None else
               array_ops.zeros([batch_size, n], dtype or "float32") for n in sizes]
        return out if len(out) > 1 else out[0]

    def _weights_in(self, dtype):
        bias = None if self.bias is None else math_ops.cast(self.bias, dtype)
        return math_ops.cast(self.kernel, dtype), math_ops.cast(self.recurrent_kernel, dtype), bias

    def get_config(self):
        out = {**super().get_config(), "units": self.units, "activation": activations.serialize(self.activation),
               "use_bias": self.use_bias, "dropout": self.dropout, "recurrent_dropout": self.recurrent_dropout,
               **parts.config(self, NAMES)}
        if hasattr(self, "recurrent_activation"):
            out["recurrent_activation"] = activations.serialize(self.recurrent_activation)
        return out


def _first(states):
    return states[0] if isinstance(states, (list, tuple)) else states


def _like(states, new):
    return list(new) if isinstance(states, (list, tuple)) else new[0]


class SimpleRNNCell(_Cell):
    """h = activation(x W + h U + b)"""

    def __init__(self, units: int, activation: ActivationLike = "tanh", use_bias: bool = True,
                 kernel_initializer: InitializerLike = "glorot_uniform",
                 recurrent_initializer: InitializerLike = "orthogonal", bias_initializer: InitializerLike = "zeros",
                 kernel_regularizer: RegularizerLike = None, recurrent_regularizer: RegularizerLike = None,
                 bias_regularizer: RegularizerLike = None, kernel_constraint: ConstraintLike = None,
                 recurrent_constraint: ConstraintLike = None, bias_constraint: ConstraintLike = None, dropout: float = 0.0,
                 recurrent_dropout: float = 0.0, **kwargs: Any) -> None:
        super().__init__(units, activation, None, use_bias, dropout, recurrent_dropout, locals(), kwargs)

    def call(self, inputs: TensorLike, states: Sequence, training: bool | None = None) -> tuple:
        kernel, recurrent, bias = self._weights_in(inputs.dtype)
        out = math_ops.matmul(self._dropped("dropout", inputs, training), kernel)
        out = out if bias is None else nn_ops.bias_add(out, bias)
        before = self._dropped("recurrent_dropout", _first(states), training)
        out = self.activation(math_ops.add(out, math_ops.matmul(before, recurrent)))
        return out, _like(states, [out])


class LSTMCell(_Cell):
    """i, f, o = recurrent_activation, g = activation of x W + h U + b;  c = f * c + i * g;  h = o * activation(c)"""
    _gates = 4

    def __init__(self, units: int, activation: ActivationLike = "tanh", recurrent_activation: ActivationLike = "sigmoid",
                 use_bias: bool = True, kernel_initializer: InitializerLike = "glorot_uniform",
                 recurrent_initializer: InitializerLike = "orthogonal", bias_initializer: InitializerLike = "zeros",
                 unit_forget_bias: bool = True, kernel_regularizer: RegularizerLike = None,
                 recurrent_regularizer: RegularizerLike = None, bias_regularizer: RegularizerLike = None,
                 kernel_constraint: ConstraintLike = None, recurrent_constraint: ConstraintLike = None,
                 bias_constraint: ConstraintLike = None, dropout: float = 0.0, recurrent_dropout: float = 0.0,
                 **kwargs: Any) -> None:
        super().__init__(units, activation, recurrent_activation, use_bias, dropout, recurrent_dropout, locals(), kwargs)
        self.unit_forget_bias = unit_forget_bias

    state_size = property(lambda self: [self.units, self.units])

    def _bias(self, width):
        if not self.unit_forget_bias:
            return super()._bias(width)
        given, units = self.bias_initializer, self.units

        def forgetful(shape, dtype=None, **_):  # ones for the forget gate
            own = [given((n,), dtype=dtype) for n in (units, 2 * units)]
            return array_ops.concat([own[0], initializers.Ones()((units,), dtype=dtype), own[1]], 0)

        return self.add_weight("bias", (width,), initializer=forgetful, regularizer=self.bias_regularizer,
                               constraint=self.bias_constraint)

    def call(self, inputs: TensorLike, states: Sequence, training: bool | None = None) -> tuple:
        h, c = states
        kernel, recurrent, bias = self._weights_in(inputs.dtype)
        z = math_ops.matmul(self._dropped("dropout", inputs, training), kernel)
        z = math_ops.add(z, math_ops.matmul(self._dropped("recurrent_dropout", h, training), recurrent))
        z = z if bias is None else nn_ops.bias_add(z, bias)
        i, f, g, o = array_ops.split(z, 4, axis=1)
        c = math_ops.add(math_ops.multiply(self.recurrent_activation(f), c),
                         math_ops.multiply(self.recurrent_activation(i), self.activation(g)))
        h = math_ops.multiply(self.recurrent_activation(o), self.activation(c))
        return h, [h, c]

    def get_config(self) -> dict:
        return {**super().get_config(), "unit_forget_bias": self.unit_forget_bias}


class GRUCell(_Cell):
    """z, r = recurrent_activation;  g = activation(x W + b + r * (h U + b'))  or  ((r * h) U);  h = z * h + (1 - z) * g"""
    _gates = 3

    def __init__(self, units: int, activation: ActivationLike = "tanh", recurrent_activation: ActivationLike = "sigmoid",
                 use_bias: bool = True, kernel_initializer: InitializerLike = "glorot_uniform",
                 recurrent_initializer: InitializerLike = "orthogonal", bias_initializer: InitializerLike = "zeros",
                 kernel_regularizer: RegularizerLike = None, recurrent_regularizer: RegularizerLike = None,
                 bias_regularizer: RegularizerLike = None, kernel_constraint: ConstraintLike = None,
                 recurrent_constraint: ConstraintLike = None, bias_constraint: ConstraintLike = None, dropout: float = 0.0,
                 recurrent_dropout: float = 0.0, reset_after: bool = True, **kwargs: Any) -> None:
        super().__init__(units, activation, recurrent_activation, use_bias, dropout, recurrent_dropout, locals(), kwargs)
        self.reset_after = reset_after

    def _bias(self, width):
        return parts.weight(self, "bias", (2, width) if self.reset_after else (width,))

    def call(self, inputs: TensorLike, states: Sequence, training: bool | None = None) -> tuple:
        h = _first(states)
        kernel, recurrent, bias = self._weights_in(inputs.dtype)
        u = self.units
        x = math_ops.matmul(self._dropped("dropout", inputs, training), kernel)
        before = self._dropped("recurrent_dropout", h, training)
        if bias is not None:
            x = nn_ops.bias_add(x, bias[0] if self.reset_after else bias)
        xz, xr, xg = array_ops.split(x, 3, axis=1)
        if self.reset_after:
            inner = math_ops.matmul(before, recurrent)
            inner = inner if bias is None else nn_ops.bias_add(inner, bias[1])
            hz, hr, hg = array_ops.split(inner, 3, axis=1)
        else:
            hz, hr = array_ops.split(math_ops.matmul(before, recurrent[:, :2 * u]), 2, axis=1)
        z = self.recurrent_activation(math_ops.add(xz, hz))
        r = self.recurrent_activation(math_ops.add(xr, hr))
        inner = math_ops.multiply(r, hg) if self.reset_after else math_ops.matmul(math_ops.multiply(r, before),
                                                                                  recurrent[:, 2 * u:])
        g = self.activation(math_ops.add(xg, inner))
        h = math_ops.add(math_ops.multiply(z, h), math_ops.multiply(math_ops.subtract(1.0, z), g))
        return h, _like(states, [h])

    def get_config(self) -> dict:
        return {**super().get_config(), "reset_after": self.reset_after}


class StackedRNNCells(Layer):
    """Cells on top of each other as one."""

    def __init__(self, cells: Sequence, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        for cell in cells:
            if not hasattr(cell, "call") or not hasattr(cell, "state_size"):
                raise ValueError(f"All cells must have a `call` method and a `state_size`. received cell: {cell}")
        self.cells = list(cells)

    @staticmethod
    def _sizes(cell):
        return list(cell.state_size) if isinstance(cell.state_size, (list, tuple)) else [cell.state_size]

    @property
    def state_size(self) -> list:
        """The sizes of the states of all cells."""
        return [n for cell in self.cells for n in self._sizes(cell)]

    output_size = property(lambda self: getattr(self.cells[-1], "output_size", self._sizes(self.cells[-1])[0]))

    def build(self, input_shape: ShapeLike) -> None:
        for cell in self.cells:
            if isinstance(cell, Layer) and not cell.built:
                with name_scope(cell.name):
                    cell.build(input_shape)
                cell.built = True
            input_shape = TensorShape([TensorShape(input_shape)[0], getattr(cell, "output_size", self._sizes(cell)[0])])

    def reset_masks(self) -> None:
        """Draws new dropout masks for all cells."""
        for cell in self.cells:
            if hasattr(cell, "reset_masks"):
                cell.reset_masks()

    def call(self, inputs: TensorLike, states: Sequence, training: bool | None = None) -> tuple:
        new, at = [], 0
        for cell in self.cells:
            n = len(self._sizes(cell))
            inputs, made = cell(inputs, list(states[at:at + n]), training=training)
            new += made if isinstance(made, (list, tuple)) else [made]
            at += n
        return inputs, new

    def get_config(self) -> dict:
        return {**super().get_config(), "cells": [registry.serialize(cell) for cell in self.cells]}

    @classmethod
    def from_config(cls, config: dict, custom_objects: dict | None = None) -> StackedRNNCells:
        return cls([registry.deserialize(c, custom_objects) for c in config.pop("cells")], **config)
