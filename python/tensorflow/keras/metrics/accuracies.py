# SPDX-License-Identifier: MIT
"""How often predictions are right."""
from __future__ import annotations

from tensorflow.framework.tensors import Tensor, convert_to_tensor
from tensorflow.framework.typed import TensorLike
from tensorflow.keras import backend
from tensorflow.keras.metrics.base import metric_class, registry
from tensorflow.ops import array_ops, math_ops

__all__ = ["binary_accuracy", "categorical_accuracy", "sparse_categorical_accuracy", "top_k_categorical_accuracy",
           "sparse_top_k_categorical_accuracy", "Accuracy", "BinaryAccuracy", "CategoricalAccuracy",
           "SparseCategoricalAccuracy", "TopKCategoricalAccuracy", "SparseTopKCategoricalAccuracy"]


def accuracy(y_true, y_pred):
    """1 where predictions equal labels, else 0."""
    y_pred, y_true = convert_to_tensor(y_pred), convert_to_tensor(y_true)
    return math_ops.cast(math_ops.equal(math_ops.cast(y_true, y_pred.dtype), y_pred), backend.floatx())


@registry.add()
def binary_accuracy(y_true: TensorLike, y_pred: TensorLike, threshold: float = 0.5) -> Tensor:
    """The share of outputs on the right side of the threshold."""
    y_pred = convert_to_tensor(y_pred)
    right = math_ops.equal(math_ops.cast(y_true, y_pred.dtype),
                           math_ops.cast(math_ops.greater(y_pred, float(threshold)), y_pred.dtype))
    return math_ops.reduce_mean(math_ops.cast(right, backend.floatx()), -1)


@registry.add()
def categorical_accuracy(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """1 where the largest output is the one-hot class, else 0."""
    right = math_ops.equal(math_ops.argmax(y_true, -1), math_ops.argmax(y_pred, -1))
    return math_ops.cast(right, backend.floatx())


def _labels(y_true, y_pred):
    if y_true.shape.rank == y_pred.shape.rank and y_true.shape[-1] == 1:
        y_true = array_ops.squeeze(y_true, [-1])
    return math_ops.cast(y_true, "int64")


@registry.add()
def sparse_categorical_accuracy(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """1 where the largest output is the class, else 0."""
    y_pred = convert_to_tensor(y_pred)
    labels = _labels(convert_to_tensor(y_true), y_pred)
    return math_ops.cast(math_ops.equal(labels, math_ops.argmax(y_pred, -1)), backend.floatx())


@registry.add()
def top_k_categorical_accuracy(y_true: TensorLike, y_pred: TensorLike, k: int = 5) -> Tensor:
    """1 where the one-hot class is among the k largest outputs, else 0."""
    return math_ops.cast(math_ops.in_top_k(math_ops.argmax(y_true, -1), y_pred, k), backend.floatx())


@registry.add()
def sparse_top_k_categorical_accuracy(y_true: TensorLike, y_pred: TensorLike, k: int = 5) -> Tensor:
    """1 where the class is among the k largest outputs, else 0."""
    y_pred = convert_to_tensor(y_pred)
    return math_ops.cast(math_ops.in_top_k(_labels(convert_to_tensor(y_true), y_pred), y_pred, k), backend.floatx())


Accuracy = metric_class("Accuracy", accuracy)
BinaryAccuracy = metric_class("BinaryAccuracy", binary_accuracy, threshold=0.5)
CategoricalAccuracy = metric_class("CategoricalAccuracy", categorical_accuracy)
SparseCategoricalAccuracy = metric_class("SparseCategoricalAccuracy", sparse_categorical_accuracy)
TopKCategoricalAccuracy = metric_class("TopKCategoricalAccuracy", top_k_categorical_accuracy, leading=["k"], k=5)
SparseTopKCategoricalAccuracy = metric_class("SparseTopKCategoricalAccuracy", sparse_top_k_categorical_accuracy,
                                             leading=["k"], k=5)
