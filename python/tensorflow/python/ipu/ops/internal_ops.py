# SPDX-License-Identifier: MIT
"""Looking at what a program computes."""
from tensorflow import _names
from tensorflow.framework.context import active
from tensorflow.framework.dispatch import apply
from tensorflow.framework.operations import Operation
from tensorflow.framework.tensors import convert_to_tensor


def print_tensor(input, name=""):
    """Prints the tensor on stderr every time the program comes here."""
    if active() is None:
        raise RuntimeError("print_tensor belongs into a program for an IPU.")
    apply("PrintTensor", [convert_to_tensor(input)], {"title": name}, name=name or None)
    return Operation(active(), name or "print_tensor")


def remap(x, name=None):
    """The tensor with another layout over tiles, which its numbers do not depend on."""
    return apply("Identity", [convert_to_tensor(x)], name=name)


remap_deduce = remap


_names.explain_missing(globals())
