# SPDX-License-Identifier: MIT
"""tf.losses of TensorFlow 1: means of weighted losses."""
from __future__ import annotations

from tensorflow import _names
from tensorflow.framework.context import current
from tensorflow.framework.tensors import Tensor, convert_to_tensor
from tensorflow.framework.typed import AxisLike, TensorLike
from tensorflow.ops import array_ops, math_ops, nn_ops


class Reduction:
    """How the losses of a batch become one value."""
    NONE, SUM, MEAN = "none", "weighted_sum", "weighted_mean"
    SUM_OVER_BATCH_SIZE, SUM_BY_NONZERO_WEIGHTS = "weighted_sum_over_batch_size", "weighted_sum_by_nonzero_weights"


def _reduced(values, weights, reduction, collection):
    weighs = not isinstance(weights, (int, float)) or weights != 1
    if weighs:
        weights = math_ops.cast(convert_to_tensor(weights), values.dtype)
        while 0 < weights.shape.rank < values.shape.rank:
            weights = array_ops.expand_dims(weights, -1)
        weights = math_ops.multiply(array_ops.ones_like(values), weights)
        values = math_ops.multiply(values, weights)
    if reduction == Reduction.NONE:
        out = values
    elif reduction == Reduction.SUM:
        out = math_ops.reduce_sum(values)
    elif not weighs or reduction == Reduction.SUM_OVER_BATCH_SIZE:
        out = math_ops.reduce_mean(values)
    elif reduction in (Reduction.MEAN, Reduction.SUM_BY_NONZERO_WEIGHTS):
        parts = weights if reduction == Reduction.MEAN else math_ops.cast(math_ops.not_equal(weights, 0.0), values.dtype)
        out = math_ops.divide_no_nan(math_ops.reduce_sum(values), math_ops.reduce_sum(parts))
    else:
        raise ValueError(f"Invalid Reduction Key {reduction}.")
    if current.default is not None and collection:
        current.default.add_to_collection(collection, out)
    return out


def sparse_softmax_cross_entropy(labels: TensorLike, logits: TensorLike, weights: TensorLike = 1.0, scope: str | None = None,
                                 loss_collection: str = "losses",
                                 reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS) -> Tensor:
    """The cross-entropy of softmax(logits) and class numbers."""
    labels = convert_to_tensor(labels)
    logits = convert_to_tensor(logits)
    if labels.shape.rank == logits.shape.rank and labels.shape[-1] == 1:
        labels = array_ops.squeeze(labels, [-1])
    return _reduced(nn_ops.sparse_softmax_cross_entropy_with_logits(labels, logits), weights, reduction, loss_collection)


def softmax_cross_entropy(onehot_labels: TensorLike, logits: TensorLike, weights: TensorLike = 1.0, label_smoothing: int = 0,
                          scope: str | None = None, loss_collection: str = "losses",
                          reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS) -> Tensor:
    """The cross-entropy of softmax(logits) and rows of probabilities."""
    labels = math_ops.cast(convert_to_tensor(onehot_labels), convert_to_tensor(logits).dtype)
    if label_smoothing > 0:
        labels = math_ops.add(math_ops.multiply(labels, 1 - label_smoothing), label_smoothing / labels.shape[-1])
    return _reduced(nn_ops.softmax_cross_entropy_with_logits(labels, logits), weights, reduction, loss_collection)


def sigmoid_cross_entropy(multi_class_labels: TensorLike, logits: TensorLike, weights: TensorLike = 1.0,
                          label_smoothing: float = 0, scope: str | None = None, loss_collection: str = "losses",
                          reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS) -> Tensor:
    """The cross-entropy of sigmoid(logits) and independent yes-or-no labels."""
    labels = math_ops.cast(convert_to_tensor(multi_class_labels), convert_to_tensor(logits).dtype)
    if label_smoothing > 0:
        labels = math_ops.add(math_ops.multiply(labels, 1 - label_smoothing), 0.5 * label_smoothing)
    return _reduced(nn_ops.sigmoid_cross_entropy_with_logits(labels, logits), weights, reduction, loss_collection)


def mean_squared_error(labels: TensorLike, predictions: TensorLike, weights: TensorLike = 1.0, scope: str | None = None,
                       loss_collection: str = "losses", reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS) -> Tensor:
    """(predictions - labels)^2."""
    predictions = convert_to_tensor(predictions)
    return _reduced(math_ops.squared_difference(predictions, math_ops.cast(labels, predictions.dtype)), weights, reduction,
                    loss_collection)


def absolute_difference(labels: TensorLike, predictions: TensorLike, weights: TensorLike = 1.0, scope: str | None = None,
                        loss_collection: str = "losses", reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS) -> Tensor:
    """|predictions - labels|."""
    predictions = convert_to_tensor(predictions)
    return _reduced(math_ops.abs(math_ops.subtract(predictions, math_ops.cast(labels, predictions.dtype))), weights,
                    reduction, loss_collection)


def _both(labels, predictions):
    predictions = convert_to_tensor(predictions)
    return math_ops.cast(convert_to_tensor(labels), predictions.dtype), predictions


def huber_loss(labels: TensorLike, predictions: TensorLike, weights: TensorLike = 1.0, delta: float = 1.0,
               scope: str | None = None, loss_collection: str = "losses",
               reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS) -> Tensor:
    """d^2 / 2 up to |d| = delta, then a line."""
    labels, predictions = _both(labels, predictions)
    error = math_ops.abs(math_ops.subtract(predictions, labels))
    near = math_ops.minimum(error, float(delta))
    values = math_ops.add(math_ops.multiply(math_ops.multiply(near, near), 0.5),
                          math_ops.multiply(math_ops.subtract(error, near), float(delta)))
    return _reduced(values, weights, reduction, loss_collection)


def hinge_loss(labels: TensorLike, logits: TensorLike, weights: TensorLike = 1.0, scope: str | None = None,
               loss_collection: str = "losses", reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS) -> Tensor:
    """Labels are 0 or 1."""
    labels, logits = _both(labels, logits)
    signs = math_ops.subtract(math_ops.multiply(labels, 2.0), 1.0)
    return _reduced(nn_ops.relu(math_ops.subtract(1.0, math_ops.multiply(signs, logits))), weights, reduction, loss_collection)


def log_loss(labels: TensorLike, predictions: TensorLike, weights: TensorLike = 1.0, epsilon: float = 1e-7,
             scope: str | None = None, loss_collection: str = "losses",
             reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS) -> Tensor:
    """-labels log(predictions) - (1 - labels) log(1 - predictions)."""
    labels, p = _both(labels, predictions)
    yes = math_ops.multiply(labels, math_ops.log(math_ops.add(p, epsilon)))
    no = math_ops.multiply(math_ops.subtract(1.0, labels), math_ops.log(math_ops.add(math_ops.subtract(1.0, p), epsilon)))
    return _reduced(math_ops.negative(math_ops.add(yes, no)), weights, reduction, loss_collection)


def cosine_distance(labels: TensorLike, predictions: TensorLike, axis: AxisLike | None = None, weights: TensorLike = 1.0,
                    scope: str | None = None, loss_collection: str = "losses",
                    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS, dim: AxisLike | None = None) -> Tensor:
    """Of vectors of length one."""
    axis = dim if axis is None else axis
    if axis is None:
        raise ValueError("You must specify 'axis'.")
    labels, predictions = _both(labels, predictions)
    return _reduced(math_ops.subtract(1.0, math_ops.reduce_sum(math_ops.multiply(labels, predictions), axis, True)), weights,
                    reduction, loss_collection)


def compute_weighted_loss(losses: TensorLike, weights: TensorLike = 1.0, scope: str | None = None,
                          loss_collection: str = "losses", reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS) -> Tensor:
    """Weighs and reduces losses that were computed elsewhere."""
    return _reduced(convert_to_tensor(losses), weights, reduction, loss_collection)


def add_loss(loss: TensorLike, loss_collection: str = "losses") -> None:
    """Adds a loss to the collection that get_losses reads."""
    if current.default is not None and loss_collection:
        current.default.add_to_collection(loss_collection, loss)


def get_regularization_losses(scope: str | None = None) -> list:
    """The losses that regularisers of variables added."""
    return current.default.get_collection("regularization_losses", scope)


def get_regularization_loss(scope: str | None = None, name: str = "total_regularization_loss") -> Tensor:
    """The sum of get_regularization_losses, or 0."""
    found = get_regularization_losses(scope)
    return math_ops.add_n(found, name=name) if found else array_ops.constant(0.0)


def get_total_loss(add_regularization_losses: bool = True, name: str = "total_loss", scope: str | None = None) -> Tensor:
    """All losses that were made, and those of regularizers."""
    return math_ops.add_n([*get_losses(scope), *(get_regularization_losses(scope) if add_regularization_losses else ())],
                          name=name)


def get_losses(scope: str | None = None, loss_collection: str = "losses") -> list:
    """The losses that were added, without those of regularisers."""
    return current.default.get_collection(loss_collection, scope)


_names.explain_missing(globals())
