# SPDX-License-Identifier: MIT
"""Initialisers: a shape and a type -> a tensor. `get` takes a name, a configuration, a function or an object."""
from __future__ import annotations

from typing import Any

import numpy as np

from tensorflow import _names
from tensorflow.framework import dtypes
from tensorflow.framework.tensors import EagerTensor, Tensor
from tensorflow.framework.typed import DTypeLike, ShapeLike, TensorLike
from tensorflow.keras.named import Registry, config_of
from tensorflow.ops import random_ops

_all = Registry("initializer")
get, serialize, deserialize = _all.get, _all.serialize, _all.deserialize


class Initializer:
    """What a weight holds at first: called with shape and dtype."""
    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None, **kwargs: Any) -> Any:
        raise NotImplementedError

    def get_config(self) -> dict:
        """The arguments it was made with."""
        return config_of(self)

    @classmethod
    def from_config(cls, config: dict) -> Any:
        """A new one from the arguments that get_config gave."""
        config = dict(config)
        config.pop("dtype", None)
        return cls(**config)

    @staticmethod
    def _tensor(array, dtype):
        dtype = dtypes.as_dtype(dtype or "float32")
        return EagerTensor(np.asarray(array).astype(dtype.as_numpy_dtype))


@_all.add("zeros", "Zero", "zero")
class Zeros(Initializer):
    """All elements zero."""
    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None, **kwargs: Any) -> Tensor:
        return self._tensor(np.zeros(tuple(shape)), dtype)


@_all.add("ones", "One", "one")
class Ones(Initializer):
    """All elements one."""
    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None, **kwargs: Any) -> Tensor:
        return self._tensor(np.ones(tuple(shape)), dtype)


@_all.add("constant")
class Constant(Initializer):
    """All elements the same."""
    _config = ("value",)

    def __init__(self, value: TensorLike = 0) -> None:
        self.value = value

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None, **kwargs: Any) -> Tensor:
        return self._tensor(np.broadcast_to(np.asarray(self.value), tuple(shape)).copy(), dtype)


@_all.add("random_uniform", "uniform")
class RandomUniform(Initializer):
    """Evenly from an interval."""
    _config = ("minval", "maxval", "seed")

    def __init__(self, minval: TensorLike = -0.05, maxval: TensorLike = 0.05, seed: int | None = None) -> None:
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None, **kwargs: Any) -> Tensor:
        u = random_ops.uniform_array(shape, self.seed)
        return self._tensor(self.minval + u * (self.maxval - self.minval), dtype)


@_all.add("random_normal", "normal")
class RandomNormal(Initializer):
    """From a normal distribution."""
    _config = ("mean", "stddev", "seed")

    def __init__(self, mean: TensorLike = 0.0, stddev: float = 0.05, seed: int | None = None) -> None:
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None, **kwargs: Any) -> Tensor:
        return self._tensor(random_ops.generator(self.seed).normal(self.mean, self.stddev, tuple(shape)), dtype)


@_all.add("truncated_normal")
class TruncatedNormal(RandomNormal):
    """From a normal distribution, without what is further than two deviations from the mean."""
    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None, **kwargs: Any) -> Tensor:
        return self._tensor(random_ops.truncated_array(tuple(shape), self.seed) * self.stddev + self.mean, dtype)


def fans(shape: ShapeLike) -> tuple:
    """(in, out) of a kernel [field..., in, out]."""
    shape = tuple(shape)
    if len(shape) < 1:
        return 1, 1
    if len(shape) == 1:
        return shape[0], shape[0]
    field = int(np.prod(shape[:-2], dtype=int))
    return shape[-2] * field, shape[-1] * field


@_all.add("variance_scaling")
class VarianceScaling(Initializer):
    """From a distribution whose variance is `scale` over the inputs, outputs or their mean."""
    _config = ("scale", "mode", "distribution", "seed")
    # A normal distribution that is cut off at two deviations has this one left.
    _CUT = 0.87962566103423978

    def __init__(self, scale: TensorLike = 1.0, mode: str = "fan_in", distribution: str = "truncated_normal",
                 seed: int | None = None) -> None:
        if scale <= 0:
            raise ValueError("`scale` must be positive float.")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(f"Invalid `mode` argument: {mode}")
        distribution = {"normal": "truncated_normal"}.get(distribution, distribution)
        if distribution not in ("uniform", "truncated_normal", "untruncated_normal"):
            raise ValueError(f"Invalid `distribution` argument: {distribution}")
        self.scale, self.mode, self.distribution, self.seed = scale, mode, distribution, seed

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None, **kwargs: Any) -> Tensor:
        fan_in, fan_out = fans(shape)
        n = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}[self.mode]
        scale = self.scale / max(1.0, n)
        shape = tuple(shape)
        if self.distribution == "uniform":
            limit = np.sqrt(3 * scale)
            out = (random_ops.uniform_array(shape, self.seed) * 2 - 1) * limit
        elif self.distribution == "truncated_normal":
            out = random_ops.truncated_array(shape, self.seed) * np.sqrt(scale) / self._CUT
        else:
            out = random_ops.generator(self.seed).normal(0, np.sqrt(scale), shape)
        return self._tensor(out, dtype)


def _scaled(name, scale, mode, distribution, *also):
    def __init__(self, seed=None):
        VarianceScaling.__init__(self, scale, mode, distribution, seed)

    def get_config(self):
        """The arguments that make another like it."""
        return {"seed": self.seed}

    count = {"fan_in": "number of inputs", "fan_avg": "mean number of inputs and outputs"}[mode]
    text = f"From a {distribution.replace('_', ' ')} distribution. Its variance is {scale:g} over the {count}."
    kind = type(name, (VarianceScaling,), {"__init__": __init__, "get_config": get_config, "__module__": __name__,
                                           "__doc__": text})
    return _all.add(*also)(kind)


GlorotUniform = _scaled("GlorotUniform", 1.0, "fan_avg", "uniform", "glorot_uniform")
GlorotNormal = _scaled("GlorotNormal", 1.0, "fan_avg", "truncated_normal", "glorot_normal")
HeUniform = _scaled("HeUniform", 2.0, "fan_in", "uniform", "he_uniform")
HeNormal = _scaled("HeNormal", 2.0, "fan_in", "truncated_normal", "he_normal")
LecunUniform = _scaled("LecunUniform", 1.0, "fan_in", "uniform", "lecun_uniform")
LecunNormal = _scaled("LecunNormal", 1.0, "fan_in", "truncated_normal", "lecun_normal")


@_all.add("orthogonal")
class Orthogonal(Initializer):
    """A random orthogonal matrix times `gain`."""
    _config = ("gain", "seed")

    def __init__(self, gain: float = 1.0, seed: int | None = None) -> None:
        self.gain, self.seed = gain, seed

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None, **kwargs: Any) -> Tensor:
        if len(shape) < 2:
            raise ValueError("The tensor to initialize must be at least two-dimensional")
        rows, columns = int(np.prod(shape[:-1])), shape[-1]
        a = random_ops.generator(self.seed).normal(size=(max(rows, columns), min(rows, columns)))
        q, r = np.linalg.qr(a)
        q = q * np.sign(np.diag(r))
        q = q.T if rows < columns else q
        return self._tensor(self.gain * q.reshape(shape), dtype)


@_all.add("identity")
class Identity(Initializer):
    """The identity matrix times `gain`."""
    _config = ("gain",)

    def __init__(self, gain: float = 1.0) -> None:
        self.gain = gain

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None, **kwargs: Any) -> Tensor:
        if len(shape) != 2:
            raise ValueError("Identity matrix initializer can only be used for 2D matrices.")
        return self._tensor(self.gain * np.eye(*shape), dtype)


zeros, ones, constant = Zeros, Ones, Constant
random_uniform, random_normal, truncated_normal = RandomUniform, RandomNormal, TruncatedNormal
variance_scaling, orthogonal, identity = VarianceScaling, Orthogonal, Identity
glorot_uniform, glorot_normal, he_uniform, he_normal = GlorotUniform, GlorotNormal, HeUniform, HeNormal
lecun_uniform, lecun_normal = LecunUniform, LecunNormal
_names.explain_missing(globals())
