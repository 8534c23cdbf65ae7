# SPDX-License-Identifier: MIT
"""Layers that change their inputs at random while training, and ActivityRegularization."""
from __future__ import annotations

from tensorflow.framework.typed import NumberLike, ShapeLike, TensorLike
from tensorflow.framework.tensors import Tensor
from typing import Any

from tensorflow.keras import regularizers
from tensorflow.keras.engine.base_layer import InputSpec, Layer
from tensorflow.keras.layers.convolutional import normal_format
from tensorflow.keras.layers.core import Dropout
from tensorflow.ops import array_ops, math_ops, random_ops

__all__ = ["SpatialDropout1D", "SpatialDropout2D", "SpatialDropout3D", "GaussianNoise", "GaussianDropout", "AlphaDropout",
           "ActivityRegularization"]


class _SpatialDropout(Dropout):
    """Whole channels are dropped."""
    _rank = 1

    def __init__(self, rate, data_format=None, **kwargs):
        super().__init__(rate, **kwargs)
        self.data_format = normal_format(data_format)
        self.input_spec = InputSpec(ndim=self._rank + 2)

    def call(self, inputs, training=None):
        self.noise_shape = [None, *[1] * self._rank, None] if self.data_format == "channels_last" else \
            [None, None, *[1] * self._rank]
        return super().call(inputs, training)

    def get_config(self):
        out = super().get_config()
        return {**{k: v for k, v in out.items() if k not in ("noise_shape", "seed")},
                **({"data_format": self.data_format} if self._rank > 1 else {})}


class SpatialDropout1D(_SpatialDropout):
    """Sets whole channels of sequences to zero at random."""
    _rank = 1

    def __init__(self, rate: NumberLike, **kwargs: Any) -> None:
        super().__init__(rate, "channels_last", **kwargs)


class SpatialDropout2D(_SpatialDropout):
    """Sets whole channels of images to zero at random."""
    _rank = 2


class SpatialDropout3D(_SpatialDropout):
    """Sets whole channels of volumes to zero at random."""
    _rank = 3


def _shape(x):
    return array_ops.shape(x)


class GaussianNoise(Layer):
    """x + n, n normal with deviation `stddev`"""
    _config = ("stddev",)
    _in_both_modes = True

    def __init__(self, stddev: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.stddev, self.supports_masking = stddev, True

    def call(self, inputs: TensorLike, training: bool | None = None) -> Tensor:
        if not training:
            return inputs
        return math_ops.add(inputs, random_ops.normal(_shape(inputs), 0.0, self.stddev, inputs.dtype))


class GaussianDropout(Layer):
    """x * n, n normal around 1 with variance rate / (1 - rate)"""
    _config = ("rate",)
    _in_both_modes = True

    def __init__(self, rate: NumberLike, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not 0 <= rate < 1:
            raise ValueError(f"`rate` must be in the interval [0, 1), received {rate}.")
        self.rate, self.supports_masking = rate, True

    def call(self, inputs: TensorLike, training: bool | None = None) -> Tensor:
        if not training or not self.rate:
            return inputs
        deviation = (self.rate / (1.0 - self.rate)) ** 0.5
        return math_ops.multiply(inputs, random_ops.normal(_shape(inputs), 1.0, deviation, inputs.dtype))


class AlphaDropout(Layer):
    """For selu: what is dropped becomes selu's lower end, and a line keeps mean and variance."""
    _config = ("rate", "noise_shape", "seed")
    _in_both_modes = True
    _END = -1.6732632423543772 * 1.0507009873554805

    def __init__(self, rate: NumberLike, noise_shape: ShapeLike | None = None, seed: int | None = None,
                 **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.rate, self.noise_shape, self.seed, self.supports_masking = rate, noise_shape, seed, True

    def call(self, inputs: TensorLike, training: bool | None = None) -> Tensor:
        if not training or not 0 < self.rate < 1:
            return inputs
        shape = _shape(inputs) if self.noise_shape is None else self.noise_shape
        kept = math_ops.greater_equal(random_ops.uniform(shape, seed=self.seed), float(self.rate))
        kept = math_ops.cast(kept, inputs.dtype)
        a = ((1 - self.rate) * (1 + self.rate * self._END ** 2)) ** -0.5
        b = -a * self._END * self.rate
        dropped = math_ops.multiply(math_ops.subtract(1.0, kept), self._END)
        return math_ops.add(math_ops.multiply(math_ops.add(math_ops.multiply(inputs, kept), dropped), a), b)


class ActivityRegularization(Layer):
    """Adds  l1 * sum |x| + l2 * sum x^2  to the loss."""
    _config = ("l1", "l2")

    def __init__(self, l1: float = 0.0, l2: float = 0.0, **kwargs: Any) -> None:
        super().__init__(activity_regularizer=regularizers.L1L2(l1, l2), **kwargs)
        self.l1, self.l2, self.supports_masking = l1, l2, True

    def call(self, inputs: TensorLike) -> Tensor:
        return math_ops.identity(inputs)
