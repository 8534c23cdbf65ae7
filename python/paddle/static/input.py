# SPDX-License-Identifier: MIT
"""Data that is fed."""
from __future__ import annotations

import numpy as np

from .. import current, modes
from ..dtypes import to_type
from ..typed import DTypeLike, ShapeLike, TensorLike


def data(name: str, shape: ShapeLike, dtype: DTypeLike | None = None, lod_level: int = 0) -> TensorLike:
    """A variable whose value comes with every run; a first dimension of None or -1 is the batch."""
    modes.require_static("paddle.static.data")
    if not isinstance(name, str):
        raise TypeError(f"The type of 'name' in data must be str, but received {type(name)}.")
    if not isinstance(shape, (list, tuple)):
        raise TypeError(f"The type of 'shape' in data must be list or tuple, but received {type(shape)}.")
    for d in shape:
        if d is not None and (isinstance(d, bool) or not isinstance(d, (int, np.integer)) or d < -1):
            raise TypeError(f"data {name!r}: a dimension is a number, or None or -1 for the batch, not {d!r}.")
    if lod_level:
        raise NotImplementedError("(Unimplemented) data: lod_level. Sequences of different lengths are not there: pad them.")
    block = current.default_main_program().global_block()
    return block.create_var(name, [-1 if d is None else d for d in shape], to_type(dtype or "float32"), stop_gradient=True,
                            is_data=True, need_check_feed=True)


class InputSpec:
    """What an input looks like."""

    def __init__(self, shape: ShapeLike, dtype: DTypeLike = "float32", name: str | None = None) -> None:
        self.shape = tuple(-1 if d is None else d for d in shape)
        self.dtype, self.name = to_type(dtype), name

    def __repr__(self):
        return f"InputSpec(shape={self.shape}, dtype={self.dtype!r}, name={self.name})"
