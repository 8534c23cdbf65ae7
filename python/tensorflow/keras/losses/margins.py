# SPDX-License-Identifier: MIT
"""Losses of margins and of distributions: hinges, the divergence of Kullback and Leibler."""
from __future__ import annotations

from tensorflow.framework.typed import TensorLike
from tensorflow.framework.tensors import Tensor
from tensorflow.keras import backend
from tensorflow.keras.losses.base import loss_class, prepared, registry
from tensorflow.ops import math_ops

__all__ = ["hinge", "squared_hinge", "categorical_hinge", "kullback_leibler_divergence", "kl_divergence", "kld", "KLD",
           "Hinge", "SquaredHinge", "CategoricalHinge", "KLDivergence"]


def _signs(y_true):
    """Labels 0 and 1 as -1 and 1, if there are no others."""
    zero, one = math_ops.equal(y_true, 0.0), math_ops.equal(y_true, 1.0)
    binary = math_ops.reduce_all(math_ops.logical_or(zero, one))
    return math_ops.where(binary, math_ops.subtract(math_ops.multiply(y_true, 2.0), 1.0), y_true)


def _short(y_true, y_pred):
    y_true, y_pred = prepared(y_true, y_pred)
    return math_ops.maximum(math_ops.subtract(1.0, math_ops.multiply(_signs(y_true), y_pred)), 0.0)


@registry.add()
def hinge(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """mean(max(1 - t y, 0))"""
    return math_ops.reduce_mean(_short(y_true, y_pred), -1)


@registry.add()
def squared_hinge(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """mean(max(1 - t y, 0)^2)"""
    return math_ops.reduce_mean(math_ops.square(_short(y_true, y_pred)), -1)


@registry.add()
def categorical_hinge(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """max(largest of the wrong - sum of the right + 1, 0)"""
    y_true, y_pred = prepared(y_true, y_pred)
    right = math_ops.reduce_sum(math_ops.multiply(y_true, y_pred), -1)
    wrong = math_ops.reduce_max(math_ops.multiply(math_ops.subtract(1.0, y_true), y_pred), -1)
    return math_ops.maximum(math_ops.add(math_ops.subtract(wrong, right), 1.0), 0.0)


@registry.add("kl_divergence", "kld", "KLD", "kullback_leibler_divergence")
def kl_divergence(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """sum(t log(t / y)), numbers between epsilon and 1"""
    y_true, y_pred = prepared(y_true, y_pred)
    y_true, y_pred = (math_ops.clip_by_value(v, backend.epsilon(), 1.0) for v in (y_true, y_pred))
    return math_ops.reduce_sum(math_ops.multiply(y_true, math_ops.log(math_ops.divide(y_true, y_pred))), -1)


kld = KLD = kullback_leibler_divergence = kl_divergence
Hinge = loss_class("Hinge", hinge)
SquaredHinge = loss_class("SquaredHinge", squared_hinge)
CategoricalHinge = loss_class("CategoricalHinge", categorical_hinge)
KLDivergence = loss_class("KLDivergence", kl_divergence)
