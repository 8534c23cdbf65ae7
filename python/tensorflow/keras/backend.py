# SPDX-License-Identifier: MIT
"""Keras' global settings and the little of its backend that programs use."""
from __future__ import annotations

import threading
import typing as _typing

import numpy as np

from tensorflow import _names
from tensorflow.framework import dtypes
from tensorflow.ops import math_ops
from tensorflow.ops import array_ops as _array_ops
from tensorflow.ops import nn_ops as _nn_ops
from tensorflow.ops import random_ops as _random_ops
if _typing.TYPE_CHECKING:  # of annotations
    from typing import Any
    from tensorflow.framework.tensors import Tensor
    from tensorflow.framework.typed import AxisLike, DTypeLike, ShapeLike, TensorLike

_settings: dict[str, _typing.Any] = {"floatx": "float32", "epsilon": 1e-7, "image_data_format": "channels_last"}
_counts = {}


class _Call(threading.local):
    """The layer call that is going on."""
    training = None
    depth = 0
    stage = None  # of keras.ipu.PipelineStage
    inside = None  # (model, stages of the calls in its next call)
    models = ()  # whose call() goes on


call = _Call()


def floatx() -> str:
    """The type that layers compute in if none is named."""
    return _settings["floatx"]


def set_floatx(value: str) -> None:
    """Sets floatx()."""
    if value not in ("float16", "float32", "float64"):
        raise ValueError(f"Unknown `floatx` value: {value}. Expected one of float16, float32, float64")
    _settings["floatx"] = value


def epsilon() -> float:
    """A small number that is added where zero would be divided by."""
    return _settings["epsilon"]


def set_epsilon(value: float) -> None:
    """Sets epsilon()."""
    _settings["epsilon"] = float(value)


def image_data_format() -> str:
    """"channels_last" or "channels_first"."""
    return _settings["image_data_format"]


def set_image_data_format(value: str) -> None:
    """Sets image_data_format()."""
    if value not in ("channels_last", "channels_first"):
        raise ValueError(f"Unknown data_format: {value}")
    _settings["image_data_format"] = value


def learning_phase() -> int:
    """1 in training, 0 otherwise."""
    return 0 if call.training is None else int(bool(call.training))


def set_learning_phase(value: Any) -> None:
    """Sets learning_phase() for all models."""
    call.training = bool(value)


def in_train_phase(x: TensorLike, alt: TensorLike, training: TensorLike | None = None) -> Tensor | int:
    """x in training, alt otherwise; functions are called. training: True, False or a tensor, else that of the call."""
    training = learning_phase() if training is None else training
    if not hasattr(training, "dtype"):
        chosen = x if training else alt
        return chosen() if callable(chosen) and not hasattr(chosen, "dtype") else chosen
    both = [v() if callable(v) and not hasattr(v, "dtype") else v for v in (x, alt)]
    return math_ops.where(math_ops.cast(training, "bool"), *both)


def in_test_phase(x: TensorLike, alt: TensorLike, training: bool | None = None) -> Any:
    """x when the model does not train, alt when it does."""
    return in_train_phase(alt, x, training)


def unique_name(base: str) -> str:
    """dense, dense_1, ..."""
    n = _counts.get(base, -1) + 1
    _counts[base] = n
    return base if n == 0 else f"{base}_{n}"


def get_uid(prefix: str = "") -> int:
    """The next number for names with this prefix."""
    _counts[prefix] = _counts.get(prefix, 0) + 1
    return _counts[prefix]


def reset_uids() -> None:
    """Starts the numbers of get_uid again."""
    _counts.clear()


def clear_session() -> None:
    """Names start again."""
    _counts.clear()


def get_value(x: TensorLike) -> Any:
    """The value as a NumPy array."""
    return x.numpy() if hasattr(x, "numpy") else x


def set_value(x: TensorLike, value: TensorLike) -> None:
    """Sets a variable."""
    if hasattr(x, "set_rate"):
        x.set_rate(value)
    else:
        x.set(np.asarray(value))


def int_shape(x: TensorLike) -> tuple:
    """The shape as a tuple; None where unknown."""
    return tuple(x.shape)


def cast(x: TensorLike, dtype: DTypeLike) -> Any:
    """Converts to another type."""
    return math_ops.cast(x, dtypes.as_dtype(dtype))


def cast_to_floatx(x: TensorLike) -> Any:
    """Converts an array to the type of floatx()."""
    return np.asarray(x, floatx()) if not hasattr(x, "dtype") or isinstance(x, np.ndarray) else cast(x, floatx())


def flatten(x: TensorLike) -> Tensor:
    """Makes one dimension of all."""
    return _array_ops.reshape(x, [-1])


def batch_flatten(x: TensorLike) -> Any:
    """Makes one dimension of all but the first."""
    return _array_ops.reshape(x, [_array_ops.dims(x)[0], -1])


def clip(x: TensorLike, min_value: TensorLike, max_value: TensorLike) -> Tensor:
    """Brings elements into an interval."""
    return math_ops.clip_by_value(x, min_value, max_value)


def random_normal(shape: ShapeLike, mean: TensorLike = 0.0, stddev: float = 1.0, dtype: DTypeLike | None = None,
                  seed: int | None = None) -> Tensor:
    """Numbers from a normal distribution."""
    return _random_ops.normal(shape, mean, stddev, dtype or floatx(), seed)


def random_uniform(shape: ShapeLike, minval: TensorLike = 0.0, maxval: TensorLike = 1.0, dtype: DTypeLike | None = None,
                   seed: int | None = None) -> Any:
    """Numbers evenly from an interval."""
    return _random_ops.uniform(shape, minval, maxval, dtype or floatx(), seed)


def concatenate(tensors: TensorLike, axis: AxisLike = -1) -> Tensor:
    """Joins along an axis."""
    return _array_ops.concat(tensors, axis)


def binary_crossentropy(target: TensorLike, output: TensorLike, from_logits: bool = False) -> Tensor:
    """Of every element."""
    if from_logits:
        return _nn_ops.sigmoid_cross_entropy_with_logits(target, output)
    p = math_ops.clip_by_value(output, epsilon(), 1 - epsilon())
    yes = math_ops.multiply(target, math_ops.log(math_ops.add(p, epsilon())))
    no = math_ops.multiply(math_ops.subtract(1.0, target), math_ops.log(math_ops.add(math_ops.subtract(1.0, p), epsilon())))
    return math_ops.negative(math_ops.add(yes, no))


def ndim(x: TensorLike) -> int:
    """The number of dimensions."""
    return x.shape.rank


_MATH = {"mean": "reduce_mean", "sum": "reduce_sum", "max": "reduce_max", "min": "reduce_min", "prod": "reduce_prod",
         "std": "reduce_std", "var": "reduce_variance", "any": "reduce_any", "all": "reduce_all",
         "logsumexp": "reduce_logsumexp", "dot": "matmul",
         **{n: n for n in "abs argmax argmin cos cumsum equal exp greater greater_equal l2_normalize less less_equal log "
            "maximum minimum not_equal pow round sigmoid sign sin sqrt square softplus stop_gradient tanh".split()}}
_ARRAY = {"permute_dimensions": "transpose", **{n: n for n in "constant expand_dims eye gather one_hot ones ones_like reshape "
                                                "reverse shape squeeze stack tile zeros zeros_like".split()}}
_MORE = ("transpose repeat repeat_elements arange batch_dot batch_get_value batch_set_value bias_add count_params dtype eval "
         "is_keras_tensor moving_average_update random_bernoulli switch truncated_normal update update_add update_sub "
         "gradients function categorical_crossentropy sparse_categorical_crossentropy")
_names.lazy(globals(), {
    **{n: f"tensorflow.keras.backend_more:{n}" for n in _MORE.split()},
    **{n: f"tensorflow.ops.math_ops:{f}" for n, f in _MATH.items()},
    **{n: f"tensorflow.ops.array_ops:{f}" for n, f in _ARRAY.items()},
    **{n: f"tensorflow.keras.activations:{n}" for n in "relu elu softmax softsign hard_sigmoid".split()},
    "variable": "tensorflow.framework.variables:Variable", "dropout": "tensorflow.ops.nn_ops:dropout"})
