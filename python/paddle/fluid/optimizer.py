# SPDX-License-Identifier: MIT
"""paddle.fluid.optimizer: optimizers with the arguments of their time, parameter_list and regularization."""
from .. import optimizer as _newer
from ..optimizer import lr  # noqa: F401
from .._names import refuse_unknown


def _older(kind):
    class Older(kind):
        def __init__(self, *args, parameter_list=None, regularization=None, **kwargs):
            if parameter_list is not None:
                kwargs["parameters"] = parameter_list
            if regularization is not None:
                kwargs["weight_decay"] = regularization
            super().__init__(*args, **kwargs)

    Older.__name__ = Older.__qualname__ = kind.__name__
    Older.__doc__ = f"As paddle.optimizer.{kind.__name__}."
    return Older


for _name in ("SGD", "Momentum", "Adam", "Adamax", "Adagrad", "Adadelta", "RMSProp", "Lamb"):
    globals()[_name] = globals()[_name + "Optimizer"] = _older(getattr(_newer, _name))
AdamW, Optimizer = _newer.AdamW, _newer.Optimizer
refuse_unknown(__name__)
