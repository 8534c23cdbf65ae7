# SPDX-License-Identifier: MIT
"""paddle.fluid.optimizer: optimizers with the arguments of their time, parameter_list and regularization."""
from typing import Any

from .. import optimizer as _newer
from ..optimizer import lr
from .._names import refuse_unknown


def _older(kind: Any) -> Any:
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


SGD = SGDOptimizer = _older(_newer.SGD)
Momentum = MomentumOptimizer = _older(_newer.Momentum)
Adam = AdamOptimizer = _older(_newer.Adam)
Adamax = AdamaxOptimizer = _older(_newer.Adamax)
Adagrad = AdagradOptimizer = _older(_newer.Adagrad)
Adadelta = AdadeltaOptimizer = _older(_newer.Adadelta)
RMSProp = RMSPropOptimizer = _older(_newer.RMSProp)
Lamb = LambOptimizer = _older(_newer.Lamb)
AdamW, Optimizer = _newer.AdamW, _newer.Optimizer
refuse_unknown(__name__)
