# SPDX-License-Identifier: MIT
"""What happens to the inputs of a step beside their rows: numbers that every micro-batch gets, tensors that the model
writes to, which the caller then finds changed as with PyTorch."""
import torch

from . import batching
from ._types import returned_type
from .anchors import return_type
from .enums import OutputMode
from .errors import createPoptorchError
from .weights import plain_data


def _span(tensor):
    """(first byte, bytes)"""
    last = sum((n - 1) * step for n, step in zip(tensor.shape, tensor.stride()))
    return tensor.data_ptr(), (last + 1) * tensor.element_size()


def _overlap(a, b):
    """Whether there is a byte that both tensors see."""
    if not a.numel() or not b.numel():
        return False
    (first, size), (other, other_size) = _span(a), _span(b)
    if first >= other + other_size or other >= first + size:
        return False
    begin = min(first, other)
    seen = torch.zeros(max(first + size, other + other_size) - begin, dtype=torch.bool)

    def bytes_of(tensor, first):
        width = tensor.element_size()
        return seen.as_strided((*tensor.shape, width), (*(step * width for step in tensor.stride()), 1), first - begin)

    bytes_of(a, first).fill_(True)
    return bool(bytes_of(b, other).any())


class Inputs:
    """Of an executor."""

    _scalars = ()  # which inputs are numbers for all micro-batches of a step
    _written = ()  # which inputs the model writes to; their last values are its last outputs

    def _find_written(self, tensors):
        """tensors: the inputs of a capture, after it."""
        self._written = [i for i, tensor in enumerate(tensors) if tensor.writes]
        if self._written and self._options.input_group_size > 1:
            raise createPoptorchError(f"The model writes to its input {self._call.names[self._written[0]]}, which replicas "
                                      "share (Options.inputReplicaGrouping). Write to a clone() of it.")
        return [tensors[i] for i in self._written]

    def _written_anchors(self):
        """For the session: they come back whole."""
        return {name: return_type(OutputMode.All, 1) for name in self._outputs[len(self._outputs) - len(self._written):]}

    def _prepare_inputs(self, values):
        """The inputs as a step takes them; shapes and types of what comes back of those that are written to."""
        self._micro_batches = batching.outputMultiplier(self._options, self._training, OutputMode.All)
        self._scalars = [i for i, v in enumerate(values) if not v.dim()] if self._micro_batches > 1 else []
        self._changes = [(batching.outputShape(shape, self._micro_batches), returned_type(dtype))
                         for shape, dtype in self._written_metas]
        return self._whole(values)

    def _whole(self, values):
        """Rows for every replica; a number for every micro-batch."""
        if self._spreads:
            values = batching.spread(self._options, values, self._training)
        for i in self._scalars:
            values[i] = values[i].expand(self._micro_batches).contiguous()
        return values

    def _check_shared(self, given):
        """Inputs that are written must not share memory with others: each has memory of its own on the device."""
        others = [(f"the input {name}", tensor) for name, tensor in zip(self._call.names, given)]
        others += [(f"the parameter or buffer {w.name}", plain_data(w.tensor)) for w in self._used]
        for i in self._written:
            for k, (name, other) in enumerate(others):
                if k != i and _overlap(given[i], other):
                    raise createPoptorchError(f"The model writes to its input {self._call.names[i]}, which shares "
                                              f"memory with {name}. Give one of them as a clone().")

    def _write_back(self, given, changes):
        with torch.no_grad():
            for i, change in zip(self._written, changes):
                given[i].copy_(change if given[i].dim() == change.dim() else change[-1])
