# SPDX-License-Identifier: MIT
"""Loss: a function of labels and predictions that gives one number per sample, and how these become one."""
from __future__ import annotations

import inspect
from typing import Any

from tensorflow.framework.tensors import Tensor, convert_to_tensor
from tensorflow.framework.typed import TensorLike
from tensorflow.keras.named import Registry
from tensorflow.ops import array_ops, math_ops

registry = Registry("loss function")
serialize, deserialize = registry.serialize, registry.deserialize


def get(identifier: Any) -> Any:
    """A loss by its name or configuration, or the function or object itself."""
    if isinstance(identifier, str):
        found = registry.find(identifier)
        return found() if isinstance(found, type) else found
    return registry.get(identifier)


class Reduction:
    """How the losses of examples become one value."""
    AUTO, NONE, SUM, SUM_OVER_BATCH_SIZE = "auto", "none", "sum", "sum_over_batch_size"

    @classmethod
    def validate(cls, key: str) -> None:
        """Raises ValueError for a name that is not one of these."""
        if key not in ("auto", "none", "sum", "sum_over_batch_size"):
            raise ValueError(f"Invalid Reduction Key: {key}. Expected keys are \"auto\", \"none\", \"sum\", "
                             "\"sum_over_batch_size\"")


def reduced(values, sample_weight, reduction):
    """Weights [batch] or like the values; the mean is over the number of values, whatever they weigh."""
    if sample_weight is not None:
        weight = math_ops.cast(convert_to_tensor(sample_weight), values.dtype)
        if weight.shape.rank == values.shape.rank + 1 and weight.shape[-1] == 1:
            weight = array_ops.squeeze(weight, [-1])
        while weight.shape.rank and weight.shape.rank < values.shape.rank:
            weight = array_ops.expand_dims(weight, -1)
        values = math_ops.multiply(values, weight)
    if reduction == Reduction.NONE:
        return values
    if reduction == Reduction.SUM:
        return math_ops.reduce_sum(values)
    return math_ops.reduce_mean(values)


class Loss:
    """The base of losses: write `call`, which gives one value for each example."""
    def __init__(self, reduction: str = Reduction.AUTO, name: str | None = None) -> None:
        Reduction.validate(reduction)
        self.reduction, self.name = reduction, name

    def __call__(self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None) -> Tensor:
        y_pred = convert_to_tensor(y_pred)
        if not isinstance(y_true, Tensor):
            y_true = convert_to_tensor(y_true)
        return reduced(self.call(y_true, y_pred), sample_weight, self.reduction)

    def call(self, y_true: TensorLike, y_pred: TensorLike) -> Any:
        """The loss of each example."""
        raise NotImplementedError(f"{type(self).__name__} must implement call(y_true, y_pred).")

    def get_config(self) -> dict:
        """The arguments it was made with."""
        return {"reduction": self.reduction, "name": self.name}

    @classmethod
    def from_config(cls, config: dict) -> Any:
        """A new one from the arguments that get_config gave."""
        return cls(**config)


class LossFunctionWrapper(Loss):
    """A function as a loss."""

    def __init__(self, fn, reduction=Reduction.AUTO, name=None, **kwargs):
        super().__init__(reduction, name or getattr(fn, "__name__", "loss"))
        self.fn, self._fn_kwargs = fn, kwargs

    def call(self, y_true, y_pred):
        return self.fn(y_true, y_pred, **self._fn_kwargs)

    def get_config(self):
        return {**super().get_config(), **self._fn_kwargs}


def loss_class(class_name, function, name=None, **defaults):
    """The class of a loss function: its arguments in front of reduction and name."""
    own_defaults = {**defaults, "reduction": Reduction.AUTO, "name": name or function.__name__}
    return registry.add()(class_of_function(LossFunctionWrapper, ("reduction", "name"), class_name, function, own_defaults))


def class_of_function(base, of_base, class_name, function, defaults):
    """A class whose arguments, with these defaults, are those of a function, and of_base, which are the base's."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    signature = inspect.Signature([inspect.Parameter("self", kind)] +
                                  [inspect.Parameter(n, kind, default=v) for n, v in defaults.items()])

    def __init__(self, *args, **kwargs):
        try:
            given = signature.bind(self, *args, **kwargs)
        except TypeError as problem:
            raise TypeError(f"{class_name}: {problem}") from None
        given.apply_defaults()
        own = {n: given.arguments[n] for n in defaults if n not in of_base}
        base.__init__(self, function, *[given.arguments[n] for n in of_base], **own)

    __init__.__signature__ = signature
    return type(class_name, (base,), {"__init__": __init__, "__module__": function.__module__, "__doc__": function.__doc__})


def matched(y_true, y_pred):
    """Labels [batch] are [batch, 1]; of two that differ by a last dimension of one, the longer loses it."""
    ends_in_one = bool(y_pred.shape.rank) and y_pred.shape[-1] == 1
    if y_true.shape.rank == 1 and (y_pred.shape.rank or 0) > 1:
        y_true = array_ops.expand_dims(y_true, -1)
    if ends_in_one and y_pred.shape.rank == y_true.shape.rank + 1:
        mask, y_pred = getattr(y_pred, "_keras_mask", None), array_ops.squeeze(y_pred, [-1])
        if mask is not None:
            y_pred._keras_mask = mask
    elif y_true.shape.rank == y_pred.shape.rank + 1 and y_true.shape[-1] == 1:
        y_true = array_ops.squeeze(y_true, [-1])
    return y_true, y_pred


def prepared(y_true, y_pred):
    """Predictions as a tensor, labels in their type."""
    y_pred = convert_to_tensor(y_pred)
    return math_ops.cast(convert_to_tensor(y_true), y_pred.dtype), y_pred
