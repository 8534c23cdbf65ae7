# SPDX-License-Identifier: MIT
"""Layers: those of tf.keras.ipu.layers, recurrent ones through popnn's kernels, and a Dense whose product is made in parts."""
from __future__ import annotations

from typing import Any

from tensorflow import _names
from tensorflow.framework.logs import without_effect as _without_effect
from tensorflow.framework.tensors import Tensor
from tensorflow.keras import layers as _layers
from tensorflow.keras.ipu.layers import (Dropout, Embedding, GroupNorm, GroupNormalization, InstanceNorm,
                                         InstanceNormalization, LayerNorm, LayerNormalization, RecomputationCheckpoint)
from tensorflow.ops import array_ops as _array
from tensorflow.ops import math_ops as _math
from tensorflow.ops import nn_ops as _nn
from tensorflow.framework.typed import TensorLike


def _popnn(base):
    class Layer(base):
        """Keras' layer with popnn's options; what popnn's kernels do not have is an error."""

        def __init__(self, units, *args, partials_dtype="float32", seed=None, time_major=False, options=None, options_bwd=None,
                     **kwargs):
            if kwargs.get("recurrent_dropout"):
                raise ValueError(f"{type(self).__name__} does not support recurrent_dropout.")
            if kwargs.pop("unroll", False):
                raise ValueError(f"{type(self).__name__} does not support unroll.")
            if seed is not None:
                raise NotImplementedError(f"{type(self).__name__}: a seed of its own is not there: give the initializers "
                                          "theirs.")
            _without_effect(partials_dtype=None if partials_dtype in ("float32", None) else partials_dtype, options=options,
                            options_bwd=options_bwd)
            super().__init__(units, *args, time_major=time_major, **kwargs)
    return Layer


class PopnnLSTM(_popnn(_layers.LSTM)):
    """An LSTM layer that PopLibs computes as one operator."""
    pass


class PopnnGRU(_popnn(_layers.GRU)):
    """reset_after is False here unless it is given."""

    def __init__(self, units: int, *args: Any, reset_after: bool = False, **kwargs: Any) -> None:
        super().__init__(units, *args, reset_after=reset_after, **kwargs)


LSTM, GRU = PopnnLSTM, PopnnGRU
_DIMENSIONS = ("input_columns", "input_rows_kernel_columns", "kernel_rows")


class SerialDense(_layers.Dense):
    """A Dense whose product is made in `serialization_factor` parts, one after the other: of the rows of the input
    (input_columns), of what is summed over (input_rows_kernel_columns) or of the outputs (kernel_rows)."""

    def __init__(self, units: int, serialization_factor: int, serialization_dimension: str, *args: Any,
                 **kwargs: Any) -> None:
        if serialization_dimension not in _DIMENSIONS:
            raise ValueError(f"Invalid serialization_dimension {serialization_dimension!r}. Must be one of: "
                             f"{', '.join(_DIMENSIONS)}.")
        if int(serialization_factor) < 1:
            raise ValueError(f"serialization_factor must be at least 1; it is {serialization_factor}.")
        super().__init__(units, *args, **kwargs)
        self.serialization_factor, self.serialization_dimension = int(serialization_factor), serialization_dimension

    def _parts(self, tensor, axis):
        extent = tensor.shape[axis]
        if extent % self.serialization_factor:
            raise ValueError(f"{self.name}: serialization_factor {self.serialization_factor} does not divide {extent}, the "
                             f"extent of {self.serialization_dimension}.")
        return _array.split(tensor, self.serialization_factor, axis)

    def call(self, inputs: TensorLike) -> Tensor:
        kernel, along = _math.cast(self.kernel, inputs.dtype), self.serialization_dimension
        rank = inputs.shape.rank
        if along == "kernel_rows":
            out = _array.concat([_product(inputs, part) for part in self._parts(kernel, 1)], -1)
        elif along == "input_columns":
            axis = max(rank - 2, 0)
            known = inputs.shape[axis] is not None  # else only shapes are asked for
            out = _array.concat([_product(part, kernel) for part in self._parts(inputs, axis)], axis) if known else \
                _product(inputs, kernel)
        else:
            pairs = zip(self._parts(inputs, rank - 1), self._parts(kernel, 0))
            out = _math.add_n([_product(part, rows) for part, rows in pairs])
        if self.bias is not None:
            out = _nn.bias_add(out, _math.cast(self.bias, inputs.dtype))
        return out if self.activation is None else self.activation(out)

    def get_config(self) -> dict:
        return {**super().get_config(), "serialization_factor": self.serialization_factor,
                "serialization_dimension": self.serialization_dimension}


def _product(x, kernel):
    return _math.tensordot(x, kernel, [[x.shape.rank - 1], [0]]) if x.shape.rank != 2 else _math.matmul(x, kernel)


for _kind in (PopnnLSTM, PopnnGRU, SerialDense):
    _layers.registry.named.setdefault(_kind.__name__, _kind)
_names.explain_missing(globals())
