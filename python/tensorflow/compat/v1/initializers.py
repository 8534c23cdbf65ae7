# SPDX-License-Identifier: MIT
"""Initialisers by TensorFlow 1's names and defaults."""
from __future__ import annotations

from typing import Any

import numpy as np

from tensorflow.framework import dtypes
from tensorflow.framework.typed import DTypeLike, ShapeLike, TensorLike
from tensorflow.framework.tensors import Tensor
from tensorflow.keras import initializers as _keras


def _typed(base):
    """The same with an argument `dtype`: of values that are asked for without a type."""
    class Typed(base):
        __doc__ = base.__doc__

        def __init__(self, *args, dtype="float32", **kwargs):
            super().__init__(*args, **kwargs)
            self.dtype = dtypes.as_dtype(dtype)

        def __call__(self, shape, dtype=None, partition_info=None, **kwargs):
            return super().__call__(shape, dtype or self.dtype, **kwargs)
    Typed.__name__ = Typed.__qualname__ = base.__name__  # Keras saves and loads it by this name
    return Typed


class zeros_initializer(_typed(_keras.Zeros)):
    """Zeros."""

    def __init__(self, dtype: DTypeLike = "float32") -> None:
        super().__init__(dtype=dtype)


class ones_initializer(_typed(_keras.Ones)):
    """Ones."""

    def __init__(self, dtype: DTypeLike = "float32") -> None:
        super().__init__(dtype=dtype)


zeros, ones = zeros_initializer, ones_initializer
orthogonal_initializer = orthogonal = _typed(_keras.Orthogonal)
glorot_uniform_initializer = glorot_uniform = _typed(_keras.GlorotUniform)
glorot_normal_initializer = glorot_normal = _typed(_keras.GlorotNormal)
variance_scaling_initializer = variance_scaling = _typed(_keras.VarianceScaling)
he_normal, he_uniform, lecun_normal, lecun_uniform = map(_typed, (_keras.HeNormal, _keras.HeUniform, _keras.LecunNormal,
                                                                  _keras.LecunUniform))


class constant_initializer(_keras.Constant):
    """dtype: of variables that do not say theirs. A list of values for a shape of as many elements is put into it."""

    def __init__(self, value: TensorLike = 0, dtype: DTypeLike = "float32", verify_shape: bool = False) -> None:
        super().__init__(value)
        self.dtype, self._verify = dtypes.as_dtype(dtype), verify_shape

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None, partition_info: Any = None,
                 verify_shape: bool | None = None) -> Tensor:
        values, shape = np.asarray(self.value), tuple(shape)
        if (self._verify if verify_shape is None else verify_shape) and values.shape != shape:
            raise TypeError(f"Expected Tensor's shape: {shape}, got {values.shape}.")
        if values.size > 1 and values.size == np.prod(shape, dtype=int):
            values = values.reshape(shape)
        return self._tensor(np.broadcast_to(values, shape).copy(), dtype or self.dtype)


constant = constant_initializer


class random_normal_initializer(_typed(_keras.RandomNormal)):
    """From a normal distribution."""

    def __init__(self, mean: TensorLike = 0.0, stddev: float = 1.0, seed: int | None = None,
                 dtype: DTypeLike = "float32") -> None:
        super().__init__(mean, stddev, seed, dtype=dtype)


class truncated_normal_initializer(_typed(_keras.TruncatedNormal)):
    """From a normal distribution, cut off at two standard deviations."""

    def __init__(self, mean: TensorLike = 0.0, stddev: float = 1.0, seed: int | None = None,
                 dtype: DTypeLike = "float32") -> None:
        super().__init__(mean, stddev, seed, dtype=dtype)


class random_uniform_initializer(_typed(_keras.RandomUniform)):
    """From a uniform distribution between minval and maxval."""

    def __init__(self, minval: TensorLike = 0.0, maxval: TensorLike = 1.0, seed: int | None = None,
                 dtype: DTypeLike = "float32") -> None:
        super().__init__(minval, maxval, seed, dtype=dtype)


random_normal, truncated_normal, random_uniform = (random_normal_initializer, truncated_normal_initializer,
                                                   random_uniform_initializer)
