# SPDX-License-Identifier: MIT
"""Initialisers by TensorFlow 1's names and defaults."""
import numpy as np

from tensorflow.framework import dtypes
from tensorflow.keras import initializers as _keras

zeros_initializer = zeros = _keras.Zeros
ones_initializer = ones = _keras.Ones
orthogonal_initializer = orthogonal = _keras.Orthogonal
glorot_uniform_initializer = glorot_uniform = _keras.GlorotUniform
glorot_normal_initializer = glorot_normal = _keras.GlorotNormal
variance_scaling_initializer = variance_scaling = _keras.VarianceScaling
he_normal, he_uniform, lecun_normal, lecun_uniform = (_keras.HeNormal, _keras.HeUniform, _keras.LecunNormal,
                                                      _keras.LecunUniform)


class constant_initializer(_keras.Constant):
    """dtype: of variables that do not say theirs. A list of values for a shape of as many elements is put into it."""

    def __init__(self, value=0, dtype="float32", verify_shape=False):
        super().__init__(value)
        self.dtype, self._verify = dtypes.as_dtype(dtype), verify_shape

    def __call__(self, shape, dtype=None, partition_info=None, verify_shape=None):
        values, shape = np.asarray(self.value), tuple(shape)
        if (self._verify if verify_shape is None else verify_shape) and values.shape != shape:
            raise TypeError(f"Expected Tensor's shape: {shape}, got {values.shape}.")
        if values.size > 1 and values.size == np.prod(shape, dtype=int):
            values = values.reshape(shape)
        return self._tensor(np.broadcast_to(values, shape).copy(), dtype or self.dtype)


constant = constant_initializer


class random_normal_initializer(_keras.RandomNormal):
    def __init__(self, mean=0.0, stddev=1.0, seed=None, dtype=None):
        super().__init__(mean, stddev, seed)


class truncated_normal_initializer(_keras.TruncatedNormal):
    def __init__(self, mean=0.0, stddev=1.0, seed=None, dtype=None):
        super().__init__(mean, stddev, seed)


class random_uniform_initializer(_keras.RandomUniform):
    def __init__(self, minval=0.0, maxval=1.0, seed=None, dtype=None):
        super().__init__(minval, maxval, seed)


random_normal, truncated_normal, random_uniform = (random_normal_initializer, truncated_normal_initializer,
                                                   random_uniform_initializer)
