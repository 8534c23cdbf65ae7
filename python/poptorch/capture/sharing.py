# SPDX-License-Identifier: MIT
"""Members of a module that are no parameters or buffers, but see the memory of one, or of each other."""
import torch

from poptorch.base import compat
from poptorch.errors import Error
from poptorch.module.weights import byte_range, plain_data


def by_storage(weights):
    """Where memory begins -> the weights in it."""
    out = {}
    for weight in weights:
        out.setdefault(compat.storage_address(plain_data(weight.tensor)), []).append(weight)
    return out


def part_of(capture, tensor, weights):
    """A view of the weight whose memory the tensor sees, such as self.head = self.table[:2]; None if it sees none."""
    first, last = byte_range(tensor)
    for weight in weights:
        plain = plain_data(weight.tensor)
        begin, end = byte_range(plain)
        if last <= begin or first >= end:
            continue
        whole = plain.is_contiguous() and tuple(plain.shape) == tuple(weight.shape) and plain.dtype is tensor.dtype
        if not whole or first < begin or last > end:
            raise Error(f"A tensor of shape {list(tensor.shape)} shares some of its memory with {weight.name}, which changes "
                        "on the device. Compute it in forward(), or give it memory of its own with clone().")
        place = (list(tensor.shape), list(tensor.stride()), (first - begin) // plain.element_size())
        view = capture.record_call(torch.ops.aten.as_strided.default, (capture.wrap(weight.tensor), *place), {})
        return without_gradient(capture, tensor, weight, view)
    return None


def without_gradient(capture, tensor, weight, view):
    """The view, for a tensor that has no gradient though the weight has one."""
    if tensor.requires_grad or not weight.tensor.requires_grad:
        return view
    return capture.record_call(torch.ops.aten.detach.default, (view,), {})


def check(constants):
    """Each is a constant of its own: a write to one would not be seen through another that shares its memory."""
    for tensor, wrapped in constants:
        for other, twin in constants if wrapped.writes else ():
            (first, last), (begin, end) = byte_range(tensor), byte_range(other)
            if twin is not wrapped and max(first, begin) < min(last, end):
                raise Error(f"forward() writes to a tensor of shape {list(tensor.shape)} that is not a parameter, buffer or "
                            f"input, and shares memory with another of shape {list(other.shape)}. Give one of them memory of "
                            "its own with clone(), or make them views of one another in forward().")
