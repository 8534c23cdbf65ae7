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
            if active() is not None and isinstance(t, Tensor) and t.dtype.is_floating:
                active().watch(t)

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

    def read(self, variable: Variable, value: TensorLike, version: Any) -> None:
        """Notes that a variable was read; values of one version are the same."""
        if self._watches and variable.trainable or id(variable) in self._watched:
            self._reads.setdefault(id(variable), (variable, []))[1].append((value, version))

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
            apply("Pack", g, {"axis": 0}), np.array([*target.shape.as_list(), *g[0].shape.as_list()], np.int32)]), *rows)

    def _eager(self, targets, sources, given):
        same, firsts = self._values_read()

        def first(t):
            return t if t is None else same.get(id(t), t)
        needed = [(op, [first(t) for t in ins], attributes, outs) for op, ins, attributes, outs in self._needed(targets)]
        targets = [first(t) for t in targets]
        used = {id(t) for _, ins, _, _ in needed for t in ins} | {id(t) for t in targets}
        groups = []
        for source in sources:
            own = firsts.get(id(source)) or [EagerTensor(np.asarray(source.numpy()), source.dtype)] \
                if isinstance(source, Variable) else [source]
            groups.append([t for t in own if id(t) in used] or own[:1])
        parts = iter(self._of_values(needed, targets, [t for group in groups for t in group], given or []))
        found = [[g for g in [next(parts) for _ in group] if g is not None] for group in groups]
        return [None if not each else each[0] if len(each) == 1 else apply("AddN", each) for each in found]

    def _of_values(self, needed, targets, by, given):
        """Gradients of tensors by tensors; other tapes note them as one operation."""
        graph, numbers, key = Graph(name="gradients"), {}, ["gradients"]

        def number(t):
            return numbers.setdefault(id(t), len(numbers))

        plan, leaves, seen = [], [], set()
        made = {id(o) for _, _, _, outs in needed for o in outs}
        for t in by:
            self._note(leaves, seen, t)
            number(t)
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
                        attributes.get("key") or repr(sorted(attributes.items())), tuple(number(t) for t in outs)))
        key.append((tuple(number(t) for t in targets), tuple(number(t) for t in by),
                    tuple((g.dtype.name, g.array.shape) for g in given)))
        key = tuple(key)
        own = any(op == "CustomGradient" or attributes.get("own") for op, _, attributes, *_ in plan)  # constants of this call

        def emit(graph, values):
            return _emitted(graph, dict(zip(map(id, leaves), values)), plan, targets, by, values[len(leaves):])
        program = None if own else _programs.get(key)
        if program is None:
            program = _build(graph, leaves, given, emit)
            if not own:
                _programs[key] = program
        executable, depends = program
        results = executable([t.array for t in leaves] + [g.array for g in given]) if executable else []
        results = [EagerTensor(r, t.dtype) for r, t in zip(results, [t for t, d in zip(by, depends) if d])]
        for tape in current.tapes if results else ():
            tape.record("NestedGradients", [*leaves, *given], {"emit": emit, "key": key, "own": own}, results)
        results = iter(results)
        return [next(results) if d else None for d in depends]

    def _values_read(self):
        """({id of a tensor that a variable was read as: the first one of this version}, {id of the variable: these})"""
        same, firsts = {}, {}
        for key, (_, copies) in self._reads.items():
            versions = {}
            for value, version in copies:
                same[id(value)] = versions.setdefault(version, value)
            firsts[key] = list(versions.values())
        return same, firsts

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


def _build(graph, leaves, given, emit):
    """(the program of gradients, or None where there are none; which there are)"""
    values = [graph.input(t.shape, t.dtype, "in") for t in leaves] + [graph.input(g.shape, g.dtype, "given") for g in given]
    made, depends = emit(graph, values)
    if not any(depends):
        return None, depends
    graph.finish([g for g, d in zip(made, depends) if d])
    return Executable(graph, devices.host()), depends


def _emitted(graph, values, plan, targets, by, starts):
    """What a tape has noted, and its gradients, in a graph. values: {id of a tensor: its value}"""
    for op, ins, attributes, outs, fixed in plan:
        taken = [None if t is None else graph.constant(t.array, t.dtype) if i in fixed else values[id(t)]
                 for i, t in enumerate(ins)]
        if op == "CustomGradient":
            made = record_custom(graph, taken[:len(outs)], taken[len(outs):], attributes["function"])
        elif op == "NestedGradients":
            made = [g for g, d in zip(*attributes["emit"](graph, taken)) if d]
        else:
            made = graph.record(op, taken, attributes, len(outs), [t.dtype for t in outs])
        values.update((id(t), v) for t, v in zip(outs, made))
    return _gradients(graph, [values[id(t)] for t in targets], [values[id(t)] for t in by], starts)


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
    groups = [graph.values_of(s) if isinstance(s, Variable) else [graph.taken(s)] for s in sources]
    by = [t for group in groups for t in group]
    of = [graph.taken(t) for t in targets]
    made, depends = _gradients(graph, of, by, [graph.taken(g) for g in given or ()])
    for t, there_is_one in zip(by, depends):
        if not there_is_one and graph.known(t) is not None and t.dtype.is_floating and _leads_to(graph, t, of):
            raise NotImplementedError("Gradients by a constant of a graph are not there: it is part of what was computed with "
                                      "it. Use a variable or a placeholder, or tape.watch(constant) before it is used.")
    found = iter([g if d else None for g, d in zip(made, depends)])
    return [_of_reads(graph, group, [next(found) for _ in group]) for group in groups]


def _leads_to(graph, tensor, targets):
    """Whether a target is computed with it."""
    reached = {tensor.number}
    for inputs, outputs, *_ in graph.recorder.edges():
        if reached & set(inputs):
            reached.update(outputs)
    return any(t.number in reached for t in targets)


def _of_reads(graph, values, gradients):
    """Of a variable that was assigned meanwhile: the sum over its values, without what comes through assignments. gradients: by
    each value, with what comes through the later ones."""
    total, later = None, []
    for value, gradient in list(zip(values, gradients))[::-1]:
        if gradient is not None and later:
            through, (depends,) = _gradients(graph, [v for v, _ in later], [value], [g for _, g in later])
            gradient = gradient - through[0] if depends else gradient
        if gradient is not None:
            later.append((value, gradient))
            total = gradient if total is None else total + gradient
    return total


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
