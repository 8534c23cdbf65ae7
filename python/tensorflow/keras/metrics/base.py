# SPDX-License-Identifier: MIT
"""Metric: variables that update_state adds to and result reads. While a model is trained or evaluated only what is added is
computed on the device; a metric whose update_state does anything but assign_add keeps its variables there."""
from __future__ import annotations

from typing import Any, Callable

import numpy as np

from tensorflow.framework import dtypes
from tensorflow.framework.context import eagerly
from tensorflow.framework.tensors import Tensor, convert_to_tensor
from tensorflow.framework.typed import DTypeLike, InitializerLike, ShapeLike, TensorLike
from tensorflow.framework.variables import Variable
from tensorflow.keras import backend, initializers
from tensorflow.keras.losses import base as losses_base
from tensorflow.keras.named import Registry, snake
from tensorflow.ops import array_ops, math_ops

__all__ = ["Mean", "Sum", "MeanMetricWrapper", "Metric"]
registry = Registry("metric function")
serialize, deserialize = registry.serialize, registry.deserialize


def get(identifier: Any) -> Any:
    """A metric by its name or configuration, or the object itself."""
    return registry.get(identifier)


class Metric:
    """The base of metrics: states, update_state and result."""
    def __init__(self, name: str | None = None, dtype: DTypeLike | None = None, **kwargs: Any) -> None:
        if kwargs:
            raise TypeError(f"Keyword argument not understood: {', '.join(kwargs)}")
        self._name = name or backend.unique_name(snake(type(self).__name__))
        self._dtype = dtypes.as_dtype(dtype or backend.floatx()).name
        self.__dict__.setdefault("_weights", [])

    name = property(lambda self: self._name)
    dtype = property(lambda self: self._dtype)

    def add_weight(self, name: str | None = None, shape: ShapeLike = (), aggregation: Any = None, synchronization: Any = None,
                   initializer: InitializerLike = "zeros", dtype: DTypeLike | None = None) -> Variable:
        """Makes a state of the metric."""
        with eagerly():
            value = initializers.get(initializer)(tuple(shape), dtype=dtype or self._dtype)
        out = Variable(value, trainable=False, name=f"{self.name}/{name}")
        self.__dict__.setdefault("_weights", []).append(out)
        return out

    @property
    def variables(self) -> list:
        """Its states."""
        own = list(self.__dict__.get("_weights", ()))
        for value in vars(self).values():
            if isinstance(value, Metric):
                own += value.variables
        return own

    weights = trainable_weights = property(lambda self: self.variables)

    def update_state(self, *args: Any, **kwargs: Any) -> Any:
        """Takes a batch into account."""
        raise NotImplementedError("Must be implemented in subclasses.")

    def result(self) -> Any:
        """The value over all batches since reset_state."""
        raise NotImplementedError("Must be implemented in subclasses.")

    def reset_state(self) -> None:
        """Forgets what it has counted."""
        for variable in self.variables:
            variable.set(np.zeros(variable.shape.as_list(), variable.dtype.as_numpy_dtype))

    def reset_states(self) -> None:
        """The older name of reset_state."""
        self.reset_state()

    def __call__(self, *args: Any, **kwargs: Any) -> Tensor:
        self.update_state(*args, **kwargs)
        return self.result()

    def get_config(self) -> dict:
        """The arguments it was made with."""
        return {"name": self.name, "dtype": self._dtype}

    @classmethod
    def from_config(cls, config: dict) -> Any:
        """A new one from the arguments that get_config gave."""
        return cls(**config)


class _Reduced(Metric):
    """A sum of values, perhaps over a sum of their weights."""

    def __init__(self, name=None, dtype=None, mean=True):
        super().__init__(name, dtype)
        self._mean = mean
        self.total = self.add_weight("total")
        if mean:
            self.count = self.add_weight("count")

    def update_state(self, values, sample_weight=None):
        values = math_ops.cast(convert_to_tensor(values), self._dtype)
        if sample_weight is not None:
            weight = math_ops.cast(convert_to_tensor(sample_weight), self._dtype)
            while weight.shape.rank and weight.shape.rank > values.shape.rank and weight.shape[-1] == 1:
                weight = array_ops.squeeze(weight, [-1])
            while weight.shape.rank and weight.shape.rank < values.shape.rank:
                values = math_ops.reduce_mean(values, -1)
            values = math_ops.multiply(values, weight)
            count = math_ops.reduce_sum(array_ops.broadcast_to(weight, values.shape.as_list()))
        else:
            count = float(np.prod(values.shape.as_list(), dtype=float))
        self.total.assign_add(math_ops.reduce_sum(values))
        if self._mean:
            self.count.assign_add(count)

    def result(self):
        return math_ops.divide_no_nan(self.total, self.count) if self._mean else math_ops.identity(self.total)


@registry.add()
class Mean(_Reduced):
    """The mean of all values."""
    def __init__(self, name: str | None = "mean", dtype: DTypeLike | None = None) -> None:
        super().__init__(name, dtype, True)


@registry.add()
class Sum(_Reduced):
    """The sum of all values."""
    def __init__(self, name: str | None = "sum", dtype: DTypeLike | None = None) -> None:
        super().__init__(name, dtype, False)


class MeanMetricWrapper(Mean):
    """The mean of a function of labels and predictions."""

    def __init__(self, fn: Callable, name: str | None = None, dtype: DTypeLike | None = None, **kwargs: Any) -> None:
        super().__init__(name or getattr(fn, "__name__", "metric"), dtype)
        self._fn, self._fn_kwargs = fn, kwargs

    def update_state(self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None) -> None:
        """Adds the function's values for a batch."""
        super().update_state(self._fn(convert_to_tensor(y_true), convert_to_tensor(y_pred), **self._fn_kwargs),
                             sample_weight)

    def get_config(self) -> dict:
        return {**super().get_config(), **self._fn_kwargs}


def metric_class(class_name, function, name=None, leading=(), **defaults):
    """The class of a metric function: its arguments behind name and dtype, those of `leading` in front."""
    own_defaults = {**{n: defaults[n] for n in leading}, "name": name or function.__name__, "dtype": None, **defaults}
    return registry.add()(losses_base.class_of_function(MeanMetricWrapper, ("name", "dtype"), class_name, function,
                                                        own_defaults))
