# SPDX-License-Identifier: MIT
"""Tensors: values (EagerTensor, over numpy) and places of a graph (SymbolicTensor). Their operators are set by ops."""
from __future__ import annotations

from typing import Any

import numpy as np

from . import dtypes
from .context import active, default_session
from .operations import Operation
from .shapes import TensorShape
from tensorflow.framework.typed import DTypeLike, ShapeLike, TensorLike


class VariableBase:
    """What a Variable is to tensors: its value is read_value(), its numbers are numpy()."""


class Tensor:
    """A value, or a place in a graph where one will be."""
    __array_priority__ = 100
    # Of Python's operators; ops/array_ops.py and ops/math_ops.py set them.
    __getitem__: Any
    __add__: Any
    __sub__: Any
    __mul__: Any
    __truediv__: Any
    dtype: Any

    def get_shape(self) -> TensorShape:
        """The shape as a TensorShape."""
        return self.shape

    ndim = property(lambda self: self.shape.rank)
    rank = property(lambda self: self.shape.rank)

    def __len__(self):
        if self.shape.rank == 0:
            raise TypeError("Scalar tensor has no `len()`")
        if self.shape[0] is None:
            raise TypeError(f"len is not well defined for a symbolic Tensor of shape {self.shape}.")
        return self.shape[0]

    def __hash__(self):
        return id(self)

    def set_shape(self, shape: ShapeLike) -> None:
        """Says more of the shape than is known; ValueError if it disagrees."""
        self.shape.assert_is_compatible_with(shape)


class EagerTensor(Tensor):
    """A tensor with a value."""
    def __init__(self, array: TensorLike, dtype: DTypeLike | None = None) -> None:
        array = np.asarray(array)
        self.dtype = dtypes.as_dtype(array.dtype) if dtype is None else dtype
        self.array = array
        self.array.flags.writeable = False if array.base is None and array.flags.owndata else array.flags.writeable

    @property
    def shape(self) -> TensorShape:
        """The shape, all of it known."""
        return TensorShape(self.array.shape)

    device = "/job:localhost/replica:0/task:0/device:CPU:0"
    graph = None
    is_tensor_like = True

    @property
    def name(self) -> Any:
        """Refused: tensors with values have no names."""
        raise AttributeError("Tensor.name is undefined when eager execution is enabled.")

    def numpy(self) -> Any:
        """The value as a NumPy array."""
        return self.array[()] if self.array.ndim == 0 else np.array(self.array)

    def __array__(self, dtype=None):
        return self.array if dtype is None else self.array.astype(dtype)

    def __bool__(self):
        return bool(self.array)

    def _number(self):
        """Of one element, whatever its shape; NumPy has given up on all but shape ()."""
        return self.array.item() if self.array.size == 1 else self.array

    def __int__(self):
        return int(self._number())

    def __float__(self):
        return float(self._number())

    def __index__(self):
        return self.array.__index__()

    def __format__(self, spec):
        return format(self.array[()], spec) if self.array.ndim == 0 else format(str(self), spec)

    def __iter__(self):
        if self.array.ndim == 0:
            raise TypeError("Cannot iterate over a scalar tensor.")
        return iter([self[i] for i in range(len(self.array))])

    def __repr__(self):
        numbers = np.array2string(self.array, separator=", ") if self.array.ndim else repr_of(self.array)
        return f"<tf.Tensor: shape={self.shape}, dtype={self.dtype.name}, numpy={numbers}>"

    def __str__(self):
        return f"tf.Tensor({self.array}, shape={self.shape}, dtype={self.dtype.name})"

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return EagerTensor(self.array.copy(), self.dtype)

    def __reduce__(self):
        return EagerTensor, (np.array(self.array),)


def repr_of(array):
    value = array[()]
    return repr(value.decode() if isinstance(value, bytes) else value.item() if hasattr(value, "item") else value)


class SymbolicTensor(Tensor):
    """A tensor of a graph."""
    def __init__(self, graph: Any, number: int, dtype: DTypeLike, shape: ShapeLike, name: str) -> None:
        self.graph, self.number, self.dtype, self._name = graph, number, dtype, name
        self.shape = shape
        self.variable = self.shard = self.stage = None
        self.numbers = None  # of a constant
        self.producer = None  # of TensorFlow 1: what makes it, in place of a node
        self.assigns = None  # of TensorFlow 1: the variable that gets this value when it is run

    @property
    def name(self) -> str:
        """"operation:output"."""
        return self._name if ":" in self._name.split("/")[-1] else self._name + ":0"

    @property
    def op(self) -> Operation:
        """The operation that makes it."""
        return Operation(self.graph, self._name, self)

    device = ""

    def numpy(self) -> Any:
        """Refused: it has no value before the graph runs."""
        raise NotImplementedError(f"numpy() is only available when a tensor has a value: {self.name} is traced. Take it "
                                  "out of the tf.function, or return it.")

    def __array__(self, dtype=None):
        raise self._needed(NotImplementedError(f"Cannot convert a symbolic Tensor ({self.name}) to a numpy array."))

    def _needed(self, problem):
        problem.needs = self  # framework/late.py
        return problem

    def __bool__(self):
        value = self.graph.known(self)
        if value is not None:
            return bool(value)
        raise TypeError(f"Using the symbolic tensor {self.name} as a Python `bool` is not allowed: its value is known when "
                        "the program runs. Use tf.cond, tf.where, or `if` in a function that is decorated with "
                        "tf.function.")

    def __iter__(self):
        if self.shape.rank in (None, 0) or self.shape[0] is None:
            raise TypeError(f"Iterating over the symbolic tensor {self.name} of shape {self.shape} is not allowed.")
        return iter(self.unstacked())

    def __index__(self):
        value = self.graph.known(self)
        if value is None or self.dtype.is_floating:
            raise self._needed(TypeError(f"The symbolic tensor {self.name} is no number that is known now."))
        return int(value)

    def __repr__(self):
        return f"<tf.Tensor '{self.name}' shape={self.shape} dtype={self.dtype.name}>"

    __str__ = lambda self: f"Tensor(\"{self.name}\", shape={self.shape}, dtype={self.dtype.name})"

    def eval(self, feed_dict: dict | None = None, session: Any = None) -> Any:
        """Its value, computed by a session."""
        return (session or default_session()).run(self, feed_dict)


def is_tensor(value: TensorLike) -> bool:
    """Whether it is a tensor or variable."""
    return isinstance(value, (Tensor, VariableBase))


def _type_of(value):
    """What TensorFlow makes of a Python value: 1.0 is a float32, not numpy's float64."""
    if isinstance(value, (bool, np.bool_)):
        return dtypes.bool_
    if isinstance(value, (np.ndarray, np.generic)):
        return None
    if isinstance(value, int):
        return dtypes.int32 if -2 ** 31 <= value < 2 ** 31 else dtypes.int64
    if isinstance(value, float):
        return dtypes.float32
    return None


def _array(value, dtype):
    if isinstance(value, (list, tuple)):
        flat = []
        _leaves(value, flat)
        if any(isinstance(v, SymbolicTensor) for v in flat):
            return None
        value = _plain(value)
        try:
            array = np.array(value)
        except ValueError:
            raise ValueError("Can't convert non-rectangular Python sequence to Tensor.") from None
        if dtype is None and not any(isinstance(v, (np.ndarray, np.generic, EagerTensor)) for v in flat):
            if array.dtype == np.float64:
                dtype = dtypes.float32
            elif array.dtype == np.int64 and (array.size == 0 or np.abs(array).max() < 2 ** 31):
                dtype = dtypes.int32 if array.size or flat else dtypes.float32
        if array.dtype == object and not all(isinstance(v, (str, bytes)) for v in flat):
            raise ValueError("Can't convert non-rectangular Python sequence to Tensor.")
        return array if dtype is None else array.astype(dtype.as_numpy_dtype)
    kind = dtype or _type_of(value)
    return np.asarray(value) if kind is None else np.asarray(value).astype(kind.as_numpy_dtype)


def _leaves(value, into):
    for v in value:
        if isinstance(v, (list, tuple)):
            _leaves(v, into)
        else:
            into.append(v)


def _plain(value):
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if isinstance(value, VariableBase):
        return value.numpy()
    return value.array if isinstance(value, EagerTensor) else value


def convert_to_tensor(value: TensorLike, dtype: DTypeLike | None = None, dtype_hint: DTypeLike | None = None,
                      name: str | None = None) -> Any:
    """A tensor of anything that can be one. A tensor of another type than `dtype` is refused, as TensorFlow does."""
    dtype = None if dtype is None else dtypes.as_dtype(dtype)
    if isinstance(value, VariableBase):
        value = value.read_value()
    if isinstance(value, Tensor):
        if dtype is not None and value.dtype is not dtype:
            raise ValueError(f"Tensor conversion requested dtype {dtype.name} for Tensor with dtype {value.dtype.name}: "
                             f"{value!r}")
        return value
    if hasattr(value, "__tf_tensor__"):
        return value.__tf_tensor__()
    if value is None:
        raise ValueError("Attempt to convert a value (None) with an unsupported type (<class 'NoneType'>) to a Tensor.")
    if isinstance(value, TensorShape):
        value = value.as_list()
    try:
        array = _array(value, dtype)
    except (TypeError, ValueError) as problem:
        raise ValueError(f"Attempt to convert a value ({value!r}) with an unsupported type ({type(value)}) to a Tensor: "
                         f"{problem}") from None
    if array is None:  # a list of traced tensors
        return SymbolicTensor.stacked(list(value))
    if dtype is None and dtype_hint is not None and _type_of(value) is not None:
        array = array.astype(dtypes.as_dtype(dtype_hint).as_numpy_dtype)
    out = EagerTensor(array, dtypes.string if array.dtype.kind in "SU" else None)
    graph = active()
    return graph.taken(out) if graph is not None and name is not None else out


def constant_value(tensor: TensorLike) -> np.ndarray | None:
    """The numbers of a tensor if they are known, else None."""
    if isinstance(tensor, EagerTensor):
        return tensor.array
    return tensor.graph.known(tensor) if isinstance(tensor, SymbolicTensor) else np.asarray(tensor)
