# SPDX-License-Identifier: MIT
"""paddle.fluid: the older names of static graphs, as programs of their time use them."""
import sys as _sys

from . import clip, compiler, initializer, input, layers, nets, optimizer, regularizer
from .input import embedding, one_hot
from .. import backward, executor, framework, helper, param_attr, unique_name
from ..backward import append_backward, gradients
from ..compiled_program import BuildStrategy, CompiledProgram, ExecutionStrategy
from ..current import default_main_program, default_startup_program, program_guard
from ..executor import Executor
from ..framework import core
from ..guards import name_scope
from ..param_attr import ParamAttr
from ..places import CPUPlace, IPUPlace, cpu_places
from ..program import Program
from ..scopes import Scope, global_scope, scope_guard
from ..static import data
from ..static import load_inference_model, save_inference_model
from ..variable import Variable
from .._names import refuse_unknown

# Modules that programs import from here, and the name that newer versions of Paddle have for all of it.
for _name, _module in (("backward", backward), ("core", core), ("executor", executor), ("framework", framework),
                       ("layer_helper", helper), ("param_attr", param_attr), ("unique_name", unique_name),
                       ("layers.ops", layers), ("layers.tensor", layers), ("layers.loss", layers)):
    _sys.modules[f"{__name__}.{_name}"] = _module
layer_helper = helper
refuse_unknown(__name__)
for _name in [_name for _name in _sys.modules if (_name + ".").startswith(__name__ + ".")]:
    _sys.modules[_name.replace(__name__, __name__.replace("fluid", "base"), 1)] = _sys.modules[_name]
