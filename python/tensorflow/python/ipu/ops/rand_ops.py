# SPDX-License-Identifier: MIT
"""Dropout on the device."""
from tensorflow.framework.logs import without_effect
from tensorflow.ops import nn_ops, stateless_ops


def dropout(x, rate=0.5, noise_shape=None, seed=None, name=None, ref=None, **kwargs):
    """seed: two integers that alone decide what is dropped. Without it the device's seed does, and every call has its own."""
    if kwargs:
        raise TypeError(f"dropout() got an unexpected keyword argument {next(iter(kwargs))!r}.")
    without_effect(ref=ref is not None or None)
    if not 0 <= rate < 1:
        raise ValueError(f"The rate must be from 0 to below 1, not {rate}.")
    if seed is not None and rate:
        return stateless_ops.stateless_dropout(x, float(rate), seed, noise_shape)
    return nn_ops.dropout(x, rate, noise_shape)
