# SPDX-License-Identifier: MIT
"""Loops and conditions. Outside of graphs they are Python's; in graphs their bodies are graphs of their own, which get what
they use from outside as inputs. Variables that a body assigns are carried along."""
from __future__ import annotations

from typing import Any, Callable

import numpy as np

from tensorflow.framework import dtypes, late, nest
from tensorflow.framework.context import Retraced, active, current, tracing
from tensorflow.framework.graphs import Graph
from tensorflow.framework.shapes import TensorShape
from tensorflow.framework.tensors import EagerTensor, Tensor, constant_value, convert_to_tensor
from tensorflow.framework.typed import DTypeLike, InitializerLike, ShapeLike, TensorLike
from tensorflow.framework.variables import Variable
from tensorflow.ops import array_ops


def cond(pred: TensorLike, true_fn: Callable | None = None, false_fn: Callable | None = None,
         name: str | None = None) -> Tensor | list:
    """true_fn() if the predicate holds, else false_fn()."""
    graph = active()
    pred = late.scalar(convert_to_tensor(pred))
    known = constant_value(pred)
    if graph is None or known is not None:
        return true_fn() if bool(known if known is not None else pred) else false_fn()
    return _branches(graph, pred, true_fn, false_fn)


def _branches(graph, pred, true_fn, false_fn):
    retraced = Retraced()
    with retraced.once():
        first = [_branch(graph, fn, [], []) for fn in (true_fn, false_fn)]
    outside, changed = [], []
    for inner, _, _ in first:
        outside += [t for t, _ in inner.captured.values() if not any(t is o for o in outside)]
        changed += [v for v in inner.changed() if not any(v is c for c in changed)]
    with retraced.once():
        made = [_branch(graph, fn, outside, changed) for fn in (true_fn, false_fn)]
    (inner, structure, flat), (_, _, other) = made
    if len(flat) != len(other):
        raise TypeError(f"true_fn and false_fn must return the same structure; they return {len(flat)} and {len(other)} "
                        "tensors.")
    inputs = [pred, *[t for t, _ in inner.captured.values()]]
    count = len(flat) + len(changed)
    if count == 0:
        return structure
    out = graph.record("If", inputs, {}, count, [t.dtype for t in flat] + [v.dtype for v in changed],
                       bodies=[b for b, _, _ in made])
    _assign_all(graph, changed, out[len(flat):], out[:len(flat)])
    return nest.pack_sequence_as(structure, out[:len(flat)]) if flat else structure


def _assign_all(graph, variables, values, results):
    """What bodies assigned. In a graph of TensorFlow 1 a session does it when it runs one of the results."""
    if graph is not current.default:
        for variable, value in zip(variables, values):
            graph.assign(variable, value)
        return
    made = tuple(graph.assign_when_run(variable, value) for variable, value in zip(variables, values))
    for tensor in results if made else ():
        graph.after[tensor.number] = (*graph.after.get(tensor.number, ()), *made)


def _branch(graph, function, outside, changed):
    inner = Graph(outer=graph, name="branch")
    for tensor in outside:
        inner.capture(tensor)
    for variable in changed:
        inner.read(variable)
    with tracing(inner):
        result = function()
        flat = [convert_to_tensor(t) for t in nest.flatten(result) if t is not None]
        inner.finish([*flat, *[inner.read(v) for v in changed]])
    return inner, result if flat else None, inner.outputs[:len(flat)]


def case(pred_fn_pairs: Any, default: Any = None, exclusive: bool = False, strict: bool = False, name: str = "case") -> Any:
    """The function of the first predicate that holds, else the default."""
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs)
    if not pairs:
        return default()
    (pred, function), rest = pairs[0], pairs[1:]
    if not rest and default is None:
        return function()
    return cond(pred, function, lambda: case(rest, default))


def switch_case(branch_index: Any, branch_fns: Any, default: Any = None, name: str = "switch_case") -> Any:
    """The function of this number, else the default or the last."""
    pairs = list(branch_fns.items() if isinstance(branch_fns, dict) else enumerate(branch_fns))
    default = pairs[-1][1] if default is None else default
    index = convert_to_tensor(branch_index)
    return case([(index == i, function) for i, function in pairs], default)


def while_loop(cond: Callable, body: Callable, loop_vars: list | tuple, shape_invariants: Any = None,
               parallel_iterations: int = 10, back_prop: bool = True, swap_memory: bool = False,
               maximum_iterations: int | None = None, return_same_structure: bool = True,
               name: str | None = None) -> list | tuple:
    """Runs body(*loop_vars) as long as cond(*loop_vars) holds."""
    graph = active()
    loop_vars = nest.map_structure(_kept, loop_vars)
    if graph is None:
        rounds = 0
        while bool(cond(*loop_vars)) and (maximum_iterations is None or rounds < maximum_iterations):
            made = body(*loop_vars)
            loop_vars = made if isinstance(made, (list, tuple)) else [made]
            rounds += 1
        return loop_vars
    return loop(graph, body, loop_vars, condition=cond, trip=maximum_iterations)


def _kept(value):
    return value if isinstance(value, (Tensor, TensorArray)) else convert_to_tensor(value)


def loop(graph, body, loop_vars, condition=None, trip=None, unpacked=True):
    """body(*loop_vars) -> new ones, `trip` times or while condition(*loop_vars). A loop of the device."""
    if any(isinstance(t, TensorArray) for t in nest.flatten(loop_vars)):
        return _loop_of_arrays(graph, body, loop_vars, condition, trip, unpacked)
    flat = [graph.taken(t) for t in nest.flatten(loop_vars)]
    for t in flat:
        if not t.shape.is_fully_defined():
            raise ValueError(f"A loop's variable has shape {t.shape}, which is not fully defined.")

    def again(tensors):
        return nest.pack_sequence_as(loop_vars, tensors)

    changed, retraced = [], Retraced()
    while True:
        inner = Graph(outer=graph, name="loop")
        carried = [inner.input(t.shape, t.dtype, "carried") for t in flat]
        for variable in changed:
            inner.state[id(variable)] = inner.input(variable.shape, variable.dtype, "state")
        with tracing(inner), retraced.once():
            outputs = _round(body, again(carried), flat, unpacked)
        more = [v for v in inner.changed() if not any(v is c for c in changed)]
        if not more:
            break
        changed += more
    with tracing(inner):
        outputs += [inner.read(v) for v in changed]
        goes_on = [_truth(condition(*_as_args(again(outputs[:len(flat)]), unpacked)))] if condition is not None else []
        inner.finish([*goes_on, *outputs])
    inputs = [*flat, *[graph.read(v) for v in changed], *[t for t, _ in inner.captured.values()]]
    if condition is not None:
        inputs.insert(0, _truth(condition(*_as_args(again(flat), unpacked))))
    attributes = {"carried": len(outputs), "conditional": condition is not None}
    if trip is not None:
        attributes["trip"] = int(trip)
    types = [t.dtype for t in flat] + [v.dtype for v in changed]
    results = graph.record("While", inputs, attributes, len(outputs), types, bodies=[inner]) if outputs else []
    _assign_all(graph, changed, results[len(flat):], results[:len(flat)])
    return again(results[:len(flat)])


def _loop_of_arrays(graph, body, loop_vars, condition, trip, unpacked):
    """The same, where TensorArrays are among the variables: the loop carries them as one tensor each."""
    retraced = Retraced()
    arrays = [t if isinstance(t, TensorArray) else None for t in nest.flatten(loop_vars)]

    def with_arrays(values):
        return nest.pack_sequence_as(loop_vars, [t if a is None else a.of(t) for a, t in zip(arrays, nest.flatten(values))])

    def shapes():
        """Of what the body writes into them, where nothing else tells."""
        probe = Graph(outer=graph, name="probe")
        with tracing(probe), retraced.once():
            given = [probe.input(t.shape, t.dtype, "carried") if a is None else a.copy()
                     for a, t in zip(arrays, nest.flatten(loop_vars))]
            made = nest.flatten(body(*_as_args(nest.pack_sequence_as(loop_vars, given), unpacked)))
        return [None if a is None else m.element_shape for a, m in zip(arrays, made)]
    known = [None if a is None else a.element_shape for a in arrays]
    if any(a is not None and k is None for a, k in zip(arrays, known)):
        known = shapes()
    start = [t if a is None else a.as_tensor(shape) for a, t, shape in zip(arrays, nest.flatten(loop_vars), known)]

    def step(*values):
        with retraced.once():
            made = nest.flatten(body(*_as_args(with_arrays(list(values)), unpacked)))
        return [m.as_tensor(shape) if isinstance(m, TensorArray) else m for m, shape in zip(made, known)]
    goes_on = None if condition is None else lambda *values: condition(*_as_args(with_arrays(list(values)), unpacked))
    return with_arrays(loop(graph, step, start, goes_on, trip))


def _as_args(values, unpacked):
    return values if unpacked and isinstance(values, (list, tuple)) else [values]


def _truth(value):
    return convert_to_tensor(value)


def _round(body, values, flat, unpacked):
    made = body(*_as_args(values, unpacked))
    made = [] if made is None else nest.flatten(made)
    made = [convert_to_tensor(t) if isinstance(t, (Tensor, Variable)) else convert_to_tensor(t, like.dtype)
            for t, like in zip(made, flat)] if len(made) == len(flat) else made
    if len(made) != len(flat):
        raise TypeError(f"A loop's body must return as many tensors as it gets: it gets {len(flat)} and returns "
                        f"{len(made)}.")
    for t, like in zip(made, flat):
        if t.dtype is not like.dtype or not t.shape.is_compatible_with(like.shape):
            raise ValueError(f"A loop's variable of shape {like.shape} and type {like.dtype.name} becomes {t.shape} and "
                             f"{t.dtype.name} in its body; it must stay the same.")
    return list(made)


def map_fn(fn: Callable, elems: TensorLike, dtype: DTypeLike | None = None, parallel_iterations: int | None = None,
           back_prop: bool = True, swap_memory: bool = False, infer_shape: bool = True, name: str | None = None,
           fn_output_signature: Any = None) -> Tensor:
    """One call for every row: unrolled."""
    rows = [array_ops.unstack(convert_to_tensor(t)) for t in nest.flatten(elems)]
    results = [fn(nest.pack_sequence_as(elems, list(row))) for row in zip(*rows)]
    _check_types(results[0], dtype if fn_output_signature is None else fn_output_signature)
    return nest.map_structure(lambda *parts: array_ops.stack(parts), *results)


def _check_types(result, declared):
    """Of what map_fn's function gives, if they were declared."""
    for made, kind in zip(nest.flatten(result), [] if declared is None else nest.flatten(declared)):
        kind, found = getattr(kind, "dtype", kind), convert_to_tensor(made).dtype
        if found != kind:
            raise TypeError(f"map_fn: the function gives {found.name}, but {dtypes.as_dtype(kind).name} was declared.")


def scan(fn: Callable, elems: TensorLike, initializer: InitializerLike = None, parallel_iterations: int = 10,
         back_prop: bool = True, swap_memory: bool = False, infer_shape: bool = True, reverse: bool = False,
         name: str | None = None) -> Tensor:
    """fn(what came before, a row) of one row after the other; all results. reverse: from the last row on."""
    rows = [nest.pack_sequence_as(elems, list(row))
            for row in zip(*[array_ops.unstack(convert_to_tensor(t)) for t in nest.flatten(elems)])]
    state, out = initializer, []
    for row in reversed(rows) if reverse else rows:
        state = row if state is None else fn(state, row)
        out.append(state)
    out = out[::-1] if reverse else out
    return nest.map_structure(lambda *parts: array_ops.stack(parts), *out)


def foldl(fn: Callable, elems: TensorLike, initializer: InitializerLike = None, parallel_iterations: int = 10,
          back_prop: bool = True, swap_memory: bool = False, name: str | None = None) -> Any:
    """A function of the result so far and each slice, from the first on."""
    state = initializer
    for row in array_ops.unstack(convert_to_tensor(elems)):
        state = row if state is None else fn(state, row)
    return state


class TensorArray:
    """A list of tensors. Indices that a graph computes make it one tensor of all elements, as loops of the device carry it;
    then its size and the elements' shape are fixed, and elements that nobody writes are zeros."""

    def __init__(self, dtype: DTypeLike, size: TensorLike | None = None, dynamic_size: bool | None = None,
                 clear_after_read: Any = None, element_shape: ShapeLike | None = None, name: str | None = None,
                 tensor_array_name: str | None = None, infer_shape: bool = True,
                 colocate_with_first_write_call: bool = True) -> None:
        self.dtype = dtypes.as_dtype(dtype)
        self._all = [None] * (int(size) if size is not None else 0)
        self._declared = None if element_shape is None or not TensorShape(element_shape).is_fully_defined() else \
            TensorShape(element_shape).as_list()
        self._tensor = None

    @property
    def element_shape(self) -> list | None:
        """The extents of an element, None: not known yet."""
        if self._tensor is not None:
            return self._tensor.shape.as_list()[1:]
        return next((t.shape.as_list() for t in self._all if t is not None), self._declared)

    def copy(self, tensor: TensorLike | None = None) -> TensorArray:
        """The same array with other contents."""
        out = TensorArray(self.dtype)
        out._all, out._declared, out._tensor = list(self._all), self._declared, self._tensor if tensor is None else tensor
        return out

    of = copy

    def as_tensor(self, shape: ShapeLike | None = None) -> Tensor:
        """The contents as one tensor."""
        if self._tensor is None:
            shape = self.element_shape if shape is None else shape
            if not self._all or shape is None:
                raise ValueError("A TensorArray whose indices a graph computes needs its size, and elements of one shape.")
            zeros = EagerTensor(np.zeros(shape, self.dtype.as_numpy_dtype))
            return array_ops.stack([zeros if t is None else t for t in self._all])
        return self._tensor

    def write(self, index: TensorLike, value: TensorLike, name: str | None = None) -> TensorArray:
        """The array with an element set."""
        value, known = convert_to_tensor(value), constant_value(convert_to_tensor(index))
        if self._tensor is None and known is not None:
            known = int(known)
            self._all += [None] * (known + 1 - len(self._all))
            self._all[known] = value
            return self
        whole = self.as_tensor(value.shape.as_list())
        at = array_ops.reshape(index, [1, 1])
        return self.copy(array_ops.tensor_scatter_nd_update(whole, at, array_ops.expand_dims(value, 0)))

    def read(self, index: TensorLike, name: str | None = None) -> Any:
        """An element."""
        known = constant_value(convert_to_tensor(index))
        return self._all[int(known)] if self._tensor is None and known is not None else \
            array_ops.gather(self.as_tensor(), index)

    def size(self, name: str | None = None) -> Tensor:
        """The number of elements."""
        return EagerTensor(np.array(len(self._all), np.int32))

    def stack(self, name: str | None = None) -> Tensor:
        """All elements, joined along a new first axis."""
        return array_ops.stack(self._all) if self._tensor is None and None not in self._all else self.as_tensor()

    def gather(self, indices: TensorLike, name: str | None = None) -> Any:
        """The elements at indices, joined along a new first axis."""
        return array_ops.gather(self.stack(), indices)

    def concat(self, name: str | None = None) -> Any:
        """All elements, joined along their first axis."""
        return array_ops.concat(self._all if self._tensor is None else array_ops.unstack(self._tensor), 0)

    def unstack(self, value: TensorLike, name: str | None = None) -> TensorArray:
        """The array with the slices of a tensor as elements."""
        self._all, self._tensor = array_ops.unstack(value), None
        return self


names = "cond case switch_case while_loop map_fn scan foldl TensorArray".split()
