# SPDX-License-Identifier: MIT
"""paddle.fluid.regularizer: decay of weights by its older names."""
from ..regularizer import L1Decay, L2Decay
from .._names import refuse_unknown

L1DecayRegularizer, L2DecayRegularizer = L1Decay, L2Decay
refuse_unknown(__name__)
