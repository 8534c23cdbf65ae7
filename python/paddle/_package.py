# SPDX-License-Identifier: MIT
"""The names of `paddle` itself."""
from . import version
from .version import full_version
from .dtypes import VarType as dtype
from .modes import disable_static, enable_static, in_dynamic_mode
from .places import (CPUPlace, IPUPlace, get_device, is_compiled_with_cuda, is_compiled_with_ipu, is_compiled_with_npu,
                     is_compiled_with_rocm, is_compiled_with_xpu, set_device)
from .random_state import seed
from .param_attr import ParamAttr
from .tensor import *
from .values import Tensor, to_tensor
from .variable import Variable
from .ipu.program import IpuBackend as _IpuBackend
from . import (device, distributed, fluid, framework, incubate, inference, io, jit, linalg, nn, optimizer, regularizer, static,
               tensor, utils, vision)
from .hapi import load, save

base = fluid

__version__ = full_version
bool, uint8, int8, int16, int32, int64 = (dtype[n] for n in ("BOOL", "UINT8", "INT8", "INT16", "INT32", "INT64"))
float16, float32, float64 = dtype.FP16, dtype.FP32, dtype.FP64
__all__ = [n for n in globals() if not n.startswith("_")]
