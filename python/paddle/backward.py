# SPDX-License-Identifier: MIT
"""append_backward: gradient operators and @GRAD variables, as Paddle writes them into programs."""
from __future__ import annotations

from typing import Any, Sequence

from . import custom_operators, guards
from .dtypes import FLOATING, VarType
from .paddle_core import operators
from .variable import Variable
from ._names import refuse_options
from .typed import TensorLike

_known = frozenset(operators())
BACKWARD, LOSS = 1, 256


def append_backward(loss: Any, parameter_list: Sequence | None = None, no_grad_set: Sequence | None = None,
                    callbacks: Sequence | None = None, checkpoints: Sequence | None = None) -> list:
    """Adds the backward pass of a loss; returns [(parameter, gradient)].

    checkpoints say what Paddle keeps in memory; numbers do not change."""
    refuse_options("append_backward", callbacks=callbacks)
    if not isinstance(loss, Variable):
        raise TypeError(f"The type of 'loss' in append_backward must be Variable, but received {type(loss)}.")
    if _count(loss) != 1:
        raise ValueError(f"The loss.shape should be (1,), but the current loss.shape is {loss.shape}. Maybe you should call "
                         "paddle.mean to process the current loss.")
    block = loss.block
    if loss.op is None:
        raise ValueError(f"The loss {loss.name!r} is made by no operator of its program, so it has no gradient.")
    loss.op._set_attr("op_role", LOSS)
    held = {v.name if isinstance(v, Variable) else v for v in no_grad_set or ()}
    with guards.op_role(block.program, BACKWARD):
        gradients = _Gradients(block, loss, held).run(list(block.ops))
    wanted = _parameters(block.program, parameter_list)
    return [(p, block.var(gradients[p.name])) for p in wanted if p.name in gradients]


def gradients(targets: TensorLike, inputs: TensorLike, target_gradients: Sequence | None = None,
              no_grad_set: Sequence | None = None) -> list:
    """The gradients of targets by inputs: a list of variables, None for what does not depend."""
    targets = targets if isinstance(targets, (list, tuple)) else [targets]
    inputs = inputs if isinstance(inputs, (list, tuple)) else [inputs]
    given = target_gradients if isinstance(target_gradients, (list, tuple)) else [target_gradients] * len(targets)
    block = targets[0].block
    held = {v.name if isinstance(v, Variable) else v for v in no_grad_set or ()}
    with guards.op_role(block.program, BACKWARD):
        found = _Gradients(block, None, held, {v.name for v in inputs})
        found.start(targets, given)
        made = found.run(list(block.ops))
    return [block.var(made[v.name]) if v.name in made else None for v in inputs]


def _count(var):
    count = 1
    for d in var.shape:
        count *= d
    return count


def _parameters(program, chosen):
    if chosen is None:
        return [p for p in program.all_parameters() if p.trainable]
    block = program.global_block()
    return [p if isinstance(p, Variable) else block.var(p) for p in chosen]


class _Gradients:
    """Walks operators backwards; a variable with several contributions gets their sum."""

    def __init__(self, block, loss, held, also=()):
        self.block, self.held, self.also = block, held, set(also)
        self.parts = {}  # variable -> names of its contributions
        if loss is not None:
            name = self._variable(loss.name, loss.name + "@GRAD")
            block.append_op("fill_constant", outputs={"Out": name}, attrs={
                "shape": list(loss.shape), "value": 1.0, "dtype": int(loss.dtype), "op_role": BACKWARD | LOSS})
            block.ops[-1]._set_attr("op_role", BACKWARD | LOSS)
            self.parts[loss.name] = [name]

    def start(self, targets, given):
        for target, gradient in zip(targets, given):
            if gradient is None:
                name = self._variable(target.name, target.name + "@GRAD")
                self.block.append_op("fill_any_like", {"X": target}, {"Out": name}, {"value": 1.0, "dtype": -1})
            else:
                name = gradient.name
            self.parts.setdefault(target.name, []).append(name)

    def run(self, ops):
        for op in reversed(ops):
            if op.role & 0xff == 0 and any(n in self.parts for n in op.output_arg_names):
                self._differentiate(op)
        return {name: self._summed(name) for name in list(self.parts)}

    def _differentiable(self, name):
        var = self.block.vars.get(name)
        return (var is not None and var.dtype in FLOATING and name not in self.held
                and (not var.stop_gradient or name in self.also))

    def _differentiate(self, op):
        wanted = {slot: [n if self._differentiable(n) else None for n in names] for slot, names in op._inputs.items()}
        if not any(n for names in wanted.values() for n in names):
            return
        own = custom_operators.find(op.type)
        if own is not None and own.gradient is None:
            return  # of a library, without PD_BUILD_GRAD_OP: nothing goes through
        if own is not None and op.type not in _known:  # nor through inputs that it says nothing of
            wanted = {slot: names for slot, names in wanted.items() if slot + "@GRAD" in own.gradient.outputs}
        if own is None and op.type not in _known and op.type + "_grad" not in _known:
            return  # a user's operator: differentiated when the program is compiled
        inputs = {slot: names for slot, names in op._inputs.items()}
        for slot, names in op._outputs.items():
            if all(n in self.block.vars for n in names):
                inputs.setdefault(slot, names)
            if any(n in self.parts for n in names):
                inputs[slot + "@GRAD"] = [self._summed(n) if n in self.parts else "@EMPTY@" for n in names]
        outputs = {}
        for slot, names in wanted.items():
            if any(names):
                outputs[slot + "@GRAD"] = [self._contribution(n) if n else "@EMPTY@" for n in names]
        attrs = {name: value for name, value in op.all_attrs().items() if name != "op_role"}
        made = self.block.append_op(op.type + "_grad", inputs, outputs, infer=False)
        for name in attrs:
            made._attrs[name] = op._attrs[name]

    def _contribution(self, name):
        known = self.parts.setdefault(name, [])
        gradient = f"{name}@GRAD" if not known else f"{name}@GRAD@RENAME@block0@{len(known)}"
        known.append(self._variable(name, gradient))
        return known[-1]

    def _variable(self, name, gradient):
        var = self.block.var(name)
        self.block.create_var(gradient, var.shape, var.dtype or VarType.FP32)
        return gradient

    def _summed(self, name):
        """The gradient as a whole, once all that use the variable have been walked through."""
        known = self.parts[name]
        if len(known) > 1:
            total = f"{name}@GRAD"
            first = known[0]
            if first == total:  # the sum has the plain name
                first = self._variable(name, f"{name}@GRAD@RENAME@block0@0")
                for op in self.block.ops:
                    if total in op.output_arg_names:
                        op._rename_output(total, first)
            self.block.append_op("sum", {"X": [first, *known[1:]]}, {"Out": total}, infer=False)
            self.parts[name] = [total]
        return self.parts[name][0]
