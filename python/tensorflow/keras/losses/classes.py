# SPDX-License-Identifier: MIT
"""Cross-entropies: labels as rows of probabilities, as numbers of classes, or as zeros and ones."""
from __future__ import annotations

from tensorflow.framework.tensors import Tensor, convert_to_tensor
from tensorflow.framework.typed import AxisLike, TensorLike
from tensorflow.keras import backend
from tensorflow.keras.losses.base import loss_class, prepared, registry
from tensorflow.ops import array_ops, math_ops, nn_ops

__all__ = ["categorical_crossentropy", "sparse_categorical_crossentropy", "binary_crossentropy", "CategoricalCrossentropy",
           "SparseCategoricalCrossentropy", "BinaryCrossentropy"]


def _logits_of(y_pred):
    """What a softmax was made of: Keras computes the loss from there, which neither loses digits nor clips."""
    return getattr(y_pred, "_keras_logits", None)


@registry.add()
def categorical_crossentropy(y_true: TensorLike, y_pred: TensorLike, from_logits: bool = False, label_smoothing: float = 0,
                             axis: AxisLike = -1) -> Tensor:
    """-sum(y log p) along the classes"""
    y_true, y_pred = prepared(y_true, y_pred)
    if label_smoothing:
        classes = y_pred.shape[axis]
        y_true = math_ops.add(math_ops.multiply(y_true, 1.0 - label_smoothing), label_smoothing / classes)
    if axis not in (-1, y_pred.shape.rank - 1):
        perm = [d for d in range(y_pred.shape.rank) if d != axis] + [axis]
        y_true, y_pred = array_ops.transpose(y_true, perm), array_ops.transpose(y_pred, perm)
    logits = y_pred if from_logits else _logits_of(y_pred)
    if logits is not None:
        return nn_ops.softmax_cross_entropy_with_logits(y_true, logits)
    p = math_ops.divide(y_pred, math_ops.reduce_sum(y_pred, -1, keepdims=True))
    eps = backend.epsilon()
    p = math_ops.clip_by_value(p, eps, 1 - eps)
    return math_ops.negative(math_ops.reduce_sum(math_ops.multiply(y_true, math_ops.log(p)), -1))


@registry.add()
def sparse_categorical_crossentropy(y_true: TensorLike, y_pred: TensorLike, from_logits: bool = False,
                                    axis: AxisLike = -1) -> Tensor:
    """-log p[label]"""
    y_pred, labels = convert_to_tensor(y_pred), convert_to_tensor(y_true)
    if labels.shape.rank == y_pred.shape.rank and labels.shape[-1] == 1:
        labels = array_ops.squeeze(labels, [-1])
    labels = math_ops.cast(labels, "int32")
    if axis not in (-1, y_pred.shape.rank - 1):
        y_pred = array_ops.transpose(y_pred, [d for d in range(y_pred.shape.rank) if d != axis] + [axis])
    logits = y_pred if from_logits else _logits_of(y_pred)
    if logits is not None:
        return nn_ops.sparse_softmax_cross_entropy_with_logits(labels, logits)
    eps = backend.epsilon()
    logs = math_ops.log(math_ops.clip_by_value(y_pred, eps, 1 - eps))
    return nn_ops.sparse_softmax_cross_entropy_with_logits(labels, logs)


@registry.add("bce", "BCE")
def binary_crossentropy(y_true: TensorLike, y_pred: TensorLike, from_logits: bool = False, label_smoothing: float = 0,
                        axis: AxisLike = -1) -> Tensor:
    """-mean(y log p + (1 - y) log(1 - p)) along the last axis"""
    y_true, y_pred = prepared(y_true, y_pred)
    if label_smoothing:
        y_true = math_ops.add(math_ops.multiply(y_true, 1.0 - label_smoothing), 0.5 * label_smoothing)
    logits = y_pred if from_logits else getattr(y_pred, "_keras_sigmoid_of", None)
    if logits is not None:
        y_pred = logits
        return math_ops.reduce_mean(nn_ops.sigmoid_cross_entropy_with_logits(y_true, y_pred), axis)
    eps = backend.epsilon()
    p = math_ops.clip_by_value(y_pred, eps, 1 - eps)
    yes = math_ops.multiply(y_true, math_ops.log(math_ops.add(p, eps)))
    no = math_ops.multiply(math_ops.subtract(1.0, y_true), math_ops.log(math_ops.add(math_ops.subtract(1.0, p), eps)))
    return math_ops.negative(math_ops.reduce_mean(math_ops.add(yes, no), axis))


CategoricalCrossentropy = loss_class("CategoricalCrossentropy", categorical_crossentropy, from_logits=False,
                                     label_smoothing=0, axis=-1)
SparseCategoricalCrossentropy = loss_class("SparseCategoricalCrossentropy", sparse_categorical_crossentropy,
                                           from_logits=False)
BinaryCrossentropy = loss_class("BinaryCrossentropy", binary_crossentropy, from_logits=False, label_smoothing=0, axis=-1)
