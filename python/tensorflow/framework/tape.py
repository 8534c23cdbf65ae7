# SPDX-License-Identifier: MIT
"""GradientTape. In a graph the gradient is an operation of its own. Outside, the tape keeps what was computed, and the
gradient is a graph of it, compiled once for every form and run on the host's device."""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from . import devices, facts, nest
from .context import active, current
from .custom_gradients import record as record_custom
from .dispatch import apply
from .execution import Executable
from .graphs import Graph
from .tensors import EagerTensor, Tensor, convert_to_tensor
from .variables import Variable
from tensorflow.framework.typed import TensorLike


class GradientTape:
    """Notes operations, to compute gradients of what they gave."""
    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent, self._watches = persistent, watch_accessed_variables
        self._records, self._reads, self._watched = [], {}, {}
        self._used = False
        self._graph = None

    def __enter__(self):
        self._graph = active()
        current.tapes = (*current.tapes, self)
        return self

    def __exit__(self, *_):
        current.tapes = tuple(t for t in current.tapes if t is not self)

    def watch(self, tensor: TensorLike) -> None:
        """Notes operations on this tensor, too."""
        for t in nest.flatten(tensor):
            if not isinstance(t, (Tensor, Variable)):
                raise ValueError(f"Passed in object of type {type(t)}, not tf.Tensor")
            self._watched[id(t)] = t

    def watched_variables(self) -> tuple:
        """The variables that were read."""
        return tuple(v for v, _ in self._reads.values())

    def stop_recording(self) -> _Stopped:
        """While open, nothing is noted."""
        return _Stopped(self)

    def reset(self) -> None:
        """Forgets what was noted."""
        self._records.clear()
        self._reads.clear()

    # ---- what is computed while it is open

    def record(self, op: str, inputs: TensorLike, attributes: dict, outputs: Any) -> None:
        """Notes one operation."""
        self._records.append((op, inputs, attributes, outputs))

    def read(self, variable: Variable, value: TensorLike) -> None:
        """Notes that a variable was read."""
        if self._watches and variable.trainable or id(variable) in self._watched:
            self._reads.setdefault(id(variable), (variable, []))[1].append(value)

    # ---- gradients

    def gradient(self, target: TensorLike, sources: TensorLike, output_gradients: TensorLike | None = None,
                 unconnected_gradients: Any = "none") -> Tensor | list | None:
        """Gradients of a target by sources. A tape that is not persistent gives them once."""
        if self._used and not self._persistent:
            raise RuntimeError("A non-persistent GradientTape can only be used to compute one set of gradients (or "
                               "jacobians)")
        self._used = True
        unconnected = getattr(unconnected_gradients, "value", unconnected_gradients)
        flat = nest.flatten(sources)
        targets = [t.read_value() if isinstance(t, Variable) else t for t in nest.flatten(target)]
        given = None if output_gradients is None else [convert_to_tensor(g) for g in nest.flatten(output_gradients)]
        if active() is not None:
            made = graph_gradients(active(), targets, flat, given)
        else:
            made = _capturing(None, flat, lambda sources: self._eager(targets, sources, given))
        if unconnected == "zero":
            made = [apply("ZerosLike", [s]) if g is None else g for g, s in zip(made, flat)]
        return nest.pack_sequence_as(sources, made)

    def jacobian(self, target: TensorLike, sources: TensorLike, unconnected_gradients: str = "none",
                 parallel_iterations: int | None = None, experimental_use_pfor: bool = True) -> Tensor:
        """Gradients of every element of a target by sources."""
        if not self._persistent:
            self._used = False
        rows = []
        for seed in np.eye(target.shape.num_elements(), dtype=target.dtype.as_numpy_dtype):
            rows.append(self.gradient(target, sources, seed.reshape(target.shape.as_list()), unconnected_gradients))
            self._used = False
        return nest.map_structure(lambda *g: apply("Reshape", [
            apply("Pack", g, {"axis": 0}), np.int32([*target.shape.as_list(), *g[0].shape.as_list()])]), *rows)

    def _eager(self, targets, sources, given):
        graph, tensors = Graph(name="gradients"), {}
        key = ["gradients"]
        numbers = {}
        by, by_numbers = [], []
        for source in sources:
            t = self._value_of(source)
            tensors[id(t)] = None
            by.append(t)
        needed = self._needed(targets)

        def number(t):
            return numbers.setdefault(id(t), len(numbers))

        plan, leaves, seen = [], [], set()
        made = {id(o) for _, _, _, outs in needed for o in outs}
        for s, t in zip(sources, by):
            self._note(leaves, seen, t)
            by_numbers.append(number(t))
        for op, ins, attributes, outs in needed:
            fixed = facts.constants(op, len(ins))
            for i, t in enumerate(ins):
                if t is not None and i not in fixed and id(t) not in made and id(t) not in seen:
                    self._note(leaves, seen, t)
            plan.append((op, ins, attributes, outs, fixed))
        for t in targets:
            if id(t) not in made and id(t) not in seen:
                self._note(leaves, seen, t)
        for t in leaves:
            key.append((number(t), t.dtype.name, t.array.shape))
        for op, ins, attributes, outs, fixed in plan:
            key.append((op, tuple(None if t is None else ("c", t.dtype.name, t.array.shape, t.array.tobytes())
                                  if i in fixed else number(t) for i, t in enumerate(ins)),
                        repr(sorted(attributes.items())), tuple(number(t) for t in outs)))
        key.append((tuple(number(t) for t in targets), tuple(by_numbers), given is not None and
                    tuple((g.dtype.name, g.array.shape) for g in given)))
        key = tuple(key)
        own = any(op == "CustomGradient" for op, *_ in plan)  # has constants of this call
        program = None if own else _programs.get(key)
        if program is None:
            program = self._build(graph, leaves, plan, targets, by, given, Executable)
            if not own:
                _programs[key] = program
        executable, depends = program
        results = executable([t.array for t in leaves] + [g.array for g in given or ()]) if executable else []
        return [EagerTensor(results.pop(0)) if d else None for d in depends]

    def _build(self, graph, leaves, plan, targets, by, given, Executable):
        values = {id(t): graph.input(t.shape, t.dtype, "in") for t in leaves}
        starts = [graph.input(g.shape, g.dtype, "given") for g in given or ()]
        # The variable that a copy was read of: all copies of one are the same value.
        for variable, copies in self._reads.values():
            first = self._value_of(variable)
            for copy in copies:
                if id(copy) in values and id(first) in values:
                    values[id(copy)] = values[id(first)]
        for op, ins, attributes, outs, fixed in plan:
            taken = [None if t is None else graph.constant(t.array, t.dtype) if i in fixed else values[id(t)]
                     for i, t in enumerate(ins)]
            if op == "CustomGradient":
                own = record_custom(graph, taken[:len(outs)], taken[len(outs):], attributes["function"])
                values.update((id(t), v) for t, v in zip(outs, own))
                continue
            for t, v in zip(outs, graph.record(op, taken, attributes, len(outs), [t.dtype for t in outs])):
                values[id(t)] = v
        made, depends = _gradients(graph, [values[id(t)] for t in targets], [values[id(t)] for t in by], starts)
        if not any(depends):
            return None, depends
        graph.finish([g for g, d in zip(made, depends) if d])
        return Executable(graph, devices.host()), depends

    def _value_of(self, source):
        """The tensor that a source was worth: of a variable, as it was first read."""
        if not isinstance(source, Variable):
            return source
        found = self._reads.get(id(source))
        if found is None:
            found = self._reads[id(source)] = (source, [EagerTensor(np.asarray(source.numpy()), source.dtype)])
        return found[1][0]

    @staticmethod
    def _note(leaves, seen, t):
        if id(t) not in seen:
            seen.add(id(t))
            leaves.append(t)

    def _needed(self, targets):
        """The records that the targets come from, in order."""
        wanted, out = {id(t) for t in targets}, []
        for record in reversed(self._records):
            if any(id(o) in wanted for o in record[3]):
                out.append(record)
                wanted |= {id(t) for t in record[1] if t is not None}
        return out[::-1]


_programs = {}


class _Stopped:
    def __init__(self, tape):
        self._tape = tape

    def __enter__(self):
        current.tapes = tuple(t for t in current.tapes if t is not self._tape)

    def __exit__(self, *_):
        current.tapes = (*current.tapes, self._tape)


def _gradients(graph, of, by, given=()):
    """(gradients, whether there is one) of graph tensors."""
    out = graph.record("Gradients", [*of, *by, *given], {"of": len(of), "by": len(by)}, 2 * len(by),
                       [t.dtype for t in by] + [None] * len(by))
    made, flags = out[:len(by)], out[len(by):]
    return made, [bool(graph.known(f)) for f in flags]


def _capturing(graph, sources, compute):
    """Gradients of the sources; those of tensors that are marked go to the contexts that marked them."""
    marked = [(c, t) for c in current.captures for t in c.marked(graph)]
    made = compute([*sources, *[t for _, t in marked]])
    for (context, tensor), gradient in zip(marked, made[len(sources):]):
        context.put([tensor], [gradient])
    return made[:len(sources)]


def graph_gradients(graph: Graph, targets: TensorLike, sources: Sequence, given: list | None = None) -> list:
    """Adds the backward pass to a graph: gradients of targets by sources."""
    return _capturing(graph, sources, lambda by: _of_graph(graph, targets, by, given))


def _of_graph(graph, targets, sources, given):
    by = [graph.read(s) if isinstance(s, Variable) else graph.taken(s) for s in sources]
    made, depends = _gradients(graph, [graph.taken(t) for t in targets], by, [graph.taken(g) for g in given or ()])
    return [g if d else None for g, d in zip(made, depends)]


def gradients(ys: TensorLike, xs: Sequence, grad_ys: Any = None, name: str = "gradients",
              colocate_gradients_with_ops: bool = False, gate_gradients: bool = False, aggregation_method: Any = None,
              stop_gradients: list | None = None, unconnected_gradients: str = "none") -> list:
    """Of a graph; outside use GradientTape."""
    if stop_gradients:
        raise NotImplementedError("tf.gradients(stop_gradients=...) is not there: put tf.stop_gradient around these tensors.")
    if active() is None:
        raise RuntimeError("tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape instead.")
    given = None if grad_ys is None else nest.flatten(grad_ys)
    flat = nest.flatten(xs)
    made = graph_gradients(active(), nest.flatten(ys), flat, given)
    if getattr(unconnected_gradients, "value", unconnected_gradients) == "zero":
        made = [apply("ZerosLike", [x]) if g is None else g for g, x in zip(made, flat)]
    return made
