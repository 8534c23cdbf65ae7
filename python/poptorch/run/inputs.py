# SPDX-License-Identifier: MIT
"""What a step of a compiled model takes: rows for every replica, numbers that every micro-batch gets, and tensors that the
model writes to, which the caller then finds changed as with PyTorch."""
import torch

from poptorch.base.dtypes import device_type, returned_type
from poptorch.enums import OutputMode
from poptorch.errors import createPoptorchError
from poptorch.module.weights import byte_range, plain_data
from poptorch.options import batching


def _overlap(a, b):
    """Whether there is a byte that both tensors see."""
    if not a.numel() or not b.numel():
        return False
    (first, end), (other, other_end) = byte_range(a), byte_range(b)
    if first >= other_end or other >= end:
        return False
    begin = min(first, other)
    seen = torch.zeros(max(end, other_end) - begin, dtype=torch.bool)

    def bytes_of(tensor, first):
        width = tensor.element_size()
        return seen.as_strided((*tensor.shape, width), (*(step * width for step in tensor.stride()), 1), first - begin)

    bytes_of(a, first).fill_(True)
    return bool(bytes_of(b, other).any())


def find_written(tensors, call, options):
    """Which inputs of a capture the model wrote to; their last values are its last outputs."""
    written = [i for i, tensor in enumerate(tensors) if tensor.writes]
    if written and options.input_group_size > 1:
        raise createPoptorchError(f"The model writes to its input {call.names[written[0]]}, which replicas "
                                  "share (Options.inputReplicaGrouping). Write to a clone() of it.")
    return written


class Inputs:
    """Of a compiled model. call: their form; names: PopART's; example: those that it was compiled for; written: which the model
    writes to; changes: whole shapes and types of what comes back of these."""

    def __init__(self, call, names, example, captured, options, training):
        self.call, self.names, self.example = call, names, example
        self.written = captured.written
        self._options, self._training = options, training
        self._spreads = options.input_group_size > 1
        self._micro_batches = batching.outputMultiplier(options, training, OutputMode.All)
        self._scalars = [i for i, v in enumerate(example) if not v.dim()] if self._micro_batches > 1 else ()
        self.changes = [(batching.outputShape(shape, self._micro_batches), returned_type(dtype))
                        for shape, dtype in captured.written_metas]

    def forms(self):
        """(name, type, whole shape) of each."""
        return [(name, device_type(value.dtype, narrow=False), tuple(value.shape))
                for name, value in zip(self.names, self.whole(list(self.example)))]

    def whole(self, values):
        """Rows for every replica; a number for every micro-batch."""
        if self._spreads:
            values = batching.spread(self._options, values, self._training)
        for i in self._scalars:
            values[i] = values[i].expand(self._micro_batches).contiguous()
        return values

    def check_shared(self, given, weights):
        """Inputs that are written must not share memory with others: each has memory of its own on the device."""
        others = [(f"the input {name}", tensor) for name, tensor in zip(self.call.names, given)]
        others += [(f"the parameter or buffer {w.name}", plain_data(w.tensor)) for w in weights]
        for i in self.written:
            for k, (name, other) in enumerate(others):
                if k != i and _overlap(given[i], other):
                    raise createPoptorchError(f"The model writes to its input {self.call.names[i]}, which shares "
                                              f"memory with {name}. Give one of them as a clone().")

    def write_back(self, given, changes):
        """The caller's tensors get their new values."""
        with torch.no_grad():
            for i, change in zip(self.written, changes):
                given[i].copy_(change if given[i].dim() == change.dim() else change[-1])
