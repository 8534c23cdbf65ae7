# SPDX-License-Identifier: MIT
"""Loops on the device. At the top of a program one is the program's own loop; within others it is an operation."""
from __future__ import annotations

import inspect
import typing
from typing import Any

import numpy as np

from tensorflow.framework import nest
from tensorflow.framework.context import active
from tensorflow.framework.tensors import Tensor, constant_value, convert_to_tensor
from tensorflow.ops import control_flow, math_ops
from tensorflow.python.ipu import inner_feeds as _inner_feeds
from tensorflow.python.ipu.ipu_infeed_queue import queue_of as _queue_of
from tensorflow.python.ipu.programs import program, root_program


def repeat(n: int | Tensor, body: typing.Callable, inputs: list | None = None, infeed_queue: Any = None,
           use_while_v1: bool = True) -> list:
    """body n times: it gets the loop's state, then the elements of the infeed, and gives the new state."""
    state, infeed_queue = _listed(inputs), _queue_of(infeed_queue)
    _check_arity(body, state, infeed_queue)
    graph = active()
    if graph is None:
        raise RuntimeError("loops.repeat() belongs into a function that ipu_compiler.compile compiles.")
    rounds, top = constant_value(convert_to_tensor(n)), program()
    state = list(map(convert_to_tensor, state))
    if top is not None and top.rounds is None:
        if rounds is not None and all(_start_of(top, t) is not None for t in state):
            return _main(top, int(rounds), body, state, infeed_queue)
        top.rounds = 1
    return _inner(graph, n, rounds, _fed(body, infeed_queue), state)


def _fed(body, queue):
    """The body of a loop within a program, with the elements of an infeed."""
    if queue is None:
        return body

    def step(*state):
        elements = _inner_feeds.dequeued(queue)
        return body(*state, **elements) if isinstance(elements, dict) else body(*state, *_listed(elements))
    return step


def _inner(graph, n, rounds, body, state):
    """A loop that is an operation of the program."""
    if rounds is not None:
        return list(control_flow.loop(graph, lambda *v: _state(body(*v), len(v)), state, trip=int(rounds)))
    last = math_ops.cast(n, "int32")
    made = control_flow.loop(graph, lambda i, *v: [i + 1, *_state(body(*v), len(v))], [convert_to_tensor(0), *state],
                             condition=lambda i, *v: i < last)
    return list(made)[1:]


def _start_of(top, tensor):
    """What a variable of the program can begin with: numbers, or which input of the program; None if it is computed."""
    known = constant_value(tensor)
    if known is not None:
        return np.array(known)
    return next((i for i, a in enumerate(top.arguments) if top.read(a) is tensor), None)


def while_loop(condition: typing.Callable, body: typing.Callable, inputs: list | None = None, infeed_queue: Any = None,
               maximum_iterations: int | None = None, use_while_v1: bool = True) -> list:
    """Runs the body as long as the condition holds, on the IPU."""
    state, infeed_queue = list(map(convert_to_tensor, _listed(inputs))), _queue_of(infeed_queue)
    _check_arity(body, state, infeed_queue)
    graph = active()
    if graph is None:
        raise RuntimeError("loops.while_loop() belongs into a function that ipu_compiler.compile compiles.")
    if root_program() is not None and root_program().rounds is None:
        root_program().rounds = 1
    step = _fed(body, infeed_queue)
    made = control_flow.loop(graph, lambda *v: _state(step(*v), len(v)), state, condition=condition, trip=maximum_iterations)
    return _unlisted(list(made))


def _main(graph, n, body, state, queue):
    """The body is the program; what it carries are variables of the program."""
    graph.rounds = n
    carried, graph.starts = [], []
    for tensor in state:
        start = _start_of(graph, tensor)
        variable = graph.hidden(np.zeros(tensor.shape.as_list(), tensor.dtype.as_numpy_dtype), "state")
        graph.starts.append((variable, start))
        carried.append(variable)
    elements = [] if queue is None else queue.dequeue_in(graph)
    args, kwargs = ([], elements) if isinstance(elements, dict) else (_listed(elements), {})
    graph.in_main = True
    made = _state(body(*[graph.read(v) for v in carried], *args, **kwargs), len(carried))
    graph.in_main = False
    results = []
    for variable, value in zip(carried, made):
        value = convert_to_tensor(value) if isinstance(value, Tensor) else convert_to_tensor(value, variable.dtype)
        value = graph.taken(value)
        if not value.shape.is_compatible_with(variable.shape):
            raise ValueError(f"A loop's variable of shape {variable.shape} becomes {value.shape} in its body.")
        graph.states.append((variable, value))
        results.append(value)
    return _unlisted(results)


def _state(made, count):
    """The tensors of what a body returns; operations are part of the program anyway."""
    flat = [] if made is None else [v for v in nest.flatten(made) if isinstance(v, (Tensor, float, int, np.ndarray))]
    if len(flat) < count:
        raise ValueError(f"A loop's body must return its {count} loop variables; it returns {len(flat)}.")
    return flat[:count]


def _listed(value):
    return [] if value is None else list(value) if isinstance(value, (list, tuple)) else [value]


def _unlisted(values):
    return values


def _check_arity(body, state, queue):
    elements = {} if queue is None else queue.structure
    more = 0 if isinstance(elements, dict) else len(_listed(elements))
    names = list(elements) if isinstance(elements, dict) else []
    try:
        inspect.signature(body).bind(*[None] * (len(state) + more), **dict.fromkeys(names))
    except TypeError as problem:
        raise TypeError(f"Supplied loop body function cannot be called with the specified inputs: it gets {len(state)} loop "
                        f"variables and {more + len(names)} infeed elements ({problem}).") from None
    except ValueError:
        pass
