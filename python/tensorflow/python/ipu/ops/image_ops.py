# SPDX-License-Identifier: MIT
"""Images."""
from __future__ import annotations

import numpy as np

from tensorflow.framework.tensors import Tensor, constant_value, convert_to_tensor
from tensorflow.framework.typed import TensorLike
from tensorflow.ops import array_ops, math_ops


def normalise_image(image: TensorLike, channel_offsets: TensorLike, channel_scales: TensorLike, scale: TensorLike = 1,
                    name: str | None = None) -> Tensor:
    """(image * scale - offset) * scale_of_channel for each of three channels, which are last; a fourth one of zeros is added.
    Bytes become the type of channel_offsets."""
    image, offsets, scales = (convert_to_tensor(t) for t in (image, channel_offsets, channel_scales))
    if image.shape.rank is None or image.shape.rank < 1 or image.shape[-1] != 3:
        raise ValueError(f"The image is expected to have 3 channels, last; its shape is {image.shape}.")
    for what, given in (("offsets", offsets), ("scales", scales)):
        if given.shape.as_list() != [3]:
            raise ValueError(f"The channel_{what} must have shape [3], not {given.shape}.")
    kind = image.dtype if image.dtype.is_floating else offsets.dtype
    known = constant_value(convert_to_tensor(scale))
    factor = np.asarray(known, kind.as_numpy_dtype) if known is not None else math_ops.cast(scale, kind)
    wide = math_ops.multiply(math_ops.cast(image, kind), factor)
    out = math_ops.multiply(math_ops.subtract(wide, math_ops.cast(offsets, kind)), math_ops.cast(scales, kind))
    return array_ops.pad(out, [[0, 0]] * (image.shape.rank - 1) + [[0, 1]], name=name)


normalize_image = normalise_image
