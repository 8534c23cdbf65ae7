# SPDX-License-Identifier: MIT
"""The state of an optimizer on the device, for state_dict() and load_state_dict()."""
import math
import weakref

import numpy as np
import popart
import torch

from . import optim_torch
from ._logging import logger
from .enums import ConnectionType
from .errors_translate import entry
from .optim_base import Optimizer

_kept = ("Accl___", "Accl1___", "Accl2___", "Accl3___", "Step___")
_scale, _scale_here = "lossScaleUpdateFactor", "AutomaticLossScaleProxy___factor"


class OptimizerState:
    """Of an executor that trains."""

    def _attach_optimizer(self):
        if not isinstance(self._optimizer, Optimizer):
            optim_torch.attach(self._optimizer, self)
            return
        own = weakref.ref(self)  # a model that nobody uses must not live on in its optimizer
        self._optimizer.attach(lambda: own()._read_optimizer() if own() is not None else (None, None),
                               lambda *state: own()._write_optimizer(*state) if own() is not None else None)

    def _has_attached(self, optimizer):
        return optimizer.attached if isinstance(optimizer, Optimizer) else optim_torch.is_attached(optimizer, self)

    def _detach_optimizer(self, keep):
        """The optimizer keeps what the device had, for another model."""
        optimizer = self._optimizer
        if not isinstance(optimizer, Optimizer):
            optim_torch.detach(optimizer, self, keep)
            return
        if not optimizer.attached:
            return
        state = self._read_optimizer() if keep else None
        optimizer.attach(None, None)
        if keep and state[0]:
            optimizer._pending = state

    def _state_arrays(self):
        """Empty arrays, by PopART's names; as many as there are groups of replicas that have their own."""
        copies = {weight.name: math.prod(weight.values.shape) // max(1, math.prod(weight.shape)) for weight in self._used}
        out = {}
        for name in sorted(self._executable.getAllTensorIds()):
            if name.startswith(_kept) or name == _scale_here:
                info, count = self._executable.getInfo(name), copies.get(name.partition("___")[2], 1)
                shape = (count, *info.shape()) if count > 1 else tuple(info.shape())
                out[name] = np.empty(shape, dtype=info.data_type_lcase())
        return out

    @entry
    def _read_optimizer(self):
        """(state, parameters), by name; of a model without a device (None, None)."""
        if self._options.connection_type == ConnectionType.Never:
            return None, None
        if self._attached:
            self.copyWeightsToHostIfNeeded()
        arrays = self._state_arrays()
        if arrays:
            self._executable.readWeights(popart.PyWeightsIO(arrays))
        state = {_scale if name == _scale_here else name: torch.from_numpy(array) for name, array in arrays.items()}
        return state, {name: torch.tensor(value) for name, value in self._translator.parameters().items()}

    @entry
    def _write_optimizer(self, state, parameters):
        state = {_scale_here if name == _scale else name: value for name, value in (state or {}).items()}
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
            self._executable.writeWeights(popart.PyWeightsIO(chosen))
            self._upload = True
            self._translator.resume()
        scale = (parameters or {}).get("lossScaling_FLOAT")
        if scale is not None and hasattr(self._optimizer, "loss_scaling"):
            self._optimizer.loss_scaling = float(scale)
        self._new_optimizer = True
