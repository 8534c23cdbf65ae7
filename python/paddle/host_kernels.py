# SPDX-License-Identifier: MIT
"""Kernels of users' libraries (PD_KERNEL) in a program on the CPU: the program sends what they take, and waits for what they
make of it."""
import numpy as np
from popart_core import runtime

from . import custom_operators, steps
from .dtypes import VarType, to_numpy
from .operator import Operator, attributes_from
from .paddle_core import operators

_known = frozenset(operators())


def needed(program):
    """Whether an operator of a program is of a library alone."""
    return any(_of(op.type) is not None for block in program.blocks for op in block.ops)


def _of(op_type):
    """The library's operator that a type is of, itself or its gradient."""
    own = custom_operators.known_as(op_type)
    if own is None or own.name in _known:
        return None
    return own if own.name == op_type else own.gradient


class HostKernels:
    """Those of one program; it is asked about every operator while the program is converted."""

    def __init__(self):
        self.calls = runtime.HostCalls()

    def __call__(self, described, inputs):
        """None, or (the call's name, the names of what it takes, its outputs)."""
        own = _of(described["type"])
        if own is None:
            return None
        op = Operator(None, described["type"], dict(described["inputs"]), dict(described["outputs"]),
                      attributes_from(described["attrs"]))
        if not own.has_kernel:
            raise NotImplementedError(
                f"(Unimplemented) The operator {op.type} of {own.path} has no kernel for the CPU: give it one "
                f"(SetKernelFn(PD_KERNEL(...))), or run it on IPUs by its operator of PopART: IpuStrategy.add_custom_op("
                f"{own.name!r}, ...) and IpuCompiledProgram.")
        call = _Call(own, op, {name: (VarType(k), tuple(s)) for name, k, s in inputs})
        handle = f"kernel/{len(self.calls)}"
        self.calls.add(handle, call, _device(inputs, call.takes), _device(call.outputs))
        return handle, call.takes, call.outputs


class _Call:
    """One operator of one program."""

    def __init__(self, own, op, forms):
        self._own, self._op, self._forms = own, op, forms
        self.takes = list(dict.fromkeys(n for slot in own.inputs for n in self._names(slot) if n in forms))
        self.outputs = self._declared()

    def _declared(self):
        """(name, type, shape) of all outputs, in the order of the operator."""
        own, op = self._own, self._op
        said = own.forms(op, [[self._form(slot, i) for i, _ in enumerate(self._names(slot))] for slot in own.inputs])
        if said:
            return [(self._names(slot)[0], int(kind), list(shape)) for slot, (kind, shape) in zip(own.outputs, said)]
        return [(name, int(kind), list(shape)) for slot in own.outputs for i, name in enumerate(self._names(slot))
                for kind, shape in [self._form(slot, i)]]

    def _names(self, slot):
        """Of the variables of a slot; of gradients that nobody makes or wants there are as many as of what they are of."""
        names = self._op.output(slot) or self._op.input(slot)
        return names or ["@EMPTY@"] * len(self._op.input(_without(slot)))

    def _form(self, slot, i):
        """Type and shape of a variable; of a gradient that nobody makes, and of one that is an output, what it is of says
        them."""
        names = self._op.input(slot)
        if i < len(names) and names[i] in self._forms:
            return self._forms[names[i]]
        names = self._op.input(_without(slot))
        if i >= len(names) or names[i] not in self._forms:
            raise ValueError(f"({self._op.type}) the shape of {slot} is not known: the operator has no input "
                             f"{_without(slot)}.")
        return self._forms[names[i]]

    def __call__(self, inputs, outputs):
        given = dict(zip(self.takes, inputs))
        arrays = [[self._array(slot, i, name, given) for i, name in enumerate(self._names(slot))]
                  for slot in self._own.inputs]
        self._place(self._own.compute(self._op, arrays), outputs)

    def _array(self, slot, i, name, given):
        kind, shape = self._form(slot, i)
        if name not in given:  # the gradient of a result that nobody uses
            return kind, np.zeros(shape, to_numpy(kind))
        return kind, np.ascontiguousarray(given[name].astype(to_numpy(kind), copy=False))

    def _place(self, made, places):
        wanted = [(to_numpy(kind), tuple(shape)) for _, kind, shape in self.outputs]
        found = [(array.dtype, array.shape) for array in made]
        if found != wanted:
            def text(forms):
                return ", ".join(f"{dtype}{list(shape)}" for dtype, shape in forms) or "nothing"
            raise ValueError(f"({self._op.type}) the kernel gave {text(found)}; {text(wanted)} was declared.")
        for array, place, (name, _, _) in zip(made, places, self.outputs):
            place[...] = array
            if array.dtype.kind in "iu" and not np.array_equal(place, array):
                raise ValueError(f"({self._op.type}) the kernel gave {name} values that do not fit into {place.dtype}, which "
                                 f"programs compute {array.dtype} in.")


def _without(slot):
    return slot[:-len("@GRAD")] if slot.endswith("@GRAD") else slot


def _device(slots, taken=None):
    """Types and shapes on the device, of all or of those that are taken, in their order."""
    if taken is not None:
        by_name = {name: (name, kind, shape) for name, kind, shape in slots}
        slots = [by_name[name] for name in taken]
    return [form for _, *form in steps.described(slots, True)]
