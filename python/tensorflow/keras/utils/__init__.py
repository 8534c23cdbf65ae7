# SPDX-License-Identifier: MIT
"""tf.keras.utils"""
from __future__ import annotations

import contextlib
import typing as _typing

import numpy as np

from tensorflow import _names
from tensorflow.framework import seeds as _seeds
from tensorflow.keras import named as _named
from tensorflow.keras.engine.progress import Progbar
if _typing.TYPE_CHECKING:  # of annotations
    from typing import Any, Callable, Iterator, NoReturn
    from tensorflow.framework.typed import AxisLike, DTypeLike, TensorLike


def to_categorical(y: TensorLike, num_classes: int | None = None, dtype: DTypeLike = "float32") -> Any:
    """Numbers of classes as rows with a one."""
    y = np.array(y, dtype="int")
    shape = y.shape
    if shape and shape[-1] == 1 and len(shape) > 1:
        shape = shape[:-1]
    y = y.ravel()
    num_classes = int(np.max(y)) + 1 if num_classes is None else num_classes
    out = np.zeros((len(y), num_classes), dtype=dtype)
    out[np.arange(len(y)), y] = 1
    return out.reshape(*shape, num_classes)


def normalize(x: TensorLike, axis: AxisLike = -1, order: int = 2) -> Any:
    """Divides an array by its norm along an axis."""
    norms = np.atleast_1d(np.linalg.norm(x, order, axis))
    norms[norms == 0] = 1
    return x / np.expand_dims(norms, axis)


def unpack_x_y_sample_weight(data: TensorLike) -> tuple:
    """(x, y, weights) of what a train_step gets, None for what is not there."""
    if not isinstance(data, tuple):
        return data, None, None
    if not 1 <= len(data) <= 3:
        raise ValueError(f"Data is expected to be in format `x`, `(x,)`, `(x, y)`, or `(x, y, sample_weight)`, found {data}")
    return (*data, *[None] * (3 - len(data)))


def pack_x_y_sample_weight(x: TensorLike, y: TensorLike | None = None, sample_weight: TensorLike | None = None) -> Any:
    """A tuple of what is not None: (x, y, sample_weight); a single x is x itself."""
    if y is None and sample_weight is None:
        return (x,) if isinstance(x, (list, tuple, dict)) else x
    return (x, y) if sample_weight is None else (x, y, sample_weight)


class Sequence:
    """Batches by their number."""

    def __getitem__(self, index):
        raise NotImplementedError

    def __len__(self):
        raise NotImplementedError

    def on_epoch_end(self) -> None:
        """Called after each pass."""
        pass

    def __iter__(self):
        return (self[i] for i in range(len(self)))


@contextlib.contextmanager
def custom_object_scope(*objects: Any) -> Iterator:
    """While open, these names stand for these classes when models are loaded."""
    before = dict(_named.custom)
    for each in objects:
        _named.custom.update(each)
    try:
        yield
    finally:
        _named.custom.clear()
        _named.custom.update(before)


CustomObjectScope = custom_object_scope


def get_custom_objects() -> Any:
    """The names that stand for classes when models are loaded."""
    return _named.custom


def register_keras_serializable(package: str = "Custom", name: str | None = None) -> Callable:
    """A decorator: models with this class can be loaded."""
    def decorate(thing):
        _named.custom[name or thing.__name__] = thing
        return thing
    return decorate


def plot_model(*args: Any, **kwargs: Any) -> NoReturn:
    """Refused, with a reason: a drawing needs packages that are not there."""
    raise NotImplementedError("plot_model needs pydot and graphviz, which this TensorFlow does not use. Use "
                              "model.summary().")


def set_random_seed(seed: int) -> None:
    """Sets the seed of the random numbers of NumPy and TensorFlow."""
    np.random.seed(seed)
    _seeds.set_seed(seed)


_names.lazy(globals(), {"get_file": "tensorflow.keras.datasets:get_file"})
