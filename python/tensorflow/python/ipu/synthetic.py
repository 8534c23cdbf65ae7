# SPDX-License-Identifier: MIT
"""Data that is made up instead of moved between host and device: TF_POPLAR_FLAGS' synthetic data. Inputs are then variables of
the program, filled once; parameters are sent once, with values that nobody gave, and never come back."""
import numpy as np

from tensorflow.framework.execution import device_arrays
from tensorflow.python.ipu import flags


def filled(shape, dtype, salt=0):
    """An array as --synthetic_data_initializer says; zeros without it."""
    kind = np.dtype(dtype)
    how = flags.current().synthetic_data_initializer
    if how in ("random", "uniform", "normal"):
        draw = np.random.default_rng([57, salt])
        values = draw.uniform(0, 1, shape) if how == "uniform" else draw.normal(size=shape)
        if kind.kind == "b":
            values = values > (0.5 if how == "uniform" else 0)
        if kind.kind in "iu":  # labels and indices
            values = np.abs(values)
        return np.asarray(values).astype(kind)
    return np.full(shape, float(how or 0)).astype(kind)


def inputs(tensors):
    return [np.ascontiguousarray(filled(t.shape.as_list(), device_arrays[t.dtype.device_type], i))
            for i, t in enumerate(tensors)]


def parameter(variable):
    return filled(variable.memory.shape, variable.memory.dtype, variable.memory.size)
