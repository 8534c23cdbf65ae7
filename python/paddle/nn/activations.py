# SPDX-License-Identifier: MIT
"""Activation functions as layers."""
from . import functional as F
from .layer import Layer

_table = {"ReLU": "relu", "ReLU6": "relu6", "ELU": "elu", "SELU": "selu", "GELU": "gelu", "LeakyReLU": "leaky_relu",
          "Sigmoid": "sigmoid", "Tanh": "tanh", "Hardshrink": "hardshrink", "Hardsigmoid": "hardsigmoid",
          "Hardswish": "hardswish", "Hardtanh": "hardtanh", "LogSigmoid": "log_sigmoid", "Mish": "mish", "Silu": "silu",
          "Softplus": "softplus", "Softshrink": "softshrink", "Softsign": "softsign", "Swish": "swish",
          "Tanhshrink": "tanhshrink", "ThresholdedReLU": "thresholded_relu", "Softmax": "softmax",
          "LogSoftmax": "log_softmax"}
__all__ = [*_table, "PReLU", "Identity"]


def _make(name, function):
    def init(self, *args, name=None, **kwargs):
        Layer.__init__(self)
        self._arguments = args, kwargs

    def forward(self, x):
        args, kwargs = self._arguments
        return getattr(F, function)(x, *args, **kwargs)
    return type(name, (Layer,), {"__init__": init, "forward": forward, "__doc__": f"functional.{function} as a layer."})


for _name, _function in _table.items():
    globals()[_name] = _make(_name, _function)


class PReLU(Layer):
    def __init__(self, num_parameters=1, init=0.25, weight_attr=None, data_format="NCHW", name=None):
        super().__init__("prelu")
        from .initializer import Constant
        self._format = data_format
        self.weight = self.create_parameter([num_parameters], weight_attr, default_initializer=Constant(init))

    def forward(self, x):
        return F.prelu(x, self.weight, self._format)


class Identity(Layer):
    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, x):
        return x
