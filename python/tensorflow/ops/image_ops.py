# SPDX-License-Identifier: MIT
"""tf.image: resizing by matrices of weights, flips, crops, brightness. Images are [height, width, channels] or a batch."""
from __future__ import annotations

from typing import Any

import numpy as np

from tensorflow.framework import dtypes
from tensorflow.framework.tensors import EagerTensor, Tensor, convert_to_tensor
from tensorflow.framework.typed import DTypeLike, ShapeLike, TensorLike
from tensorflow.ops import array_ops, math_ops, random_ops


class ResizeMethod:
    """How images are resized."""
    BILINEAR, NEAREST_NEIGHBOR, BICUBIC, AREA = "bilinear", "nearest", "bicubic", "area"


def _bilinear(n, out):
    """Weights [out, n] of a row: pixels are areas, so that the middle of pixel i is at i + 1/2."""
    at = (np.arange(out) + 0.5) * n / out - 0.5
    low = np.floor(at)
    weights = np.zeros((out, n))
    for shift, share in ((0, 1 - (at - low)), (1, at - low)):
        np.add.at(weights, (np.arange(out), np.clip(low + shift, 0, n - 1).astype(int)), share)
    return weights


def _bicubic(n, out):
    """Keys' cubic with a = -1/2; what lies outside does not count."""
    at = (np.arange(out) + 0.5) * n / out - 0.5
    weights = np.zeros((out, n))
    for i, place in enumerate(at):
        for j in range(int(np.floor(place)) - 1, int(np.floor(place)) + 3):
            d = abs(place - j)
            w = (1.5 * d - 2.5) * d * d + 1 if d <= 1 else ((-0.5 * d + 2.5) * d - 4) * d + 2 if d < 2 else 0.0
            if 0 <= j < n:
                weights[i, j] += w
    return weights / weights.sum(1, keepdims=True)


def _area(n, out):
    """The mean of what an output pixel covers."""
    edges = np.arange(out + 1) * n / out
    begin, end = edges[:-1, None], edges[1:, None]
    cells = np.arange(n)
    return np.clip(np.minimum(end, cells + 1) - np.maximum(begin, cells), 0, None) * out / n


_WEIGHTS = {"bilinear": _bilinear, "bicubic": _bicubic, "area": _area}


def resize_field(x, sizes, method, first):
    """Axes first, first + 1, ... of x to these sizes."""
    for axis, size in enumerate(sizes, first):
        n = x.shape[axis]
        if n is None:
            raise ValueError(f"resize needs images of known sizes; these are of shape {x.shape}.")
        if n == size:
            continue
        if method == "nearest":
            at = np.minimum(np.floor((np.arange(size) + 0.5) * n / size), n - 1).astype(np.int32)
            x = array_ops.gather(x, at, axis=axis)
            continue
        weights = _WEIGHTS[method](n, size).T.astype(x.dtype.as_numpy_dtype)
        perm = [d for d in range(x.shape.rank) if d != axis] + [axis]
        x = math_ops.matmul(array_ops.transpose(x, perm), weights)
        x = array_ops.transpose(x, np.argsort(perm))
    return x


def resize(images: TensorLike, size: ShapeLike, method: str = ResizeMethod.BILINEAR, preserve_aspect_ratio: bool = False,
           antialias: bool = False, name: str | None = None) -> Tensor:
    """Images in another size."""
    x = convert_to_tensor(images)
    if preserve_aspect_ratio or antialias:
        raise NotImplementedError("tf.image.resize with preserve_aspect_ratio or antialias is not there; docs/tensorflow.md "
                                  "lists what is.")
    if method not in ("nearest", *_WEIGHTS):
        raise ValueError(f"tf.image.resize: method {method!r} is not there; there are bilinear, nearest, bicubic and area.")
    if x.shape.rank not in (3, 4):
        raise ValueError("'images' must have either 3 or 4 dimensions.")
    if method != "nearest" and x.dtype is not dtypes.float16:
        x = math_ops.cast(x, dtypes.float32)
    return resize_field(x, [int(s) for s in np.asarray(size)], method, x.shape.rank - 3)


resize_images = resize


def flip_left_right(image: TensorLike) -> Tensor:
    """Images mirrored left to right."""
    return array_ops.reverse(image, [-2])


def flip_up_down(image: TensorLike) -> Tensor:
    """Images mirrored top to bottom."""
    return array_ops.reverse(image, [-3])


def transpose(image: TensorLike, name: str | None = None) -> Tensor:
    """Images with rows and columns swapped."""
    x = convert_to_tensor(image)
    return array_ops.transpose(x, [1, 0, 2] if x.shape.rank == 3 else [0, 2, 1, 3])


def rot90(image: TensorLike, k: int = 1, name: str | None = None) -> Tensor:
    """Counter-clockwise."""
    k %= 4
    if k == 0:
        return convert_to_tensor(image)
    if k == 2:
        return flip_up_down(flip_left_right(image))
    return transpose(flip_left_right(image)) if k == 1 else flip_left_right(transpose(image))


def crop_to_bounding_box(image: TensorLike, offset_height: int, offset_width: int, target_height: int,
                         target_width: Any) -> Tensor:
    """A part of images."""
    x = convert_to_tensor(image)
    rows, columns = x.shape[-3], x.shape[-2]
    if offset_height < 0 or offset_width < 0 or offset_height + target_height > rows or \
            offset_width + target_width > columns:
        raise ValueError(f"The box of {target_height} x {target_width} at ({offset_height}, {offset_width}) is not inside of "
                         f"an image of {rows} x {columns}.")
    return x[..., offset_height:offset_height + target_height, offset_width:offset_width + target_width, :]


def pad_to_bounding_box(image: TensorLike, offset_height: int, offset_width: int, target_height: int,
                        target_width: int) -> Tensor:
    """Images within larger ones, with zeros around."""
    x = convert_to_tensor(image)
    below = target_height - offset_height - x.shape[-3]
    right = target_width - offset_width - x.shape[-2]
    if min(offset_height, offset_width, below, right) < 0:
        raise ValueError(f"An image of shape {x.shape} does not fit into {target_height} x {target_width} at "
                         f"({offset_height}, {offset_width}).")
    return array_ops.pad(x, [[0, 0]] * (x.shape.rank - 3) + [[offset_height, below], [offset_width, right], [0, 0]])


def central_crop(image: TensorLike, central_fraction: float) -> Tensor:
    """The middle of images, this share of each side."""
    x = convert_to_tensor(image)
    if not 0 < central_fraction <= 1:
        raise ValueError("central_fraction must be within (0, 1]")
    top, left = (int((n - n * central_fraction) / 2) for n in (x.shape[-3], x.shape[-2]))
    return crop_to_bounding_box(x, top, left, x.shape[-3] - 2 * top, x.shape[-2] - 2 * left)


def resize_with_crop_or_pad(image: TensorLike, target_height: int, target_width: int) -> Tensor:
    """The middle of images, or images with zeros around, in this size."""
    x = convert_to_tensor(image)
    rows, columns = x.shape[-3], x.shape[-2]
    height, width = min(rows, target_height), min(columns, target_width)
    x = crop_to_bounding_box(x, (rows - height) // 2, (columns - width) // 2, height, width)
    return pad_to_bounding_box(x, (target_height - height) // 2, (target_width - width) // 2, target_height, target_width)


def convert_image_dtype(image: TensorLike, dtype: DTypeLike, saturate: bool = False, name: str | None = None) -> Tensor:
    """Integers are shares of their largest one."""
    x, dtype = convert_to_tensor(image), dtypes.as_dtype(dtype)
    if x.dtype is dtype:
        return x
    if x.dtype.is_integer and dtype.is_floating:
        return math_ops.multiply(math_ops.cast(x, dtype), 1.0 / x.dtype.max)
    if x.dtype.is_floating and dtype.is_integer:
        scaled = math_ops.multiply(x, dtype.max + 0.5)
        return math_ops.saturate_cast(scaled, dtype) if saturate else math_ops.cast(scaled, dtype)
    if x.dtype.is_floating:
        return math_ops.cast(x, dtype)
    raise NotImplementedError(f"convert_image_dtype from {x.dtype.name} to {dtype.name} is not there.")


def _in_float(image, change):
    x = convert_to_tensor(image)
    out = change(convert_image_dtype(x, dtypes.float32) if x.dtype.is_integer else x)
    return convert_image_dtype(out, x.dtype, saturate=True) if x.dtype.is_integer else out


def adjust_brightness(image: TensorLike, delta: float) -> Tensor:
    """Adds a number to all elements."""
    return _in_float(image, lambda x: math_ops.add(x, float(delta)))


def adjust_contrast(images: TensorLike, contrast_factor: TensorLike) -> Tensor:
    """(x - mean) * factor + mean, for every channel"""
    def change(x):
        mean = math_ops.reduce_mean(x, [-3, -2], keepdims=True)
        return math_ops.add(math_ops.multiply(math_ops.subtract(x, mean), float(contrast_factor)), mean)
    return _in_float(images, change)


def per_image_standardization(image: TensorLike) -> Tensor:
    """(x - mean) / max(deviation, 1 / sqrt(count)), of every image"""
    x = math_ops.cast(image, dtypes.float32) if convert_to_tensor(image).dtype is not dtypes.float16 else \
        convert_to_tensor(image)
    count = int(np.prod(x.shape.as_list()[-3:]))
    mean = math_ops.reduce_mean(x, [-3, -2, -1], keepdims=True)
    deviation = math_ops.reduce_std(x, [-3, -2, -1], keepdims=True)
    return math_ops.divide(math_ops.subtract(x, mean), math_ops.maximum(deviation, float(count) ** -0.5))


def rgb_to_grayscale(images: TensorLike, name: str | None = None) -> Tensor:
    """One channel: 0.2989 red, 0.587 green, 0.114 blue."""
    weights = np.array([[0.2989], [0.5870], [0.1140]], np.float32)
    return _in_float(images, lambda x: math_ops.matmul(x, weights.astype(x.dtype.as_numpy_dtype)))


def grayscale_to_rgb(images: TensorLike, name: str | None = None) -> Tensor:
    """Three equal channels from one."""
    x = convert_to_tensor(images)
    return array_ops.tile(x, [1] * (x.shape.rank - 1) + [3])


def _chance(x, seed):
    """One truth per image."""
    shape = [] if x.shape.rank == 3 else [x.shape[0], 1, 1, 1]
    return math_ops.less(random_ops.uniform(shape, seed=seed), 0.5)


def random_flip_left_right(image: TensorLike, seed: int | None = None) -> Tensor:
    """Images mirrored left to right, or not, at random."""
    x = convert_to_tensor(image)
    return math_ops.where(_chance(x, seed), flip_left_right(x), x)


def random_flip_up_down(image: TensorLike, seed: int | None = None) -> Tensor:
    """Images mirrored top to bottom, or not, at random."""
    x = convert_to_tensor(image)
    return math_ops.where(_chance(x, seed), flip_up_down(x), x)


def random_brightness(image: TensorLike, max_delta: TensorLike, seed: int | None = None) -> Tensor:
    """Adds a random number from [-max_delta, max_delta)."""
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")
    delta = random_ops.uniform([], -float(max_delta), float(max_delta), seed=seed)
    return _in_float(image, lambda x: math_ops.add(x, math_ops.cast(delta, x.dtype)))


def random_contrast(image: TensorLike, lower: TensorLike, upper: TensorLike, seed: int | None = None) -> Tensor:
    """Scales the contrast by a random factor from [lower, upper)."""
    if upper <= lower or lower < 0:
        raise ValueError("upper must be > lower, which must be non-negative.")
    factor = random_ops.uniform([], float(lower), float(upper), seed=seed)

    def change(x):
        mean = math_ops.reduce_mean(x, [-3, -2], keepdims=True)
        return math_ops.add(math_ops.multiply(math_ops.subtract(x, mean), math_ops.cast(factor, x.dtype)), mean)
    return _in_float(image, change)


def random_crop(value: TensorLike, size: ShapeLike, seed: int | None = None, name: str | None = None) -> Tensor:
    """A part of this size at a random place."""
    x = convert_to_tensor(value)
    if any(s > n for s, n in zip(size, x.shape)):
        raise ValueError(f"random_crop: {list(size)} is larger than the tensor's {x.shape}.")
    starts = [random_ops.uniform([], 0, n - s + 1, dtypes.int32, seed=seed) if n > s else
              EagerTensor(np.int32(0)) for n, s in zip(x.shape, size)]
    return array_ops.slice_(x, array_ops.stack(starts), list(size))


def total_variation(images: TensorLike, name: str | None = None) -> Tensor:
    """The sum of absolute differences between neighbouring elements, for each image."""
    x = convert_to_tensor(images)
    axes = list(range(x.shape.rank - 3, x.shape.rank))
    down = math_ops.reduce_sum(math_ops.abs(math_ops.subtract(x[..., 1:, :, :], x[..., :-1, :, :])), axes)
    return math_ops.add(down, math_ops.reduce_sum(math_ops.abs(math_ops.subtract(x[..., 1:, :], x[..., :-1, :])), axes))


def psnr(a: TensorLike, b: TensorLike, max_val: TensorLike, name: str | None = None) -> Tensor:
    """10 log10(max^2 / mean((a - b)^2))"""
    a, b = math_ops.cast(a, dtypes.float32), math_ops.cast(b, dtypes.float32)
    error = math_ops.reduce_mean(math_ops.squared_difference(a, b), [-3, -2, -1])
    return math_ops.subtract(20 * float(np.log10(max_val)), math_ops.multiply(math_ops.log(error), 10 / float(np.log(10))))


names = """ResizeMethod resize flip_left_right flip_up_down transpose rot90 crop_to_bounding_box pad_to_bounding_box
central_crop resize_with_crop_or_pad convert_image_dtype adjust_brightness adjust_contrast per_image_standardization
rgb_to_grayscale grayscale_to_rgb random_flip_left_right random_flip_up_down random_brightness random_contrast random_crop
total_variation psnr""".split()
