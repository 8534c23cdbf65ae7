# SPDX-License-Identifier: MIT
"""What PopTorch's optimizers share: which attributes are variable, types of accumulators, state of the device."""
from __future__ import annotations

import math
from typing import Any, Callable, Dict, Iterable, Optional

import torch

from poptorch._logging import logger
from poptorch.base import notices
from poptorch.errors import StateError


def given(**arguments: Any) -> Dict[str, Any]:
    """Those that are not None."""
    return {name: value for name, value in arguments.items() if value is not None}


def accum_type(name: str, dtype: Optional[torch.dtype]) -> torch.dtype:
    """The type of an accumulator; float32 if none is given."""
    if dtype is None:
        return torch.float32
    if dtype not in (torch.float32, torch.float16):
        raise ValueError(f"{name} must be torch.float32 or torch.float16, not {dtype!r}.")
    return dtype


class VariableAttributes:
    """The attributes of an optimizer that can change after compilation."""

    def __init__(self, variable: Iterable[str], allowed: Iterable[str]):
        self._variable = set(variable)
        self._allowed_attributes = tuple(allowed)

    def _known(self, name):
        if name not in self._allowed_attributes:
            raise ValueError(f"{name!r} can be neither constant nor variable. Attributes are "
                             f"{', '.join(self._allowed_attributes)}.")
        return name

    def isConstant(self, name: str) -> bool:
        """Whether it stays as it was at compilation."""
        return name not in self._variable

    def markAsConstant(self, name: str) -> None:
        """It stays as it is at compilation."""
        self._variable.discard(self._known(name))

    def markAsVariable(self, name: str) -> None:
        """setOptimizer can change it."""
        self._variable.add(self._known(name))

    def key(self) -> frozenset:
        """What is variable; for comparisons."""
        return frozenset(self._variable)

    def __repr__(self):
        return f"VariableAttributes({sorted(self._variable)})"


class Optimizer:
    """Beside a class of torch.optim. An executor that uses the optimizer attaches itself: see attach."""

    defaults: "dict[str, Any]"  # these two are of torch
    param_groups: "list[dict[str, Any]]"
    _variables: "tuple[str, ...]" = ()  # attributes that may be variable
    _ipu_attributes: "tuple[str, ...]" = ()  # of the optimizer, not of its groups

    def _begin(self, **arguments):
        self.variable_attrs = VariableAttributes(["lr", *given(**arguments)], self._variables)
        self._read_state = self._write_state = self._pending = None

    def _warn(self, text):
        logger.warning("%s optimizer: %s", type(self).__name__, text)

    def _no_amsgrad(self, amsgrad):
        if amsgrad:
            raise ValueError("Only non-amsgrad Adam/AdamW optimizers are supported: leave amsgrad out.")

    def _scales(self, loss_scaling, max_grad_norm=None):
        self.loss_scaling = 1.0 if loss_scaling is None else float(loss_scaling)
        if not self.loss_scaling > 0:
            raise ValueError(f"loss_scaling must be greater than 0, not {loss_scaling}.")
        if "max_grad_norm" in self._ipu_attributes:
            self.max_grad_norm = math.inf if max_grad_norm is None else float(max_grad_norm)
            if not self.max_grad_norm > 0:
                raise ValueError(f"max_grad_norm must be greater than 0, not {max_grad_norm}.")

    def _types(self, **types):
        for name, dtype in types.items():
            setattr(self, name, accum_type(name, dtype))

    def _add_default(self, name, value):
        """An attribute of groups that PyTorch does not know."""
        self.defaults[name] = value
        for group in self.param_groups:
            group.setdefault(name, value)

    def __getstate__(self):
        state = super().__getstate__()  # type: ignore[misc]
        state.update({name: getattr(self, name) for name in self._ipu_attributes})
        state.update(variable_attrs=self.variable_attrs, _pending=self._pending, _read_state=None, _write_state=None)
        return state

    # ---- state of the device

    def attach(self, read: Optional[Callable], write: Optional[Callable]) -> None:
        """Of an executor. read() gives (state, parameters) of the device: dicts of tensors by name. write(state,
        parameters) puts them there; it is called at once if some were loaded before. attach(None, None) ends it."""
        self._read_state, self._write_state = read, write
        if write is not None and self._pending is not None:
            pending, self._pending = self._pending, None
            write(*pending)

    @property
    def attached(self) -> bool:
        """The model on the IPU that trains with it; None if there is none."""
        return self._read_state is not None

    def state_dict(self) -> Dict[str, Any]:
        """PyTorch's, and ipu_state and ipu_param: those of the device, None as long as there is none."""
        out = super().state_dict()  # type: ignore[misc]
        out["ipu_state"], out["ipu_param"] = self._pending or (None, None)
        if self._read_state is not None:
            out["ipu_state"], out["ipu_param"] = self._read_state()
        return out

    def step(self, closure: Optional[Callable] = None) -> Any:
        """One step on the host."""
        if self.attached:
            notices.of_step(self)
        return super().step(closure)  # type: ignore[misc]

    def load_state_dict(self, state_dict: Dict[str, Any]) -> None:
        """What state_dict gave. The device gets its part now, or when it is attached."""
        if not {"ipu_state", "ipu_param"} <= set(state_dict):
            raise StateError("Only IPU optimizer states can be loaded onto the IPU. Load this one into an optimizer of "
                             "torch.optim.", "poptorch_py_error")
        ipu = bool(state_dict["ipu_state"] or state_dict["ipu_param"])
        if not ipu and not state_dict["state"]:
            raise StateError("The optimizer state cannot be loaded because it is empty.", "poptorch_py_error")
        rest = {k: v for k, v in state_dict.items() if k not in ("ipu_state", "ipu_param")}
        super().load_state_dict(rest)  # type: ignore[misc]
        if ipu:
            state = state_dict["ipu_state"], state_dict["ipu_param"]
            if self._write_state is not None:
                self._write_state(*state)
            else:
                self._pending = state


class HostSteps:
    """Of an optimizer that torch does not have: step() on the host, by what _step(parameter, group) does."""

    @torch.no_grad()  # type: ignore[misc]
    def step(self, closure: Optional[Callable] = None) -> Any:
        """One step on the host."""
        if self.attached:  # type: ignore[attr-defined]
            notices.of_step(self)
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:  # type: ignore[attr-defined]
            for p in group["params"]:
                if p.grad is not None:
                    self._step(p, group)  # type: ignore[attr-defined]
        return loss
