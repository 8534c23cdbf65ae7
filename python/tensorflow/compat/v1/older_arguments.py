# SPDX-License-Identifier: MIT
"""Functions of the beginning of tensorflow.compat.v1 that have other arguments there than in tensorflow, or the same ones in
another order."""
from __future__ import annotations

from typing import Any, Callable

import numpy as np

from tensorflow.framework import dtypes, nest
from tensorflow.framework.context import active
from tensorflow.framework.tensors import Tensor, convert_to_tensor
from tensorflow.framework.typed import AxisLike, DTypeLike, TensorLike
from tensorflow.ops import array_ops, control_flow, math_ops


def either(new, old, new_name, old_name):
    """The value of an argument that has two names."""
    if new is not None and old is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'.")
    return old if new is None else new


def needed(value, *names):
    """The value of an argument that must be there."""
    if value is None:
        raise ValueError(f"The argument {' or '.join(repr(n) for n in names)} is missing.")
    return value


def count_nonzero(input_tensor: TensorLike | None = None, axis: AxisLike | None = None, keepdims: bool | None = None,
                  dtype: DTypeLike = dtypes.int64, name: str | None = None, reduction_indices: AxisLike | None = None,
                  keep_dims: bool | None = None, input: TensorLike | None = None) -> Tensor:
    """How many elements along axes are not zero."""
    x = needed(either(input, input_tensor, "input", "input_tensor"), "input")
    return math_ops.count_nonzero(x, either(axis, reduction_indices, "axis", "reduction_indices"),
                                  either(keepdims, keep_dims, "keepdims", "keep_dims"), dtype, name)


def norm(tensor: TensorLike, ord: float | str = "euclidean", axis: AxisLike | None = None, keepdims: bool | None = None,
         name: str | None = None, keep_dims: bool | None = None) -> Tensor:
    """A norm along axes."""
    return math_ops.norm(tensor, ord, axis, bool(either(keepdims, keep_dims, "keepdims", "keep_dims")), name)


def gather(params: TensorLike, indices: TensorLike, validate_indices: Any = None, name: str | None = None,
           axis: AxisLike | None = None, batch_dims: int = 0) -> Tensor:
    """Slices by index along an axis."""
    return array_ops.gather(params, indices, validate_indices, axis, batch_dims, name)


def pad(tensor: TensorLike, paddings: list, mode: str = "CONSTANT", name: str | None = None,
        constant_values: TensorLike = 0) -> Tensor:
    """Adds elements at the ends of dimensions: a constant, or mirrored."""
    return array_ops.pad(tensor, paddings, mode, constant_values, name)


def boolean_mask(tensor: TensorLike, mask: TensorLike, name: str | None = None, axis: AxisLike | None = None) -> Tensor:
    """The elements where the mask is true."""
    return array_ops.boolean_mask(tensor, mask, axis, name)


def cond(pred: TensorLike, true_fn: Callable | None = None, false_fn: Callable | None = None, strict: bool = False,
         name: str | None = None, fn1: Callable | None = None, fn2: Callable | None = None) -> Any:
    """true_fn() if the predicate holds, else false_fn(). A list of one is its element, unless `strict`."""
    made = control_flow.cond(pred, needed(either(true_fn, fn1, "true_fn", "fn1"), "true_fn"),
                             needed(either(false_fn, fn2, "false_fn", "fn2"), "false_fn"), name)
    if active() is not None:  # what one branch gives may be numbers
        made = nest.map_structure(lambda t: convert_to_tensor(t) if isinstance(t, (bool, int, float, np.ndarray, np.generic))
                                  else t, made)
    return made[0] if not strict and isinstance(made, (list, tuple)) and len(made) == 1 else made


def while_loop(cond: Callable, body: Callable, loop_vars: list | tuple, shape_invariants: Any = None,
               parallel_iterations: int = 10, back_prop: bool = True, swap_memory: bool = False, name: str | None = None,
               maximum_iterations: int | None = None, return_same_structure: bool = False) -> Any:
    """Runs body(*loop_vars) as long as cond(*loop_vars) holds. In a graph, one variable alone is returned as it is."""
    made = control_flow.while_loop(cond, body, loop_vars, maximum_iterations=maximum_iterations, name=name)
    return made[0] if active() is not None and not return_same_structure and len(made) == 1 else made


def zeros_like(tensor: TensorLike, dtype: DTypeLike | None = None, name: str | None = None, optimize: bool = True) -> Tensor:
    """Zeros in the shape of a tensor."""
    return array_ops.zeros_like(tensor, dtype, name)


def ones_like(tensor: TensorLike, dtype: DTypeLike | None = None, name: str | None = None, optimize: bool = True) -> Tensor:
    """Ones in the shape of a tensor."""
    return array_ops.ones_like(tensor, dtype, name)


def shape(input: TensorLike, name: str | None = None, out_type: DTypeLike = dtypes.int32) -> Tensor:
    """The shape as a tensor."""
    return array_ops.shape(input, out_type, name)


def size(input: TensorLike, name: str | None = None, out_type: DTypeLike = dtypes.int32) -> Tensor:
    """The number of elements, as a tensor."""
    return array_ops.size(input, out_type, name)


def argmax(input: TensorLike, axis: AxisLike | None = None, name: str | None = None, dimension: AxisLike | None = None,
           output_type: DTypeLike = dtypes.int64) -> Tensor:
    """Where the largest element along an axis is."""
    return math_ops.argmax(input, either(axis, dimension, "axis", "dimension"), output_type, name)


def argmin(input: TensorLike, axis: AxisLike | None = None, name: str | None = None, dimension: AxisLike | None = None,
           output_type: DTypeLike = dtypes.int64) -> Tensor:
    """Where the smallest element along an axis is."""
    return math_ops.argmin(input, either(axis, dimension, "axis", "dimension"), output_type, name)


names = """count_nonzero norm gather pad boolean_mask cond while_loop zeros_like ones_like shape size argmax argmin""".split()
