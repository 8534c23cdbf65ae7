# SPDX-License-Identifier: MIT
"""Tensors within a model that Options.anchorTensor keeps."""
import popart
import torch

from poptorch.base.dtypes import torch_type
from poptorch.enums import OutputMode
from poptorch.errors import createPoptorchError, require
from poptorch.options import batching

_kinds = {OutputMode.Final: "FINAL", OutputMode.EveryN: "EVERYN", OutputMode.All: "ALL", OutputMode.Sum: "SUM"}


def return_type(mode, period):
    """PopART's name of an output mode."""
    return popart.AnchorReturnType(_kinds[mode], period) if mode == OutputMode.EveryN else \
        popart.AnchorReturnType(_kinds[mode])


class Anchors:
    """Of a compiled model. results: name -> shape and type of what comes back."""

    def __init__(self, options, training):
        self._options, self._training = options, training
        self._modes = self._all_modes()
        self.results = {}
        self._kept = {}  # short name -> the tensor of the last call

    def _all_modes(self):
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

    def types(self):
        """For the session: name -> what comes back."""
        return {name: return_type(mode, period) for name, mode, period in self._modes.values()}

    def prepare(self, session, outputs):
        """Shapes and types of what comes back, each name once. outputs: names that come back anyway."""
        for short, (name, mode, period) in self._modes.items():
            if name in outputs:
                raise createPoptorchError(f"anchorTensor({short!r}): {name!r} is an output of the model already.")
            info = session.getInfo(name)
            times = batching.outputMultiplier(self._options, self._training, mode, period)
            shape = batching.outputShape(tuple(info.shape()), times)
            self.results[name] = (shape, torch_type(info.data_type_lcase()))

    def new(self):
        """Memory for a step."""
        made = {name: torch.empty(shape, dtype=dtype) for name, (shape, dtype) in self.results.items()}
        self._kept = {short: made[name] for short, (name, *_) in self._modes.items()}
        return list(made.values())

    def get(self, short_name):
        """The tensor of the last call."""
        known = self._options.anchored_tensors
        require(short_name in known, f"No tensor with name {short_name!r} is anchored. "
                + (f"There are {', '.join(map(repr, sorted(known)))}." if known else "Use Options.anchorTensor."))
        require(short_name in self._kept, "The model has not run yet.")
        return self._kept[short_name]
