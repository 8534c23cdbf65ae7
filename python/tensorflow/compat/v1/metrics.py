# SPDX-License-Identifier: MIT
"""tf.metrics of TensorFlow 1: (value, update) pairs. What was counted is in local variables; running the update counts a batch
and gives the value with it."""
from __future__ import annotations

from typing import Sequence

import numpy as np

from tensorflow import _names
from tensorflow.compat.v1.graphs import GraphKeys, get_default_graph
from tensorflow.framework.context import active, current
from tensorflow.framework.scopes import name_scope
from tensorflow.framework.tensors import convert_to_tensor
from tensorflow.framework.typed import TensorLike
from tensorflow.framework.variables import Variable
from tensorflow.ops import array_ops, math_ops


def _local(name):
    """A variable of the metric alone."""
    if active() is None:
        raise RuntimeError("tf.metrics is not supported when eager execution is enabled. Use tf.keras.metrics.")
    out = Variable(np.float32(0), False, name=name)
    graph = get_default_graph()
    graph.collections[GraphKeys.GLOBAL_VARIABLES].pop()
    graph.add_to_collection(GraphKeys.LOCAL_VARIABLES, out)
    return out


def _collected(value, update, metrics_collections, updates_collections):
    for names, tensor in ((metrics_collections, value), (updates_collections, update)):
        for name in [names] if isinstance(names, str) else names or ():
            current.default.add_to_collection(name, tensor)
    return value, update


def _ratio(name, total, count, collections, finish=lambda v: v):
    """total / count over all batches; finish: what is made of it."""
    with name_scope(name):
        sums = [_local("total"), _local("count")]
    value = finish(math_ops.divide_no_nan(*[v.read_value() for v in sums]))
    new = [v.assign_add(math_ops.cast(t, "float32")) for v, t in zip(sums, (total, count))]
    return _collected(value, finish(math_ops.divide_no_nan(*new)), *collections)


def _weighted(values, weights):
    """(sum, how much it weighs)"""
    values = math_ops.cast(convert_to_tensor(values), "float32")
    ones = array_ops.ones_like(values)
    if weights is not None:
        weights = math_ops.cast(convert_to_tensor(weights), "float32")
        while 0 < weights.shape.rank < values.shape.rank:
            weights = array_ops.expand_dims(weights, -1)
        ones = math_ops.multiply(ones, weights)
    return math_ops.reduce_sum(math_ops.multiply(values, ones)), math_ops.reduce_sum(ones)


def mean(values: TensorLike, weights: TensorLike | None = None, metrics_collections: Sequence | None = None,
         updates_collections: Sequence | None = None, name: str | None = None) -> tuple:
    """The weighted mean of values over all batches."""
    total, count = _weighted(values, weights)
    return _ratio(name or "mean", total, count, (metrics_collections, updates_collections))


def _pair(labels, predictions):
    """Predictions of one column are a vector, as the labels."""
    labels, predictions = convert_to_tensor(labels), convert_to_tensor(predictions)
    if predictions.shape.rank == labels.shape.rank + 1 and predictions.shape[-1] == 1:
        predictions = array_ops.squeeze(predictions, [-1])
    elif labels.shape.rank == predictions.shape.rank + 1 and labels.shape[-1] == 1:
        labels = array_ops.squeeze(labels, [-1])
    return labels, predictions


def accuracy(labels: TensorLike, predictions: TensorLike, weights: TensorLike | None = None,
             metrics_collections: Sequence | None = None, updates_collections: Sequence | None = None,
             name: str | None = None) -> tuple:
    """The share of predictions that equal their labels, over all batches."""
    labels, predictions = _pair(labels, predictions)
    same = math_ops.equal(labels, math_ops.cast(predictions, labels.dtype))
    hits, count = _weighted(same, weights)
    return _ratio(name or "accuracy", hits, count, (metrics_collections, updates_collections))


def _of_errors(default, error, finish=lambda v: v):
    def function(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
        labels, predictions = _pair(labels, predictions)
        difference = math_ops.subtract(math_ops.cast(predictions, "float32"), math_ops.cast(labels, "float32"))
        return _ratio(name or default, *_weighted(error(difference), weights), (metrics_collections, updates_collections),
                      finish)
    function.__name__ = default
    function.__doc__ = f"The {default.replace('_', ' ')} over all batches."
    return function


mean_squared_error = _of_errors("mean_squared_error", math_ops.square)
mean_absolute_error = _of_errors("mean_absolute_error", math_ops.abs)
root_mean_squared_error = _of_errors("root_mean_squared_error", math_ops.square, math_ops.sqrt)


def _of_hits(default, among, of):
    """True positives among those that `of` says: labels or predictions."""
    def function(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
        labels, predictions = (math_ops.cast(t, "bool") for t in _pair(labels, predictions))
        hits, _ = _weighted(math_ops.logical_and(labels, predictions), weights)
        there, _ = _weighted(of(labels, predictions), weights)
        return _ratio(name or default, hits, there, (metrics_collections, updates_collections))
    function.__name__ = default
    function.__doc__ = f"The share of true positives among all positive {among}, over all batches."
    return function


precision = _of_hits("precision", "predictions", lambda labels, predictions: predictions)
recall = _of_hits("recall", "labels", lambda labels, predictions: labels)
_names.explain_missing(globals())
