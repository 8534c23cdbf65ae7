# SPDX-License-Identifier: MIT
"""paddle.framework."""
from . import core
from ..current import default_main_program, default_startup_program, program_guard
from ..guards import device_guard, name_scope
from ..modes import in_dynamic_mode
from ..operator import Operator
from ..param_attr import ParamAttr
from ..places import cpu_places, is_compiled_with_cuda, is_compiled_with_ipu
from ..program import Block, Program
from ..random_state import seed
from ..variable import Parameter, Variable
from .._names import refuse_unknown

refuse_unknown(__name__)
