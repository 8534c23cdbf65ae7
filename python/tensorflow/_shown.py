# SPDX-License-Identifier: MIT
"""What `import tensorflow as tf` shows."""
from __future__ import annotations

import typing as _typing

from tensorflow import _names
from tensorflow.framework import dtypes as _dtypes
from tensorflow.framework import logs as _logs
from tensorflow.framework import wired as _wired
from tensorflow.framework.context import active as _active
from tensorflow.framework.custom_gradients import custom_gradient  # noqa: F401
from tensorflow.framework.graphs import Graph  # noqa: F401
from tensorflow.framework.operations import Operation  # noqa: F401
from tensorflow.framework.scopes import control_dependencies, device, group, init_scope, name_scope  # noqa: F401
from tensorflow.framework.shapes import TensorShape  # noqa: F401
from tensorflow.framework.specs import TensorSpec, TypeSpec  # noqa: F401
from tensorflow.framework.tape import GradientTape, gradients  # noqa: F401
from tensorflow.framework.tensors import Tensor, convert_to_tensor, is_tensor  # noqa: F401
from tensorflow.framework.tensors import constant_value as _constant_value
from tensorflow.framework.variables import Variable  # noqa: F401
from tensorflow.ops import array_ops as _array
from tensorflow.ops import control_flow as _control
from tensorflow.ops import counting_ops as _counting
from tensorflow.ops import functions as _functions
from tensorflow.ops import math_ops as _math
from tensorflow.ops import nn_ops as _nn  # noqa: F401 (all rows of framework/facts.py are there from the beginning)
if _typing.TYPE_CHECKING:  # of annotations
    from typing import Any
    from tensorflow.framework.typed import TensorLike

_here = globals()
# What lower folders call of higher ones.
_wired.places.update(
    evaluated="tensorflow.compat.v1.session:evaluated", graph_iterator="tensorflow.compat.v1.iterators:GraphIterator",
    program_on_ipus="tensorflow.python.ipu.placed:executable", turn_of="tensorflow.compat.v1.session_values:turn_of",
    export_for_serving="tensorflow.python.ipu.serving:export_keras")
for _d in _dtypes.ALL:
    _here[_d.name] = _d
half, double = _dtypes.float16, _dtypes.float64
DType, as_dtype = _dtypes.DType, _dtypes.as_dtype
_not_top = {"is_nan", "is_inf", "is_finite", "count_nonzero", "in_top_k", "top_k", "floordiv", "floormod", "mod", "softplus",
            "erf", "erfc", "log1p", "expm1", "rsqrt", "reciprocal", "ceil", "rint", "l2_normalize", "realdiv", "to_float",
            "to_int32", "accumulate_n", "unsorted_segment_sum", "reduce_euclidean_norm", "reduce_std", "reduce_variance",
            "logical_xor", "squared_difference", "divide_no_nan", "multiply_no_nan"}
_names.export(_here, _math, [n for n in _math.names if n not in _not_top])
_names.export(_here, _array, _array.names)
_names.export(_here, _control, _control.names)
_names.export(_here, _counting, ("sort", "argsort", "searchsorted"))
range, slice, function = _array.range_, _array.slice_, _functions.function
newaxis = None


def executing_eagerly() -> bool:
    """Whether operations compute at once, not in a function or graph."""
    return _active() is None


def get_static_value(tensor: TensorLike, partial: bool = False) -> Any:
    """The value of a tensor if it is known now, as an array; else None."""
    return _constant_value(convert_to_tensor(tensor))


def get_logger() -> Any:
    """The logger named tensorflow."""
    return _logs.logger


def no_op(name: str | None = None) -> Operation | None:
    """An operation that does nothing."""
    return group(name=name)


def print(*inputs: Any, output_stream: Any = None, summarize: int = 3, sep: str = " ", end: str = "\n",
          name: str | None = None) -> Operation | None:
    """At once outside of graphs; in a graph whenever the program comes here (tensors of unknown shapes: when it is traced)."""
    from tensorflow.framework import printing  # when it is used: it has the host's functions of programs
    return printing.printed(inputs, output_stream, summarize, sep, end)


_modules = {name: f"tensorflow.{name}" for name in
            "nn math random linalg image data keras errors distribute config autograph nest debugging compat python version "
            "dtypes xla estimator saved_model summary io test train"
            .split()}
_modules |= {name: f"tensorflow.keras.{name}" for name in ("losses", "metrics", "optimizers", "initializers")}
_modules |= {"Module": "tensorflow.framework.modules:Module",
             "py_function": "tensorflow.framework.python_functions:py_function",
             "numpy_function": "tensorflow.framework.python_functions:numpy_function"}
_modules |= {f"{name}_initializer": f"tensorflow.keras.initializers:{kind}" for name, kind in (
    ("zeros", "Zeros"), ("ones", "Ones"), ("constant", "Constant"), ("random_normal", "RandomNormal"),
    ("random_uniform", "RandomUniform"))}
_modules |= {name: f"tensorflow.framework.enumerations:{name}" for name in (
    "UnconnectedGradients", "VariableSynchronization", "VariableAggregation")}
_modules |= {name: f"tensorflow.ops.composed_ops:{name}" for name in (
    "scalar_mul", "reverse_sequence", "space_to_batch_nd", "space_to_batch", "batch_to_space", "tensor_scatter_nd_sub",
    "unravel_index", "histogram_fixed_width", "broadcast_static_shape", "broadcast_dynamic_shape", "foldr", "vectorized_map",
    "grad_pass_through", "recompute_grad")}
_modules |= {name: f"tensorflow.debugging:{name}" for name in (
    "Assert", "assert_equal", "assert_less", "assert_greater", "assert_rank")}
_names.lazy(_here, _modules)

__all__ = [_n for _n in _here if not _n.startswith("_")]
