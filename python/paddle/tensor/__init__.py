# SPDX-License-Identifier: MIT
"""Functions of variables: paddle.add, paddle.reshape ... Each writes operators into the current program."""
from . import operators as _operators  # Variable gets its arithmetic
from .arranged import *
from .composed import *
from .creation import *
from .creation import fill_constant
from .manipulation import *
from .math import *
from .search import *
