# SPDX-License-Identifier: MIT
"""paddle.framework.core: what Paddle has in C++."""
from ..dtypes import VarType
from ..ipu.program import IpuBackend
from ..paddle_core import FileError, InvalidArgumentError, UnimplementedError
from ..places import CPUPlace, IPUPlace, ipu_count, is_compiled_with_cuda, is_compiled_with_ipu
from ..scopes import LoDTensor, Scope


class VarDesc:
    """VarDesc.VarType.FP32."""
    VarType = VarType


def get_ipu_device_count():
    return ipu_count()
