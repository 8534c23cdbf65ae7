# SPDX-License-Identifier: MIT
"""Blocks: which part of a model runs on which IPU. On the CPU they do nothing."""
from __future__ import annotations

import contextlib
import functools
import numbers
import re
from typing import Any, Callable, Dict, Optional, Union

import torch

from poptorch.base.current import current
from poptorch.enums import MultiConvPlanType
from poptorch.errors import Error, require


class Block(torch.nn.Module):
    """As a context manager: operators within belong to the block."""

    _next_id = 0

    def __init__(self, user_id: Optional[str] = None, ipu_id: Optional[int] = None):
        super().__init__()
        self._user_id, self._ipu_id = user_id, _checked(ipu_id)

    @staticmethod
    def useAutoId() -> None:
        """Blocks without a name are called "0", "1", ... from here on."""
        Block._next_id = 0

    @staticmethod
    def start(user_id: Optional[str] = None, ipu_id: Optional[int] = None) -> None:
        """Operators from here on belong to the block, until the next one starts."""
        _start(user_id, _checked(ipu_id))

    def __enter__(self):
        _start(self._user_id, self._ipu_id, nested=True)
        return self

    def __exit__(self, *_):
        capture = current()
        if capture is None:
            return
        open_blocks = capture.state.get("open blocks", [None])
        _require_entered(len(open_blocks) > 1, "Block")
        open_blocks.pop()
        if open_blocks and open_blocks[-1] is not None:
            capture.record("poptorch::begin_ipu_block", open_blocks[-1])
        elif "joins last block" in capture.state:
            capture.recorded = False
        else:
            capture.record("poptorch::end_ipu_block", {})


def _require_entered(entered, name, more=""):
    if not entered:
        raise Error(f"{more}poptorch.{name} is left but was not entered. Use it in a with statement.")


def check_closed(capture):
    """An error if forward() left something open that says what operators mean."""
    if capture.state.get("multi conv"):
        raise Error("A poptorch.MultiConv was entered and not left, or left by an error. Use it in a with statement.")
    for name in capture.state.get("open bodies", ()):
        raise Error(f"The body of a poptorch.{name} was left by an error, but forward() went on.")


@contextlib.contextmanager
def joining_last_block():
    """For layers above, while a model is captured: what stands outside of blocks belongs to the last one, and is no error.
    Gives a list that is not empty in the end if that happened."""
    capture, happened = current(), []
    if capture is None:
        yield happened
        return
    capture.state["joins last block"] = True
    yield happened
    if "open blocks" in capture.state and capture.state["open blocks"][-1] is None and capture.recorded:
        happened.append(True)


def _checked(ipu_id):
    if ipu_id is not None and (not isinstance(ipu_id, numbers.Integral) or isinstance(ipu_id, bool) or ipu_id < 0):
        raise Error(f"The IPU of a block is a number from 0 on, not {ipu_id!r}.")
    return ipu_id


def _start(user_id, ipu_id, nested=False):
    capture = current()
    if capture is None:
        return
    if user_id is None:
        user_id = str(Block._next_id)
        Block._next_id += 1
    if "open blocks" not in capture.state and capture.recorded:
        capture.placer.beforeBlocks()
    open_blocks = capture.state.setdefault("open blocks", [None])
    place = capture.place(str(user_id), ipu_id)
    if nested:
        open_blocks.append(place)
    else:
        open_blocks[-1] = place
    capture.record("poptorch::begin_ipu_block", place)


class _BlockHook:
    """Starts a block when a module is called."""

    def __init__(self, user_id, ipu_id):
        self.user_id, self.ipu_id = user_id, _checked(ipu_id)

    def __call__(self, module, inputs):
        _start(self.user_id, self.ipu_id)

    def __repr__(self):
        return f"BeginBlock(user_id={self.user_id}, ipu_id={self.ipu_id})"


def _hooks(module):
    return [key for key, hook in module._forward_pre_hooks.items() if isinstance(hook, _BlockHook)]


class LegacyBeginBlockFn(torch.nn.Module):
    """A function as a module that begins a block."""

    def __init__(self, function: Callable, user_id: Optional[str] = None, ipu_id: Optional[int] = None):
        super().__init__()
        self.function = function
        self._user_id, self._ipu_id = user_id, ipu_id
        BeginBlock(self, user_id, ipu_id)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Begins the block, then calls the layer."""
        return self.function(*args, **kwargs)


def BeginBlock(layer_to_call: Union[torch.nn.Module, Callable], user_id: Optional[str] = None,
               ipu_id: Optional[int] = None) -> torch.nn.Module:
    """The block starts when the module is called and lasts until the next one starts. Returns the module."""
    if not isinstance(layer_to_call, torch.nn.Module):
        if not callable(layer_to_call):
            raise Error(f"BeginBlock needs a module or a function, not {type(layer_to_call).__name__}.")
        return LegacyBeginBlockFn(layer_to_call, user_id, ipu_id)
    if _hooks(layer_to_call):
        raise Error("This module has already been assigned to a block. Use poptorch.removeBlocks first.")
    layer_to_call.register_forward_pre_hook(_BlockHook(user_id, ipu_id))
    return layer_to_call


def BlockFunction(user_id: Optional[str] = None, ipu_id: Optional[int] = None) -> Callable[[Callable], Callable]:
    """A decorator: the function's operators belong to the block."""

    def decorate(function):
        @functools.wraps(function)
        def called(*args, **kwargs):
            with Block(user_id, ipu_id):
                return function(*args, **kwargs)

        return called

    return decorate


def removeBlocks(module: torch.nn.Module) -> None:
    """Takes the blocks of BeginBlock off a module and all below it."""
    for part in module.modules():
        for key in _hooks(part):
            del part._forward_pre_hooks[key]
        if isinstance(part, LegacyBeginBlockFn):
            part.__dict__["function"] = part.function


class NameScope:
    """Operators within are named after it."""

    def __init__(self, name: str):
        if not isinstance(name, str):
            raise Error(f"NameScope needs a text, not {type(name).__name__}.")
        self._name = name

    def __enter__(self):
        capture = current()
        if capture is not None:
            capture.state["name scopes"] = capture.state.get("name scopes", 0) + 1
            capture.record("poptorch::push_name_scope", {"name": self._name})
        return self

    def __exit__(self, *_):
        capture = current()
        if capture is not None:
            _require_entered(capture.state.get("name scopes"), "NameScope")
            capture.state["name scopes"] -= 1
            capture.record("poptorch::pop_name_scope", {})


class Attribute:
    """Gives operators within session attributes, by domain: Attribute(__ai_graphcore={"outline": "a"})."""

    def __init__(self, **attributes: Dict[str, Any]):
        for domain, pairs in attributes.items():
            if not isinstance(pairs, dict):
                raise Error(f"poptorch.Attribute takes a dict for each domain, such as __ai_graphcore={{'outline': 'a'}}, not "
                            f"{domain}={pairs!r}.")
        self._attributes = attributes

    def __enter__(self):
        self._each("poptorch::set_attribute")
        return self

    def __exit__(self, *_):
        self._each("poptorch::clear_attribute")

    def _each(self, marker):
        capture = current()
        if capture is None:
            return
        for domain, pairs in self._attributes.items():
            for key, value in pairs.items():
                arguments = {"domain": domain, "key": str(key)}
                if marker.endswith("set_attribute"):
                    arguments["value"] = str(value)
                capture.record(marker, arguments)


class MultiConv:
    """The convolutions within are planned and run as one."""

    _fields = ("availableMemoryProportions", "partialsTypes", "planType", "perConvReservedTiles", "cycleBackOff",
               "enableConvDithering")

    def __init__(self):
        self._options = {}

    def __enter__(self):
        capture = current()
        if capture is not None:
            if capture.state.get("multi conv"):
                raise Error("Nested poptorch.MultiConv is not supported.")
            capture.state["multi conv"] = True
            capture.record("poptorch::begin_multi_conv", {})
        return self

    def __exit__(self, kind, *_):
        capture = current()
        if capture is None:
            return
        _require_entered(capture.state.get("multi conv"), "MultiConv", "Unexpected end_multi_conv: ")
        capture.state["multi conv"] = kind is not None  # an error within leaves it open, if the program goes on
        if kind is None:
            arguments = {name: self._options.get(name) for name in self._fields}
            capture.record("poptorch::end_multi_conv", arguments)


def _setter(name, check):
    def setter(self, value: Any) -> "MultiConv":
        self._options[name] = check(name, value)
        return self

    setter.__name__ = name
    return setter


def _words(name):
    return re.sub("[A-Z]", lambda found: " " + found[0].lower(), name)


def _list_of(kinds, convert, least=None):
    def check(name, value):
        values = list(value) if isinstance(value, (list, tuple)) else [value]
        if not values or not all(isinstance(v, kinds) and (least is None or v >= least) for v in values):
            raise ValueError(f"Invalid {_words(name)} of MultiConv: {value!r}.")
        return [convert(v) for v in values]

    return check


def _one_of(kinds, convert, least=None):
    def check(name, value):
        if not isinstance(value, kinds) or (least is not None and value < least):
            raise ValueError(f"Invalid {_words(name)} of MultiConv: {value!r}.")
        return convert(value)

    return check


def _plan(name, value):
    require(value in list(MultiConvPlanType), f"Invalid plan type of MultiConv: {value!r} is not a MultiConvPlanType.")
    return int(value)


def _partials(value):
    names = {torch.float: "float", torch.half: "half"}
    if value not in names:
        raise ValueError(f"Invalid partials types of MultiConv: {value} must be torch.float or torch.half.")
    return 0 if value is torch.float else 1


for _name, _check in {
        "availableMemoryProportions": _list_of((float, int), float, 0),
        "partialsTypes": _list_of(torch.dtype, _partials),
        "planType": _plan,
        "perConvReservedTiles": _one_of(int, int, 0),
        "cycleBackOff": _one_of((float, int), float, 0),
        "enableConvDithering": _list_of(bool, int),
}.items():
    setattr(MultiConv, _name, _setter(_name, _check))
