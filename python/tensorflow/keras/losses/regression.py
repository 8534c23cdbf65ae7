# SPDX-License-Identifier: MIT
"""Distances of numbers, means along the last axis."""
from __future__ import annotations

import numpy as np

from tensorflow.framework.typed import AxisLike, TensorLike
from tensorflow.framework.tensors import Tensor
from tensorflow.keras import backend
from tensorflow.keras.losses.base import loss_class, prepared, registry
from tensorflow.ops import math_ops, nn_ops

__all__ = ["mean_squared_error", "mean_absolute_error", "mean_absolute_percentage_error", "mean_squared_logarithmic_error",
           "huber", "log_cosh", "logcosh", "poisson", "cosine_similarity", "mse", "mae", "mape", "msle", "MSE", "MAE",
           "MAPE", "MSLE", "MeanSquaredError", "MeanAbsoluteError", "MeanAbsolutePercentageError",
           "MeanSquaredLogarithmicError", "Huber", "LogCosh", "Poisson", "CosineSimilarity"]


@registry.add("mse", "MSE")
def mean_squared_error(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """mean((y - t)^2)"""
    y_true, y_pred = prepared(y_true, y_pred)
    return math_ops.reduce_mean(math_ops.squared_difference(y_pred, y_true), -1)


@registry.add("mae", "MAE")
def mean_absolute_error(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """mean(|y - t|)"""
    y_true, y_pred = prepared(y_true, y_pred)
    return math_ops.reduce_mean(math_ops.abs(math_ops.subtract(y_pred, y_true)), -1)


@registry.add("mape", "MAPE")
def mean_absolute_percentage_error(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """100 * mean(|y - t| / max(|t|, epsilon))"""
    y_true, y_pred = prepared(y_true, y_pred)
    size = math_ops.maximum(math_ops.abs(y_true), backend.epsilon())
    share = math_ops.abs(math_ops.divide(math_ops.subtract(y_true, y_pred), size))
    return math_ops.multiply(math_ops.reduce_mean(share, -1), 100.0)


@registry.add("msle", "MSLE")
def mean_squared_logarithmic_error(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """mean((log(t + 1) - log(y + 1))^2), numbers at least epsilon"""
    y_true, y_pred = prepared(y_true, y_pred)
    logs = [math_ops.log(math_ops.add(math_ops.maximum(v, backend.epsilon()), 1.0)) for v in (y_pred, y_true)]
    return math_ops.reduce_mean(math_ops.squared_difference(*logs), -1)


@registry.add()
def huber(y_true: TensorLike, y_pred: TensorLike, delta: float = 1.0) -> Tensor:
    """d^2 / 2 up to |d| = delta, and a line from there"""
    y_true, y_pred = prepared(y_true, y_pred)
    d = math_ops.abs(math_ops.subtract(y_pred, y_true))
    near = math_ops.multiply(math_ops.square(d), 0.5)
    far = math_ops.subtract(math_ops.multiply(d, float(delta)), 0.5 * float(delta) ** 2)
    return math_ops.reduce_mean(math_ops.where(math_ops.less_equal(d, float(delta)), near, far), -1)


@registry.add("logcosh")
def log_cosh(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """mean(log(cosh(y - t))) = mean(d + softplus(-2 d) - log 2)"""
    y_true, y_pred = prepared(y_true, y_pred)
    d = math_ops.subtract(y_pred, y_true)
    soft = nn_ops.softplus(math_ops.multiply(d, -2.0))
    return math_ops.reduce_mean(math_ops.subtract(math_ops.add(d, soft), float(np.log(2.0))), -1)


@registry.add()
def poisson(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """mean(y - t log(y + epsilon))"""
    y_true, y_pred = prepared(y_true, y_pred)
    logs = math_ops.log(math_ops.add(y_pred, backend.epsilon()))
    return math_ops.reduce_mean(math_ops.subtract(y_pred, math_ops.multiply(y_true, logs)), -1)


@registry.add()
def cosine_similarity(y_true: TensorLike, y_pred: TensorLike, axis: AxisLike = -1) -> Tensor:
    """-sum(t / |t| * y / |y|)"""
    y_true, y_pred = prepared(y_true, y_pred)
    y_true, y_pred = math_ops.l2_normalize(y_true, axis), math_ops.l2_normalize(y_pred, axis)
    return math_ops.negative(math_ops.reduce_sum(math_ops.multiply(y_true, y_pred), axis))


mse = MSE = mean_squared_error
mae = MAE = mean_absolute_error
mape = MAPE = mean_absolute_percentage_error
msle = MSLE = mean_squared_logarithmic_error
logcosh = log_cosh
MeanSquaredError = loss_class("MeanSquaredError", mean_squared_error)
MeanAbsoluteError = loss_class("MeanAbsoluteError", mean_absolute_error)
MeanAbsolutePercentageError = loss_class("MeanAbsolutePercentageError", mean_absolute_percentage_error)
MeanSquaredLogarithmicError = loss_class("MeanSquaredLogarithmicError", mean_squared_logarithmic_error)
Huber = loss_class("Huber", huber, "huber_loss", delta=1.0)
LogCosh = loss_class("LogCosh", log_cosh)
Poisson = loss_class("Poisson", poisson)
CosineSimilarity = loss_class("CosineSimilarity", cosine_similarity, axis=-1)
