# SPDX-License-Identifier: MIT
"""tf.debugging: assertions on values that are known; in graphs those on shapes and types."""
from __future__ import annotations

from typing import Any

import numpy as np

from tensorflow import _names
from tensorflow.framework.errors import InvalidArgumentError
from tensorflow.framework.shapes import TensorShape
from tensorflow.framework.tensors import constant_value, convert_to_tensor
from tensorflow.framework.typed import TensorLike


def _compared(name, condition, holds):
    def check(x, y, message=None, summarize=None, name=None):
        a, b = (constant_value(convert_to_tensor(v)) for v in (x, y))
        if a is None or b is None:
            raise NotImplementedError(f"tf.debugging.{check.__name__} of values that are only known at run time is not there.")
        if not np.all(holds(a, b)):
            raise InvalidArgumentError(None, None, f"{message or ''} Condition x {name} y did not hold: {a} and {b}")
    check.__name__ = name
    check.__doc__ = f"Raises InvalidArgumentError unless {condition} for all elements. The values must be known."
    return check


assert_equal = _compared("assert_equal", "x = y", np.equal)
assert_less = _compared("assert_less", "x < y", np.less)
assert_less_equal = _compared("assert_less_equal", "x <= y", np.less_equal)
assert_greater = _compared("assert_greater", "x > y", np.greater)
assert_greater_equal = _compared("assert_greater_equal", "x >= y", np.greater_equal)
assert_near = _compared("assert_near", "x and y differ by at most a millionth",
                        lambda a, b: np.isclose(a, b, rtol=1e-6, atol=1e-6))


def assert_rank(x: TensorLike, rank: int, message: str | None = None, name: str | None = None) -> None:
    """Raises ValueError for another number of dimensions."""
    x = convert_to_tensor(x)
    if x.shape.rank != rank:
        raise ValueError(f"{message or ''} Tensor must have rank {rank}; it has rank {x.shape.rank}.")


def assert_type(tensor: TensorLike, tf_type: Any, message: str | None = None, name: str | None = None) -> None:
    """Raises TypeError for another type of elements."""
    tensor = convert_to_tensor(tensor)
    if tensor.dtype is not tf_type:
        raise TypeError(f"{message or ''} Tensor must be of type {tf_type.name}; it is {tensor.dtype.name}.")


def assert_shapes(shapes: Any, data: TensorLike | None = None, summarize: int | None = None, message: str | None = None,
                  name: str | None = None) -> None:
    """Raises ValueError for shapes that do not fit each other."""
    for x, shape in (shapes.items() if isinstance(shapes, dict) else shapes):
        if not TensorShape([d if isinstance(d, int) else None for d in shape]).is_compatible_with(convert_to_tensor(x).shape):
            raise ValueError(f"{message or ''} Shape {convert_to_tensor(x).shape} is not {shape}.")


_names.explain_missing(globals())
