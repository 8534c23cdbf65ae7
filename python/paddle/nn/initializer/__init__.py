# SPDX-License-Identifier: MIT
"""paddle.nn.initializer: first values of parameters."""
from ...initializers import (Assign, Constant, Initializer, KaimingNormal, KaimingUniform, Normal, TruncatedNormal, Uniform,
                             XavierNormal, XavierUniform, set_global_initializer)

ConstantInitializer, UniformInitializer, NormalInitializer = Constant, Uniform, Normal
