# SPDX-License-Identifier: MIT
"""Metrics of how often yes was said and right: counts at one or many thresholds, and what follows from them.

All counts are sums over samples, so a device only computes what a batch adds."""
from __future__ import annotations

from typing import Any

import numpy as np

from tensorflow.framework.tensors import Tensor, convert_to_tensor
from tensorflow.framework.typed import DTypeLike, TensorLike
from tensorflow.keras import backend
from tensorflow.keras.metrics.base import Metric, registry
from tensorflow.ops import array_ops, math_ops

__all__ = ["TruePositives", "TrueNegatives", "FalsePositives", "FalseNegatives", "Precision", "Recall", "AUC",
           "SensitivityAtSpecificity", "SpecificityAtSensitivity", "PrecisionAtRecall", "RecallAtPrecision", "MeanIoU"]
_NEVER = -1e10


def _counted(kind, labels, said, weights):
    """Sums [thresholds] of samples [n]: labels and `said` [thresholds, n] as 0 and 1."""
    right = labels if kind in ("true_positives", "false_negatives") else math_ops.subtract(1.0, labels)
    yes = said if kind in ("true_positives", "false_positives") else math_ops.subtract(1.0, said)
    hits = math_ops.multiply(yes, array_ops.expand_dims(right, 0))
    if weights is not None:
        hits = math_ops.multiply(hits, array_ops.expand_dims(weights, 0))
    return math_ops.reduce_sum(hits, 1)


def _only_top(y_pred, k):
    """All but the k largest of every row become impossible."""
    least = math_ops.top_k(y_pred, k).values[..., -1:]
    return math_ops.where(math_ops.greater_equal(y_pred, least), y_pred, array_ops.ones_like(y_pred) * _NEVER)


class _Confusion(Metric):
    """Counts of the kinds that it uses, at thresholds."""
    _kinds = ()

    def _start(self, name, dtype, thresholds, class_id=None, top_k=None):
        Metric.__init__(self, name, dtype)
        self._at = [float(t) for t in thresholds]
        self.class_id, self.top_k = class_id, top_k
        for kind in self._kinds:
            setattr(self, kind, self.add_weight(kind, (len(self._at),)))

    def update_state(self, y_true, y_pred, sample_weight=None):
        y_pred = math_ops.cast(convert_to_tensor(y_pred), self._dtype)
        y_true = math_ops.cast(convert_to_tensor(y_true), self._dtype)
        if y_true.shape.rank == y_pred.shape.rank - 1 and y_pred.shape[-1] == 1:
            y_true = array_ops.expand_dims(y_true, -1)
        if self.top_k is not None:
            y_pred = _only_top(y_pred, self.top_k)
        if self.class_id is not None:
            y_true, y_pred = y_true[..., self.class_id], y_pred[..., self.class_id]
        weights = None
        if sample_weight is not None:
            weights = math_ops.cast(convert_to_tensor(sample_weight), self._dtype)
            while weights.shape.rank > y_pred.shape.rank and weights.shape[-1] == 1:
                weights = array_ops.squeeze(weights, [-1])
            while weights.shape.rank and weights.shape.rank < y_pred.shape.rank:
                weights = array_ops.expand_dims(weights, -1)
            weights = array_ops.reshape(array_ops.broadcast_to(weights, y_pred.shape.as_list()), [-1])
        y_true, y_pred = array_ops.reshape(y_true, [-1]), array_ops.reshape(y_pred, [-1])
        labels = math_ops.cast(math_ops.cast(y_true, "bool"), self._dtype)
        limits = np.array(self._at, self._dtype)[:, None]
        said = math_ops.cast(math_ops.greater(array_ops.expand_dims(y_pred, 0), limits), self._dtype)
        for kind in self._kinds:
            getattr(self, kind).assign_add(_counted(kind, labels, said, weights))

    def _shown(self, values):
        return values[0] if len(self._at) == 1 else values

    def get_config(self):
        return {**super().get_config(), "thresholds": self._given}


def _thresholds(given, otherwise=0.5):
    given = otherwise if given is None else given
    out = list(given) if isinstance(given, (list, tuple, np.ndarray)) else [given]
    wrong = [t for t in out if t is None or t < 0 or t > 1]
    if wrong and given != _NEVER:
        raise ValueError(f"Threshold values must be in [0, 1]. Invalid values: {wrong}")
    return out


def _count_class(name, kind):
    def __init__(self, thresholds=None, name=None, dtype=None):
        self._given = thresholds
        self._start(name, dtype, _thresholds(thresholds))

    def result(self):
        """The count so far, or a count for each threshold."""
        return self._shown(convert_to_tensor(getattr(self, kind)))

    right, said = kind.split("_")
    where, how = "above" if said == "positives" else "below", "right" if right == "true" else "wrong"
    text = f"How many predictions {where} a threshold are {how}."
    return registry.add()(type(name, (_Confusion,), {"__init__": __init__, "result": result, "_kinds": (kind,),
                                                     "__module__": __name__, "__doc__": text}))


TruePositives = _count_class("TruePositives", "true_positives")
TrueNegatives = _count_class("TrueNegatives", "true_negatives")
FalsePositives = _count_class("FalsePositives", "false_positives")
FalseNegatives = _count_class("FalseNegatives", "false_negatives")


class _Share(_Confusion):
    def __init__(self, thresholds=None, top_k=None, class_id=None, name=None, dtype=None):
        self._given = self.thresholds = thresholds
        self._start(name, dtype, _thresholds(thresholds, 0.5 if top_k is None else _NEVER), class_id, top_k)

    def result(self):
        right, wrong = (getattr(self, kind) for kind in self._kinds)
        return self._shown(math_ops.divide_no_nan(right, math_ops.add(right, wrong)))

    def get_config(self):
        return {**super().get_config(), "top_k": self.top_k, "class_id": self.class_id}


@registry.add()
class Precision(_Share):
    """true positives / (true + false positives)"""
    _kinds = ("true_positives", "false_positives")


@registry.add()
class Recall(_Share):
    """true positives / (true positives + false negatives)"""
    _kinds = ("true_positives", "false_negatives")


class _All(_Confusion):
    _kinds = ("true_positives", "true_negatives", "false_positives", "false_negatives")

    def _rates(self):
        tp, tn, fp, fn = (convert_to_tensor(getattr(self, kind)) for kind in self._kinds)
        return (math_ops.divide_no_nan(tp, math_ops.add(tp, fn)), math_ops.divide_no_nan(tn, math_ops.add(tn, fp)),
                math_ops.divide_no_nan(tp, math_ops.add(tp, fp)))


@registry.add()
class AUC(_All):
    """The area under the curve of true over false positive rates ("ROC"), or of precision over recall ("PR")."""

    def __init__(self, num_thresholds: int = 200, curve: str = "ROC", summation_method: str = "interpolation",
                 name: str | None = None, dtype: DTypeLike | None = None, thresholds: Any = None, multi_label: bool = False,
                 num_labels: Any = None, label_weights: Any = None, from_logits: bool = False) -> None:
        if curve not in ("ROC", "PR"):
            raise ValueError(f'Invalid AUC curve value "{curve}". Valid options are ROC and PR')
        if summation_method not in ("interpolation", "minoring", "majoring"):
            raise ValueError(f'Invalid AUC summation method value "{summation_method}". Valid options are interpolation, '
                             "minoring and majoring")
        if multi_label or label_weights is not None:
            raise NotImplementedError("AUC(multi_label=True) is not there; docs/tensorflow.md lists what is.")
        if thresholds is None:
            if num_thresholds <= 1:
                raise ValueError("`num_thresholds` must be > 1.")
            inner = [(i + 1) / (num_thresholds - 1) for i in range(num_thresholds - 2)]
        else:
            inner = sorted(_thresholds(thresholds))
        self.num_thresholds, self.curve, self.summation_method = len(inner) + 2, curve, summation_method
        self._given, self._from_logits = thresholds, from_logits
        self._start(name, dtype, [-backend.epsilon(), *inner, 1.0 + backend.epsilon()])

    thresholds = property(lambda self: np.array(self._at, np.float32))

    def update_state(self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None) -> None:
        super().update_state(y_true, math_ops.sigmoid(y_pred) if self._from_logits else y_pred, sample_weight)

    def result(self) -> Tensor:
        if self.curve == "PR" and self.summation_method == "interpolation":
            return self._interpolated()
        recall, specificity, precision = self._rates()
        x, y = (math_ops.subtract(1.0, specificity), recall) if self.curve == "ROC" else (recall, precision)
        if self.curve == "ROC":
            # Where there is no negative, no false positive either.
            fp, tn = convert_to_tensor(self.false_positives), convert_to_tensor(self.true_negatives)
            x = math_ops.divide_no_nan(fp, math_ops.add(fp, tn))
        pairs = y[:-1], y[1:]
        if self.summation_method == "interpolation":
            heights = math_ops.multiply(math_ops.add(*pairs), 0.5)
        else:
            heights = (math_ops.minimum if self.summation_method == "minoring" else math_ops.maximum)(*pairs)
        return math_ops.reduce_sum(math_ops.multiply(math_ops.subtract(x[:-1], x[1:]), heights))

    def _interpolated(self):
        """Between two thresholds true positives are a line of all positives (Davis and Goadrich, 2006)."""
        tp, fp, fn = (convert_to_tensor(v) for v in (self.true_positives, self.false_positives, self.false_negatives))
        p = math_ops.add(tp, fp)
        change = math_ops.subtract(tp[:-1], tp[1:])
        slope = math_ops.divide_no_nan(change, math_ops.maximum(math_ops.subtract(p[:-1], p[1:]), 0.0))
        start = math_ops.subtract(tp[1:], math_ops.multiply(slope, p[1:]))
        both = math_ops.logical_and(math_ops.greater(p[:-1], 0.0), math_ops.greater(p[1:], 0.0))
        ratio = math_ops.where(both, math_ops.divide_no_nan(p[:-1], math_ops.maximum(p[1:], 0.0)),
                               array_ops.ones_like(p[1:]))
        area = math_ops.multiply(slope, math_ops.add(change, math_ops.multiply(start, math_ops.log(ratio))))
        return math_ops.reduce_sum(math_ops.divide_no_nan(area, math_ops.maximum(math_ops.add(tp[1:], fn[1:]), 0.0)))

    def get_config(self) -> dict:
        out = {**super().get_config(), "num_thresholds": self.num_thresholds, "curve": self.curve,
               "summation_method": self.summation_method, "from_logits": self._from_logits}
        if self._given is None:
            out.pop("thresholds")
        return out


class _AtLeast(_All):
    """The best of one rate while another one is at least a given value."""

    def _at_least(self, what, value, num_thresholds, class_id, name, dtype):
        if not 0 <= value <= 1:
            raise ValueError(f"`{what}` must be in the range [0, 1], not {value}.")
        if num_thresholds <= 0:
            raise ValueError("`num_thresholds` must be > 0.")
        self.value, self.num_thresholds, self._what = value, num_thresholds, what
        at = [0.5] if num_thresholds == 1 else [i / (num_thresholds - 1) for i in range(num_thresholds)]
        self._given = None
        self._start(name, dtype, at, class_id)

    def _best(self, limited, wanted):
        fits = math_ops.greater_equal(limited, float(self.value))
        return math_ops.reduce_max(math_ops.where(fits, wanted, array_ops.zeros_like(wanted)))

    def get_config(self):
        out = super().get_config()
        out.pop("thresholds")
        return {**out, "num_thresholds": self.num_thresholds, self._what: self.value, "class_id": self.class_id}


@registry.add()
class SensitivityAtSpecificity(_AtLeast):
    """The best sensitivity at thresholds that reach this specificity."""
    def __init__(self, specificity: float, num_thresholds: int = 200, class_id: int | None = None, name: str | None = None,
                 dtype: DTypeLike | None = None) -> None:
        self._at_least("specificity", specificity, num_thresholds, class_id, name, dtype)

    def result(self) -> Tensor:
        recall, specificity, _ = self._rates()
        return self._best(specificity, recall)


@registry.add()
class SpecificityAtSensitivity(_AtLeast):
    """The best specificity at thresholds that reach this sensitivity."""
    def __init__(self, sensitivity: float, num_thresholds: int = 200, class_id: int | None = None, name: str | None = None,
                 dtype: DTypeLike | None = None) -> None:
        self._at_least("sensitivity", sensitivity, num_thresholds, class_id, name, dtype)

    def result(self) -> Tensor:
        recall, specificity, _ = self._rates()
        return self._best(recall, specificity)


@registry.add()
class PrecisionAtRecall(_AtLeast):
    """The best precision at thresholds that reach this recall."""
    def __init__(self, recall: float, num_thresholds: int = 200, class_id: int | None = None, name: str | None = None,
                 dtype: DTypeLike | None = None) -> None:
        self._at_least("recall", recall, num_thresholds, class_id, name, dtype)

    def result(self) -> Tensor:
        recall, _, precision = self._rates()
        return self._best(recall, precision)


@registry.add()
class RecallAtPrecision(_AtLeast):
    """The best recall at thresholds that reach this precision."""
    def __init__(self, precision: float, num_thresholds: int = 200, class_id: int | None = None, name: str | None = None,
                 dtype: DTypeLike | None = None) -> None:
        self._at_least("precision", precision, num_thresholds, class_id, name, dtype)

    def result(self) -> Any:
        recall, _, precision = self._rates()
        return self._best(precision, recall)


@registry.add()
class MeanIoU(Metric):
    """The mean over classes of  both / (label or prediction),  of numbers of classes."""

    def __init__(self, num_classes: int, name: str | None = None, dtype: DTypeLike | None = None) -> None:
        super().__init__(name, dtype)
        self.num_classes = num_classes
        self.total_cm = self.add_weight("total_confusion_matrix", (num_classes, num_classes))

    def update_state(self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None) -> None:
        rows, columns = (array_ops.one_hot(math_ops.cast(array_ops.reshape(convert_to_tensor(v), [-1]), "int32"),
                                           self.num_classes) for v in (y_true, y_pred))
        if sample_weight is not None:
            weights = array_ops.reshape(math_ops.cast(sample_weight, self._dtype), [-1, 1])
            columns = math_ops.multiply(columns, weights)
        self.total_cm.assign_add(math_ops.matmul(rows, columns, transpose_a=True))

    def result(self) -> Tensor:
        table = convert_to_tensor(self.total_cm)
        both = math_ops.reduce_sum(math_ops.multiply(table, np.eye(self.num_classes, dtype=np.float32)), 0)
        either = math_ops.subtract(math_ops.add(math_ops.reduce_sum(table, 0), math_ops.reduce_sum(table, 1)), both)
        seen = math_ops.reduce_sum(math_ops.cast(math_ops.not_equal(either, 0.0), self._dtype))
        return math_ops.divide_no_nan(math_ops.reduce_sum(math_ops.divide_no_nan(both, either)), seen)

    def get_config(self) -> dict:
        return {**super().get_config(), "num_classes": self.num_classes}
