# SPDX-License-Identifier: MIT
"""paddle.fluid: the older names of static graphs, as programs of their time use them."""
from . import input, layers, nets
from .input import embedding, one_hot
from .. import optimizer, regularizer, unique_name
from ..backward import append_backward, gradients
from ..compiled_program import BuildStrategy, CompiledProgram, ExecutionStrategy
from ..executor import Executor
from ..framework import core
from ..guards import default_main_program, default_startup_program, name_scope, program_guard
from ..nn import initializer
from ..param_attr import ParamAttr
from ..places import CPUPlace, IPUPlace, cpu_places
from ..program import Program
from ..scopes import Scope, global_scope, scope_guard
from ..static import data
from ..static import load_inference_model, save_inference_model  # noqa: F401
from ..variable import Variable
from .._names import refuse_unknown

refuse_unknown(__name__)
