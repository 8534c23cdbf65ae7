# SPDX-License-Identifier: MIT
"""Preprocessing as layers: Rescaling, Resizing, CenterCrop, Normalization, CategoryEncoding, RandomFlip."""
from __future__ import annotations

from typing import Any

import numpy as np

from tensorflow.framework.shapes import TensorShape
from tensorflow.framework.typed import AxisLike, TensorLike
from tensorflow.framework.tensors import Tensor
from tensorflow.keras.engine.base_layer import Layer
from tensorflow.ops import array_ops, image_ops, math_ops, random_ops

__all__ = ["Rescaling", "Resizing", "CenterCrop", "Normalization", "CategoryEncoding", "RandomFlip"]


class Rescaling(Layer):
    """x * scale + offset"""
    _config = ("scale", "offset")

    def __init__(self, scale: TensorLike, offset: TensorLike = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.scale, self.offset = scale, offset

    def call(self, inputs: TensorLike) -> Tensor:
        x = math_ops.cast(inputs, self.compute_dtype)
        scale, offset = (np.asarray(v, x.dtype.as_numpy_dtype) for v in (self.scale, self.offset))
        return math_ops.add(math_ops.multiply(x, scale), offset)


class Resizing(Layer):
    """Images in another size."""
    _config = ("height", "width", "interpolation")

    def __init__(self, height: int, width: int, interpolation: str = "bilinear", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.height, self.width, self.interpolation = height, width, interpolation

    def call(self, inputs: TensorLike) -> Tensor:
        return image_ops.resize(inputs, [self.height, self.width], self.interpolation)


class CenterCrop(Layer):
    """Cuts the middle out of images."""
    _config = ("height", "width")

    def __init__(self, height: int, width: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.height, self.width = height, width

    def call(self, inputs: TensorLike) -> Tensor:
        rows, columns = inputs.shape[-3], inputs.shape[-2]
        if rows < self.height or columns < self.width:
            raise ValueError(f"CenterCrop({self.height}, {self.width}): the images of shape {inputs.shape} are smaller.")
        top, left = (rows - self.height) // 2, (columns - self.width) // 2
        return inputs[..., top:top + self.height, left:left + self.width, :]


class Normalization(Layer):
    """(x - mean) / sqrt(variance), of adapt()'s data or given, along `axis`."""

    def __init__(self, axis: AxisLike = -1, mean: TensorLike | None = None, variance: TensorLike | None = None,
                 **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if (mean is None) != (variance is None):
            raise ValueError(f"When setting values directly, both `mean` and `variance` must be set. Got mean: {mean} and "
                             f"variance: {variance}")
        self.axis = () if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
        self.input_mean, self.input_variance = mean, variance
        self.mean: Any = None
        self.variance: Any = None

    def adapt(self, data: TensorLike, batch_size: int | None = None, steps: int | None = None) -> None:
        """Takes mean and variance from data."""
        batches = [np.asarray(data)] if not hasattr(data, "known_size") else [np.asarray(b) for b in data]
        x = np.concatenate([b.astype(np.float64) for b in batches])
        kept = {a % x.ndim for a in self.axis}
        axes = tuple(d for d in range(x.ndim) if d not in kept)
        self._set(x.mean(axes), x.var(axes), x.shape)

    def _set(self, mean, variance, shape):
        kept = sorted(a % len(shape) for a in self.axis)
        wide = [shape[d] if d in kept else 1 for d in range(len(shape))]
        self.mean, self.variance = (np.broadcast_to(np.asarray(v, np.float32), [shape[d] for d in kept]).reshape(wide)
                                    for v in (mean, variance))
        self.built = True

    def _take_given(self, inputs):
        if self.mean is None:
            if self.input_mean is None:
                raise RuntimeError("Normalization has no mean and variance: call adapt() with data first.")
            self._set(self.input_mean, self.input_variance, TensorShape(inputs.shape).as_list())

    def call(self, inputs: TensorLike) -> Tensor:
        self._take_given(inputs)
        x = math_ops.cast(inputs, self.compute_dtype)
        deviation = np.maximum(np.sqrt(self.variance), 1e-7)
        return math_ops.divide(math_ops.subtract(x, self.mean.astype(x.dtype.as_numpy_dtype)),
                               deviation.astype(x.dtype.as_numpy_dtype))

    def get_config(self) -> dict:
        return {**super().get_config(), "axis": self.axis,
                "mean": None if self.mean is None else self.mean.ravel().tolist(),
                "variance": None if self.variance is None else self.variance.ravel().tolist()}


class CategoryEncoding(Layer):
    """Numbers [batch, n] as rows: "multi_hot" (which are there), "one_hot" (of one number), "count" (how often)."""
    _config = ("num_tokens", "output_mode")

    def __init__(self, num_tokens: int | None = None, output_mode: str = "multi_hot", **kwargs: Any) -> None:
        output_mode = {"binary": "multi_hot"}.get(output_mode, output_mode)
        if output_mode not in ("multi_hot", "one_hot", "count"):
            raise ValueError(f"output_mode must be 'multi_hot', 'one_hot' or 'count', not {output_mode!r}")
        if num_tokens is None:
            raise ValueError("num_tokens must be set to use this layer.")
        super().__init__(**kwargs)
        self.num_tokens, self.output_mode = num_tokens, output_mode
        self._input_dtype = "int32"

    def call(self, inputs: TensorLike) -> Tensor:
        rows = array_ops.one_hot(math_ops.cast(inputs, "int32"), self.num_tokens)
        if self.output_mode == "one_hot":
            return array_ops.squeeze(rows, [-2]) if inputs.shape.rank > 1 and inputs.shape[-1] == 1 else rows
        if inputs.shape.rank < 2:
            return rows
        return math_ops.reduce_max(rows, -2) if self.output_mode == "multi_hot" else math_ops.reduce_sum(rows, -2)


class RandomFlip(Layer):
    """While training every image is mirrored with probability 1/2, in each of the directions of `mode`."""
    _config = ("mode", "seed")

    def __init__(self, mode: str = "horizontal_and_vertical", seed: int | None = None, **kwargs: Any) -> None:
        if mode not in ("horizontal", "vertical", "horizontal_and_vertical"):
            raise ValueError(f"RandomFlip layer received an unknown mode argument {mode}")
        super().__init__(**kwargs)
        self.mode, self.seed = mode, seed

    def call(self, inputs: TensorLike, training: bool | None = None) -> Tensor:
        if not training:
            return inputs
        for name, axis in (("horizontal", -2), ("vertical", -3)):
            if name in self.mode:
                shape = [array_ops.shape(inputs)[0] if inputs.shape[0] is None else inputs.shape[0], 1, 1, 1]
                turned = math_ops.less(random_ops.uniform(shape, seed=self.seed), 0.5)
                inputs = math_ops.where(turned, array_ops.reverse(inputs, [axis]), inputs)
        return inputs
