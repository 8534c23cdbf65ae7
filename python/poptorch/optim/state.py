# SPDX-License-Identifier: MIT
"""The optimizer that a model trains with: PopART's like it, and its state on the device for state_dict() and
load_state_dict()."""
import math
import weakref

import numpy as np
import popart
import torch

from poptorch._logging import logger
from poptorch.optim import of_torch
from poptorch.optim.base import Optimizer
from poptorch.optim.translate import Translator, checkStrategy, countStep

_scale = "lossScaleUpdateFactor"


def _state_arrays(session, weights):
    """Empty arrays, by PopART's names; as many as there are groups of replicas that have their own."""
    copies = {weight.name: math.prod(weight.values.shape) // max(1, math.prod(weight.shape)) for weight in weights}
    out = {}
    for weight, slots in session.getOptimizerStateIds().items():
        count = copies.get(weight, 1)
        for name in slots.values():
            info = session.getInfo(name)
            shape = (count, *info.shape()) if count > 1 else tuple(info.shape())
            out[name] = np.empty(shape, dtype=info.data_type_lcase())
    return dict(sorted(out.items()))


def _scale_here(session):
    """The session's name of the factor of automatic loss scaling; None without it."""
    return session.getOptimizerStateIds().get("", {}).get("lossScaleFactor")


class DeviceOptimizer:
    """Of an executor that trains. optimizer: the user's; unsent: it may have values that the device does not have yet."""

    def __init__(self, optimizer):
        self.optimizer, self.unsent = optimizer, False
        self._translator = self._strategy = None

    def begin(self, options, weights):
        """PopART's, for a compilation."""
        self._translator = Translator(options, {id(w.tensor): w.name for w in weights})
        self._strategy = options.Training.meanReductionStrategy(self.optimizer)
        return self._translator.translate(self.optimizer)

    def take(self, optimizer, executor=None):
        """New values, or another optimizer of the same kind. executor: of a model that is compiled."""
        if executor is not None:
            checkStrategy(executor.options, self._strategy, optimizer)
            if optimizer is not self.optimizer:
                self.detach(executor, keep=False)
        self.optimizer, self.unsent = optimizer, True
        if executor is not None and not self._is_attached(executor):
            self.attach(executor)

    @property
    def calls(self):
        """Of the compiled model, so far."""
        return self._translator.calls

    def count_call(self):
        countStep(self.optimizer)
        self.unsent |= self._translator.begin()

    def send(self, session):
        """The device gets values that changed."""
        self.unsent = False
        changed = self._translator.update(self.optimizer)
        if changed is not None:
            session.updateOptimizerFromHost(changed)

    # ---- state

    def attach(self, executor):
        """Whoever reads the optimizer's state gets the device's."""
        if not isinstance(self.optimizer, Optimizer):
            of_torch.attach(self.optimizer, executor)
            return
        own = weakref.ref(executor)  # a model that nobody uses must not live on in its optimizer
        self.optimizer.attach(lambda: own()._read_optimizer() if own() is not None else (None, None),
                              lambda *state: own()._write_optimizer(*state) if own() is not None else None)

    def _is_attached(self, executor):
        optimizer = self.optimizer
        return optimizer.attached if isinstance(optimizer, Optimizer) else of_torch.is_attached(optimizer, executor)

    def detach(self, executor, keep):
        """keep: the optimizer has what the device had, for another model."""
        optimizer = self.optimizer
        if not isinstance(optimizer, Optimizer):
            of_torch.detach(optimizer, executor, keep)
            return
        if not optimizer.attached:
            return
        state = executor._read_optimizer() if keep else None
        optimizer.attach(None, None)
        if keep and state[0]:
            optimizer._pending = state

    def read(self, session, weights):
        """(state, parameters), by name."""
        arrays = _state_arrays(session, weights)
        if arrays:
            session.readWeights(popart.PyWeightsIO(arrays))
        here = _scale_here(session)
        state = {_scale if name == here else name: torch.from_numpy(array) for name, array in arrays.items()}
        return state, {name: torch.tensor(value) for name, value in self._translator.parameters().items()}

    def write(self, session, weights, state, parameters):
        """Whether the session has a state now that the device must get."""
        here = _scale_here(session)
        state = {here if here and name == _scale else name: value for name, value in (state or {}).items()}
        arrays = _state_arrays(session, weights)
        other = sorted(set(state) - set(arrays))
        if other:
            logger.warning("The optimizer's state has %s, which this model does not have.", ", ".join(other[:3]))
        chosen = {}
        for name, array in arrays.items():
            if name in state:
                chosen[name] = np.ascontiguousarray(state[name].numpy().astype(array.dtype).reshape(array.shape))
        if chosen:
            session.writeWeights(popart.PyWeightsIO(chosen))
            self._translator.resume()
        scale = (parameters or {}).get("lossScaling_FLOAT")
        if scale is not None and hasattr(self.optimizer, "loss_scaling"):
            self.optimizer.loss_scaling = float(scale)
        self.unsent = True
        return bool(chosen)
