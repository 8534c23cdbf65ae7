# SPDX-License-Identifier: MIT
"""Dropout on the device."""
from tensorflow.ops import nn_ops


def dropout(x, rate=0.5, noise_shape=None, seed=None, name=None, ref=None, **kwargs):
    if seed is not None:
        raise NotImplementedError("rand_ops.dropout with a seed is not there: ipu.utils.reset_ipu_seed sets that of the "
                                  "device.")
    if ref is not None or kwargs:
        raise NotImplementedError(f"rand_ops.dropout: {', '.join(['ref'] if ref is not None else list(kwargs))} is not there; "
                                  "docs/tensorflow.md lists what is.")
    return nn_ops.dropout(x, rate, noise_shape)
