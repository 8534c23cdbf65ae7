# SPDX-License-Identifier: MIT
"""tf.function: a Python function is traced once for every signature, and runs as one program afterwards."""
from __future__ import annotations

import functools
import inspect
import weakref
from typing import Any, Callable, Sequence

import numpy as np

from tensorflow.framework import devices, nest
from tensorflow.framework.context import active, tracing
from tensorflow.framework.execution import Executable, Settings
from tensorflow.framework.graphs import Graph
from tensorflow.framework.specs import TensorSpec
from tensorflow.framework.tensors import EagerTensor, Tensor, convert_to_tensor
from tensorflow.framework.variables import Variable
from tensorflow.ops import autograph


class Function:
    """What tf.function makes of a function."""
    def __init__(self, python_function: Callable, input_signature: Sequence | None = None, autograph_on: bool = True,
                 name: str | None = None) -> None:
        functools.update_wrapper(self, python_function)
        self.python_function = python_function
        self._signature = None if input_signature is None else list(input_signature)
        self._autograph = autograph_on
        self._converted = None
        self._bound = weakref.WeakKeyDictionary()
        self.programs = {}

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        found = self._bound.get(instance)
        if found is None:
            bound = self.python_function.__get__(instance, owner)
            found = Function(bound, self._signature, self._autograph)
            self._bound[instance] = found
        return found

    def traced(self) -> Any:
        """The Python function with loops and conditions on tensors rewritten."""
        if self._converted is None:
            self._converted = autograph.converted(self.python_function) if self._autograph else self.python_function
        return self._converted

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if active() is not None:  # a part of what is traced
            return self.traced()(*args, **kwargs)
        return self.run(None, args, kwargs)

    def run(self, device: Any, args: Sequence, kwargs: dict, make: Callable | None = None) -> Any:
        """make: of a program, from the traced function, its arguments; without one it is for this device."""
        args, kwargs = self._canonical(args, kwargs)
        flat = nest.flatten((args, kwargs))
        key = (id(device), *[_key(v) for v in flat], _structure((args, kwargs)))
        program = self.programs.get(key)
        if program is None:
            program = self.programs[key] = make(self.traced(), args, kwargs) if make is not None else \
                Program(self.traced(), args, kwargs, device)
        return program(flat)

    def _canonical(self, args, kwargs):
        if self._signature is not None:
            args = [convert_to_tensor(a, s.dtype) if not isinstance(a, Tensor) else a for a, s in zip(args, self._signature)]
            for given, spec in zip(args, self._signature):
                if not spec.is_compatible_with(given):
                    raise ValueError(f"Python inputs incompatible with input_signature: inputs: ({given!r}), "
                                     f"input_signature: ({spec!r})")
            return tuple(args), kwargs
        try:
            bound = inspect.signature(self.python_function).bind(*args, **kwargs)
            bound.apply_defaults()
            args, kwargs = bound.args, bound.kwargs
        except ValueError:
            pass
        return nest.map_structure(_leaf, tuple(args)), nest.map_structure(_leaf, dict(kwargs))

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> Program:
        """The traced function for these arguments."""
        args = nest.map_structure(lambda v: EagerTensor(np.zeros(v.shape.as_list(), v.dtype.as_numpy_dtype))
                                  if isinstance(v, TensorSpec) else v, tuple(args))
        args, kwargs = self._canonical(args, kwargs)
        return Program(self.traced(), args, kwargs)

    def experimental_get_tracing_count(self) -> int:
        """How often it was traced."""
        return len(self.programs)


def _leaf(value):
    if isinstance(value, (np.ndarray, np.generic)) and not isinstance(value, np.bool_):
        return convert_to_tensor(value)
    return value


def _key(value):
    if isinstance(value, EagerTensor):
        return (value.dtype.name, value.array.shape)
    if isinstance(value, (int, float, str, bool, bytes, type(None))):
        return (type(value).__name__, value)
    return id(value)


def _structure(value):
    if isinstance(value, dict):
        return ("d", *[(k, _structure(value[k])) for k in sorted(value, key=str)])
    if isinstance(value, (list, tuple)):
        return (type(value).__name__, *[_structure(v) for v in value])
    return "."


def traced(graph, function, args, kwargs):
    """What the function returns for inputs of the graph where eager tensors are given; and where among all arguments."""
    flat = nest.flatten((args, kwargs))
    fed = [i for i, v in enumerate(flat) if isinstance(v, EagerTensor)]
    with tracing(graph):
        for i in fed:
            flat[i] = graph.input(flat[i].shape, flat[i].dtype, f"arg{i}")
        args, kwargs = nest.pack_sequence_as((args, kwargs), flat)
        return fed, function(*args, **kwargs)


class Program:
    """One trace of a function: what goes in, what comes out, and the executable."""

    def __init__(self, function, args, kwargs, device=None, adapt=None):
        self._held = (args, kwargs)
        graph = Graph(name=getattr(function, "__name__", "function"))
        graph.makes_variables = True
        self._fed, self.structure = traced(graph, function, args, kwargs)
        leaves = nest.flatten(self.structure)
        self._kinds = [isinstance(v, (Tensor, Variable)) for v in leaves]
        tensors = [graph.read(v) if isinstance(v, Variable) else v for v, is_one in zip(leaves, self._kinds) if is_one]
        self._leaves = leaves
        graph.finish(tensors)
        self.graph = graph
        runs = bool(tensors) or bool(graph.changed())
        if runs and not tensors:  # something must come back; nobody sees it
            graph.recorder.output(graph.taken(EagerTensor(np.zeros((), np.float32))).number)
            graph.outputs = [graph.taken(EagerTensor(np.zeros((), np.float32)))]
        self._silent = runs and not tensors
        self.executable = Executable(graph, device or devices.host(), Settings(name="function", adapt=adapt)) \
            if runs else None

    def __call__(self, flat):
        results = self.executable([flat[i].array for i in self._fed]) if self.executable is not None else []
        if self._silent:
            results = []
        made = iter(results)
        out = [EagerTensor(next(made)) if is_one else v for v, is_one in zip(self._leaves, self._kinds)]
        return nest.pack_sequence_as(self.structure, out) if out else self.structure


def function(func: Callable | None = None, input_signature: Sequence | None = None, autograph: bool = True,
             jit_compile: bool | None = None, experimental_compile: bool | None = None, experimental_implements: Any = None,
             experimental_autograph_options: Any = None, experimental_relax_shapes: bool = False,
             experimental_follow_type_hints: Any = None, reduce_retracing: bool = False) -> Any:
    """A decorator: the function is traced into a graph once for each kind of arguments, and runs as one program."""
    def decorate(f):
        return Function(f, input_signature, autograph)
    return decorate if func is None else decorate(func)
