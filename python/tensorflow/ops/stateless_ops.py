# SPDX-License-Identifier: MIT
"""tf.random.stateless_*: numbers that follow from a seed of two integers alone, by numpy's counter-based generator. A seed that
is known makes a constant; one that a program computes asks the host."""
from __future__ import annotations

import numpy as np

from tensorflow.framework import dtypes
from tensorflow.framework.host_calls import host_call
from tensorflow.framework.tensors import EagerTensor, Tensor, constant_value, convert_to_tensor
from tensorflow.framework.typed import DTypeLike, ShapeLike, TensorLike
from tensorflow.ops import array_ops, math_ops


def _generator(seed):
    first, second = (int(v) & 0xffffffffffffffff for v in seed)
    return np.random.Generator(np.random.Philox(key=[first, second]))


def _drawn(shape, seed, dtype, draw, name):
    """draw(generator, shape) gives the numbers."""
    dtype, seed = dtypes.as_dtype(dtype), convert_to_tensor(seed)
    if seed.shape.as_list() != [2]:
        raise ValueError(f"seed must have shape [2], not {seed.shape}.")
    extents = constant_value(array_ops._shape_tensor(shape))
    if extents is None:
        raise ValueError("The shape of random numbers must be known when the graph is built.")
    extents = tuple(int(d) for d in np.atleast_1d(extents))
    known = constant_value(seed)
    if known is not None:
        return EagerTensor(np.asarray(draw(_generator(known), extents)).astype(dtype.as_numpy_dtype), dtype)
    return host_call(lambda arrays, _: [draw(_generator(arrays[0]), extents)], [seed], [(dtype, extents)], name)[0]


def stateless_uniform(shape: ShapeLike, seed: TensorLike, minval: TensorLike = 0, maxval: TensorLike | None = None,
                      dtype: DTypeLike = dtypes.float32, name: str | None = None, alg: str = "auto_select") -> Tensor:
    """From minval to maxval, which is left out."""
    dtype = dtypes.as_dtype(dtype)
    if dtype.is_integer:
        if maxval is None:
            raise ValueError(f"Must specify maxval for integer dtype {dtype.name}")
        low, high = int(minval), int(maxval)
        return _drawn(shape, seed, dtype, lambda g, s: g.integers(low, high, s), name or "stateless_uniform")
    high = 1 if maxval is None else maxval
    below = np.nextafter(dtype.as_numpy_dtype(high), dtype.as_numpy_dtype(minval))

    def draw(generator, s):
        return np.minimum((generator.random(s) * (high - minval) + minval).astype(dtype.as_numpy_dtype), below)
    return _drawn(shape, seed, dtype, draw, name or "stateless_uniform")


def stateless_normal(shape: ShapeLike, seed: TensorLike, mean: TensorLike = 0.0, stddev: float = 1.0,
                     dtype: DTypeLike = dtypes.float32, name: str | None = None, alg: str = "auto_select") -> Tensor:
    """Numbers from a normal distribution, the same for the same seed."""
    return _drawn(shape, seed, dtype, lambda g, s: g.normal(mean, stddev, s), name or "stateless_normal")


def stateless_truncated_normal(shape: ShapeLike, seed: TensorLike, mean: TensorLike = 0.0, stddev: float = 1.0,
                               dtype: DTypeLike = dtypes.float32, name: str | None = None,
                               alg: str = "auto_select") -> Tensor:
    """Within two deviations; others are drawn again."""
    def draw(generator, s):
        out = generator.normal(size=s)
        while (far := np.abs(out) > 2).any():
            out[far] = generator.normal(size=int(far.sum()))
        return out * stddev + mean
    return _drawn(shape, seed, dtype, draw, name or "stateless_truncated_normal")


def stateless_dropout(x, rate, seed, noise_shape=None):
    """x / (1 - rate), or 0 with probability rate."""
    x = convert_to_tensor(x)
    own = x.shape.as_list()
    shape = own if noise_shape is None else [o if d is None or d < 0 else int(d) for d, o in zip(noise_shape, own)]
    kept = math_ops.cast(math_ops.greater_equal(stateless_uniform(shape, seed), float(rate)), x.dtype)
    return math_ops.multiply(math_ops.multiply(x, x.dtype.as_numpy_dtype(1 / (1 - rate))), kept)


names = "stateless_uniform stateless_normal stateless_truncated_normal".split()
