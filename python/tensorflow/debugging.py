# SPDX-License-Identifier: MIT
"""tf.debugging: assertions on shapes and types, and on values: of a graph, when it runs."""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from tensorflow import _names
from tensorflow.framework.context import active as _active
from tensorflow.framework.errors import InvalidArgumentError
from tensorflow.framework.host_calls import effect as _effect
from tensorflow.framework.operations import Operation
from tensorflow.framework.shapes import TensorShape
from tensorflow.framework.tensors import constant_value, convert_to_tensor
from tensorflow.framework.typed import TensorLike


def _compared(name, condition, holds):
    def check(x, y, message=None, summarize=None, name=None):
        def compare(arrays):
            if not np.all(holds(*arrays)):
                raise InvalidArgumentError(None, None, f"{message or ''} Condition x {check.__name__} y did not hold: "
                                           f"{arrays[0]} and {arrays[1]}")
        return _checked([x, y], compare, check.__name__)
    check.__name__ = name
    check.__doc__ = f"Raises InvalidArgumentError unless {condition} for all elements; of a graph, when it runs."
    return check


def _checked(values, compare, name):
    """At once if the values are known; else whenever the program comes here, and the run raises."""
    tensors = [convert_to_tensor(v) for v in values]
    known = [constant_value(t) for t in tensors]
    if not any(k is None for k in known):
        compare(known)
        return None if _active() is None else Operation(_active(), name)
    for t in tensors:
        if not t.shape.is_fully_defined() and _active().root.name != "shapes":
            raise NotImplementedError(f"tf.debugging.{name} in a graph needs tensors of known shapes, not {t.shape}.")
    return _effect(compare, tensors, name)


def Assert(condition: TensorLike, data: Sequence, summarize: int | None = None, name: str | None = None) -> Operation | None:
    """Raises InvalidArgumentError with the data unless the condition holds; in a graph, when it runs."""
    def compare(arrays):
        if not np.all(arrays[0]):
            raise InvalidArgumentError(None, None, "Expected '" + (name or "condition") + "' to be true. Summarized data: "
                                       + "\n".join(str(a) for a in [*texts, *arrays[1:]]))
    texts = [d for d in data if isinstance(d, str)]
    return _checked([condition, *(d for d in data if not isinstance(d, str))], compare, "Assert")


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
