# SPDX-License-Identifier: MIT
"""Words for what functions take. They say more to readers than to a type checker, which takes each for anything."""
from typing import Any

TensorLike = Any  # a tensor, a variable, or what convert_to_tensor takes: numbers, lists of them, arrays of numpy
NumberLike = Any  # a number, or a tensor with one
ShapeLike = Any  # a TensorShape, or a list of lengths with None where they are not known yet; a tensor of lengths
AxisLike = Any  # a dimension, or a list of them; negative ones count from the last
DTypeLike = Any  # a DType, its name, or numpy's type
Nested = Any  # lists, tuples and dictionaries within each other, or one thing alone
DatasetLike = Any  # a Dataset, or an iterator of one
PathLike = Any  # a str, or a path of pathlib
RateLike = Any  # a number, a variable, or a LearningRateSchedule
InitializerLike = Any  # an Initializer, its name or configuration, or a function of shape and dtype; None: the default
RegularizerLike = Any  # a Regularizer, its name or configuration, or a function of a weight; None: none
ConstraintLike = Any  # a Constraint, its name or configuration, or a function of a weight; None: none
ActivationLike = Any  # a function of a tensor, or its name; None: as it is
