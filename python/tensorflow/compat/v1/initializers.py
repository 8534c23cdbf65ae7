# SPDX-License-Identifier: MIT
"""Initialisers by TensorFlow 1's names and defaults."""
from tensorflow.keras import initializers as _keras

zeros_initializer = zeros = _keras.Zeros
ones_initializer = ones = _keras.Ones
constant_initializer = constant = _keras.Constant
orthogonal_initializer = orthogonal = _keras.Orthogonal
glorot_uniform_initializer = glorot_uniform = _keras.GlorotUniform
glorot_normal_initializer = glorot_normal = _keras.GlorotNormal
variance_scaling_initializer = variance_scaling = _keras.VarianceScaling
he_normal, he_uniform, lecun_normal, lecun_uniform = (_keras.HeNormal, _keras.HeUniform, _keras.LecunNormal,
                                                      _keras.LecunUniform)


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
