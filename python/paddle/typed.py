# SPDX-License-Identifier: MIT
"""Words for what functions take. They say more to readers than to a type checker, which takes each for anything."""
from typing import Any

TensorLike = Any  # a Variable of a program, or a Tensor of the dynamic graph
NumberLike = Any  # a number, or a variable with one
ShapeLike = Any  # a list of lengths, -1 where one is not known yet; a variable of lengths
AxisLike = Any  # a dimension, or a list of them; negative ones count from the last
DTypeLike = Any  # a name, numpy's type or a VarType
DatasetLike = Any  # a Dataset, or what has __getitem__ and __len__
ProgramLike = Any  # a Program or a CompiledProgram; None: the default
PlaceLike = Any  # CPUPlace() or IPUPlace()
PathLike = Any  # a str, or a path of pathlib
RateLike = Any  # a number, or an LRScheduler
ParamAttrLike = Any  # a ParamAttr, an Initializer, or a name; False: no such parameter; None: the default
InitializerLike = Any  # an Initializer, or a number
RegularizerLike = Any  # a regularizer, or a number for L2Decay
ActivationLike = Any  # the name of an activation
