# SPDX-License-Identifier: MIT
"""The optimizer's variables between the scope and the device, where PopART knows them by names of its own: training
goes on from the scope's values, and weights_to_host() brings them back, so that a saved state is a whole one."""
import math

import numpy as np
import popart

from .optimizers import KINDS


class OptimizerState:
    """Of a session that trains."""

    def __init__(self, session, ops, scope, loss_scaling):
        """loss_scaling: by which PopART's moments of Adam are larger (scaled_optimizer_state), else 1."""
        self._session, self._scope, self._scaling = session, scope, loss_scaling
        known = session.getOptimizerStateIds()
        self._pairs, self._counts = [], []  # (name on the device, variable, factor), (name, operator)
        for op in ops:
            ids = known.get(op.input("Param")[0], {})
            for here, slot in KINDS[op.type].slots.items():
                if here in ids:
                    self._pairs.append((ids[here], op.input(slot)[0], self._factor(op.type, here)))
            if "Step" in ids:
                self._counts.append((ids["Step"], op))

    def _factor(self, kind, slot):
        if KINDS[kind].optimizer != "Adam":
            return 1.0
        return self._scaling if slot == "Accl1" or kind == "adamax" else self._scaling ** 2

    def _arrays(self):
        names = [*(pair[0] for pair in self._pairs), *(count[0] for count in self._counts)]
        infos = {name: self._session.getInfo(name) for name in names}
        return {name: np.zeros(info.shape(), info.data_type_lcase()) for name, info in infos.items()}

    def send(self):
        """To the session's memory; weightsFromHost sends it on."""
        arrays = self._arrays()
        for name, variable, factor in self._pairs:
            value = self._scope.array(variable)
            if value is not None:
                arrays[name][...] = np.reshape(value, arrays[name].shape) * factor
        for name, op in self._counts:
            arrays[name][...] = self._steps_done(op)
        if arrays:
            self._session.writeWeights(popart.PyWeightsIO(arrays))

    def fetch(self):
        """To the scope, after weightsToHost."""
        arrays = self._arrays()
        if not arrays:
            return
        self._session.readWeights(popart.PyWeightsIO(arrays))
        for name, variable, factor in self._pairs:
            to = self._scope.array(variable)
            if to is not None:
                to[...] = np.reshape(arrays[name] / factor, to.shape)
        for name, op in self._counts:
            steps = float(arrays[name].reshape(-1)[0])
            powers = [(slot, beta ** (steps + 1)) for slot, beta in _powers(op)]
            for slot, value in powers or [("Step", steps)]:
                to = self._scope.array(op.input(slot)[0])
                if to is not None:
                    to[...] = value

    def _steps_done(self, op):
        """Paddle keeps beta^(steps + 1); PopART counts, as rules do. The slower power has the digits."""
        if op.input("Step"):
            count = self._scope.array(op.input("Step")[0])
            return 0.0 if count is None else float(count.reshape(-1)[0])
        best = 0.0
        for slot, beta in _powers(op):
            value = self._scope.array(op.input(slot)[0])
            power = float(value.reshape(-1)[0]) if value is not None else beta
            if 0 < beta < 1 and 0 < power < 1:
                best = round(math.log(power) / math.log(beta)) - 1
        return max(best, 0)


def _powers(op):
    """(slot, beta), the slower one last."""
    known = [("Beta1Pow", "beta1"), ("Beta2Pow", "beta2")]
    return sorted(((slot, op.attr(beta)) for slot, beta in known if op.input(slot)), key=lambda pair: pair[1])
