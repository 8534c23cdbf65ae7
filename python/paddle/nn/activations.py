# SPDX-License-Identifier: MIT
"""Activation functions as layers."""
from __future__ import annotations

from typing import Any

from . import functional as F
from .initializer import Constant
from .layer import Layer
from ..typed import ParamAttrLike, TensorLike

__all__ = ["ReLU", "ReLU6", "ELU", "SELU", "GELU", "LeakyReLU", "Sigmoid", "Tanh", "Hardshrink", "Hardsigmoid", "Hardswish",
           "Hardtanh", "LogSigmoid", "Mish", "Silu", "Softplus", "Softshrink", "Softsign", "Swish", "Tanhshrink",
           "ThresholdedReLU", "Softmax", "LogSoftmax", "PReLU", "Identity"]


def _layer(name, function):
    def init(self, *args, name=None, **kwargs):
        Layer.__init__(self)
        self._arguments = args, kwargs

    def forward(self, x):
        """The function of each element of x."""
        args, kwargs = self._arguments
        return function(x, *args, **kwargs)
    return type(name, (Layer,),
                {"__init__": init, "forward": forward, "__doc__": f"functional.{function.__name__} as a layer."})


ReLU = _layer("ReLU", F.relu)
ReLU6 = _layer("ReLU6", F.relu6)
ELU = _layer("ELU", F.elu)
SELU = _layer("SELU", F.selu)
GELU = _layer("GELU", F.gelu)
LeakyReLU = _layer("LeakyReLU", F.leaky_relu)
Sigmoid = _layer("Sigmoid", F.sigmoid)
Tanh = _layer("Tanh", F.tanh)
Hardshrink = _layer("Hardshrink", F.hardshrink)
Hardsigmoid = _layer("Hardsigmoid", F.hardsigmoid)
Hardswish = _layer("Hardswish", F.hardswish)
Hardtanh = _layer("Hardtanh", F.hardtanh)
LogSigmoid = _layer("LogSigmoid", F.log_sigmoid)
Mish = _layer("Mish", F.mish)
Silu = _layer("Silu", F.silu)
Softplus = _layer("Softplus", F.softplus)
Softshrink = _layer("Softshrink", F.softshrink)
Softsign = _layer("Softsign", F.softsign)
Swish = _layer("Swish", F.swish)
Tanhshrink = _layer("Tanhshrink", F.tanhshrink)
ThresholdedReLU = _layer("ThresholdedReLU", F.thresholded_relu)
Softmax = _layer("Softmax", F.softmax)
LogSoftmax = _layer("LogSoftmax", F.log_softmax)


class PReLU(Layer):
    """max(x, 0) + weight * min(x, 0)."""
    def __init__(self, num_parameters: int = 1, init: float = 0.25, weight_attr: ParamAttrLike = None,
                 data_format: str = "NCHW", name: str | None = None) -> None:
        super().__init__("prelu")
        self._format = data_format
        self.weight = self.create_parameter([num_parameters], weight_attr, default_initializer=Constant(init))

    def forward(self, x: TensorLike) -> TensorLike:
        return F.prelu(x, self.weight, self._format)


class Identity(Layer):
    """Gives its input."""
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, x: TensorLike) -> TensorLike:
        return x
