# SPDX-License-Identifier: MIT
"""Pictures as networks want them: numpy arrays [height, width, channels] in and out."""
from __future__ import annotations

from typing import Any, Callable, Sequence

import numpy as np

from ..._names import refuse_options, refuse_unknown
from ...typed import TensorLike


class Compose:
    """Several transforms, one after the other."""
    def __init__(self, transforms: Sequence) -> None:
        self.transforms = list(transforms)

    def __call__(self, data: TensorLike) -> Any:
        for transform in self.transforms:
            data = transform(data)
        return data


def _array(image):
    array = np.asarray(image)
    return array[:, :, None] if array.ndim == 2 else array


def to_tensor(pic: TensorLike, data_format: str = "CHW") -> Any:
    """Bytes as numbers up to 1, channels first."""
    array = _array(pic)
    out = array.astype(np.float32) / 255 if array.dtype == np.uint8 else array.astype(np.float32)
    return out.transpose(2, 0, 1) if data_format == "CHW" else out


def normalize(img: TensorLike, mean: TensorLike, std: list, data_format: str = "CHW", to_rgb: bool = False) -> np.ndarray:
    """to_rgb: the channels are blue, green and red, and are turned round."""
    shape = (-1, 1, 1) if data_format == "CHW" else (1, 1, -1)
    img = np.flip(img, 0 if data_format == "CHW" else -1) if to_rgb else img
    return ((np.asarray(img, np.float32) - np.reshape(mean, shape)) / np.reshape(std, shape)).astype(np.float32)


def resize(img: TensorLike, size: int | Sequence[int], interpolation: str = "bilinear") -> Any:
    """A picture in another size."""
    from PIL import Image  # not everybody has it
    array = _array(img)
    if isinstance(size, int):
        h, w = array.shape[:2]
        size = (size, int(size * w / h)) if h < w else (int(size * h / w), size)
    modes: Any = {"nearest": Image.NEAREST, "bilinear": Image.BILINEAR, "bicubic": Image.BICUBIC}
    picture = Image.fromarray(array[:, :, 0] if array.shape[2] == 1 else array)
    return _array(picture.resize((size[1], size[0]), modes[interpolation]))


def center_crop(img: TensorLike, output_size: int | Sequence[int]) -> Any:
    """The middle of a picture."""
    array, (h, w) = _array(img), (output_size, output_size) if isinstance(output_size, int) else output_size
    y, x = (array.shape[0] - h) // 2, (array.shape[1] - w) // 2
    return array[y:y + h, x:x + w]


class _Function:
    _function: "Callable[..., Any]"

    def __init__(self, *args, keys=None, **kwargs):
        refuse_options(type(self).__name__, keys=keys)
        self._args, self._kwargs = args, kwargs

    def __call__(self, img):
        return type(self)._function(img, *self._args, **self._kwargs)


class ToTensor(_Function):
    """Channels first, and values from 0 to 1."""
    _function = staticmethod(to_tensor)


class Normalize(_Function):
    """Subtracts a mean and divides by a deviation, channel by channel."""
    _function = staticmethod(normalize)

    def __init__(self, mean: TensorLike = 0.0, std: float | list = 1.0, data_format: str = "CHW", to_rgb: bool = False,
                 keys: list | None = None) -> None:
        super().__init__(mean, std, data_format, to_rgb, keys=keys)


class Resize(_Function):
    """Another size."""
    _function = staticmethod(resize)


class CenterCrop(_Function):
    """Cuts the middle out of a picture."""
    _function = staticmethod(center_crop)


class Transpose(_Function):
    """Dimensions in another order."""
    def __init__(self, order: Sequence = (2, 0, 1), keys: Any = None) -> None:
        super().__init__(keys=keys)
        self._order = order

    def __call__(self, img: TensorLike) -> Any:
        return _array(img).transpose(self._order)


refuse_unknown(__name__)
