# SPDX-License-Identifier: MIT
"""Means of losses as metrics, and means of other kinds: RootMeanSquaredError, MeanRelativeError, MeanTensor."""
from __future__ import annotations

import numpy as np

from tensorflow.framework.context import eagerly
from tensorflow.framework.tensors import Tensor, convert_to_tensor
from tensorflow.framework.typed import DTypeLike, ShapeLike, TensorLike
from tensorflow.framework.variables import Variable
from tensorflow.keras import losses
from tensorflow.keras.losses import (mean_squared_error, mean_absolute_error, mse, mae, MSE, MAE,
                                     mean_absolute_percentage_error, mape, MAPE, mean_squared_logarithmic_error, msle, MSLE,
                                     binary_crossentropy, categorical_crossentropy, sparse_categorical_crossentropy, hinge,
                                     squared_hinge, kld, KLD, kullback_leibler_divergence, poisson)
from tensorflow.keras.metrics.base import Mean, Metric, metric_class, registry
from tensorflow.ops import array_ops, math_ops

__all__ = ["MeanSquaredError", "MeanAbsoluteError", "MeanAbsolutePercentageError", "MeanSquaredLogarithmicError",
           "CosineSimilarity", "LogCoshError", "Poisson", "KLDivergence", "Hinge", "SquaredHinge", "CategoricalHinge",
           "BinaryCrossentropy", "CategoricalCrossentropy", "SparseCategoricalCrossentropy", "RootMeanSquaredError",
           "MeanRelativeError", "MeanTensor", "mean_squared_error", "mean_absolute_error", "mse", "mae", "MSE", "MAE",
           "mean_absolute_percentage_error", "mape", "MAPE", "mean_squared_logarithmic_error", "msle", "MSLE",
           "binary_crossentropy", "categorical_crossentropy", "sparse_categorical_crossentropy", "hinge", "squared_hinge",
           "kld", "KLD", "kullback_leibler_divergence", "poisson"]


def cosine_proximity(y_true, y_pred, axis=-1):
    """The cosine of the angle between labels and predictions."""
    return math_ops.negative(losses.cosine_similarity(y_true, y_pred, axis))


MeanSquaredError = metric_class("MeanSquaredError", losses.mean_squared_error)
MeanAbsoluteError = metric_class("MeanAbsoluteError", losses.mean_absolute_error)
MeanAbsolutePercentageError = metric_class("MeanAbsolutePercentageError", losses.mean_absolute_percentage_error)
MeanSquaredLogarithmicError = metric_class("MeanSquaredLogarithmicError", losses.mean_squared_logarithmic_error)
CosineSimilarity = metric_class("CosineSimilarity", cosine_proximity, "cosine_similarity", axis=-1)
LogCoshError = metric_class("LogCoshError", losses.log_cosh, "logcosh")
Poisson = metric_class("Poisson", losses.poisson)
KLDivergence = metric_class("KLDivergence", losses.kl_divergence, "kullback_leibler_divergence")
Hinge = metric_class("Hinge", losses.hinge)
SquaredHinge = metric_class("SquaredHinge", losses.squared_hinge)
CategoricalHinge = metric_class("CategoricalHinge", losses.categorical_hinge)
BinaryCrossentropy = metric_class("BinaryCrossentropy", losses.binary_crossentropy, from_logits=False, label_smoothing=0)
CategoricalCrossentropy = metric_class("CategoricalCrossentropy", losses.categorical_crossentropy, from_logits=False,
                                       label_smoothing=0)
SparseCategoricalCrossentropy = metric_class("SparseCategoricalCrossentropy", losses.sparse_categorical_crossentropy,
                                             from_logits=False, axis=-1)


@registry.add()
class RootMeanSquaredError(Mean):
    """sqrt(mean((y - t)^2)) over everything"""

    def __init__(self, name: str | None = "root_mean_squared_error", dtype: DTypeLike | None = None) -> None:
        super().__init__(name, dtype)

    def update_state(self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None) -> None:
        y_true, y_pred = (math_ops.cast(convert_to_tensor(v), self._dtype) for v in (y_true, y_pred))
        if y_true.shape.rank == y_pred.shape.rank - 1 and y_pred.shape[-1] == 1:
            y_pred = array_ops.squeeze(y_pred, [-1])
        super().update_state(math_ops.squared_difference(y_pred, y_true), sample_weight)

    def result(self) -> Tensor:
        return math_ops.sqrt(super().result())


@registry.add()
class MeanRelativeError(Mean):
    """mean(|y - t| / normalizer)"""

    def __init__(self, normalizer: list, name: str | None = None, dtype: DTypeLike | None = None) -> None:
        super().__init__(name or "mean_relative_error", dtype)
        self.normalizer = np.asarray(normalizer, np.float32)

    def update_state(self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None) -> None:
        y_true, y_pred = (math_ops.cast(convert_to_tensor(v), self._dtype) for v in (y_true, y_pred))
        error = math_ops.divide_no_nan(math_ops.abs(math_ops.subtract(y_true, y_pred)), self.normalizer)
        super().update_state(error, sample_weight)

    def get_config(self) -> dict:
        return {**super().get_config(), "normalizer": self.normalizer.tolist()}


@registry.add()
class MeanTensor(Metric):
    """The mean of tensors, entry by entry."""

    def __init__(self, name: str | None = "mean_tensor", dtype: DTypeLike | None = None,
                 shape: ShapeLike | None = None) -> None:
        super().__init__(name, dtype)
        self.total = self.count = None
        if shape is not None:
            self._build(tuple(shape))

    def _build(self, shape):
        with eagerly():
            self.total, self.count = (Variable(np.zeros(shape, self._dtype), False, name=f"{self.name}/{n}")
                                      for n in ("total", "count"))
        self._weights += [self.total, self.count]

    def update_state(self, values: TensorLike, sample_weight: TensorLike | None = None) -> None:
        values = math_ops.cast(convert_to_tensor(values), self._dtype)
        if self.total is None:
            self._build(values.shape.as_list())
        elif values.shape != self.total.shape:
            raise ValueError("MeanTensor input values must always have the same shape. Expected shape (set during the "
                             f"first call): {self.total.shape}. Got: {values.shape}")
        count = array_ops.ones_like(values)
        if sample_weight is not None:
            weight = math_ops.cast(convert_to_tensor(sample_weight), self._dtype)
            while weight.shape.rank and weight.shape.rank < values.shape.rank:
                weight = array_ops.expand_dims(weight, -1)
            values, count = math_ops.multiply(values, weight), math_ops.multiply(count, weight)
        self.total.assign_add(values)
        self.count.assign_add(count)

    def result(self) -> Tensor:
        if self.total is None:
            raise ValueError("MeanTensor does not have any result yet. Please call the MeanTensor instance or use "
                             "`.update_state(value)` before retrieving the result.")
        return math_ops.divide_no_nan(self.total, self.count)
