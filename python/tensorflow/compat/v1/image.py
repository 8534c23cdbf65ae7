# SPDX-License-Identifier: MIT
"""tf.image of TensorFlow 1: that of TensorFlow 2, but pixel i of a resized image is taken at i * size / new size of the
other, or, with align_corners, so that the corners are the same."""
from __future__ import annotations

import typing as _typing

import numpy as _np

from tensorflow import _names
from tensorflow.compat.v1.composed import extract_image_patches  # noqa: F401
from tensorflow.framework import dtypes as _dtypes
from tensorflow.framework.tensors import convert_to_tensor as _convert
from tensorflow.image import *  # noqa: F401,F403
from tensorflow.ops import array_ops as _array
from tensorflow.ops import image_ops as _ops
from tensorflow.ops import math_ops as _math
if _typing.TYPE_CHECKING:  # of annotations
    from typing import Any, Sequence
    from tensorflow.framework.tensors import Tensor
    from tensorflow.framework.typed import TensorLike


class ResizeMethod:
    """How resize finds a pixel between pixels."""
    BILINEAR, NEAREST_NEIGHBOR, BICUBIC, AREA = range(4)


def _places(n, size, corners):
    return _np.arange(size) * ((n - 1) / (size - 1) if corners and size > 1 else n / size)


def _axis(x, axis, size, nearest, corners):
    n = x.shape[axis]
    at = _places(n, size, corners)
    if nearest:
        rows = _np.floor(at + 0.5) if corners else _np.floor(at)
        return _array.gather(x, _np.minimum(rows, n - 1).astype("int32"), axis=axis)
    low = _np.minimum(_np.floor(at), n - 1).astype("int32")
    share = (at - low).astype(x.dtype.as_numpy_dtype).reshape([-1 if d == axis else 1 for d in range(x.shape.rank)])
    first, second = (_array.gather(x, rows, axis=axis) for rows in (low, _np.minimum(low + 1, n - 1)))
    return _math.add(first, _math.multiply(_math.subtract(second, first), share))


def resize_images(images: TensorLike, size: int | Sequence[int], method: int = ResizeMethod.BILINEAR,
                  align_corners: bool = False, preserve_aspect_ratio: bool = False, name: str | None = None) -> Tensor:
    """Images of another size; BILINEAR, NEAREST_NEIGHBOR or AREA."""
    x = _convert(images)
    if x.shape.rank not in (3, 4):
        raise ValueError("'images' must have either 3 or 4 dimensions.")
    if preserve_aspect_ratio:
        raise NotImplementedError("tf.image.resize_images with preserve_aspect_ratio is not there.")
    if method == ResizeMethod.AREA:
        return _ops.resize(x, size, "area")
    if method not in (ResizeMethod.BILINEAR, ResizeMethod.NEAREST_NEIGHBOR):
        raise NotImplementedError(f"tf.image.resize_images: method {method!r} is not there; there are BILINEAR, "
                                  "NEAREST_NEIGHBOR and AREA.")
    nearest = method == ResizeMethod.NEAREST_NEIGHBOR
    if not nearest and x.dtype is not _dtypes.float16:
        x = _math.cast(x, _dtypes.float32)
    for axis, extent in enumerate(_np.asarray(size).tolist(), x.shape.rank - 3):
        x = x if x.shape[axis] == extent else _axis(x, axis, int(extent), nearest, align_corners)
    return x


resize = resize_images


def resize_bilinear(images: TensorLike, size: int | Sequence[int], align_corners: bool = False, name: str | None = None,
                    half_pixel_centers: bool = False) -> Tensor:
    """Images of another size, from the four nearest pixels."""
    return _ops.resize(images, size, "bilinear") if half_pixel_centers else \
        resize_images(images, size, ResizeMethod.BILINEAR, align_corners)


def resize_nearest_neighbor(images: TensorLike, size: int | Sequence[int], align_corners: bool = False,
                            name: str | None = None, half_pixel_centers: bool = False) -> Tensor:
    """Images of another size, from the nearest pixel."""
    return _ops.resize(images, size, "nearest") if half_pixel_centers else \
        resize_images(images, size, ResizeMethod.NEAREST_NEIGHBOR, align_corners)


def resize_area(images: TensorLike, size: int | Sequence[int], align_corners: bool = False, name: str | None = None) -> Any:
    """Images of another size, from the mean of the pixels that each new one covers."""
    if align_corners:
        raise NotImplementedError("tf.image.resize_area with align_corners is not there.")
    return _ops.resize(images, size, "area")


resize_image_with_crop_or_pad = _ops.resize_with_crop_or_pad
_names.explain_missing(globals())
