# SPDX-License-Identifier: MIT
"""What rewritten functions call: loops and conditions that look at what they get."""
import numpy as np

from tensorflow.framework.context import active
from tensorflow.framework.tensors import EagerTensor, SymbolicTensor, Tensor, constant_value, convert_to_tensor
from tensorflow.framework.variables import Variable
from tensorflow.ops import array_ops, control_flow, math_ops


class _Undefined:
    """A name without a value."""

    def __repr__(self):
        return "undefined"

    def __getattr__(self, name):
        raise UnboundLocalError("A name is used that got a value only within a loop or a branch of a traced function.")


undefined = _Undefined()


def value_or_none(get):
    try:
        return get()
    except (NameError, UnboundLocalError):
        return undefined


def bound(function, values):
    return lambda: function(*values)


def _traced(value):
    return isinstance(value, SymbolicTensor) and constant_value(value) is None or \
        isinstance(value, Variable) and active() is not None


def if_statement(test, yes, no, values):
    if not _traced(test):
        return yes(*values) if test else no(*values)
    return _conditional(test, lambda: yes(*values), lambda: no(*values))


def if_expression(test, yes, no):
    if not _traced(test):
        return yes() if test else no()
    return control_flow.cond(test, yes, no)


def _conditional(test, yes, no):
    """Names that are tensors in either branch are results; others must be the same in both."""
    results = []

    def run(branch):
        def call():
            made = branch()
            results.append(made)
            return [convert_to_tensor(v) for v in made if _is_number(v)]
        return call
    out = control_flow.cond(test, run(yes), run(no))
    shape = results[-1]
    left = iter(out if isinstance(out, list) else [] if out is None else [out])
    return tuple(next(left) if _is_number(v) else v for v in shape)


def _is_number(v):
    return isinstance(v, (Tensor, Variable, np.ndarray, np.generic)) or isinstance(v, (int, float)) and not isinstance(v, str)


def while_statement(test, body, values):
    first = test(*values)
    if not _traced(first):
        while first:
            values = body(*values)
            first = test(*values)
            if _traced(first):
                return _loop(values, body, test)
        return values
    return _loop(values, body, test)


def _carries(values):
    """Which names a loop of the device carries."""
    return [isinstance(v, (Tensor, np.ndarray, np.generic, float, int)) and not isinstance(v, Variable) or _is_array(v)
            for v in values]


def _is_array(value):
    return isinstance(value, control_flow.TensorArray)


def _loop(values, body, test=None, trip=None, item=None, rounds=None):
    graph = active()
    carried = _carries(values)
    start = [v if _is_array(v) else convert_to_tensor(v) for v, c in zip(values, carried) if c]
    last = {}

    def whole(tensors):
        left = iter(tensors)
        return [next(left) if c else v for v, c in zip(values, carried)]

    def step(counter, *tensors):
        made = body(*([] if item is None else [item(counter)]), *whole(tensors))
        last["values"] = made
        return [counter + 1, *[m for m, c in zip(made, carried) if c]]

    def goes_on(counter, *tensors):
        return test(*whole(tensors)) if rounds is None else math_ops.cast(counter, rounds.dtype) < rounds

    goes_on = None if test is None and rounds is None else goes_on
    out = control_flow.loop(graph, step, [convert_to_tensor(0), *start], goes_on, trip)
    left = iter(out[1:])
    return tuple(next(left) if c else undefined if _is_number(m) else v
                 for v, c, m in zip(values, carried, last["values"]))


def _open_loop(graph, numbers, body, values):
    """A loop over a range whose bounds the program computes."""
    if getattr(graph, "rounds", 1) is None:
        graph.rounds = 1  # its own loop comes no more
    start, limit, delta = numbers.bounds
    count = math_ops.negative(math_ops.floordiv(start - limit, delta))  # rounded up
    return _loop(values, body, rounds=count, item=lambda i: start + math_ops.cast(i, delta.dtype) * delta)


def for_statement(iterable, body, values):
    graph = active()
    if graph is None:
        for item in iterable:
            values = body(item, *values)
        return values
    on_top = getattr(graph, "main_loop", None)
    if on_top is not None and graph.rounds is None and not any(map(_is_array, values)):
        found = on_top(iterable, body, values)
        if found is not None:
            return found
    if isinstance(iterable, array_ops.OpenRange):
        return _open_loop(graph, iterable, body, values)
    if isinstance(iterable, EagerTensor) and iterable.array.ndim == 1 and len(iterable.array) > 1:
        return _loop(values, body, trip=len(iterable.array), item=lambda i: array_ops.gather(iterable, i))
    if isinstance(iterable, SymbolicTensor) and iterable.shape.rank and iterable.shape[0] is not None:
        return _loop(values, body, trip=iterable.shape[0], item=lambda i: array_ops.gather(iterable, i))
    for item in iterable:
        values = body(item, *values)
    return values
