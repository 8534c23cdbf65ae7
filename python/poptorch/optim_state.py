# SPDX-License-Identifier: MIT
"""The state of an optimizer on the device, for state_dict() and load_state_dict() of poptorch.optim's."""
import weakref

import numpy as np
import popart
import torch

from ._logging import logger
from .errors_translate import translated
from .optim_base import Optimizer

_kept = ("Accl___", "Accl1___", "Accl2___", "Accl3___", "Step___")


class OptimizerState:
    """Of an executor that trains."""

    def _attach_optimizer(self):
        if isinstance(self._optimizer, Optimizer):
            own = weakref.ref(self)  # a model that nobody uses must not live on in its optimizer
            self._optimizer.attach(lambda: own()._read_optimizer() if own() is not None else ({}, {}),
                                   lambda *state: own()._write_optimizer(*state) if own() is not None else None)

    def _detach_optimizer(self, keep):
        """The optimizer keeps what the device had, for another model."""
        optimizer = self._optimizer
        if not isinstance(optimizer, Optimizer) or not optimizer.attached:
            return
        state = self._read_optimizer() if keep else None
        optimizer.attach(None, None)
        if keep and state[0]:
            optimizer._pending = state

    def _state_arrays(self):
        names = sorted(n for n in self._executable.getAllTensorIds() if n.startswith(_kept))
        infos = {name: self._executable.getInfo(name) for name in names}
        return {name: np.empty(info.shape(), dtype=info.data_type_lcase()) for name, info in infos.items()}

    def _read_optimizer(self):
        """(state, parameters), by name."""
        if self._attached:
            self.copyWeightsToHostIfNeeded()
        arrays = self._state_arrays()
        if arrays:
            with translated():
                self._executable.readWeights(popart.PyWeightsIO(arrays))
        numbers = {name: getattr(self._optimizer, name) for name in getattr(self._optimizer, "_ipu_attributes", ())}
        parameters = {name: torch.tensor(value) for name, value in numbers.items()
                      if isinstance(value, (int, float)) and not isinstance(value, bool)}
        return {name: torch.from_numpy(array) for name, array in arrays.items()}, parameters

    def _write_optimizer(self, state, parameters):
        arrays = self._state_arrays()
        other = sorted(set(state) - set(arrays))
        if other:
            logger.warning("The optimizer's state has %s, which this model does not have.", ", ".join(other[:3]))
        chosen = {}
        for name, array in arrays.items():
            if name in state:
                chosen[name] = np.ascontiguousarray(state[name].numpy().astype(array.dtype).reshape(array.shape))
        if self._attached:
            self.copyWeightsToHostIfNeeded()
        if chosen:
            with translated():
                self._executable.writeWeights(popart.PyWeightsIO(chosen))
            self._upload = True
            self._translator.begin()
        for name, value in parameters.items():
            if hasattr(self._optimizer, name):
                setattr(self._optimizer, name, type(getattr(self._optimizer, name))(value.item()))
        self._new_optimizer = True
