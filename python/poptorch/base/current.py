# SPDX-License-Identifier: MIT
"""The capture that runs on this thread. Light: it is asked by helper operations on the CPU too."""
import threading

import torch

from poptorch.base import compat

_active = threading.local()
nested_call = ("A model for the IPU is called within the forward() of another. Call the module that it wraps: what it "
               "computes is then part of the outer model.")


def current():
    """The capture that runs on this thread, or None."""
    return getattr(_active, "capture", None)


def set_current(capture):
    _active.capture = capture


def empty_meta(shape, dtype, strides=None):
    """A meta tensor, whether a capture runs or not."""
    with compat.undispatched():
        if strides is not None:
            return torch.empty_strided(shape, strides, dtype=dtype, device="meta")
        return torch.empty(shape, dtype=dtype, device="meta")


def inner_name(name):
    """A name as PopART gets it, which keeps some spellings for tensors of its own."""
    return name.replace("___", "_-_").replace("lossScaling_", "lossScaling-")
