# SPDX-License-Identifier: MIT
"""Variable: numbers in numpy's memory, which programs use where it is. After a program has changed them on its device they
come back when somebody looks."""
from __future__ import annotations

import operator
import threading
from typing import Any

import numpy as np

from . import dtypes, wired
from .context import active, current, eagerly, sessions, unless_called
from .operations import Reference
from .shapes import TensorShape
from .tensors import EagerTensor, Tensor, VariableBase, constant_value, convert_to_tensor
from tensorflow.framework.typed import ConstraintLike, DTypeLike, ShapeLike, TensorLike


_CHANGES = {"assign_add": operator.add, "assign_sub": operator.sub}


class Variable(VariableBase):
    """initial_value: a tensor, or a function that makes one."""
    __array_priority__ = 100

    def __init__(self, initial_value: TensorLike | None = None, trainable: bool | None = None, validate_shape: bool = True,
                 caching_device: Any = None, name: str | None = None, variable_def: Any = None,
                 dtype: DTypeLike | None = None, import_scope: Any = None, constraint: ConstraintLike = None,
                 synchronization: Any = None, aggregation: Any = None, shape: ShapeLike | None = None) -> None:
        if initial_value is None:
            raise ValueError("initial_value must be specified.")
        graph = current.graph
        if graph is not None and not _deferred(graph):
            raise ValueError("tf.function-decorated function tried to create variables on non-first call. Create them "
                             "outside, for example in __init__.")
        with eagerly():
            value = initial_value() if callable(initial_value) else initial_value
            value = convert_to_tensor(value, dtype=None if isinstance(value, (Tensor, Variable)) else dtype)
        if not isinstance(value, EagerTensor) and current.default is not None and value.graph is current.default:
            value = EagerTensor(wired.evaluated(value))
        if not isinstance(value, EagerTensor) and constant_value(value) is not None:  # a constant of a function that is traced
            value = EagerTensor(constant_value(value), value.dtype)
        if not isinstance(value, EagerTensor):
            raise ValueError("The initial value of a variable must be known when it is made.")
        self.dtype = value.dtype if dtype is None else dtypes.as_dtype(dtype)
        self._memory = np.array(value.array, self.dtype.as_numpy_dtype, order="C")
        if hasattr(current.strategy, "first_values"):  # the same in all processes
            self._memory = current.strategy.first_values(self._memory)
        self._initial = self._memory.copy() if active() is not None or current.home is not None else None
        home = current.default or current.home
        self.initialized = home is None  # TensorFlow 1: a session's initializer does it
        self.begun = 0  # TensorFlow 1: how often it did
        if home is not None:  # sessions have values of their own (compat/v1/session_values.py)
            home.__dict__.setdefault("session_variables", []).append(self)
        self.trainable = trainable is None or bool(trainable)
        self.constraint, self.synchronization, self.aggregation = constraint, synchronization, aggregation
        scoped = "/".join((*current.scopes, name or "Variable"))
        self._name = (home.unique(scoped) if home is not None else scoped) + ":0"
        self.version = 0  # of the values
        self.newest = None  # the program that has them on its device
        self.lock = threading.RLock()  # for who writes the memory, or wants all of one version
        self.strategy = current.strategy  # whose scope it was made in
        self._watch()

    def remember_initial(self, values: np.ndarray | None = None) -> None:
        """Initialisers give it these values, or those back that it has now."""
        self._initial = self._memory.copy() if values is None else np.asarray(values, self._memory.dtype)

    def _watch(self):
        graph = current.default or current.home
        if graph is not None:
            graph.add_to_collection("variables", self)
            if self.trainable:
                graph.add_to_collection("trainable_variables", self)

    # ---- values

    @property
    def memory(self) -> np.ndarray:
        """Where the numbers are, also when a device has newer ones."""
        return self._memory

    def fetch(self) -> None:
        """Brings the value from the device if it is newer there."""
        newest = self.newest  # another thread may fetch them
        if newest is not None:
            newest.fetch()

    def numpy(self) -> Any:
        """The value as a NumPy array."""
        self.fetch()
        with unless_called(self.lock):
            return self._memory.copy() if self._memory.ndim else self._memory[()]

    def set(self, values: TensorLike, change: Any = None) -> None:
        """New numbers from the host; change: what is made of those before and these, as one step for other threads."""
        self.fetch()
        values = np.asarray(values)  # perhaps another variable's, with a lock of its own
        with unless_called(self.lock):
            self._memory[...] = values if change is None else change(self._memory, values)
            self.version += 1

    def held(self) -> tuple:
        """What a session has of it, for hold()."""
        return self.numpy(), self.initialized, self.begun

    def hold(self, kept: tuple | None) -> None:
        """kept: of held(); None: a session that has not initialised it."""
        if kept is not None:
            self.set(kept[0])
        self.initialized, self.begun = (False, self.begun + 1) if kept is None else kept[1:]

    name = property(lambda self: self._name)
    shape = property(lambda self: TensorShape(self._memory.shape))
    device = property(lambda self: "/device:CPU:0" if self.strategy is None else "/device:IPU:0")
    graph = None
    op = property(lambda self: self)
    initializer = property(lambda self: _Initializer([self]))
    handle = property(lambda self: self)
    _shared_name = property(lambda self: self._name.split(":")[0])

    def get_shape(self) -> Any:
        """The shape as a TensorShape."""
        return self.shape

    def initialized_value(self) -> Any:
        """The value as a tensor, as read_value gives it."""
        return self.read_value()

    def read_value(self) -> Tensor:
        """The value as a tensor."""
        graph = active()
        if graph is not None:
            return graph.read(self)
        before = self.version
        out = EagerTensor(np.asarray(self.numpy()), self.dtype)
        version = before if before == self.version else object()  # another thread has set it meanwhile: who knows which it is
        for tape in current.tapes:
            tape.read(self, out, version)
        return out

    value = read_value

    def __array__(self, dtype=None):
        return np.asarray(self.numpy(), dtype)

    def assign(self, value: TensorLike, use_locking: bool = False, name: str | None = None,
               read_value: bool = True) -> Tensor | Variable:
        """Sets the value."""
        return self._become("assign", value)

    def assign_add(self, delta: TensorLike, use_locking: bool = False, name: str | None = None,
                   read_value: bool = True) -> Tensor | Variable:
        """Adds to the value."""
        return self._become("assign_add", delta)

    def assign_sub(self, delta: TensorLike, use_locking: bool = False, name: str | None = None,
                   read_value: bool = True) -> Tensor | Variable:
        """Subtracts from the value."""
        return self._become("assign_sub", delta)

    def _become(self, how, value):
        value = convert_to_tensor(value, dtype=None if isinstance(value, (Tensor, Variable)) else self.dtype)
        if value.dtype is not self.dtype:
            raise ValueError(f"Tensor conversion requested dtype {self.dtype.name} for Tensor with dtype "
                             f"{value.dtype.name} in {how} of variable {self.name}.")
        if not (value.shape.rank == 0 and how != "assign") and not self.shape.is_compatible_with(value.shape):
            raise ValueError(f"Cannot assign value to variable '{self.name}': Shape mismatch. The variable shape "
                             f"{self.shape}, and the assigned value shape {value.shape} are incompatible.")
        graph = active()
        if graph is not None:
            return graph_assign(graph, self, how, value)
        self.set(value.array, _CHANGES.get(how))
        return self

    def experimental_ref(self) -> Reference:
        """A key for dicts and sets."""
        return self.ref()

    def ref(self) -> Reference:
        """A key for dicts and sets."""
        return Reference(self)

    def load(self, value: TensorLike, session: Any = None) -> None:
        """Sets the value, for a session."""
        with wired.turn_of(self, session):
            self.set(value)
            self.initialized = True

    def eval(self, session: Any = None) -> Any:
        """The value, for a session."""
        session = session or sessions.innermost()
        return self.numpy() if session is None else session.run(self)

    def __hash__(self):
        return id(self)

    def __bool__(self):
        return bool(self.numpy())

    def __int__(self):
        return int(self.numpy())

    def __float__(self):
        return float(self.numpy())

    def __repr__(self):
        return (f"<tf.Variable '{self.name}' shape={self.shape} dtype={self.dtype.name}, "
                f"numpy={np.array2string(np.asarray(self.numpy()), separator=', ')}>")

    def __deepcopy__(self, memo):
        out = Variable(self.numpy(), self.trainable, name=self.name.split(":")[0])
        memo[id(self)] = out
        return out

    def __reduce__(self):
        return _again, (self.numpy(), self.trainable, self.name.split(":")[0])


def _again(values, trainable, name):
    return Variable(values, trainable, name=name)


def _deferred(graph):
    """Whether variables may be made while this graph is traced."""
    while graph is not None:
        if getattr(graph, "makes_variables", False):
            return True
        graph = graph.outer
    return False


def graph_assign(graph, variable, how, value):
    hook = getattr(graph, "on_assign", None)
    if hook is not None and hook(variable, how, value):
        return value
    if how != "assign":
        now = graph.read(variable)
        value = now + value if how == "assign_add" else now - value
    if graph is current.default and current.graph is None:
        return graph.assign_when_run(variable, value)
    graph.assign(variable, graph.taken(value))
    return value


class _Initializer:
    """Gives variables their first values back; a Session runs it."""

    def __init__(self, variables):
        self.variables = variables

    def __call__(self):
        for variable in self.variables:
            if variable._initial is not None:
                variable.set(variable._initial)
            variable.initialized = True
            variable.begun += 1
