# SPDX-License-Identifier: MIT
"""TensorFlow 1: `import tensorflow.compat.v1 as tf`. Graphs, placeholders, sessions; what it does not change is tf's."""
from __future__ import annotations

import sys as _sys
import typing as _typing
import tensorflow as _tf
from tensorflow import _names
from tensorflow._shown import *
from tensorflow._version import VERSION as __version__
from tensorflow.compat.v1 import older_arguments as _older
from tensorflow.compat.v1.graphs import (GraphKeys, disable_eager_execution, disable_v2_behavior,
                                         enable_eager_execution, enable_v2_behavior, get_collection, get_default_graph,
                                         global_variables, local_variables, local_variables_initializer, placeholder,
                                         placeholder_with_default, reset_default_graph, set_random_seed,
                                         trainable_variables, global_variables_initializer, tables_initializer,
                                         variables_initializer, add_to_collection)
from tensorflow.compat.v1.initializers import (constant_initializer, glorot_normal_initializer,
                                               glorot_uniform_initializer, ones_initializer, orthogonal_initializer,
                                               random_normal_initializer, random_uniform_initializer,
                                               truncated_normal_initializer, variance_scaling_initializer,
                                               zeros_initializer)
from tensorflow.compat.v1.session import (ConfigProto, GPUOptions, GraphOptions, InteractiveSession,
                                          OptimizerOptions, RunMetadata, RunOptions, Session, get_default_session)
from tensorflow.compat.v1.variable_scope import (AUTO_REUSE, VariableScope, get_variable, get_variable_scope,
                                                 variable_scope)
from tensorflow.framework import logs as _logs
from tensorflow.framework.dispatch import same_type as _same_type
from tensorflow.framework.python_functions import numpy_function as _numpy_function
from tensorflow.framework.shapes import Dimension
from tensorflow.framework.tensors import convert_to_tensor as _convert
from tensorflow.ops import array_ops as _array
from tensorflow.ops import counting_ops as _counting
from tensorflow.ops import linalg_ops as _linalg
from tensorflow.ops import math_ops as _math
from tensorflow.ops import random_ops as _random
from tensorflow.ops import special_ops as _special
if _typing.TYPE_CHECKING:  # of annotations
    from typing import Any, Callable, NoReturn, Sequence
    from tensorflow.framework.tensors import Tensor
    from tensorflow.framework.typed import DTypeLike, TensorLike

random_normal, random_uniform, truncated_normal = _random.normal, _random.uniform, _random.truncated_normal
random_shuffle = _random.shuffle
_names.export(globals(), _math, ("rsqrt", "log1p", "erf", "ceil", "floordiv", "mod", "squared_difference", "to_float",
                                 "to_int32", "is_nan", "is_inf", "is_finite", "reciprocal", "logical_xor", "floormod",
                                 "unsorted_segment_sum"))
_names.export(globals(), _older, _older.names)
cholesky, matrix_triangular_solve = _linalg.cholesky, _linalg.triangular_solve
matrix_diag, matrix_diag_part, matrix_set_diag = _linalg.diag, _linalg.diag_part, _linalg.set_diag
matrix_transpose, matrix_band_part, cross = _linalg.matrix_transpose, _array.linalg_band_part, _linalg.cross
trace, bincount, confusion_matrix = _linalg.trace, _counting.bincount, _counting.confusion_matrix
diag, diag_part, lin_space, reverse_v2 = _linalg.diag, _linalg.tensor_diag_part, _array.linspace, _array.reverse
accumulate_n, floor_div, cumprod = _math.accumulate_n, _math.floordiv, _special.cumprod
segment_sum, segment_mean, invert_permutation = _counting.segment_sum, _counting.segment_mean, _counting.invert_permutation
initialize_all_variables = global_variables_initializer
arg_max, arg_min, where_v2 = _older.argmax, _older.argmin, _math.where


def to_double(x: TensorLike, name: str = "ToDouble") -> Tensor:
    """Converts to float64."""
    return _math.cast(x, "float64")


def to_int64(x: TensorLike, name: str = "ToInt64") -> Tensor:
    """Converts to int64."""
    return _math.cast(x, "int64")


def identity_n(input: TensorLike, name: str | None = None) -> list:
    """A copy of each tensor in a list."""
    return [_math.identity(t) for t in input]


def py_func(func: Callable, inp: TensorLike, Tout: DTypeLike, stateful: bool = True, name: str | None = None) -> Any:
    """Of data sets."""
    return _numpy_function(func, inp, Tout)


def enable_resource_variables() -> None:
    """All variables are such."""


def resource_variables_enabled() -> bool:
    """True: all variables are resource variables."""
    return True


def disable_resource_variables() -> NoReturn:
    """Raises NotImplementedError: there are no other variables."""
    raise NotImplementedError("disable_resource_variables: there are no other variables here.")


def enable_control_flow_v2() -> None:
    """Loops and conditions are operations with bodies anyway."""


def disable_control_flow_v2() -> None:
    """Loops and conditions are operations with bodies all the same: their results do not depend on it."""


def div(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Whole numbers stay whole."""
    x, y = _same_type(x, y)
    return _math.floordiv(x, y, name=name) if x.dtype.is_integer else _math.divide(x, y, name=name)


def where(condition: TensorLike, x: TensorLike | None = None, y: TensorLike | None = None, name: str | None = None) -> Tensor:
    """A vector of conditions chooses rows of x and y."""
    if x is None or y is None:
        return _math.where(condition, x, y, name)
    condition, x = _convert(condition), _convert(x)
    if condition.shape.rank == 1 and (x.shape.rank or 0) > 1:
        condition = _array.reshape(condition, [-1, *[1] * (x.shape.rank - 1)])
    return _math.where(condition, x, y, name)


def assign(ref: TensorLike, value: TensorLike, validate_shape: bool | None = None, use_locking: bool | None = None,
           name: str | None = None) -> Tensor:
    """Sets a variable."""
    return ref.assign(value)


def assign_add(ref: TensorLike, value: TensorLike, use_locking: bool | None = None, name: str | None = None) -> Tensor:
    """Adds to a variable."""
    return ref.assign_add(value)


def assign_sub(ref: TensorLike, value: TensorLike, use_locking: bool | None = None, name: str | None = None) -> Any:
    """Subtracts from a variable."""
    return ref.assign_sub(value)


def executing_eagerly() -> bool:
    """Whether operations run at once, not in a graph."""
    return _tf.executing_eagerly()


class logging:
    """tf.logging"""
    DEBUG, INFO, WARN, WARNING, ERROR, FATAL = 10, 20, 30, 30, 40, 50

    @staticmethod
    def set_verbosity(level: int) -> None:
        """Shows messages from this level on."""
        _logs.logger.setLevel(level)

    @staticmethod
    def get_verbosity() -> int:
        """The level that messages are shown from."""
        return _logs.logger.level

    @staticmethod
    def log(level: int, text: str, *args: Any) -> None:
        """Logs a message at a level."""
        _logs.logger.log(level, text, *args)

    @staticmethod
    def debug(text: str, *args: Any) -> None:
        """Logs a message at level DEBUG."""
        _logs.logger.debug(text, *args)

    @staticmethod
    def info(text: str, *args: Any) -> None:
        """Logs a message at level INFO."""
        _logs.info(text, *args)

    @staticmethod
    def warning(text: str, *args: Any) -> None:
        """Logs a message at level WARN."""
        _logs.warning(text, *args)

    warn = warning

    @staticmethod
    def error(text: str, *args: Any) -> None:
        """Logs a message at level ERROR."""
        _logs.logger.error(text, *args)

    @staticmethod
    def fatal(text: str, *args: Any) -> None:
        """Logs a message at level FATAL."""
        _logs.logger.critical(text, *args)


class app:
    """tf.app"""
    from tensorflow.compat.v1 import flags

    @staticmethod
    def run(main: Callable | None = None, argv: Sequence | None = None) -> None:
        """main(what is left of the command line after the flags)"""
        main = main or _sys.modules["__main__"].main
        _sys.exit(main(app.flags.FLAGS(_sys.argv if argv is None else list(argv))))


_names.lazy(globals(), {"train": "tensorflow.compat.v1.train", "layers": "tensorflow.compat.v1.layers",
                        "losses": "tensorflow.compat.v1.losses", "metrics": "tensorflow.compat.v1.metrics",
                        "estimator": "tensorflow.estimator", "summary": "tensorflow.compat.v1.summary",
                        "Summary": "tensorflow.compat.v1.summary:Summary",
                        "gfile": "tensorflow.io:gfile_v1", "flags": "tensorflow.compat.v1.flags", "io": "tensorflow.io",
                        "saved_model": "tensorflow.saved_model", "data": "tensorflow.compat.v1.data",
                        "nn": "tensorflow.compat.v1.nn", "image": "tensorflow.compat.v1.image",
                        **{name: f"tensorflow.{name}" for name in "math random linalg keras errors nest config xla "
                           "debugging dtypes version autograph distribute test".split()},
                        **{name: f"tensorflow.compat.v1.composed:{name}" for name in (
                            "space_to_batch", "batch_to_space", "extract_image_patches", "tuple", "Print", "Assert")},
                        **{name: f"tensorflow.ops.composed_ops:{name}" for name in (
                            "scalar_mul", "reverse_sequence", "space_to_batch_nd", "batch_to_space_nd", "segment_max",
                            "segment_min", "segment_prod", "unsorted_segment_max", "unsorted_segment_min",
                            "unsorted_segment_prod", "unsorted_segment_sqrt_n", "tensor_scatter_nd_sub", "unravel_index",
                            "histogram_fixed_width", "broadcast_static_shape", "broadcast_dynamic_shape", "foldr",
                            "vectorized_map", "grad_pass_through", "recompute_grad")},
                        **{name: f"tensorflow.debugging:{name}" for name in (
                            "assert_equal", "assert_less", "assert_less_equal", "assert_greater", "assert_greater_equal",
                            "assert_near", "assert_rank", "assert_type")},
                        **{name: f"tensorflow.ops.nn_more_ops:{name}" for name in ("space_to_depth", "depth_to_space")},
                        **{name: f"tensorflow.data.examples:{name}" for name in (
                            "FixedLenFeature", "FixedLenSequenceFeature", "parse_single_example", "parse_example")},
                        "decode_raw": "tensorflow.data.records:decode_raw", "python_io": "tensorflow.io",
                        "read_file": "tensorflow.io:read_file",
                        "unsorted_segment_mean": "tensorflow.ops.counting_ops:unsorted_segment_mean",
                        "initializers": "tensorflow.compat.v1.initializers"})
