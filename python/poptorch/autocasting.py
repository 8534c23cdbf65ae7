# SPDX-License-Identifier: MIT
"""poptorch.autocast of versions up to 3.0: operators of a region compute in float16 or float32 by a policy.

On the CPU nothing is cast. In a model on the IPU the operators of a region are asked for their names as they are
recorded; Options.Precision.autocastEnabled and autocastPolicy say whether and how.
"""
from __future__ import annotations

import functools
from typing import Any, Callable, Iterable, Optional, Set, Union

import torch

from poptorch.base.current import current
from poptorch.errors import Error

_HALF = ("addbmm", "addmm", "addmv", "addr", "baddbmm", "bmm", "chain_matmul", "conv1d", "conv2d", "conv3d", "conv_tbc",
         "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "convolution", "matmul", "mm", "mv",
         "scaled_dot_product_attention")
_PROMOTED = ("addcdiv", "addcmul", "atan2", "bilinear", "cat", "cross", "dot", "equal", "index_put", "stack",
             "tensordot")

_Operators = Iterable[Union[str, Callable]]


def _names(entries):
    """Names of operators, of functions and of classes of modules."""
    made = set()
    for entry in entries:
        name = entry if isinstance(entry, str) else entry.__name__
        made.add(name[len("nn."):].lower() if name.startswith("nn.") else name.lower() if name[:1].isupper() else name)
    return frozenset(made)


class Policy:
    """fp16 and fp32: operators that get all operands in that type. promote and demote: those that get mixed operands
    in float32 or in float16."""

    fp16: "frozenset[str]"
    fp32: "frozenset[str]"
    promote: "frozenset[str]"
    demote: "frozenset[str]"

    def __init__(self, fp16: _Operators = _HALF, fp32: _Operators = (), promote: _Operators = _PROMOTED,
                 demote: _Operators = ()):
        lists = {"fp16": fp16, "fp32": fp32, "promote": promote, "demote": demote}
        for name, entries in lists.items():
            if isinstance(entries, str):
                raise Error(f"Policy: {name} must be a list of operators, not a text.")
            setattr(self, name, _names(entries))
        seen: "dict[str, str]" = {}
        for name in lists:
            for entry in getattr(self, name):
                if seen.setdefault(entry, name) != name:
                    raise Error(f"Policy: {entry!r} stands both in {seen[entry]} and in {name}.")

    def typeFor(self, operator: str, kinds: Set[torch.dtype]) -> Optional[torch.dtype]:
        """The type for the operands of an operator that have these types; None if they stay."""
        if operator in self.fp16:
            return torch.half
        if operator in self.fp32:
            return torch.float
        if {torch.half, torch.float} <= kinds:
            if operator in self.promote:
                return torch.float
            if operator in self.demote:
                return torch.half
        return None


default = Policy()


class autocast:
    """As a context manager or decorator: the operators within are cast by the policy."""

    def __init__(self, enabled: bool = True):
        self._enabled = bool(enabled)
        self._before: "list[Any]" = []

    def __enter__(self):
        capture = current()
        if capture is not None:
            self._before.append((capture, capture.autocast))
            capture.autocast = capture.autocast_policy if self._enabled else None
        return self

    def __exit__(self, *_):
        if self._before and current() is not None:
            capture, before = self._before.pop()
            capture.autocast = before

    def __call__(self, function: Callable) -> Callable:
        @functools.wraps(function)
        def called(*args, **kwargs):
            with autocast(self._enabled):
                return function(*args, **kwargs)

        return called


def _module_autocast(self, enabled=True):
    """The module's forward() is an autocast region from now on. Returns the module."""
    self.forward = autocast(enabled)(self.forward)
    return self


def register() -> None:
    """Gives modules of torch the method autocast()."""
    if not hasattr(torch.nn.Module, "autocast"):
        torch.nn.Module.autocast = _module_autocast


def cast_operands(capture, name, args, kwargs):
    """The operands of an operator as the region wants them."""
    policy, capture.autocast = capture.autocast, None  # casts are operators too
    try:
        tensors = []

        def gather(value):
            if isinstance(value, torch.Tensor) and value.dtype in (torch.half, torch.float):
                tensors.append(value)
            elif isinstance(value, (list, tuple)):
                for entry in value:
                    gather(entry)

        gather(list(args) + list(kwargs.values()))
        kind = policy.typeFor(name, {t.dtype for t in tensors})
        if kind is None:
            return args, kwargs

        def cast(value):
            if isinstance(value, torch.Tensor) and value.dtype in (torch.half, torch.float) and value.dtype != kind:
                return capture.cast(value, kind)
            if isinstance(value, (list, tuple)):
                return type(value)(map(cast, value))
            return value

        return tuple(map(cast, args)), {key: cast(value) for key, value in kwargs.items()}
    finally:
        capture.autocast = policy
