# SPDX-License-Identifier: MIT
"""Fields made larger or smaller: ZeroPadding, Cropping, UpSampling of one to three dimensions."""
from __future__ import annotations

from tensorflow.framework.typed import TensorLike
from tensorflow.framework.tensors import Tensor
from typing import Any, Sequence

from tensorflow.keras.engine.base_layer import InputSpec, Layer
from tensorflow.keras.layers.convolutional import normal_format, spread
from tensorflow.ops import array_ops, image_ops

__all__ = ["ZeroPadding1D", "ZeroPadding2D", "ZeroPadding3D", "Cropping1D", "Cropping2D", "Cropping3D", "UpSampling1D",
           "UpSampling2D", "UpSampling3D"]


def _sides(value, dims, name):
    """One number, one per dimension, or (begin, end) of each."""
    if isinstance(value, int):
        value = [value] * dims
    elif dims == 1 and not isinstance(value[0], (tuple, list)):
        value = [tuple(value)]
    if len(value) != dims:
        raise ValueError(f"`{name}` should have {dims} elements. Found: {value}")
    return tuple((v, v) if isinstance(v, int) else tuple(v) for v in value)


class _Field(Layer):
    _rank = 1

    def __init__(self, data_format, **kwargs):
        super().__init__(**kwargs)
        self.data_format = normal_format(data_format)
        self.input_spec = InputSpec(ndim=self._rank + 2)

    @property
    def _first(self):
        return 1 if self.data_format == "channels_last" else 2

    def get_config(self):
        return {**super().get_config(), **({"data_format": self.data_format} if self._rank > 1 else {})}


class _ZeroPadding(_Field):
    def __init__(self, padding, data_format, **kwargs):
        super().__init__(data_format, **kwargs)
        self.padding = _sides(padding, self._rank, "padding")

    def call(self, inputs):
        pads = [[0, 0]] * (self._rank + 2)
        pads[self._first:self._first + self._rank] = [list(p) for p in self.padding]
        return array_ops.pad(inputs, pads)

    def get_config(self):
        return {**super().get_config(), "padding": self.padding[0] if self._rank == 1 else self.padding}


class ZeroPadding1D(_ZeroPadding):
    """Zeros at both ends of sequences."""
    _rank = 1

    def __init__(self, padding: str | int | Sequence = 1, **kwargs: Any) -> None:
        super().__init__(padding, "channels_last", **kwargs)


class ZeroPadding2D(_ZeroPadding):
    """Zeros around images."""
    _rank = 2

    def __init__(self, padding: str | int | Sequence = (1, 1), data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(padding, data_format, **kwargs)


class ZeroPadding3D(_ZeroPadding):
    """Zeros around volumes."""
    _rank = 3

    def __init__(self, padding: str | int | Sequence = (1, 1, 1), data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(padding, data_format, **kwargs)


class _Cropping(_Field):
    def __init__(self, cropping, data_format, **kwargs):
        super().__init__(data_format, **kwargs)
        self.cropping = _sides(cropping, self._rank, "cropping")

    def call(self, inputs):
        keys = [slice(None)] * (self._rank + 2)
        for d, (begin, end) in enumerate(self.cropping):
            extent = inputs.shape[self._first + d]
            if extent is not None and begin + end >= extent:
                raise ValueError(f"cropping {self.cropping} leaves nothing of an input of shape {inputs.shape}")
            keys[self._first + d] = slice(begin, None if end == 0 else -end if extent is None else extent - end)
        return inputs[tuple(keys)]

    def get_config(self):
        return {**super().get_config(), "cropping": self.cropping[0] if self._rank == 1 else self.cropping}


class Cropping1D(_Cropping):
    """Cuts off both ends of sequences."""
    _rank = 1

    def __init__(self, cropping: int | Sequence[int] = (1, 1), **kwargs: Any) -> None:
        super().__init__(cropping, "channels_last", **kwargs)


class Cropping2D(_Cropping):
    """Cuts off the edges of images."""
    _rank = 2

    def __init__(self, cropping: int | Sequence[int] = ((0, 0), (0, 0)), data_format: str | None = None,
                 **kwargs: Any) -> None:
        super().__init__(cropping, data_format, **kwargs)


class Cropping3D(_Cropping):
    """Cuts off the sides of volumes."""
    _rank = 3

    def __init__(self, cropping: int | Sequence[int] = ((1, 1), (1, 1), (1, 1)), data_format: str | None = None,
                 **kwargs: Any) -> None:
        super().__init__(cropping, data_format, **kwargs)


def _repeated(x, n, axis):
    """Every row n times, as a view: no lookup, whose gradient would be one too."""
    shape = array_ops.dims(x)
    rows = array_ops.tile(array_ops.expand_dims(x, axis + 1), [n if d == axis + 1 else 1 for d in range(len(shape) + 1)])
    shape[axis] = shape[axis] * n
    return array_ops.reshape(rows, shape)


class _UpSampling(_Field):
    def __init__(self, size, data_format, **kwargs):
        super().__init__(data_format, **kwargs)
        self.size = spread(size, self._rank, "size")

    def call(self, inputs):
        for d, n in enumerate(self.size):
            inputs = _repeated(inputs, n, self._first + d)
        return inputs

    def get_config(self):
        return {**super().get_config(), "size": self.size[0] if self._rank == 1 else self.size}


class UpSampling1D(_UpSampling):
    """Repeats each step."""
    _rank = 1

    def __init__(self, size: int | Sequence[int] = 2, **kwargs: Any) -> None:
        super().__init__(size, "channels_last", **kwargs)


class UpSampling2D(_UpSampling):
    """Larger images, by the nearest element or linearly."""
    _rank = 2

    def __init__(self, size: int | Sequence[int] = (2, 2), data_format: str | None = None, interpolation: str = "nearest",
                 **kwargs: Any) -> None:
        super().__init__(size, data_format, **kwargs)
        if interpolation not in ("nearest", "bilinear"):
            raise ValueError(f'`interpolation` argument should be one of `"nearest"` or `"bilinear"`: {interpolation}')
        self.interpolation = interpolation

    def call(self, inputs: TensorLike) -> Tensor:
        if self.interpolation == "nearest":
            return super().call(inputs)
        return image_ops.resize_field(inputs, [inputs.shape[self._first + d] * n for d, n in enumerate(self.size)],
                                      "bilinear", self._first)

    def get_config(self) -> dict:
        return {**super().get_config(), "interpolation": self.interpolation}


class UpSampling3D(_UpSampling):
    """Repeats elements of volumes."""
    _rank = 3

    def __init__(self, size: int | Sequence[int] = (2, 2, 2), data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(size, data_format, **kwargs)
