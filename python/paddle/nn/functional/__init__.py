# SPDX-License-Identifier: MIT
"""paddle.nn.functional."""
from .activation import *  # noqa: F401,F403
from .common import *  # noqa: F401,F403
from .conv import *  # noqa: F401,F403
from .loss import *  # noqa: F401,F403
from .norm import *  # noqa: F401,F403
from .pooling import *  # noqa: F401,F403
from ..._names import refuse_unknown

refuse_unknown(__name__)
