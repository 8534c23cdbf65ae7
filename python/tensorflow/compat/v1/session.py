# SPDX-License-Identifier: MIT
"""Session: runs the part of a graph that is asked for, on the host's device. What ipu_compiler, iterators and queues make
comes from their producers."""
import numpy as np

from tensorflow.framework import devices, nest
from tensorflow.framework.errors import FailedPreconditionError, InvalidArgumentError
from tensorflow.framework.execution import Executable
from tensorflow.framework.graphs import current
from tensorflow.framework.operations import Operation
from tensorflow.framework.tensors import EagerTensor, SymbolicTensor, convert_to_tensor
from tensorflow.framework.variables import Variable, _Initializer

_open = []


class ConfigProto:
    """Nothing here depends on it."""

    def __init__(self, **kwargs):
        self.__dict__.update(kwargs)
        self.gpu_options = GPUOptions()


class GPUOptions:
    def __init__(self, **kwargs):
        self.__dict__.update(kwargs)


def get_default_session():
    return _open[-1] if _open else None


def default_session():
    if not _open:
        raise ValueError("Cannot evaluate tensor using `eval()`: No default session is registered. Use `with "
                         "sess.as_default()` or pass an explicit session to `eval(session=sess)`")
    return _open[-1]


class Session:
    def __init__(self, target="", graph=None, config=None):
        from tensorflow.compat.v1.graphs import get_default_graph
        self.graph = graph or get_default_graph()
        self._closed = False

    def __enter__(self):
        _open.append(self)
        self._context = self.graph.as_default()
        self._context.__enter__()
        return self

    def __exit__(self, *_):
        _open.remove(self)
        self._context.__exit__(None, None, None)
        self.close()

    def as_default(self):
        return _Default(self)

    def close(self):
        self._closed = True

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")
        feed = _fed(feed_dict or {})
        step = _Step(self.graph, feed)
        return step.run(fetches)


class InteractiveSession(Session):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        _open.append(self)

    def close(self):
        if self in _open:
            _open.remove(self)
        super().close()


class _Default:
    def __init__(self, session):
        self._session = session

    def __enter__(self):
        _open.append(self._session)
        return self._session

    def __exit__(self, *_):
        _open.remove(self._session)


def _fed(feed_dict):
    out = {}
    for tensor, value in feed_dict.items():
        if not isinstance(tensor, SymbolicTensor):
            raise TypeError(f"The keys of a feed dictionary are tensors of the graph, not {type(tensor).__name__}.")
        array = np.asarray(value.array if isinstance(value, EagerTensor) else value).astype(tensor.dtype.as_numpy_dtype)
        if not tensor.shape.is_compatible_with(array.shape):
            raise ValueError(f"Cannot feed value of shape {array.shape} for Tensor '{tensor.name}', which has shape "
                             f"'{tensor.shape}'")
        out[id(tensor)] = (tensor, array)
    return out


class _Step:
    """One call of run(): everything is computed once."""

    def __init__(self, graph, feed):
        self.graph = graph
        self.values = {key: array for key, (_, array) in feed.items()}
        self._held = [t for t, _ in feed.values()]
        self._ran = set()

    def run(self, fetches):
        flat = [f for f in nest.flatten(fetches)]
        tensors, assigned = [], []
        for f in flat:
            self._gather(f, tensors, assigned)
        self._evaluate(tensors, assigned)
        return nest.pack_sequence_as(fetches, [self._result(f) for f in flat])

    def _gather(self, f, tensors, assigned):
        """Tensors to compute; operations are run."""
        if isinstance(f, SymbolicTensor):
            tensors.append(f)
            if f.assigns is not None:
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
        elif isinstance(f, str):
            raise ValueError("Fetches by name are not there: give the tensor itself.")
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
        graph = self.graph
        updates = [(graph.variables[id(t.assigns)][1], t.number) for t in assigned]
        outputs = [t.number for t in tensors]
        part = graph.recorder.select(outputs, updates, {})
        by_number = {t.number: t for t in graph.inputs}
        shapes, inputs = {}, []
        for number in part.inputs():
            tensor = by_number[number]
            self._produce(tensor)
            if id(tensor) not in self.values:
                raise InvalidArgumentError(None, None, f"You must feed a value for placeholder tensor '{tensor.name}' with "
                                           f"dtype {tensor.dtype.name} and shape {tensor.shape}")
            shapes[number] = np.shape(self.values[id(tensor)])
            inputs.append(tensor)
        programs = graph.__dict__.setdefault("_programs", {})
        key = (tuple(outputs), tuple(updates), tuple(sorted(shapes.items())))
        program = programs.get(key)
        if program is None:
            program = programs[key] = _program(graph, tensors, assigned, updates, inputs, shapes)
        for variable in program.variables:
            _check_initialized(variable)
        results = program([self.values[id(t)] for t in inputs])
        for t, value in zip(tensors, results):
            self.values[id(t)] = value


class _Part:
    """The part of a graph that a program is made of, as Executable wants it."""

    def __init__(self, graph, recorder, inputs, outputs, variables):
        self.recorder, self.inputs, self.outputs, self.variables = recorder, inputs, outputs, variables
        self.host_calls = graph.host_calls

    def trains(self, variable):
        return False


class _Shaped:
    def __init__(self, dtype, shape):
        from tensorflow.framework.shapes import TensorShape
        self.dtype, self.shape = dtype, TensorShape(shape)


def _program(graph, tensors, assigned, updates, inputs, shapes):
    outputs = tensors or assigned[:1]
    part = graph.recorder.select([t.number for t in outputs], updates, {n: list(s) for n, s in shapes.items()})
    infos = _infos(part, outputs)
    used = {*part.variables(), *[v for v, _ in updates]}
    variables = {key: row for key, row in graph.variables.items() if row[1] in used}
    return Executable(_Part(graph, part, [_Shaped(t.dtype, shapes[t.number]) for t in inputs],
                            [_Shaped(t.dtype, s) for t, s in zip(outputs, infos)], variables), devices.host())


def _infos(part, outputs):
    """Shapes of outputs, now that those of the inputs are known."""
    part.resolve()
    return [part.info(t.number)[1] for t in outputs]


def _check_initialized(variable):
    if not variable.initialized:
        raise FailedPreconditionError(None, None, f"Error while reading resource variable {variable.name.split(':')[0]}: this "
                                      "could mean that the variable was uninitialized. Run "
                                      "tf.global_variables_initializer() first.")


def evaluated(tensor):
    """The value of a tensor of the default graph that needs nothing to be fed."""
    step = _Step(tensor.graph, {})
    return step.value(tensor)


def deferred_assign(graph, variable, value):
    """An operation that gives a variable a value when a session runs it."""
    graph._declare(variable)
    out = graph.record("Identity", [value])[0]
    out.assigns = variable
    return out


__all__ = ["Session", "convert_to_tensor", "current"]
