# SPDX-License-Identifier: MIT
"""Several inputs become one: Add, Subtract, Multiply, Average, Maximum, Minimum, Concatenate, Dot, and as functions."""
from __future__ import annotations

import functools
from typing import Any

from tensorflow.framework.shapes import TensorShape
from tensorflow.framework.typed import AxisLike, ShapeLike, TensorLike
from tensorflow.framework.tensors import Tensor
from tensorflow.keras.engine.base_layer import Layer
from tensorflow.ops import array_ops, math_ops

__all__ = ["Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum", "Concatenate", "Dot", "add", "subtract",
           "multiply", "average", "maximum", "minimum", "concatenate", "dot"]


class _Merge(Layer):
    _least = 1

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True

    def build(self, input_shape):
        if not isinstance(input_shape, (list, tuple)) or isinstance(input_shape, TensorShape):
            raise ValueError(f"A merge layer should be called on a list of inputs. Received: input_shape={input_shape} "
                             "(not a list of shapes)")
        if len(input_shape) < self._least:
            raise ValueError(f"A merge layer should be called on a list of at least {self._least} inputs. Got "
                             f"{len(input_shape)} inputs.")

    def call(self, inputs):
        rank = max(t.shape.rank for t in inputs)
        same = []
        for t in inputs:  # new axes behind the batch
            while t.shape.rank < rank:
                t = array_ops.expand_dims(t, 1)
            same.append(t)
        return self._merged(same)

    def compute_mask(self, inputs, mask=None):
        masks = [m for m in (mask or ()) if m is not None]
        return functools.reduce(math_ops.logical_and, masks) if masks else None


class Add(_Merge):
    """The sum of its inputs."""
    def _merged(self, inputs):
        return functools.reduce(math_ops.add, inputs)


class Subtract(_Merge):
    """The first input minus the second."""
    def build(self, input_shape: ShapeLike) -> None:
        super().build(input_shape)
        if len(input_shape) != 2:
            raise ValueError(f"A `Subtract` layer should be called on exactly 2 inputs. Received: {len(input_shape)}")

    def _merged(self, inputs):
        return math_ops.subtract(*inputs)


class Multiply(_Merge):
    """The product of its inputs."""
    def _merged(self, inputs):
        return functools.reduce(math_ops.multiply, inputs)


class Average(_Merge):
    """The mean of its inputs."""
    def _merged(self, inputs):
        return math_ops.divide(functools.reduce(math_ops.add, inputs), float(len(inputs)))


class Maximum(_Merge):
    """The largest of its inputs, element by element."""
    def _merged(self, inputs):
        return functools.reduce(math_ops.maximum, inputs)


class Minimum(_Merge):
    """The smallest of its inputs, element by element."""
    def _merged(self, inputs):
        return functools.reduce(math_ops.minimum, inputs)


class Concatenate(_Merge):
    """Its inputs, joined along an axis."""
    _config = ("axis",)

    def __init__(self, axis: AxisLike = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis

    def build(self, input_shape: ShapeLike) -> None:
        super().build(input_shape)
        shapes = [TensorShape(s) for s in input_shape]
        rests = []
        for s in shapes:
            dims = s.as_list()
            del dims[self.axis]
            rests.append(dims)
        for rest in rests[1:]:
            if len(rest) != len(rests[0]) or any(a is not None and b is not None and a != b for a, b in zip(rest, rests[0])):
                raise ValueError("A `Concatenate` layer requires inputs with matching shapes except for the concatenation "
                                 f"axis. Received: input_shape={[str(s) for s in shapes]}")

    def call(self, inputs: TensorLike) -> Tensor:
        return array_ops.concat(list(inputs), self.axis)

    def compute_mask(self, inputs: TensorLike, mask: TensorLike | None = None) -> Any:
        if not mask or any(m is None for m in mask):
            return None
        return functools.reduce(math_ops.logical_and, mask) if self.axis not in (1,) else array_ops.concat(list(mask), 1)


class Dot(_Merge):
    """Products over one axis of each, for every sample; normalize: of unit vectors."""
    _config = ("axes", "normalize")
    _least = 2

    def __init__(self, axes: AxisLike, normalize: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(axes, int) and (not isinstance(axes, (list, tuple)) or len(axes) != 2):
            raise ValueError(f"Invalid type for argument `axes`: it should be a list or an int. Received: axes={axes}")
        self.axes, self.normalize = axes, normalize

    def call(self, inputs: TensorLike) -> Tensor:
        if len(inputs) != 2:
            raise ValueError(f"A `Dot` layer should be called on exactly 2 inputs. Received: {len(inputs)}")
        axes = [self.axes] * 2 if isinstance(self.axes, int) else list(self.axes)
        axes = [a % t.shape.rank for a, t in zip(axes, inputs)]
        if 0 in axes:
            raise ValueError("`Dot` cannot reduce the batch's axis.")
        if inputs[0].shape[axes[0]] != inputs[1].shape[axes[1]]:
            raise ValueError(f"Incompatible input shapes: axis values {inputs[0].shape[axes[0]]} (at axis {axes[0]}) != "
                             f"{inputs[1].shape[axes[1]]} (at axis {axes[1]}). Full input shapes: {inputs[0].shape}, "
                             f"{inputs[1].shape}")
        if self.normalize:
            inputs = [math_ops.l2_normalize(t, a) for t, a in zip(inputs, axes)]
        letters = iter("bcdefghijklmn")
        names = [["a"] + [None if d == axis else next(letters) for d in range(1, t.shape.rank)]
                 for t, axis in zip(inputs, axes)]
        sides = ["".join("z" if n is None else n for n in side) for side in names]
        out = "a" + "".join(s.replace("z", "")[1:] for s in sides)
        y = math_ops.einsum(f"{sides[0]},{sides[1]}->{out}", *inputs)
        return array_ops.expand_dims(y, 1) if y.shape.rank == 1 else y

    def compute_mask(self, inputs: TensorLike, mask: TensorLike | None = None) -> None:
        return None


def _function(kind):
    def function(inputs, **kwargs):
        return kind(**kwargs)(inputs)
    function.__name__ = kind.__name__.lower()
    function.__doc__ = f"{kind.__name__}() of these inputs."
    return function


add, subtract, multiply, average, maximum, minimum = map(_function, (Add, Subtract, Multiply, Average, Maximum, Minimum))


def concatenate(inputs: TensorLike, axis: AxisLike = -1, **kwargs: Any) -> Any:
    """Concatenate(axis) of these inputs."""
    return Concatenate(axis=axis, **kwargs)(inputs)


def dot(inputs: TensorLike, axes: AxisLike, normalize: bool = False, **kwargs: Any) -> Any:
    """Dot(axes) of these inputs."""
    return Dot(axes=axes, normalize=normalize, **kwargs)(inputs)
