# SPDX-License-Identifier: MIT
"""paddle.fluid.compiler: programs that are compiled."""
from ..compiled_program import BuildStrategy, CompiledProgram, ExecutionStrategy
from ..ipu.program import IpuCompiledProgram
from ..ipu.strategy import IpuStrategy
from .._names import refuse_unknown

refuse_unknown(__name__)
