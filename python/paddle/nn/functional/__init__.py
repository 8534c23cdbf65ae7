# SPDX-License-Identifier: MIT
"""paddle.nn.functional."""
from .activation import *
from .common import *
from .conv import *
from .loss import *
from .norm import *
from .pooling import *
from ..._names import refuse_unknown

refuse_unknown(__name__)
