# SPDX-License-Identifier: MIT
"""Functions of variables: paddle.add, paddle.reshape ... Each writes one operator into the current program."""
from . import operators as _operators  # noqa: F401 (Variable gets its arithmetic)
from .creation import *  # noqa: F401,F403
from .creation import fill_constant  # noqa: F401
from .manipulation import *  # noqa: F401,F403
from .math import *  # noqa: F401,F403
from .search import *  # noqa: F401,F403
