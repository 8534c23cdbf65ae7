# SPDX-License-Identifier: MIT
"""tf.estimator: what ipu.ipu_estimator.IPUEstimator needs of it."""
from __future__ import annotations

import collections
from typing import Any

from tensorflow import _names
from tensorflow.compat.v1.session_hooks import SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues  # noqa: F401
from tensorflow.framework.typed import TensorLike


class ModeKeys:
    """What a model function is called for."""
    TRAIN, EVAL, PREDICT = "train", "eval", "infer"


_FIELDS = ("mode predictions loss train_op eval_metric_ops export_outputs training_chief_hooks training_hooks scaffold "
           "evaluation_hooks prediction_hooks")


class EstimatorSpec(collections.namedtuple("EstimatorSpec", _FIELDS)):
    """What a model_fn gives."""

    def __new__(cls, mode, predictions=None, loss=None, train_op=None, eval_metric_ops=None, export_outputs=None,
                training_chief_hooks=None, training_hooks=None, scaffold=None, evaluation_hooks=None, prediction_hooks=None):
        check(mode, predictions, loss, train_op)
        if scaffold is not None:
            raise NotImplementedError("EstimatorSpec(scaffold=...) is not there: variables begin with their initializers or "
                                      "a checkpoint.")
        return super().__new__(cls, mode, predictions, loss, train_op, eval_metric_ops or {}, export_outputs,
                               training_chief_hooks or (), training_hooks or (), scaffold, evaluation_hooks or (),
                               prediction_hooks or ())


def check(mode: str, predictions: TensorLike | None, loss: TensorLike | None, train_op: Any) -> None:
    """Raises ValueError if a specification lacks what its mode needs."""
    if mode not in (ModeKeys.TRAIN, ModeKeys.EVAL, ModeKeys.PREDICT):
        raise ValueError(f"mode must be one of ModeKeys, not {mode!r}.")
    for when, value, what in ((ModeKeys.TRAIN, train_op, "train_op"), (ModeKeys.TRAIN, loss, "loss"),
                              (ModeKeys.EVAL, loss, "loss"), (ModeKeys.PREDICT, predictions, "predictions")):
        if mode == when and value is None:
            raise ValueError(f"Missing {what}: the model_fn must give it when mode is {mode!r}.")


_names.explain_missing(globals())
