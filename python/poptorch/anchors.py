# SPDX-License-Identifier: MIT
"""Tensors within a model that Options.anchorTensor keeps."""
import popart
import torch

from . import batching
from ._types import torch_type
from .enums import OutputMode
from .errors import createPoptorchError, require

_kinds = {OutputMode.Final: "FINAL", OutputMode.EveryN: "EVERYN", OutputMode.All: "ALL", OutputMode.Sum: "SUM"}


def return_type(mode, period):
    """PopART's name of an output mode."""
    return popart.AnchorReturnType(_kinds[mode], period) if mode == OutputMode.EveryN else \
        popart.AnchorReturnType(_kinds[mode])


class Anchors:
    """Of an executor."""

    _anchored = {}  # short name -> the tensor of the last call

    def _anchor_modes(self):
        """Short name -> (name, mode, period)."""
        default = batching.outputMode(self._options, self._training)
        found = {}
        for short, (name, mode, period) in self._options.anchored_tensors.items():
            if mode is None or OutputMode(mode) == OutputMode.Default:
                mode, period = default, self._options.output_return_period
            mode = OutputMode(mode)
            for other in found.values():
                if other[0] == name and other[1:] != (mode, period):
                    raise createPoptorchError(f"anchorTensor({short!r}): {name!r} is anchored with another OutputMode "
                                              "or period already.")
            found[short] = (name, mode, period)
        return found

    def _anchors(self):
        """For the session: name -> what comes back."""
        return {name: return_type(mode, period) for name, mode, period in self._anchor_modes().values()}

    def _prepare_anchors(self):
        """Short names, names, shapes and types of what comes back, each name once."""
        self._anchor_results = {}
        for short, (name, mode, period) in self._anchor_modes().items():
            if name in self._outputs:
                raise createPoptorchError(f"anchorTensor({short!r}): {name!r} is an output of the model already.")
            info = self._executable.getInfo(name)
            times = batching.outputMultiplier(self._options, self._training, mode, period)
            shape = batching.outputShape(tuple(info.shape()), times)
            self._anchor_results[name] = (shape, torch_type(info.data_type_lcase()))

    def _new_anchors(self):
        made = {name: torch.empty(shape, dtype=dtype) for name, (shape, dtype) in self._anchor_results.items()}
        self._anchored = {short: made[name] for short, (name, *_) in self._options.anchored_tensors.items()}
        return list(made.values())

    def getAnchoredTensor(self, short_name):
        """The tensor that Options.anchorTensor(short_name, ...) keeps, of the last call."""
        self._require_compiled()
        known = self._options.anchored_tensors
        require(short_name in known, f"No tensor with name {short_name!r} is anchored. "
                + (f"There are {', '.join(map(repr, sorted(known)))}." if known else "Use Options.anchorTensor."))
        require(short_name in self._anchored, "The model has not run yet.")
        return self._anchored[short_name]
