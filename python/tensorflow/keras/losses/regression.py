# SPDX-License-Identifier: MIT
"""Distances of numbers, means along the last axis."""
from tensorflow.keras.losses.base import loss_class, prepared, registry
from tensorflow.ops import math_ops

__all__ = ["mean_squared_error", "mean_absolute_error", "mse", "mae", "MSE", "MAE", "MeanSquaredError", "MeanAbsoluteError"]


@registry.add("mse", "MSE")
def mean_squared_error(y_true, y_pred):
    """mean((y - t)^2)"""
    y_true, y_pred = prepared(y_true, y_pred)
    return math_ops.reduce_mean(math_ops.squared_difference(y_pred, y_true), -1)


@registry.add("mae", "MAE")
def mean_absolute_error(y_true, y_pred):
    """mean(|y - t|)"""
    y_true, y_pred = prepared(y_true, y_pred)
    return math_ops.reduce_mean(math_ops.abs(math_ops.subtract(y_pred, y_true)), -1)


mse = MSE = mean_squared_error
mae = MAE = mean_absolute_error
MeanSquaredError = loss_class("MeanSquaredError", mean_squared_error)
MeanAbsoluteError = loss_class("MeanAbsoluteError", mean_absolute_error)
