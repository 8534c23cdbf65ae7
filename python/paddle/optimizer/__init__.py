# SPDX-License-Identifier: MIT
"""paddle.optimizer: minimize() writes the backward pass and the updates into a program."""
from . import lr
from .base import Optimizer
from .kinds import SGD, Adadelta, Adagrad, Adam, Adamax, AdamW, Lamb, Momentum, RMSProp
from .rules import RULES
from .._names import refuse_unknown

globals().update(RULES)  # as Lion: popart.optimizerRules()
refuse_unknown(__name__)
