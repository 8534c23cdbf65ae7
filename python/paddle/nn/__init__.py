# SPDX-License-Identifier: MIT
"""paddle.nn: layers, which write into static programs."""
from . import functional, initializer
from .clip import ClipGradByGlobalNorm, ClipGradByNorm, ClipGradByValue
from .layer import Layer
from .activations import *
from .containers import LayerDict, LayerList, ParameterList, Sequential
from .layers import *
from .losses import *
from .more_layers import *
from .transformer import MultiHeadAttention, TransformerEncoder, TransformerEncoderLayer
from .._names import refuse_unknown

refuse_unknown(__name__)
