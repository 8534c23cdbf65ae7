# SPDX-License-Identifier: MIT
"""Infeeds and outfeeds of loops within a program: the host is asked for every element, and handed every result."""
import numpy as np

from tensorflow.framework import nest
from tensorflow.framework.context import current
from tensorflow.framework.host_calls import host_call
from tensorflow.python.ipu.programs import root_program


def _note(graph):
    if graph is None:
        raise RuntimeError("Infeeds and outfeeds belong into a program for an IPU.")
    rounds = getattr(graph, "rounds", None)
    if (rounds or 1) > 1 and not graph.in_main and not current.update:
        raise NotImplementedError("A loop with an infeed or outfeed after another outermost loop is not there: compile the two "
                                  "loops as two functions, or give the first one a computed number of rounds.")
    graph.feeds_inside = True


def dequeued(queue):
    """An element of an infeed, wherever the loop is."""
    _note(root_program())
    queue.noted()

    def element(arrays, replicas):
        return [a[0] if queue.stacks else a for a in queue.next_arrays(1)]
    made = host_call(element, [], [(s.dtype, s.shape) for s in nest.flatten(queue.structure)], "infeed")
    return nest.pack_sequence_as(queue.structure, made)


def enqueued(queue, tensors, graph):
    """Tensors go to an outfeed of a program, wherever the loop is, or once for every update of its weights."""
    _note(graph)
    rows = next((r for q, r in graph.inner_outfeeds if q is queue), None)
    if rows is None:
        rows = []
        graph.inner_outfeeds.append((queue, rows))

    def take(arrays, replicas):
        rows.append([np.array(a) for a in arrays])
        return [np.int32(0)]
    host_call(take, tensors, [("int32", [])], "outfeed")
