# SPDX-License-Identifier: MIT
"""Functions whose arguments TensorFlow 1 had in another order or by other names, and those that print and check."""
from __future__ import annotations

from typing import Sequence

from tensorflow import _names
from tensorflow.debugging import Assert  # noqa: F401
from tensorflow.framework import printing
from tensorflow.framework.context import active
from tensorflow.framework.scopes import control_dependencies
from tensorflow.framework.tensors import Tensor, convert_to_tensor
from tensorflow.framework.typed import TensorLike
from tensorflow.ops import composed_ops, math_ops


def _blocks(block_size, block_shape):
    if (block_size is None) is (block_shape is None):
        raise ValueError("Give block_size or block_shape, and not both.")
    return [block_size, block_size] if block_shape is None else block_shape


def space_to_batch(input: TensorLike, paddings: TensorLike, block_size: int | None = None, name: str | None = None,
                   block_shape: TensorLike | None = None) -> Tensor:
    """Blocks of images become samples."""
    return composed_ops.space_to_batch_nd(input, _blocks(block_size, block_shape), paddings, name)


def batch_to_space(input: TensorLike, crops: TensorLike, block_size: int | None = None, name: str | None = None,
                   block_shape: TensorLike | None = None) -> Tensor:
    """Samples become blocks of images."""
    return composed_ops.batch_to_space_nd(input, _blocks(block_size, block_shape), crops, name)


def extract_image_patches(images: TensorLike, ksizes: list | None = None, strides: list | None = None,
                          rates: list | None = None, padding: str | None = None, name: str | None = None,
                          sizes: list | None = None) -> Tensor:
    """The pixels of every window, row by row, as channels."""
    sizes = ksizes or sizes
    if sizes is None or strides is None or rates is None or padding is None:
        raise ValueError("extract_image_patches needs ksizes, strides, rates and padding.")
    return composed_ops.extract_patches(images, sizes, strides, rates, padding, name)


def tuple(tensors: Sequence, name: str | None = None, control_inputs: Sequence | None = None) -> list:
    """The tensors, none of them before all are computed."""
    with control_dependencies([t for t in tensors if t is not None] + list(control_inputs or ())):
        return [None if t is None else math_ops.identity(t) for t in tensors]


def Print(input_: TensorLike, data: Sequence, message: str | None = None, first_n: int | None = None,
          summarize: int | None = None, name: str | None = None) -> Tensor:
    """The tensor; whenever a program computes it, it prints the data on stderr, the first `first_n` times."""
    left = [first_n if first_n is not None and first_n >= 0 else None]

    def stream(text):
        if left[0] is None or left[0] > 0:
            left[0] = None if left[0] is None else left[0] - 1
            printing.write(None, text + "\n")
    values = [each for t in data for each in ("[", t, "]")]
    made = printing.printed([message or "", *values], stream, 3 if summarize is None else summarize, "", "\n")
    if active() is None:
        return convert_to_tensor(input_)
    with control_dependencies([made]):
        return math_ops.identity(input_)


_names.explain_missing(globals())
