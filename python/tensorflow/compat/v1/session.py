# SPDX-License-Identifier: MIT
"""Session: runs the part of a graph that is asked for, on the IPUs that operations are placed on and else on the host. What
ipu_compiler, iterators and queues make comes from their producers."""
from __future__ import annotations

from typing import Any

import numpy as np

from tensorflow.compat.v1.graphs import get_default_graph
from tensorflow.compat.v1.order import behind
from tensorflow.compat.v1.partition import parts
from tensorflow.compat.v1.session_values import turn
from tensorflow.framework import devices, nest, wired
from tensorflow.framework.context import sessions
from tensorflow.framework.errors import FailedPreconditionError, InvalidArgumentError
from tensorflow.framework.execution import Executable
from tensorflow.framework.late import LateTensor
from tensorflow.framework.operations import Operation
from tensorflow.framework.shapes import TensorShape
from tensorflow.framework.tensors import EagerTensor, SymbolicTensor
from tensorflow.framework.variables import Variable, _Initializer


class _Message:
    """Fields of a protocol message, which have others within; nothing here depends on them."""

    def __init__(self, **fields):
        self.__dict__.update(fields)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        self.__dict__[name] = _Message()
        return self.__dict__[name]


class ConfigProto(_Message):
    """Of a session: devices, threads and rewriting of graphs, of which the host and the simulated IPUs have nothing to set."""


class GPUOptions(_Message):
    """Is there so that scripts run. No field of it changes anything."""


class GraphOptions(_Message):
    """Is there so that scripts run. No field of it changes anything."""


class OptimizerOptions(_Message):
    """Is there so that scripts run. No field of it changes anything."""
    L0, L1, OFF, ON_1, ON_2 = -1, 0, -1, 1, 2


class RunOptions(_Message):
    """Is there so that scripts run. No field of it changes anything."""
    NO_TRACE, SOFTWARE_TRACE, HARDWARE_TRACE, FULL_TRACE = range(4)


class RunMetadata(_Message):
    """Nothing is written into it."""


def get_default_session() -> Session | None:
    """The session of the innermost `with`, or None."""
    return sessions.innermost()


class Session:
    """Runs parts of a graph. It has the values of variables."""

    def __init__(self, target: str = "", graph: Any = None, config: ConfigProto | None = None) -> None:
        self.graph = graph or get_default_graph()
        self._closed = False

    def __enter__(self):
        sessions.enter(self)
        self._context = self.graph.as_default()
        self._context.__enter__()
        return self

    def __exit__(self, *_):
        sessions.leave(self)
        self._context.__exit__(None, None, None)
        self.close()

    def as_default(self) -> _Default:
        """For `with`: Tensor.eval and Operation.run use this session, which stays open."""
        return _Default(self)

    def close(self) -> None:
        """Ends it; a later run raises RuntimeError."""
        self._closed = True

    def run(self, fetches: Any, feed_dict: dict | None = None, options: Any = None, run_metadata: Any = None) -> Any:
        """The values of tensors, after what they need has run. fetches may be nested; feed_dict sets placeholders."""
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")
        feed = _fed(self.graph, feed_dict or {})
        with turn(self):
            return _Step(self.graph, feed, self).run(fetches)


class InteractiveSession(Session):
    """A session that is the default from the start."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        sessions.enter(self)

    def close(self) -> None:
        """Ends it; the session before is the default again."""
        sessions.leave(self)
        super().close()


class _Default:
    def __init__(self, session):
        self._session = session

    def __enter__(self):
        sessions.enter(self._session)
        return self._session

    def __exit__(self, *_):
        sessions.leave(self._session)


def _by_name(graph, name):
    return graph.get_tensor_by_name(name) if ":" in name else graph.get_operation_by_name(name)


def _fed(graph, feed_dict):
    out = {}
    for tensor, value in feed_dict.items():
        tensor = graph.get_tensor_by_name(tensor) if isinstance(tensor, str) else tensor
        if not isinstance(tensor, (SymbolicTensor, LateTensor)):
            raise TypeError(f"The keys of a feed dictionary are tensors of the graph, not {type(tensor).__name__}.")
        array = np.asarray(value.array if isinstance(value, EagerTensor) else value).astype(tensor.dtype.as_numpy_dtype)
        if not tensor.shape.is_compatible_with(array.shape):
            raise ValueError(f"Cannot feed value of shape {array.shape} for Tensor '{tensor.name}', which has shape "
                             f"'{tensor.shape}'")
        out[id(tensor)] = (tensor, array)
    return out


class _Step:
    """One call of run(): everything is computed once."""

    def __init__(self, graph, feed, session=None):
        self.graph, self.session = graph, session
        self.values = {key: array for key, (_, array) in feed.items()}
        self._held = [t for t, _ in feed.values()]
        # of what is given, not computed
        self._numbers = {t.number: array for t, array in feed.values() if isinstance(t, SymbolicTensor)}
        self._ran = set()

    def run(self, fetches):
        flat = [_by_name(self.graph, f) if isinstance(f, str) else f for f in nest.flatten(fetches)]
        tensors, assigned = [], []
        for f in flat:
            self._gather(f, tensors, assigned)
        self._gather_behind(tensors, assigned)
        self._evaluate(tensors, assigned)
        return nest.pack_sequence_as(fetches, [self._result(f) for f in flat])

    def _gather_behind(self, tensors, assigned):
        """Assignments that tensors are computed of, and what runs before them."""
        seen = set()
        while True:
            found, before = behind(self.graph, [t.number for t in tensors])
            assigned += [t for t in found if not any(t is a for a in assigned)]
            fresh = [c for c in before if id(c) not in seen]
            if not fresh:
                return
            for control in fresh:
                seen.add(id(control))
                self._gather(control, [] if isinstance(control, SymbolicTensor) and control.assigns is None else tensors,
                             assigned)

    def _gather(self, f, tensors, assigned):
        """Tensors to compute; operations are run."""
        if isinstance(f, SymbolicTensor):
            tensors.append(f)
            if f.assigns is not None and not any(f is a for a in assigned):
                assigned.append(f)
        elif isinstance(f, _Initializer):
            f()
        elif isinstance(f, Operation):
            for member in getattr(f, "members", ()):
                if member is not None:
                    self._gather(member, tensors, assigned)
            if f.run_now is not None and id(f) not in self._ran:
                self._ran.add(id(f))
                self.values[id(f)] = f.run_now()
            if f.result is not None:
                self._gather(f.result, tensors, assigned)
        elif hasattr(f, "evaluate"):
            self.values[id(f)] = f.evaluate(self)
        elif isinstance(f, (Variable, EagerTensor)) or f is None:
            pass
        else:
            raise TypeError(f"Fetch argument {f!r} has invalid type {type(f).__name__}, must be a tensor or an operation.")

    def _result(self, f):
        if isinstance(f, Variable):
            _check_initialized(f)
            return f.numpy()
        if isinstance(f, EagerTensor):
            return f.numpy()
        if isinstance(f, SymbolicTensor):
            value = self.values[id(f)]
            return value[()] if np.ndim(value) == 0 else value
        return self.values.get(id(f)) if hasattr(f, "evaluate") else None

    def fed(self, placeholder):
        if id(placeholder) not in self.values:
            raise InvalidArgumentError(None, None, f"You must feed a value for placeholder tensor '{placeholder.name}' with "
                                       f"dtype {placeholder.dtype.name}")
        return self.values[id(placeholder)]

    def feed(self, tensor, array):
        self.values[id(tensor)] = self._numbers[tensor.number] = array

    def value(self, tensor):
        """A tensor's value, computed if it is not yet."""
        if isinstance(tensor, Variable):
            _check_initialized(tensor)
            return tensor.numpy()
        if isinstance(tensor, EagerTensor):
            return tensor.array
        if id(tensor) not in self.values:
            self._evaluate([tensor], [])
        return self.values[id(tensor)]

    def _evaluate(self, tensors, assigned):
        missing = [t for t in tensors if id(t) not in self.values]
        for t in missing:
            self._produce(t)
        missing = [t for t in missing if id(t) not in self.values]
        if missing or assigned:
            self._compute(missing, assigned)

    def _produce(self, tensor):
        if tensor.producer is not None and id(tensor) not in self.values:
            tensor.producer.produce(self)
        elif getattr(tensor, "default", None) is not None and id(tensor) not in self.values:
            self.values[id(tensor)] = self.value(tensor.default)

    def _compute(self, tensors, assigned):
        graph, before = self.graph, set(self._numbers)
        outputs = [t.number for t in tensors]
        updates = [(graph.variables[id(t.assigns)][1], t.number) for t in assigned]
        for part in self._parts(outputs, updates, before):
            self._run_part(part)
        for t in tensors:
            self.values[id(t)] = self._numbers[t.number]
        self._numbers = {number: self._numbers[number] for number in before}

    def _parts(self, outputs, updates, fed):
        plans, key = self.graph.__dict__.setdefault("_parts", {}), (tuple(outputs), tuple(updates), frozenset(fed))
        if key not in plans:
            plans[key] = parts(self.graph, outputs, updates, fed)
        return plans[key]

    def _run_part(self, part):
        graph = self.graph
        if part.inputs is None:
            part.inputs = graph.recorder.select(part.outputs, part.updates, {}, part.fed).inputs()
        given = [self._given(number) for number in part.inputs]
        shapes = dict(zip(part.inputs, map(np.shape, given)))
        programs = graph.__dict__.setdefault("_programs", {})
        key = (part.device, tuple(part.outputs), tuple(part.updates), tuple(shapes.items()))
        program = programs.get(key)
        if program is None or program.device.released:
            program = programs[key] = _program(graph, part, shapes)
        for variable in program.variables:
            _check_initialized(variable)
        self._numbers.update(zip(part.outputs, program(given)))

    def _given(self, number):
        """The value of a tensor that a program is fed."""
        if number in self._numbers:
            return self._numbers[number]
        tensor = self.graph.input_of(number)
        self._produce(tensor)
        if id(tensor) not in self.values:
            raise InvalidArgumentError(None, None, f"You must feed a value for placeholder tensor '{tensor.name}' with "
                                       f"dtype {tensor.dtype.name} and shape {tensor.shape}")
        return self.values[id(tensor)]


class _Part:
    """The part of a graph that a program is made of, as Executable wants it."""

    def __init__(self, graph, recorder, inputs, outputs, variables):
        self.recorder, self.inputs, self.outputs, self.variables = recorder, inputs, outputs, variables
        self.host_calls = graph.host_calls

    def trains(self, variable):
        return False


class _Shaped:
    def __init__(self, dtype, shape):
        self.dtype, self.shape = dtype, TensorShape(shape)


def _program(graph, part, shapes):
    outputs = part.outputs or [part.updates[0][1]]
    selected = graph.recorder.select(outputs, part.updates, {n: list(s) for n, s in shapes.items()}, part.fed)
    selected.resolve()  # shapes of outputs, now that those of the inputs are known
    used = {*selected.variables(), *[v for v, _ in part.updates]}
    variables = {key: row for key, row in graph.variables.items() if row[1] in used}
    own = _Part(graph, selected, [_Shaped(graph.types[n], s) for n, s in shapes.items()],
                [_Shaped(graph.types[n], selected.info(n)[1]) for n in outputs], variables)
    if part.device is None:
        return Executable(own, devices.host())
    return wired.program_on_ipus(own, part.device, graph.shards)


def _check_initialized(variable):
    if not variable.initialized:
        raise FailedPreconditionError(None, None, f"Error while reading resource variable {variable.name.split(':')[0]}: this "
                                      "could mean that the variable was uninitialized. Run "
                                      "tf.global_variables_initializer() first.")


def evaluated(tensor):
    """The value of a tensor of the default graph that needs nothing to be fed."""
    step = _Step(tensor.graph, {})
    return step.value(tensor)
