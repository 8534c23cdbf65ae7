# SPDX-License-Identifier: MIT
"""tf.random: numbers of numpy's generator where they are drawn at once, of the device's in graphs."""
from __future__ import annotations

import numpy as np

from tensorflow.framework import dtypes, seeds
from tensorflow.framework.context import active
from tensorflow.framework.dispatch import apply
from tensorflow.framework.facts import operation
from tensorflow.framework.seeds import generator
from tensorflow.framework.tensors import EagerTensor, Tensor
from tensorflow.framework.typed import DTypeLike, ShapeLike, TensorLike
from tensorflow.ops import array_ops


def set_seed(seed: int) -> None:
    """Starts the random numbers again."""
    seeds.set_seed(seed)


set_random_seed = set_seed


def uniform_array(shape, seed=None):
    return generator(seed).random(tuple(shape))


for _op in ("RandomUniform", "RandomUniformInt", "RandomStandardNormal", "TruncatedNormal"):
    operation(_op, constants=(0,))


def _drawn(op, shape, dtype, attributes, draw, name):
    dtype = dtypes.as_dtype(dtype)
    if active() is not None:
        return apply(op, [array_ops._shape_tensor(shape)], {"dtype": dtype, **attributes}, out_types=[dtype], name=name)
    shape = tuple(int(d) for d in np.atleast_1d(np.asarray(array_ops._shape_tensor(shape))))
    return EagerTensor(np.asarray(draw(shape)).astype(dtype.as_numpy_dtype))


def normal(shape: ShapeLike, mean: TensorLike = 0.0, stddev: float = 1.0, dtype: DTypeLike = dtypes.float32,
           seed: int | None = None, name: str | None = None) -> Tensor:
    """Numbers from a normal distribution."""
    return _drawn("RandomStandardNormal", shape, dtype, {"mean": float(mean), "stddev": float(stddev)},
                  lambda s: generator(seed).normal(mean, stddev, s), name)


def uniform(shape: ShapeLike, minval: TensorLike = 0, maxval: TensorLike | None = None, dtype: DTypeLike = dtypes.float32,
            seed: int | None = None, name: str | None = None) -> Tensor:
    """Numbers evenly from [minval, maxval)."""
    dtype = dtypes.as_dtype(dtype)
    if dtype.is_integer:
        if maxval is None:
            raise ValueError(f"Must specify maxval for integer dtype {dtype.name}")
        return _drawn("RandomUniformInt", shape, dtype, {"minval": float(minval), "maxval": float(maxval)},
                      lambda s: generator(seed).integers(minval, maxval, s), name)
    maxval = 1 if maxval is None else maxval
    return _drawn("RandomUniform", shape, dtype, {"minval": float(minval), "maxval": float(maxval)},
                  lambda s: generator(seed).random(s) * (maxval - minval) + minval, name)


def truncated_array(shape, seed=None):
    """Normal numbers within two deviations; others are drawn again."""
    rng = generator(seed)
    out = rng.normal(size=shape)
    while True:
        far = np.abs(out) > 2
        if not far.any():
            return out
        out[far] = rng.normal(size=int(far.sum()))


def truncated_normal(shape: ShapeLike, mean: TensorLike = 0.0, stddev: float = 1.0, dtype: DTypeLike = dtypes.float32,
                     seed: int | None = None, name: str | None = None) -> Tensor:
    """From a normal distribution, without what is further than two deviations from the mean."""
    return _drawn("TruncatedNormal", shape, dtype, {"mean": float(mean), "stddev": float(stddev)},
                  lambda s: np.asarray(truncated_array(s, seed)) * stddev + mean, name)


def shuffle(value: TensorLike, seed: int | None = None, name: str | None = None) -> Tensor:
    """The slices of the first dimension in a random order."""
    if active() is not None:
        raise NotImplementedError("tf.random.shuffle in a graph is not there. Shuffle with tf.data.")
    return EagerTensor(generator(seed).permutation(np.asarray(value)))


names = "normal uniform truncated_normal shuffle set_seed".split()
