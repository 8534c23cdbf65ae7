# SPDX-License-Identifier: MIT
"""tf.losses of TensorFlow 1: means of weighted losses."""
from tensorflow import _names
from tensorflow.framework.graphs import current
from tensorflow.framework.tensors import convert_to_tensor
from tensorflow.ops import array_ops, math_ops, nn_ops


class Reduction:
    NONE, SUM, MEAN = "none", "weighted_sum", "weighted_mean"
    SUM_OVER_BATCH_SIZE, SUM_BY_NONZERO_WEIGHTS = "weighted_sum_over_batch_size", "weighted_sum_by_nonzero_weights"


def _reduced(values, weights, reduction):
    if weights != 1.0 if isinstance(weights, (int, float)) else True:
        values = math_ops.multiply(values, math_ops.cast(convert_to_tensor(weights), values.dtype))
    out = values if reduction == Reduction.NONE else math_ops.reduce_sum(values) if reduction == Reduction.SUM else \
        math_ops.reduce_mean(values)
    if current.default is not None:
        current.default.add_to_collection("losses", out)
    return out


def sparse_softmax_cross_entropy(labels, logits, weights=1.0, scope=None, loss_collection="losses",
                                 reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    labels = convert_to_tensor(labels)
    logits = convert_to_tensor(logits)
    if labels.shape.rank == logits.shape.rank and labels.shape[-1] == 1:
        labels = array_ops.squeeze(labels, [-1])
    return _reduced(nn_ops.sparse_softmax_cross_entropy_with_logits(labels, logits), weights, reduction)


def softmax_cross_entropy(onehot_labels, logits, weights=1.0, label_smoothing=0, scope=None, loss_collection="losses",
                          reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    labels = math_ops.cast(convert_to_tensor(onehot_labels), convert_to_tensor(logits).dtype)
    if label_smoothing > 0:
        labels = math_ops.add(math_ops.multiply(labels, 1 - label_smoothing), label_smoothing / labels.shape[-1])
    return _reduced(nn_ops.softmax_cross_entropy_with_logits(labels, logits), weights, reduction)


def sigmoid_cross_entropy(multi_class_labels, logits, weights=1.0, label_smoothing=0, scope=None, loss_collection="losses",
                          reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    labels = math_ops.cast(convert_to_tensor(multi_class_labels), convert_to_tensor(logits).dtype)
    return _reduced(nn_ops.sigmoid_cross_entropy_with_logits(labels, logits), weights, reduction)


def mean_squared_error(labels, predictions, weights=1.0, scope=None, loss_collection="losses",
                       reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    predictions = convert_to_tensor(predictions)
    return _reduced(math_ops.squared_difference(predictions, math_ops.cast(labels, predictions.dtype)), weights, reduction)


def absolute_difference(labels, predictions, weights=1.0, scope=None, loss_collection="losses",
                        reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    predictions = convert_to_tensor(predictions)
    return _reduced(math_ops.abs(math_ops.subtract(predictions, math_ops.cast(labels, predictions.dtype))), weights,
                    reduction)


def get_losses(scope=None, loss_collection="losses"):
    return current.default.get_collection("losses", None)


_names.lazy(globals(), {})
