# SPDX-License-Identifier: MIT
"""More of Keras' backend: copies, assignments, choices, values of several variables, functions of tensors, losses."""
from __future__ import annotations

from typing import Any, Callable, Sequence

import numpy as np

from tensorflow.framework import nest
from tensorflow.framework.context import active
from tensorflow.framework.tape import graph_gradients
from tensorflow.framework.typed import AxisLike, DTypeLike, ShapeLike, TensorLike
from tensorflow.framework.tensors import Tensor
from tensorflow.keras import backend, losses
from tensorflow.keras.engine.functional import Model
from tensorflow.keras.engine.nodes import KerasTensor
from tensorflow.ops import array_ops, control_flow, math_ops, random_ops


def transpose(x: TensorLike) -> Tensor:
    """Dimensions in reverse order."""
    return array_ops.transpose(x)


def repeat(x: TensorLike, n: int) -> Tensor:
    """[samples, features] -> [samples, n, features]"""
    return array_ops.tile(array_ops.expand_dims(x, 1), [1, n, 1])


def repeat_elements(x: TensorLike, rep: int, axis: AxisLike) -> Tensor:
    """Every element along an axis rep times, one after the other."""
    axis %= x.shape.rank
    wide = array_ops.tile(array_ops.expand_dims(x, axis + 1), [rep if d == axis + 1 else 1 for d in range(x.shape.rank + 1)])
    shape = [-1 if n is None else n for n in x.shape]
    shape[axis] = shape[axis] if shape[axis] == -1 else shape[axis] * rep
    return array_ops.reshape(wide, shape)


def arange(start: TensorLike, stop: TensorLike | None = None, step: int = 1, dtype: DTypeLike = "int32") -> Tensor:
    """Numbers as Python's range has them."""
    start, stop = (0, start) if stop is None else (start, stop)
    return math_ops.cast(array_ops.constant(np.arange(start, stop, step)), dtype)


def batch_dot(x: TensorLike, y: TensorLike, axes: AxisLike | None = None) -> Tensor:
    """Products of samples, summed over an axis of each: by default the last of x and the second last of y."""
    rank = (x.shape.rank, y.shape.rank)
    if axes is None:
        axes = (rank[0] - 1, max(1, rank[1] - 2))
    axes = (axes, axes) if isinstance(axes, int) else tuple(axes)
    axes = tuple(a % r for a, r in zip(axes, rank))
    if not all(2 <= r <= 3 for r in rank) or 0 in axes:
        raise NotImplementedError(f"batch_dot of {rank[0]} and {rank[1]} dimensions over the axes {axes} is not there: samples "
                                  "are vectors or matrices. Use tf.einsum.")
    x = array_ops.expand_dims(x, 1) if rank[0] == 2 else x if axes[0] == 2 else array_ops.transpose(x, [0, 2, 1])
    y = array_ops.expand_dims(y, 2) if rank[1] == 2 else y if axes[1] == 1 else array_ops.transpose(y, [0, 2, 1])
    out = math_ops.matmul(x, y)
    gone = ([1] if rank[0] == 2 else []) + ([2] if rank[1] == 2 else [])
    return array_ops.squeeze(out, gone[:1] if len(gone) == 2 else gone) if gone else out


def batch_get_value(tensors: TensorLike) -> list:
    """Values of several variables as arrays."""
    return [t.numpy() for t in tensors]


def batch_set_value(tuples: list) -> None:
    """Sets several variables: (variable, value)."""
    for variable, value in tuples:
        variable.set(np.asarray(value))


def eval(x: TensorLike) -> np.ndarray:
    """The value as a NumPy array."""
    return x.numpy()


def bias_add(x: TensorLike, bias: TensorLike, data_format: str | None = None) -> Tensor:
    """Adds a bias to each channel."""
    if (data_format or backend.image_data_format()) == "channels_first" and x.shape.rank > 2:
        bias = array_ops.reshape(bias, [1, -1] + [1] * (x.shape.rank - 2))
    return math_ops.add(x, bias)


def count_params(x: TensorLike) -> int:
    """The number of elements."""
    return int(np.prod(x.shape.as_list()))


def dtype(x: TensorLike) -> str:
    """The name of the type of elements."""
    return x.dtype.name


def is_keras_tensor(x: TensorLike) -> bool:
    """Whether it is an output of a layer or of Input."""
    return isinstance(x, KerasTensor)


def update(x: TensorLike, new_x: TensorLike) -> Any:
    """Sets a variable."""
    return x.assign(new_x)


def update_add(x: TensorLike, increment: TensorLike) -> Any:
    """Adds to a variable."""
    return x.assign_add(increment)


def update_sub(x: TensorLike, decrement: TensorLike) -> Any:
    """Subtracts from a variable."""
    return x.assign_sub(decrement)


def moving_average_update(x: TensorLike, value: TensorLike, momentum: float) -> Any:
    """x becomes x * momentum + value * (1 - momentum)."""
    return x.assign(math_ops.add(math_ops.multiply(x, momentum), math_ops.multiply(value, 1.0 - momentum)))


def switch(condition: TensorLike, then_expression: TensorLike, else_expression: TensorLike) -> Any:
    """One of two tensors or functions of the same shape; of single conditions only the chosen function is called."""
    both = [e if callable(e) and not hasattr(e, "dtype") else lambda e=e: e for e in (then_expression, else_expression)]
    if getattr(condition, "shape", None) is None or condition.shape.rank == 0:
        return control_flow.cond(condition, *both)
    one, other = (make() for make in both)
    condition = math_ops.cast(condition, "bool")
    while condition.shape.rank < one.shape.rank:
        condition = array_ops.expand_dims(condition, -1)
    return math_ops.where(condition, one, other)


def truncated_normal(shape: ShapeLike, mean: TensorLike = 0.0, stddev: float = 1.0, dtype: DTypeLike | None = None,
                     seed: int | None = None) -> Tensor:
    """From a normal distribution, without what is further than two deviations from the mean."""
    return random_ops.truncated_normal(shape, mean, stddev, dtype or backend.floatx(), seed)


def random_bernoulli(shape: ShapeLike, p: float = 0.0, dtype: DTypeLike | None = None, seed: int | None = None) -> Tensor:
    """Ones with this probability, else zeros."""
    drawn = random_ops.uniform(shape, 0.0, 1.0, "float32", seed)
    return math_ops.cast(math_ops.less_equal(drawn, p), dtype or backend.floatx())


def gradients(loss: TensorLike, variables: Sequence) -> Any:
    """In a graph; elsewhere use tf.GradientTape."""
    if active() is None:
        raise RuntimeError("K.gradients is of tensors of a graph: outside of tf.function and tf.Graph use tf.GradientTape.")
    return graph_gradients(active(), nest.flatten(loss), nest.flatten(variables))


def function(inputs: TensorLike, outputs: Any, updates: TensorLike | None = None, name: str | None = None,
             **kwargs: Any) -> Callable:
    """A function of lists of values: what tensors of a model are when others have these values."""
    if updates or kwargs:
        raise ValueError("`updates` and arguments of sessions are not of K.function outside of TensorFlow 1's graphs.")
    model = Model(inputs, outputs, name=name)

    def run(values):
        given = [math_ops.cast(v, t.dtype) for v, t in zip(nest.flatten(values), model.inputs)]
        out = model(nest.pack_sequence_as(inputs, given))
        return nest.map_structure(lambda t: t.numpy(), out)
    return run


def categorical_crossentropy(target: TensorLike, output: TensorLike, from_logits: bool = False,
                             axis: AxisLike = -1) -> Tensor:
    """Of probabilities, or logits, and one-hot classes."""
    return losses.categorical_crossentropy(target, output, from_logits, axis=axis)


def sparse_categorical_crossentropy(target: TensorLike, output: TensorLike, from_logits: bool = False,
                                    axis: AxisLike = -1) -> Tensor:
    """Of probabilities, or logits, and classes by number."""
    return losses.sparse_categorical_crossentropy(target, output, from_logits, axis)
