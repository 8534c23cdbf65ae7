# SPDX-License-Identifier: MIT
"""A tf.function that IPUStrategy.run runs: one program for the IPU. `for _ in tf.range(n)` at its top is the program's own
loop, `next(iterator)` its infeed."""
from __future__ import annotations

from typing import Callable, Sequence

import numpy as np

from tensorflow.framework import nest
from tensorflow.framework.context import active
from tensorflow.framework.errors import InvalidArgumentError
from tensorflow.framework.tensors import EagerTensor, Tensor, constant_value, convert_to_tensor
from tensorflow.framework.variables import Variable
from tensorflow.ops import array_ops
from tensorflow.ops.functions import traced
from tensorflow.python.ipu import inner_feeds, ipu_infeed_queue
from tensorflow.python.ipu.programs import Compiled, ProgramGraph


class FunctionGraph(ProgramGraph):
    def main_loop(self, iterable, body, values):
        """A loop at the top of the function; None: it is not one that the whole program can be."""
        source = None
        if isinstance(iterable, EagerTensor) and iterable.array.ndim == 1 and len(iterable.array) > 1:
            rounds = len(iterable.array)
        elif hasattr(iterable, "known_size"):
            rounds, source = iterable.known_size(), iterable
            if rounds is None:
                raise ValueError("A data set that a function on the IPU loops over must have a known size: use take().")
        elif hasattr(iterable, "_dataset"):
            raise ValueError("`for x in iterator` on the IPU needs a number of rounds: use `for _ in tf.range(n)` with "
                             "`next(iterator)`.")
        else:
            return None
        starts = [self._start(v) for v in values]
        if any(s is _NOT_KNOWN for s in starts):
            return None
        self.rounds = rounds
        return self._body(iterable, source, body, values, starts)

    @staticmethod
    def _start(value):
        """The first value of what the loop carries; None: it is nothing to carry."""
        if isinstance(value, Variable) or not isinstance(value, (Tensor, np.ndarray, np.generic, float, int)):
            return None
        known = constant_value(convert_to_tensor(value))
        return _NOT_KNOWN if known is None else np.asarray(known)

    def _body(self, iterable, source, body, values, starts):
        self.__dict__.setdefault("starts", [])
        carried = [None if s is None else self.hidden(s, "state") for s in starts]
        self.starts += [(v, np.array(s)) for v, s in zip(carried, starts) if v is not None]
        item = self._next_of(source) if source is not None else self._index(iterable)
        given = [v if c is None else self.read(c) for v, c in zip(values, carried)]
        self.in_main = True
        made = body(item, *given)
        self.in_main = False
        out = []
        for variable, value in zip(carried, made):
            if variable is not None:
                value = self.taken(convert_to_tensor(value) if isinstance(value, Tensor)
                                   else convert_to_tensor(value, variable.dtype))
                self.states.append((variable, value))
            out.append(value)
        return tuple(out)

    def next_of(self, iterator):
        queue = ipu_infeed_queue.IteratorQueue(iterator)
        return queue.dequeue_in(self) if active() is self else inner_feeds.dequeued(queue)

    def _next_of(self, dataset):
        queue = ipu_infeed_queue.IPUInfeedQueue(dataset)
        self.fresh = [*self.__dict__.get("fresh", ()), queue]
        return queue.dequeue_in(self)

    def _index(self, numbers):
        at = self.hidden(np.int32(0), "round")
        self.starts.append((at, np.int32(0)))
        now = self.read(at)
        self.states.append((at, self.taken(now + 1)))
        return array_ops.gather(numbers, now)


class _NotKnown:
    pass


_NOT_KNOWN = _NotKnown()


class FunctionProgram(Compiled):
    """A tf.function, compiled for the shapes and values of one call."""

    def __init__(self, function: Callable, args: Sequence, kwargs: dict, index: int) -> None:
        self.index, self._held = index, (args, kwargs)
        graph = self.graph = FunctionGraph(name=getattr(function, "__name__", "function"))
        self._fed, self.result = traced(graph, function, args, kwargs)
        self._check_variables()
        self._leaves = nest.flatten(self.result)
        self._kinds = [isinstance(v, (Tensor, Variable)) for v in self._leaves]
        self.tensors = [graph.read(v) if isinstance(v, Variable) else graph.taken(v)
                        for v, is_one in zip(self._leaves, self._kinds) if is_one]
        self._feeds = graph.infeeds
        graph.infeeds = []

    def _check_variables(self):
        for variable, *_ in self.graph.variables.values():
            if variable.trainable and variable.strategy is None:
                raise InvalidArgumentError(
                    None, None, f"Trying to access resource {variable.name.split(':')[0]} located in device /device:CPU:0 from "
                    f"device /device:IPU:{self.index}: the variable of shape {variable.shape} was created outside of the "
                    "IPUStrategy's scope. Create it in `with strategy.scope():`.")

    def __call__(self, flat: list) -> Tensor | list | tuple | None:
        times = self.compile().settings.times
        arguments = _Arguments([flat[i].array for i in self._fed], times)
        for queue in self.graph.__dict__.get("fresh", ()):
            queue._start()
        self.graph.infeeds = [(arguments, None), *self._feeds] if self._fed else self._feeds
        results = iter(self.run([]))
        out = [EagerTensor(next(results)) if is_one else v for v, is_one in zip(self._leaves, self._kinds)]
        return nest.pack_sequence_as(self.result, out) if out else self.result


class _Arguments:
    """Arguments of the function: the same in every round."""

    def __init__(self, arrays, times):
        self._arrays, self._times = arrays, times

    def next_arrays(self, count):
        if count == 1:
            return self._arrays
        return [np.ascontiguousarray(np.broadcast_to(a, (count, *a.shape))) for a in self._arrays]
