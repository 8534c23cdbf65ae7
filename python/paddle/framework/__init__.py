# SPDX-License-Identifier: MIT
"""paddle.framework."""
from . import core
from ..guards import default_main_program, default_startup_program
from ..modes import in_dynamic_mode
from ..param_attr import ParamAttr
from ..program import Program
from ..random_state import seed
from ..variable import Parameter, Variable
from .._names import refuse_unknown

refuse_unknown(__name__)
