# SPDX-License-Identifier: MIT
"""What is known of an operation beside its converter: one table, whose rows stand beside the functions of the operations
(ops/*.py). The converters read it too."""
from __future__ import annotations

import typing

from tensorflow import _core


class Facts(typing.NamedTuple):
    numpy: typing.Callable | None = None  # computes it at once, of arrays and attributes; None: it runs as a graph of one node
    constants: tuple = ()  # inputs that must be known when a graph is built; below 0 they count from the last
    keeps_order: bool = False  # elements of results are in the order of the inputs', also where channels come first


TABLE = {}
_NONE = Facts()


def operation(name, numpy=None, constants=(), keeps_order=False):
    TABLE[name] = Facts(numpy, constants, keeps_order)
    if keeps_order:
        _core.keeps_order(name)


def of(name):
    return TABLE.get(name, _NONE)


def constants(name, count):
    """Which of so many inputs must be known."""
    return {i % count for i in of(name).constants if i < count}
