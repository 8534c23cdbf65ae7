# SPDX-License-Identifier: MIT
"""Candidates: classes that are drawn, so that a loss need not look at all of them. The host draws, while a program waits.
Labels are [batch, num_true]."""
from __future__ import annotations

from typing import Any

import numpy as np

from tensorflow.framework import dtypes
from tensorflow.framework.host_calls import host_call
from tensorflow.framework.seeds import generator
from tensorflow.framework.tensors import Tensor, convert_to_tensor
from tensorflow.framework.typed import TensorLike
from tensorflow.ops import array_ops, math_ops, nn_ops


class _Uniform:
    """Every class is as likely as any other."""

    def __init__(self, range_max):
        self._count = range_max

    def draw(self, random, count):
        return random.integers(0, self._count, count)

    def probability(self, classes):
        return np.full(np.shape(classes), 1 / self._count)


class _LogUniform:
    """P(c) = log((c + 2) / (c + 1)) / log(range_max + 1): classes are numbered by how frequent they are."""

    def __init__(self, range_max):
        self._log = np.log1p(range_max)
        self._last = range_max - 1

    def draw(self, random, count):
        return np.minimum(np.floor(np.exp(random.random(count) * self._log)).astype(np.int64) - 1, self._last)

    def probability(self, classes):
        classes = np.asarray(classes, np.float64)
        return np.log((classes + 2) / (classes + 1)) / self._log


def _distinct(distribution, random, count):
    """`count` different classes, and how many were drawn until then."""
    found, tries = {}, 0
    while len(found) < count:
        for c in distribution.draw(random, max(count, 64)):
            tries += 1
            found.setdefault(int(c))
            if len(found) == count:
                break
    return np.array(list(found), np.int64), tries


def _sampled(distribution, true_classes, num_true, num_sampled, unique, range_max, seed, name):
    true_classes = math_ops.cast(true_classes, dtypes.int32)
    rows = true_classes.shape.as_list()
    if len(rows) != 2 or rows[1] != num_true:
        raise ValueError(f"true_classes must have shape [batch, {num_true}], not {true_classes.shape}.")
    if num_sampled < 1 or unique and num_sampled > range_max:
        raise ValueError(f"{num_sampled} {'different ' if unique else ''}classes cannot be drawn of {range_max}.")
    random = generator(seed)

    def draw(arrays, _):
        drawn, tries = (_distinct(distribution, random, num_sampled) if unique
                        else (distribution.draw(random, num_sampled), num_sampled))

        def expected(classes):
            p = distribution.probability(classes)
            return (-np.expm1(tries * np.log1p(-p)) if unique and tries != num_sampled else p * tries).astype(np.float32)
        return drawn.astype(np.int32), expected(arrays[0]), expected(drawn)
    drawn, of_true, of_drawn = host_call(draw, [true_classes], [(dtypes.int32, [num_sampled]), (dtypes.float32, rows),
                                                                (dtypes.float32, [num_sampled])], name)
    return math_ops.cast(drawn, dtypes.int64), of_true, of_drawn


def uniform_candidate_sampler(true_classes: Any, num_true: int, num_sampled: int, unique: Any, range_max: Any,
                              seed: int | None = None, name: str | None = None) -> tuple:
    """(classes, how often each true one is expected among them, how often each drawn one is), all as likely."""
    return _sampled(_Uniform(range_max), true_classes, num_true, num_sampled, unique, range_max, seed,
                    name or "uniform_candidate_sampler")


def log_uniform_candidate_sampler(true_classes: Any, num_true: int, num_sampled: int, unique: Any, range_max: Any,
                                  seed: int | None = None, name: str | None = None) -> tuple:
    """The same with P(c) = log((c + 2) / (c + 1)) / log(range_max + 1)."""
    return _sampled(_LogUniform(range_max), true_classes, num_true, num_sampled, unique, range_max, seed,
                    name or "log_uniform_candidate_sampler")


def _logits(weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values, hits, seed):
    """Logits of the true classes and the drawn ones, [batch, num_true + num_sampled], and their labels."""
    inputs, labels = convert_to_tensor(inputs), math_ops.cast(labels, dtypes.int32)
    if labels.shape.rank != 2 or labels.shape[1] != num_true:
        raise ValueError(f"labels must have shape [batch, {num_true}], not {labels.shape}.")
    if sampled_values is None:
        sampled_values = log_uniform_candidate_sampler(labels, num_true, num_sampled, True, num_classes, seed)
    drawn, of_true, of_drawn = (math_ops.stop_gradient(t) for t in sampled_values)
    drawn = math_ops.cast(drawn, dtypes.int32)

    def log(t):
        return math_ops.cast(math_ops.log(t), inputs.dtype)
    of_labels = array_ops.gather(weights, labels)  # [batch, num_true, features]
    true = math_ops.add(math_ops.reduce_sum(math_ops.multiply(of_labels, array_ops.expand_dims(inputs, 1)), axis=2),
                        array_ops.gather(biases, labels))
    others = math_ops.add(math_ops.matmul(inputs, array_ops.gather(weights, drawn), transpose_b=True),
                          array_ops.gather(biases, drawn))
    if hits:  # a drawn class that is a label of the row does not count
        same = math_ops.reduce_any(math_ops.equal(array_ops.expand_dims(labels, 2), drawn), axis=1)
        lowest = float(np.finfo(inputs.dtype.as_numpy_dtype).min)
        others = math_ops.where(same, lowest, others)
    true, others = math_ops.subtract(true, log(of_true)), math_ops.subtract(others, log(of_drawn))
    logits = array_ops.concat([true, others], 1)
    wanted = array_ops.concat([math_ops.divide(array_ops.ones_like(true), float(num_true)), array_ops.zeros_like(others)], 1)
    return logits, wanted


def sampled_softmax_loss(weights: TensorLike, biases: TensorLike, labels: TensorLike, inputs: TensorLike, num_sampled: int,
                         num_classes: int, num_true: int = 1, sampled_values: Any = None, remove_accidental_hits: bool = True,
                         seed: int | None = None, name: str = "sampled_softmax_loss") -> Any:
    """The cross-entropy over the true classes and drawn ones: one number for each row, for training only."""
    logits, wanted = _logits(weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values,
                             remove_accidental_hits, seed)
    return nn_ops.softmax_cross_entropy_with_logits(math_ops.stop_gradient(wanted), logits)


def nce_loss(weights: TensorLike, biases: TensorLike, labels: TensorLike, inputs: TensorLike, num_sampled: int,
             num_classes: int, num_true: int = 1, sampled_values: Any = None, remove_accidental_hits: bool = False,
             name: str = "nce_loss") -> Tensor:
    """Noise-contrastive estimation: true classes are told from drawn ones, one number for each row, for training only."""
    logits, wanted = _logits(weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values,
                             remove_accidental_hits, None)
    return math_ops.reduce_sum(nn_ops.sigmoid_cross_entropy_with_logits(wanted, logits), axis=1)


samplers = "uniform_candidate_sampler log_uniform_candidate_sampler".split()
losses = "sampled_softmax_loss nce_loss".split()
