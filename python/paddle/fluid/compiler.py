# SPDX-License-Identifier: MIT
"""paddle.fluid.compiler: programs that are compiled."""
from ..compiled_program import BuildStrategy, CompiledProgram, ExecutionStrategy  # noqa: F401
from ..ipu.program import IpuCompiledProgram  # noqa: F401
from ..ipu.strategy import IpuStrategy  # noqa: F401
from .._names import refuse_unknown

refuse_unknown(__name__)
