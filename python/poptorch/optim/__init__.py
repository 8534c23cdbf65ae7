# SPDX-License-Identifier: MIT
"""Optimizers: PyTorch's, with what the device needs beside: types of accumulators, the scale of the loss.

What is passed to a constructor is variable: setOptimizer can change it after compilation. What is left out is constant.
"""
from __future__ import annotations

import math
from typing import Any, Dict, Iterable, Optional, Tuple, Union

import torch

from poptorch.optim.base import HostSteps, Optimizer, VariableAttributes, given

_written = ["SGD", "Adam", "AdamW", "RMSprop", "LAMB", "Optimizer", "VariableAttributes"]


def __getattr__(name):
    """Others are data, popart.optimizerRules(), and popart is imported when one is asked for."""
    if name.startswith("_") and name != "__all__":
        raise AttributeError(f"module 'poptorch.optim' has no attribute {name!r}")
    from poptorch.optim.rules import RULES  # import time: popart
    if name == "__all__":
        return [*_written, *RULES]
    if name not in RULES:
        raise AttributeError(f"module 'poptorch.optim' has no attribute {name!r}")
    return RULES[name]


def __dir__():
    return sorted({*globals(), *__getattr__("__all__")})


_Params = Iterable[Union[torch.Tensor, Dict[str, Any]]]


class SGD(Optimizer, torch.optim.SGD):
    """Stochastic gradient descent. use_combined_accum: gradients are accumulated in the velocity itself."""

    _ipu_attributes = ("loss_scaling", "use_combined_accum", "accum_type", "velocity_accum_type", "max_grad_norm")
    _variables = ("lr", "momentum", "dampening", "weight_decay", "velocity_scaling", "loss_scaling")

    def __init__(self, params: _Params, lr: float, momentum: Optional[float] = None, dampening: Optional[float] = None,
                 weight_decay: Optional[float] = None, nesterov: Optional[bool] = None, maximize: Optional[bool] = None,
                 foreach: Optional[bool] = None, differentiable: Optional[bool] = None, loss_scaling: Optional[float] = None,
                 velocity_scaling: Optional[float] = None, use_combined_accum: bool = False,
                 accum_type: Optional[torch.dtype] = None, velocity_accum_type: Optional[torch.dtype] = None,
                 max_grad_norm: Optional[float] = None):
        self._begin(lr=lr, momentum=momentum, dampening=dampening, weight_decay=weight_decay,
                    velocity_scaling=velocity_scaling, loss_scaling=loss_scaling)
        torch.optim.SGD.__init__(self, params, **given(lr=lr, momentum=momentum, dampening=dampening,
                                                       weight_decay=weight_decay, nesterov=nesterov, maximize=maximize,
                                                       foreach=foreach, differentiable=differentiable))
        self.use_combined_accum = bool(use_combined_accum)
        self._scales(loss_scaling, max_grad_norm)
        self._types(accum_type=accum_type, velocity_accum_type=velocity_accum_type)
        if velocity_scaling is not None and not use_combined_accum:
            self._warn("velocity_scaling is only used with use_combined_accum=True.")
        self._add_default("velocity_scaling", 1.0 if velocity_scaling is None else float(velocity_scaling))


class _AdamLike(Optimizer):
    """What Adam, AdamW, LAMB and RMSprop share."""

    _moments = ("accum_type", "first_order_momentum_accum_type", "second_order_momentum_accum_type")
    _ipu_attributes: "tuple[str, ...]" = ("loss_scaling", "max_grad_norm", *_moments)

    def _moment_types(self, *types):
        self._types(**dict(zip(self._moments, types)))


class Adam(_AdamLike, torch.optim.Adam):
    """Adam; weight decay is a part of the gradient."""

    _variables = ("lr", "betas", "eps", "weight_decay", "loss_scaling")

    def __init__(self, params: _Params, lr: Optional[float] = None, betas: Optional[Tuple[float, float]] = None,
                 eps: Optional[float] = None, weight_decay: Optional[float] = None, amsgrad: Optional[bool] = None,
                 foreach: Optional[bool] = None, maximize: Optional[bool] = None, capturable: Optional[bool] = None,
                 differentiable: Optional[bool] = None, fused: Optional[bool] = None, loss_scaling: Optional[float] = None,
                 accum_type: Optional[torch.dtype] = None, first_order_momentum_accum_type: Optional[torch.dtype] = None,
                 second_order_momentum_accum_type: Optional[torch.dtype] = None, max_grad_norm: Optional[float] = None):
        self._begin(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, loss_scaling=loss_scaling)
        self._no_amsgrad(amsgrad)
        torch.optim.Adam.__init__(self, params, **given(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay,
                                                        amsgrad=amsgrad, foreach=foreach, maximize=maximize,
                                                        capturable=capturable, differentiable=differentiable, fused=fused))
        self._scales(loss_scaling, max_grad_norm)
        self._moment_types(accum_type, first_order_momentum_accum_type, second_order_momentum_accum_type)


class AdamW(_AdamLike, torch.optim.AdamW):
    """Adam with decay of the weights themselves."""

    _variables = ("lr", "betas", "eps", "weight_decay", "loss_scaling")
    _ipu_attributes = (*_AdamLike._ipu_attributes, "bias_correction")

    def __init__(self, params: _Params, lr: Optional[float] = None, betas: Optional[Tuple[float, float]] = None,
                 eps: Optional[float] = None, weight_decay: Optional[float] = None, amsgrad: Optional[bool] = None,
                 maximize: Optional[bool] = None, foreach: Optional[bool] = None, capturable: Optional[bool] = None,
                 loss_scaling: Optional[float] = None, bias_correction: bool = True, accum_type: Optional[torch.dtype] = None,
                 first_order_momentum_accum_type: Optional[torch.dtype] = None,
                 second_order_momentum_accum_type: Optional[torch.dtype] = None, max_grad_norm: Optional[float] = None):
        self._begin(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, loss_scaling=loss_scaling)
        self._no_amsgrad(amsgrad)
        torch.optim.AdamW.__init__(self, params, **given(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay,
                                                         amsgrad=amsgrad, maximize=maximize, foreach=foreach,
                                                         capturable=capturable))
        self.bias_correction = bool(bias_correction)
        self._scales(loss_scaling, max_grad_norm)
        self._moment_types(accum_type, first_order_momentum_accum_type, second_order_momentum_accum_type)


class RMSprop(_AdamLike, torch.optim.RMSprop):
    """RMSprop. use_tf_variant: as in TensorFlow."""

    _variables = ("lr", "alpha", "eps", "weight_decay", "momentum", "loss_scaling")
    _ipu_attributes = ("loss_scaling", *_AdamLike._moments, "use_tf_variant")

    def __init__(self, params: _Params, lr: Optional[float] = None, alpha: Optional[float] = None, eps: Optional[float] = None,
                 weight_decay: Optional[float] = None, momentum: Optional[float] = None, centered: Optional[bool] = None,
                 foreach: Optional[bool] = None, maximize: Optional[bool] = None, differentiable: Optional[bool] = None,
                 loss_scaling: Optional[float] = None, accum_type: Optional[torch.dtype] = None,
                 first_order_momentum_accum_type: Optional[torch.dtype] = None,
                 second_order_momentum_accum_type: Optional[torch.dtype] = None, use_tf_variant: bool = False):
        self._begin(lr=lr, alpha=alpha, eps=eps, weight_decay=weight_decay, momentum=momentum, loss_scaling=loss_scaling)
        torch.optim.RMSprop.__init__(self, params, **given(lr=lr, alpha=alpha, eps=eps, weight_decay=weight_decay,
                                                           momentum=momentum, centered=centered, foreach=foreach,
                                                           maximize=maximize, differentiable=differentiable))
        self.use_tf_variant = bool(use_tf_variant)
        self._scales(loss_scaling)
        self._moment_types(accum_type, first_order_momentum_accum_type, second_order_momentum_accum_type)


class LAMB(HostSteps, _AdamLike, torch.optim.Optimizer):
    """Adam whose steps have the size of the weight: min(|w|, max_weight_norm) / |step|, 1 if either is 0."""

    _variables = ("lr", "betas", "eps", "weight_decay", "max_weight_norm", "loss_scaling")
    _ipu_attributes = ("loss_scaling", *_AdamLike._moments, "bias_correction")

    def __init__(self, params: _Params, lr: Optional[float] = None, betas: Optional[Tuple[float, float]] = None,
                 eps: Optional[float] = None, weight_decay: Optional[float] = None, bias_correction: bool = True,
                 loss_scaling: Optional[float] = None, max_weight_norm: Optional[float] = None,
                 accum_type: Optional[torch.dtype] = None, first_order_momentum_accum_type: Optional[torch.dtype] = None,
                 second_order_momentum_accum_type: Optional[torch.dtype] = None):
        self._begin(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, max_weight_norm=max_weight_norm,
                    loss_scaling=loss_scaling)
        defaults = {"lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 1e-2, "max_weight_norm": 65500.0,
                    **given(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, max_weight_norm=max_weight_norm)}
        _check_lamb(**defaults)
        torch.optim.Optimizer.__init__(self, params, defaults)
        self.bias_correction = bool(bias_correction)
        self._scales(loss_scaling)
        self._moment_types(accum_type, first_order_momentum_accum_type, second_order_momentum_accum_type)

    def _step(self, p, group):
        state, (beta1, beta2) = self.state[p], group["betas"]
        if not state:
            state.update(step=0, exp_avg=torch.zeros_like(p), exp_avg_sq=torch.zeros_like(p))
        state["step"] += 1
        m = state["exp_avg"].mul_(beta1).add_(p.grad, alpha=1 - beta1)
        v = state["exp_avg_sq"].mul_(beta2).addcmul_(p.grad, p.grad, value=1 - beta2)
        if self.bias_correction:
            m, v = m / (1 - beta1 ** state["step"]), v / (1 - beta2 ** state["step"])
        change = m / (v.sqrt() + group["eps"]) + group["weight_decay"] * p
        size, length = min(p.norm().item(), group["max_weight_norm"]), change.norm().item()
        p.sub_(change, alpha=group["lr"] * (size / length if size > 0 and length > 0 else 1.0))


def _check_lamb(lr, betas, eps, weight_decay, max_weight_norm):
    for name, value in (("learning rate", lr), ("epsilon value", eps), ("weight_decay value", weight_decay),
                        ("max_weight_norm", max_weight_norm)):
        if not value >= 0 or math.isinf(value):
            raise ValueError(f"Invalid {name}: {value}")
    for i, beta in enumerate(betas):
        if not 0.0 <= beta < 1.0:
            raise ValueError(f"Invalid beta parameter at index {i}: {beta}")
