# SPDX-License-Identifier: MIT
"""Optimizer: the backward pass, limits and decay of gradients, learning rates, and one update operator a parameter."""
from __future__ import annotations

from typing import Any, Sequence

from .. import current, guards, modes, scopes, tensor, unique_name
from ..backward import append_backward
from ..helper import make_persistable
from ..dtypes import VarType
from ..regularizer import L1Decay, L2Decay, WeightDecayRegularizer
from ..variable import Variable
from .lr import LRScheduler
from ..typed import ProgramLike, RateLike, TensorLike

_OPTIMIZE = 2


class Optimizer:
    """Kinds have `_type`, the operator; `_state`, (slot, value at first, of one element) by name; `_attributes`."""
    _type: str
    _state: "dict[str, tuple[str, float, bool]]" = {}

    def __init__(self, learning_rate: RateLike = 0.001, parameters: Sequence | None = None,
                 weight_decay: L1Decay | L2Decay | float | None = None, grad_clip: Any = None,
                 name: str | None = None) -> None:
        modes.require_static(f"paddle.optimizer.{type(self).__name__}")
        if not isinstance(learning_rate, (int, float, LRScheduler)):
            raise TypeError(f"learning rate should be float or LRScheduler, got {type(learning_rate)} instead.")
        if weight_decay is not None and not isinstance(weight_decay, (int, float, WeightDecayRegularizer)):
            raise TypeError(f"weight_decay should be float or a regularizer, got {type(weight_decay)} instead.")
        self._learning_rate, self._parameters, self._grad_clip = learning_rate, parameters, grad_clip
        self.regularization = L2Decay(weight_decay) if isinstance(weight_decay, (int, float)) else weight_decay
        self._rates: dict = {}

    # ---- learning rate

    def get_lr(self) -> float:
        """The learning rate now."""
        return float(self._learning_rate() if isinstance(self._learning_rate, LRScheduler) else self._learning_rate)

    def set_lr(self, value: TensorLike) -> None:
        """Another number from the next run on."""
        if isinstance(self._learning_rate, LRScheduler):
            raise RuntimeError("optimizer's learning rate can't be LRScheduler when invoke this API, because this will lead "
                               "to conflict.")
        self._learning_rate = float(value)
        for rate in self._rates.values():
            array = scopes.global_scope().array(rate.name)
            if array is not None:
                array[...] = value

    def _rate_variable(self, program):
        if program not in self._rates:
            name = unique_name.generate("learning_rate")
            self._rates[program] = make_persistable(name, [1], VarType.FP32, self.get_lr())
            if isinstance(self._learning_rate, LRScheduler):
                program.lr_scheduler, program._lr_variable = self._learning_rate, name
        return self._rates[program]

    def _rate_of(self, param, program):
        rate, factor = self._rate_variable(program), param.optimize_attr["learning_rate"]
        if factor == 1.0:
            return rate
        return tensor.scale(rate, float(factor))

    # ---- minimize

    def minimize(self, loss: Any, startup_program: ProgramLike | None = None, parameters: Sequence | None = None,
                 no_grad_set: Sequence | None = None) -> tuple:
        """Adds everything that a training step does after the loss; returns the updates and [(parameter, gradient)]."""
        if not isinstance(loss, Variable):
            raise TypeError(f"The type of 'loss' in minimize must be Variable, but received {type(loss)}.")
        with current.program_guard(loss.block.program, startup_program or current.default_startup_program()):
            params_grads = self.backward(loss, startup_program, parameters or self._parameters, no_grad_set)
            if not params_grads:
                raise ValueError(f"The loss {loss.name!r} depends on no parameter that is trained.")
            return self.apply_gradients(params_grads), params_grads

    def backward(self, loss: Any, startup_program: ProgramLike | None = None, parameters: Sequence | None = None,
                 no_grad_set: Sequence | None = None, callbacks: Sequence | None = None) -> list:
        """Adds the operators of the backward pass; returns (parameter, gradient) pairs."""
        return append_backward(loss, parameters or self._parameters, no_grad_set, callbacks)

    def apply_gradients(self, params_grads: list) -> list:
        """Adds limits, decay and updates for gradients that are there."""
        program = params_grads[0][0].block.program
        params_grads = sorted(params_grads, key=lambda pair: pair[0].name)
        with guards.op_role(program, 1):
            if self._grad_clip is not None:
                params_grads = self._grad_clip(params_grads)
            params_grads = [(p, self._decayed(p, g)) for p, g in params_grads]
        with guards.op_role(program, _OPTIMIZE):
            return [self._update(p, g, program) for p, g in params_grads]

    def _decayed(self, param, gradient):
        decay = param.regularizer or self.regularization
        if decay is None or not decay._coeff:
            return gradient
        with guards.name_scope("regularization"):
            of = tensor.sign(param) if isinstance(decay, L1Decay) else param
            return tensor.add_n([gradient, tensor.scale(of, decay._coeff)])

    def _update(self, param, gradient, program):
        block = program.global_block()
        inputs = {"Param": param, "Grad": gradient, "LearningRate": self._rate_of(param, program)}
        outputs = {"ParamOut": param}
        for name, (slot, value, single) in self._state_of(param).items():
            shape = [1] if single else param.shape
            var = make_persistable(unique_name.generate(f"{param.name}_{name}"), shape, VarType.FP32, value)
            inputs[slot], outputs[slot + "Out"] = var, var
        op = block.append_op(self._type, inputs, outputs, self._attributes(param), infer=False)
        self._after(block, op)
        return op

    def _state_of(self, param):
        return self._state

    def _attributes(self, param):
        return {}

    def _after(self, block, op):
        pass

    # ---- of the dynamic graph

    def step(self) -> Any:
        """Changes parameters by their gradients."""
        raise RuntimeError("step() is of the dynamic graph; in a program minimize(loss) adds the updates, and Executor.run "
                           "does them.")

    clear_grad = step
