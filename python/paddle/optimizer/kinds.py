# SPDX-License-Identifier: MIT
"""Paddle's optimizers."""
from __future__ import annotations

from typing import Any, Callable, Sequence

from .base import Optimizer
from ..typed import NumberLike, RateLike


class SGD(Optimizer):
    """Gradient descent."""
    _type = "sgd"


class Momentum(Optimizer):
    """Gradient descent with momentum."""
    _type, _state = "momentum", {"velocity": ("Velocity", 0.0, False)}

    def __init__(self, learning_rate: RateLike = 0.001, momentum: float = 0.9, parameters: Sequence | None = None,
                 use_nesterov: bool = False, weight_decay: float | None = None, grad_clip: Any = None,
                 multi_precision: bool = False, rescale_grad: float = 1.0, name: str | None = None) -> None:
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)
        _single(multi_precision)
        self._numbers = {"mu": float(momentum), "use_nesterov": bool(use_nesterov), "rescale_grad": float(rescale_grad),
                         "regularization_method": "", "regularization_coeff": 0.0, "multi_precision": False}

    def _attributes(self, param):
        return self._numbers


def _single(multi_precision):
    if multi_precision:
        raise NotImplementedError("(Unimplemented) multi_precision=True. IpuStrategy.set_precision_config(enable_fp16=True) "
                                  "keeps parameters in float32 by itself.")


class Adam(Optimizer):
    """Means of gradients and of their squares, both corrected for their start."""
    _type = "adam"

    def __init__(self, learning_rate: RateLike = 0.001, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-8,
                 parameters: Sequence | None = None, weight_decay: Any = None, grad_clip: Any = None, lazy_mode: bool = False,
                 multi_precision: bool = False, use_multi_tensor: bool = False, name: str | None = None) -> None:
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)
        _single(multi_precision)
        for name, value in (("beta1", beta1), ("beta2", beta2)):
            if not 0 <= value < 1:
                raise ValueError(f"Invaild value of {name}, expect {name} in [0,1), not {value}.")
        self._numbers = {"beta1": float(beta1), "beta2": float(beta2), "epsilon": float(epsilon),
                         "lazy_mode": bool(lazy_mode), "min_row_size_to_use_multithread": 1000, "multi_precision": False}

    def _state_of(self, param):
        return {"moment1": ("Moment1", 0.0, False), "moment2": ("Moment2", 0.0, False),
                "beta1_pow_acc": ("Beta1Pow", self._numbers["beta1"], True),
                "beta2_pow_acc": ("Beta2Pow", self._numbers["beta2"], True)}

    def _attributes(self, param):
        return self._numbers


class AdamW(Adam):
    """The decay is taken from the parameter itself."""
    _type = "adamw"

    def __init__(self, learning_rate: RateLike = 0.001, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-8,
                 parameters: Sequence | None = None, weight_decay: float = 0.01, lr_ratio: NumberLike | None = None,
                 apply_decay_param_fun: Callable | None = None, grad_clip: Any = None, lazy_mode: bool = False,
                 multi_precision: bool = False, name: str | None = None) -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon, parameters, None, grad_clip, lazy_mode, multi_precision)
        if lr_ratio is not None:
            raise NotImplementedError("(Unimplemented) AdamW: lr_ratio. Use ParamAttr(learning_rate=...).")
        self._coeff, self._decays = float(weight_decay), apply_decay_param_fun

    def _attributes(self, param):
        decays = self._decays is None or bool(self._decays(param.name))
        return {**self._numbers, "with_decay": decays, "coeff": self._coeff, "lr_ratio": 1.0}


class Lamb(Adam):
    """Adam with steps scaled by the norms of weights."""
    _type = "lamb"

    def __init__(self, learning_rate: RateLike = 0.001, lamb_weight_decay: float = 0.01, beta1: float = 0.9,
                 beta2: float = 0.999, epsilon: float = 1e-6, parameters: Sequence | None = None, grad_clip: Any = None,
                 exclude_from_weight_decay_fn: Callable | None = None, name: str | None = None) -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon, parameters, None, grad_clip)
        self._decay, self._excluded = float(lamb_weight_decay), exclude_from_weight_decay_fn

    def _attributes(self, param):
        excluded = self._excluded is not None and self._excluded(param)
        return {"beta1": self._numbers["beta1"], "beta2": self._numbers["beta2"], "epsilon": self._numbers["epsilon"],
                "weight_decay": 0.0 if excluded else self._decay, "multi_precision": False}


class Adamax(Adam):
    """Adam with the largest past gradient in place of the mean of squares."""
    _type = "adamax"

    def __init__(self, learning_rate: RateLike = 0.001, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-8,
                 parameters: Sequence | None = None, weight_decay: float | None = None, grad_clip: Any = None,
                 name: str | None = None) -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon, parameters, weight_decay, grad_clip)

    def _state_of(self, param):
        return {"moment": ("Moment", 0.0, False), "inf_norm": ("InfNorm", 0.0, False),
                "beta1_pow_acc": ("Beta1Pow", self._numbers["beta1"], True)}

    def _attributes(self, param):
        return {name: self._numbers[name] for name in ("beta1", "beta2", "epsilon")}

    def _after(self, block, op):
        power = op.input("Beta1Pow")[0]
        op._outputs.pop("Beta1PowOut")
        block.append_op("scale", {"X": power}, {"Out": power}, {"scale": self._numbers["beta1"], "bias": 0.0,
                                                              "bias_after_scale": True})


class Adagrad(Optimizer):
    """Steps divided by the root of the sum of squared gradients."""
    _type = "adagrad"

    def __init__(self, learning_rate: RateLike, epsilon: float = 1e-6, parameters: Sequence | None = None,
                 weight_decay: float | None = None, grad_clip: Any = None, name: str | None = None,
                 initial_accumulator_value: float = 0.0) -> None:
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)
        self._epsilon, self._first = float(epsilon), float(initial_accumulator_value)

    def _state_of(self, param):
        return {"moment": ("Moment", self._first, False)}

    def _attributes(self, param):
        return {"epsilon": self._epsilon}


class Adadelta(Optimizer):
    """Steps scaled by the means of past gradients and past steps."""
    _type = "adadelta"
    _state = {"_avg_squared_grad": ("AvgSquaredGrad", 0.0, False), "_avg_squared_update": ("AvgSquaredUpdate", 0.0, False)}

    def __init__(self, learning_rate: RateLike = 0.001, epsilon: float = 1e-6, rho: float = 0.95,
                 parameters: Sequence | None = None, weight_decay: float | None = None, grad_clip: Any = None,
                 name: str | None = None) -> None:
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)
        self._numbers = {"epsilon": float(epsilon), "rho": float(rho)}

    def _attributes(self, param):
        return self._numbers


class RMSProp(Optimizer):
    """Steps divided by the root of the mean of squared gradients."""
    _type = "rmsprop"
    _state = {"momentum": ("Moment", 0.0, False), "mean_square": ("MeanSquare", 0.0, False),
              "mean_grad": ("MeanGrad", 0.0, False)}

    def __init__(self, learning_rate: RateLike, rho: float = 0.95, epsilon: float = 1e-6, momentum: float = 0.0,
                 centered: bool = False, parameters: Sequence | None = None, weight_decay: float | None = None,
                 grad_clip: Any = None, name: str | None = None) -> None:
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)
        self._numbers = {"epsilon": float(epsilon), "decay": float(rho), "momentum": float(momentum),
                         "centered": bool(centered)}

    def _attributes(self, param):
        return self._numbers
