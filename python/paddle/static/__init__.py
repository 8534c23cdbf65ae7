# SPDX-License-Identifier: MIT
"""paddle.static: programs, and how they run."""
from . import amp, nn
from .input import InputSpec, data
from .inference_model import (deserialize_persistables, deserialize_program, load_from_file, load_inference_model,
                              normalize_program, save_inference_model, save_to_file, serialize_persistables,
                              serialize_program)
from .metric import accuracy
from .printing import Print
from .saving import load, load_program_state, save, set_program_state
from ..backward import append_backward, gradients
from ..compiled_program import BuildStrategy, CompiledProgram, ExecutionStrategy
from ..executor import Executor
from ..guards import device_guard, ipu_shard_guard, name_scope
from ..current import default_main_program, default_startup_program, program_guard
from ..ipu.program import IpuCompiledProgram
from ..ipu.shard import set_ipu_shard
from ..ipu.strategy import IpuStrategy
from ..param_attr import ParamAttr
from ..places import cpu_places
from ..program import Program
from ..scopes import Scope, global_scope, scope_guard
from ..tensor.creation import create_global_var, create_parameter
from ..variable import Variable
from .._names import refuse_unknown

refuse_unknown(__name__)
