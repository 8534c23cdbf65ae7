# SPDX-License-Identifier: MIT
"""Graph: operations as they are traced, in a recorder of C++ that knows their shapes. Variables are followed as values:
a read gives the value that was assigned last, and what a variable is worth at the end is its update."""
from __future__ import annotations

import contextlib
import types
from typing import Any, Sequence

import numpy as np

from tensorflow import _core
from tensorflow.framework.typed import DTypeLike, ShapeLike, TensorLike

from . import dtypes
from .context import current, ipu_of, placed
from .errors import translated
from .shapes import TensorShape
from .tensors import EagerTensor, SymbolicTensor, Tensor
from .variables import Variable


class Graph:
    """outer: of a loop's or condition's body, the graph around it."""

    def __init__(self, outer: Any = None, name: str = "graph") -> None:
        self.recorder = _core.Recorder()
        self.outer, self.name = outer, name
        self.inputs, self.outputs = [], []
        self.variables = {}  # id -> (variable, number, its first value)
        self.state = {}  # id -> the value now
        self.captured = {}  # id of an outer tensor -> (it, the input here)
        self._constants = {}
        self._names = {}
        self.collections = {}
        self.held = []  # what must live as long as the graph
        self.shards = set()  # IPUs that are used
        self.host_calls = []  # of the whole program
        self.types = {}  # number of a tensor -> its type
        self.named = {}  # of TensorFlow 1: its tensors by their names
        self.ipus = {}  # number of a tensor -> the IPU device that it is placed on
        self.assigning = {}  # of TensorFlow 1: number of a tensor -> the tensor, which a variable gets when it is run
        self.after = {}  # of TensorFlow 1: number of a tensor -> what runs before it
        self.devices = []  # IPU devices that operations are placed on, of the whole program

    # ---- names

    def unique(self, name: str) -> str:
        """The name, or the name with a number if it is taken."""
        seen = self._names.get(name, -1) + 1
        self._names[name] = seen
        return name if seen == 0 else f"{name}_{seen}"

    def scoped(self, name: str) -> str:
        """The name within the scopes that are open."""
        return "/".join((*current.scopes, name))

    # ---- tensors

    def _tensor(self, number, dtype, name):
        _, shape = self.recorder.info(number)
        self.types[number] = dtype
        out = SymbolicTensor(self, number, dtype, TensorShape([None if d < 0 else d for d in shape]), name)
        if self is current.default:
            self.named[out.name] = out
        return out

    def input(self, shape: ShapeLike, dtype: DTypeLike, name: str = "input") -> Any:
        """A new input of the graph."""
        self._check_open()
        dtype = dtypes.as_dtype(dtype)
        _check(dtype, name)
        name = self.unique(name)
        dims = [-1 if d is None else d for d in TensorShape(shape)]
        out = self._tensor(self.recorder.input(dims, dtype.device_type, name), dtype, name)
        self.inputs.append(out)
        return out

    def input_of(self, number: int) -> Any:
        """The input of this number."""
        known = self.__dict__.setdefault("_by_number", {})
        if number not in known:
            known.update((t.number, t) for t in self.inputs)
        return known[number]

    def constant(self, array: TensorLike, dtype: DTypeLike | None = None) -> Any:
        """A new constant of the graph."""
        array = np.asarray(array)
        dtype = dtypes.as_dtype(array.dtype) if dtype is None else dtype
        _check(dtype, "a constant")
        array = np.array(array, dtype.as_numpy_dtype, order="C", ndmin=0)
        number = self.recorder.constant(list(array.shape), dtype.device_type, array.ctypes.data if array.size else 0,
                                        dtype.stored_type, array)
        out = self._tensor(number, dtype, "Const")
        out.numbers = array
        return out

    def taken(self, tensor: TensorLike) -> Any:
        """A tensor of another graph or of none, in this one."""
        if isinstance(tensor, EagerTensor):
            known = self._constants.get(id(tensor))
            if known is None:
                known = self._constants[id(tensor)] = (tensor, self.constant(tensor.array, tensor.dtype))
            return known[1]
        if tensor.graph is self:
            return tensor
        return self.capture(tensor)

    def watch(self, tensor: Tensor) -> None:
        """Gradients by this tensor are asked for: if it is a constant, it is from now on a value of its own, and not part of
        what is computed with it."""
        if isinstance(tensor, SymbolicTensor) and tensor.graph is not self:
            if tensor.graph is not None:
                tensor.graph.watch(tensor)
            return
        numbers = tensor.array if isinstance(tensor, EagerTensor) else self.known(tensor)
        if numbers is None:
            return
        with placed(default=None, scopes=()):
            held = Variable(numbers, False, name="watched")
        held.initialized = True
        own = self.read(held)
        if isinstance(tensor, EagerTensor):
            self._constants[id(tensor)] = (tensor, own)
        else:
            tensor.number, tensor.numbers = own.number, None

    handed_out = types.MappingProxyType({})  # id of a tensor of the host's part of a program -> (it, what it is here)

    def capture(self, tensor: TensorLike) -> Any:
        """A tensor from outside, as an input."""
        if id(tensor) in self.handed_out:
            return self.handed_out[id(tensor)][1]
        if self.outer is None:
            raise ValueError(f"Tensor {tensor.name} is of another graph than the operation that uses it. A tensor that "
                             "was made in a tf.function or a Graph exists in there only: return it.")
        found = self.captured.get(id(tensor))
        if found is None:
            outer = self.outer.taken(tensor)
            if not outer.shape.is_fully_defined():
                raise ValueError(f"Tensor {tensor.name} of shape {outer.shape} cannot be used in a loop or condition: its "
                                 "shape is not fully defined.")
            found = self.captured[id(tensor)] = (tensor, self.input(outer.shape, outer.dtype, "captured"))
        return found[1]

    # ---- operations

    def record(self, op: str, inputs: TensorLike, attributes: dict | None = None, outputs: Any = 1,
               out_types: Sequence | None = None, name: str | None = None, bodies: list | tuple = ()) -> list:
        """The results of an operation: a list of tensors."""
        self._check_open()
        taken = [self.read(t) if isinstance(t, Variable) else None if t is None else self.taken(t) for t in inputs]
        name = self.unique(self.scoped(name or op))
        shard, stage = self._place()
        if shard is None:  # with what it uses
            shard = max((t.shard for t in taken if t is not None and t.shard is not None), default=None)
        if shard is not None:
            self.shards.add(shard)
        given = [t.dtype for t in taken if t is not None]
        numbers = [_core.no_tensor if t is None else t.number for t in taken]
        with translated():
            first = self.recorder.node(op, name, numbers, {**_device_attributes(attributes), **current.computed}, outputs,
                                       shard, stage, [b.recorder for b in bodies], current.update)
        out = []
        for i in range(outputs):
            kind, _ = self.recorder.info(first + i)
            dtype = out_types[i] if out_types and out_types[i] is not None else dtypes.of_device(kind, given)
            out.append(self._tensor(first + i, dtype, name if i == 0 else f"{name}:{i}"))
            out[-1].shard = shard
        self._note_device(out)
        if current.after and self is current.default:
            self.after.update((t.number, current.after) for t in out)
        return out

    def _note_device(self, tensors):
        index = ipu_of(current.device)
        if index is not None:
            self.ipus.update((t.number, index) for t in tensors)
            if index not in self.root.devices:
                self.root.devices.append(index)

    mapping = None  # of a pipeline: the IPU of each stage
    pipelined = True
    norm_replicas = 1  # whose batches a batch norm has its statistics of, when training

    @property
    def root(self) -> Any:
        """The graph of the whole program."""
        root = self
        while root.outer is not None and not root.is_program:
            root = root.outer
        return root

    is_program = False  # although it is within another one

    def _place(self):
        """(IPU, stage) of what is recorded now."""
        root = self.root
        if root.mapping is None:
            return current.shard, current.stage
        stage = current.stage or 0
        return root.mapping[stage], stage if root.pipelined else None

    # ---- queues of results

    outfeeds = None  # of a program that has them, [(queue, tensors)]: a batch's tensors are outputs
    inner_outfeeds = ()  # (queue, rows) of its loops and updates: the host is handed each row
    feeds_inside = False  # whether there are any
    is_one_of_several = False  # of one model, whose queues are those of all of them

    def put_inner(self) -> None:
        """What a run gave goes to the queues of loops within."""
        for queue, rows in self.inner_outfeeds:
            if rows:
                queue.put([np.stack(each) for each in zip(*rows)] if queue.keeps_all else rows[-1])
                rows.clear()

    def check_feeds(self, replicas: int) -> None:
        """Raises NotImplementedError if queues that only one replica can have meet several."""
        if replicas > 1 and self.feeds_inside:
            raise NotImplementedError("Infeeds and outfeeds in inner loops, in loops with computed first values, in while_loop "
                                      f"and in updates of pipelines are of one replica; the device has {replicas}. Use an "
                                      "outermost loops.repeat.")

    # ---- variables

    def read(self, variable: Variable) -> Any:
        """The value that a variable has at this point."""
        now = self.state.get(id(variable))
        if now is not None:
            return now
        if current.after and self is current.default:
            for tensor in reversed(list(_members(current.after))):
                if getattr(tensor, "assigns", None) is variable:
                    return tensor
        if self.outer is not None:
            return self.capture(self.outer.read(variable))
        return self._declare(variable)[2]

    def stage_of(self, variable: Variable) -> int | None:
        """The stage of a pipeline that read a variable first; if nobody did, the present one."""
        graph: Any = self
        while graph is not None:
            if id(variable) in graph.variables:
                return graph.variables[id(variable)][2].stage
            graph = graph.outer
        return current.stage

    def declare(self, variable: Variable) -> int:
        """The number of a variable of this graph."""
        return self._declare(variable)[1]

    def _declare(self, variable):
        found = self.variables.get(id(variable))
        if found is None:
            array = variable.memory
            name = self.unique("var:" + variable.name.split(":")[0])
            _check(variable.dtype, variable.name)
            number = self.recorder.variable(list(array.shape), variable.dtype.device_type, name, array.ctypes.data,
                                            variable.dtype.stored_type, self.trains(variable), array)
            first = self._tensor(number, variable.dtype, name)
            first.variable, first.stage = variable, current.stage
            found = self.variables[id(variable)] = (variable, len(self.variables), first, name)
        return found

    trained = ()  # ids of variables that an optimiser of PopART changes

    def trains(self, variable: Variable) -> bool:
        """Notes that the graph changes a variable."""
        return id(variable) in self.trained

    def values_of(self, variable: Variable) -> list:
        """The values that a variable has had in this graph, and the one that it has."""
        return [*self.__dict__.get("_past", {}).get(id(variable), ()), self.read(variable)]

    def _value_before(self, variable):
        """That of read(), if anybody has asked for it."""
        now = self.state.get(id(variable))
        if now is not None:
            return now
        if self.outer is None:
            return self.variables.get(id(variable), (None, None, None))[2]
        return self.captured.get(id(self.outer.read(variable)), (None, None))[1]

    def assign(self, variable: Variable, value: TensorLike) -> None:
        """Sets a variable when the graph runs."""
        before = self._value_before(variable)
        if before is not None:
            self.__dict__.setdefault("_past", {}).setdefault(id(variable), []).append(before)
        if self.outer is None:
            self._declare(variable)
        else:
            self.held.append(variable)
        self.state[id(variable)] = value
        self.assigned.setdefault(id(variable), variable)

    def assign_when_run(self, variable: Variable, value: TensorLike) -> Any:
        """Of TensorFlow 1: a tensor of this value, which the variable gets when a session runs it."""
        self._declare(variable)
        out = self.record("Identity", [value])[0]
        out.assigns = variable
        self.assigning[out.number] = out
        return out

    @property
    def assigned(self) -> dict:
        """Variables that the graph sets."""
        return self.__dict__.setdefault("_assigned", {})

    def changed(self) -> list:
        """Variables that have another value at the end than at the beginning."""
        return list(self.assigned.values())

    def finish(self, outputs: Any) -> Graph:
        """Says what comes out; then the graph can be converted."""
        self.outputs = [self.taken(t) for t in outputs]
        for tensor in self.outputs:
            self.recorder.output(tensor.number)
        if self.outer is None:
            for variable in self.changed():
                self.recorder.update(self.variables[id(variable)][1], self.taken(self.state[id(variable)]).number)
        return self

    def known(self, tensor: TensorLike) -> np.ndarray | None:
        """The numbers of a tensor that is constant in this graph, or None."""
        if tensor.numbers is not None:
            return tensor.numbers
        found = self.recorder.known(tensor.number)
        if found is None:
            return None
        return np.array(found, tensor.dtype.as_numpy_dtype).reshape(tensor.shape.as_list())

    # ---- of TensorFlow 1

    finalized = False

    def finalize(self) -> None:
        """Whoever adds an operation from now on gets an error; what is there can be run."""
        self.finalized = True

    def _check_open(self):
        if self.finalized:
            raise RuntimeError("Graph is finalized and cannot be modified.")

    def as_default(self) -> Any:
        """While open, operations are added to this graph."""
        return _as_default(self)

    def get_tensor_by_name(self, name: str) -> Any:
        """A tensor by "operation:output", or a variable; KeyError if there is none."""
        if ":" not in name:
            raise ValueError(f"The name '{name}' looks like an Operation name, not a Tensor. Tensor names must be of the form "
                             "\"<op_name>:<output_index>\".")
        variables = (v for which in ("variables", "local_variables") for v in self.collections.get(which, ()))
        if name not in self.named:
            for variable in variables:
                if variable.name == name:
                    return variable
            raise KeyError(f"The name '{name}' refers to a Tensor which does not exist. The operation, "
                           f"'{name.partition(':')[0]}', does not exist in the graph.")
        return self.named[name]

    def get_operation_by_name(self, name: str) -> Any:
        """An operation by its name; KeyError if there is none."""
        if ":" in name:
            raise ValueError(f"The name '{name}' appears to refer to a Tensor, not an Operation.")
        if name + ":0" not in self.named:
            raise KeyError(f"The name '{name}' refers to an Operation not in the graph.")
        return self.named[name + ":0"].op

    def get_collection(self, name: str, scope: str | None = None) -> list:
        """What was added under a name."""
        return [v for v in self.collections.get(name, ()) if scope is None or v.name.startswith(scope)]

    def add_to_collection(self, name: str, value: TensorLike) -> None:
        """Keeps something under a name."""
        self.collections.setdefault(name, []).append(value)


@contextlib.contextmanager
def _as_default(graph):
    before = current.default, current.graph
    current.default, current.graph = graph, None
    try:
        yield graph
    finally:
        current.default, current.graph = before


def _members(operations):
    """Those that operations stand for."""
    for each in operations:
        yield each
        yield from _members(getattr(each, "members", ()))


def _device_attributes(attributes):
    return {name: v.device_type if isinstance(v, dtypes.DType) else v for name, v in (attributes or {}).items()}


def _check(dtype, name):
    if dtype.device_type is None:
        raise TypeError(f"Unsupported data type: {name} is of type {dtype.name}, which the device does not have.")
