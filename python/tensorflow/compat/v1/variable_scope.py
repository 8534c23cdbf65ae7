# SPDX-License-Identifier: MIT
"""Variables by their names."""
from __future__ import annotations

import contextlib
import itertools
from typing import Any, Iterator, Sequence

from tensorflow.compat.v1.graphs import get_default_graph
from tensorflow.framework import dtypes
from tensorflow.framework.context import current, eagerly
from tensorflow.framework.scopes import name_scope
from tensorflow.framework.tensors import EagerTensor, convert_to_tensor
from tensorflow.framework.typed import ConstraintLike, DTypeLike, InitializerLike, RegularizerLike, ShapeLike, TensorLike
from tensorflow.framework.variables import Variable
from tensorflow.keras import initializers

AUTO_REUSE = "auto"
_scopes = []


class VariableScope:
    """A prefix of names, with defaults for the variables made in it."""

    def __init__(self, name: str, reuse: bool | str = False, initializer: InitializerLike = None,
                 dtype: DTypeLike | None = None, regularizer: RegularizerLike = None,
                 constraint: ConstraintLike = None) -> None:
        self.name, self.reuse, self.initializer, self.dtype, self.regularizer = name, reuse, initializer, dtype, regularizer
        self.constraint = constraint
        self.original_name_scope = name + "/" if name else ""

    def reuse_variables(self) -> None:
        """From here on, get_variable finds variables and makes none."""
        self.reuse = True


def get_variable_scope() -> VariableScope:
    """The scope around the caller."""
    return _scopes[-1] if _scopes else VariableScope("")


def _opened():
    """The names of scopes that were opened in the graph."""
    return get_default_graph().__dict__.setdefault("opened_scopes", set())


def _unused(outer, name):
    """A default name that no scope has yet: name, name_1 ..."""
    names = itertools.chain([name], (f"{name}_{i}" for i in itertools.count(1)))
    return next(n for n in names if "/".join(filter(None, (outer, n))) not in _opened())


@contextlib.contextmanager
def variable_scope(name_or_scope: VariableScope | str | None = None, default_name: str | None = None,
                   values: TensorLike | None = None, initializer: InitializerLike = None, regularizer: RegularizerLike = None,
                   reuse: bool | str | None = None, dtype: DTypeLike | None = None, use_resource: bool | None = None,
                   custom_getter: Any = None, auxiliary_name_scope: bool = True, caching_device: Any = None,
                   partitioner: Any = None, constraint: ConstraintLike = None) -> Iterator:
    """For `with`: variables get this prefix. With reuse=True they must be there; with AUTO_REUSE they may be."""
    for given, what in ((custom_getter, "custom_getter"), (partitioner, "partitioner")):
        if given is not None:
            raise NotImplementedError(f"variable_scope(..., {what}=...) is not there; docs/tensorflow.md lists what is.")
    outer = get_variable_scope()
    if isinstance(name_or_scope, VariableScope):
        full = name_or_scope.name
        reuse = name_or_scope.reuse if reuse is None else reuse
    else:
        if name_or_scope is None and default_name is None:
            raise TypeError("If default_name is None then name_or_scope is required")
        name = _unused(outer.name, default_name) if name_or_scope is None else name_or_scope
        full = "/".join(filter(None, (outer.name, name)))  # "": the scope around it with another `reuse`
    _opened().add(full)
    before = set(_opened())
    base = name_or_scope if isinstance(name_or_scope, VariableScope) else outer
    scope = VariableScope(full, outer.reuse if reuse is None else reuse, initializer or base.initializer, dtype or base.dtype,
                          regularizer or base.regularizer, constraint or base.constraint)
    _scopes.append(scope)
    try:
        named = full != outer.name and auxiliary_name_scope
        with name_scope(full.split("/")[-1]) if named else contextlib.nullcontext():
            yield scope
    finally:
        _scopes.pop()
        if isinstance(name_or_scope, VariableScope):
            _opened().intersection_update(before)
        else:  # when it is opened again, default names in it begin anew: `dense` finds the variables of `dense`
            _opened().difference_update([n for n in _opened() if n.startswith(full + "/")])


def _made(initializer, shape, dtype):
    with eagerly():
        return initializers.get(initializer)(tuple(shape or ()), dtype=dtype), dtype


def _given(value, shape, dtype):
    """A value in place of an initializer: shape and type are its own."""
    if shape is not None:
        raise ValueError("If initializer is a constant, do not specify shape.")
    with eagerly():
        value = convert_to_tensor(value)
    dtype = value.dtype if dtype is None else dtypes.as_dtype(dtype)
    if value.dtype is not dtype and isinstance(value, EagerTensor):
        value = convert_to_tensor(value.array.astype(dtype.as_numpy_dtype))
    return value, dtype


def _check_same(name, variable, shape, dtype):
    """What is asked for by a name that is taken has to fit."""
    if shape is not None and not variable.shape.is_compatible_with(shape):
        raise ValueError(f"Trying to share variable {name}, but specified shape {tuple(shape)} and found shape "
                         f"{variable.shape}.")
    if dtype is not None and dtypes.as_dtype(dtype) is not variable.dtype:
        raise ValueError(f"Trying to share variable {name}, but specified dtype {dtypes.as_dtype(dtype).name} and found dtype "
                         f"{variable.dtype.name}.")


def get_variable(name: str, shape: ShapeLike | None = None, dtype: DTypeLike | None = None,
                 initializer: InitializerLike = None, regularizer: RegularizerLike = None, trainable: bool | None = None,
                 collections: Sequence | None = None, caching_device: Any = None, partitioner: Any = None,
                 validate_shape: bool = True, use_resource: bool | None = None, custom_getter: Any = None,
                 constraint: ConstraintLike = None, synchronization: Any = None, aggregation: Any = None) -> Variable:
    """A new variable, or in a scope with reuse the one of this name. Raises ValueError for the wrong one of both."""
    for value, what in ((custom_getter, "custom_getter"), (partitioner, "partitioner")):
        if value is not None:
            raise NotImplementedError(f"get_variable(..., {what}=...) is not there; docs/tensorflow.md lists what is.")
    scope = get_variable_scope()
    regularizer = regularizer if regularizer is not None else scope.regularizer
    full = f"{scope.name}/{name}" if scope.name else name
    graph = get_default_graph()
    named = graph.__dict__.setdefault("named_variables", {})
    if full in named:
        if not scope.reuse and full not in current.retraced:
            raise ValueError(f"Variable {full} already exists, disallowed. Did you mean to set reuse=True or "
                             "reuse=tf.AUTO_REUSE in VarScope?")
        _check_same(full, named[full], shape, dtype)
        return named[full]
    if scope.reuse and scope.reuse != AUTO_REUSE:
        raise ValueError(f"Variable {full} does not exist, or was not created with tf.get_variable(). Did you mean to set "
                         "reuse=tf.AUTO_REUSE in VarScope?")
    initializer = initializer if initializer is not None else scope.initializer or "glorot_uniform"
    if isinstance(initializer, (type, str)) or callable(initializer):
        value, dtype = _made(initializer, shape, dtypes.as_dtype(dtype or scope.dtype or "float32"))
    else:
        value, dtype = _given(initializer, shape, dtype or scope.dtype)
    before, current.scopes = current.scopes, ()
    try:
        out = Variable(value, trainable, name=full, dtype=dtype, constraint=constraint or scope.constraint)
    finally:
        current.scopes = before
    named[full] = out
    for collection in collections or ():
        if collection not in ("variables", "trainable_variables"):
            graph.add_to_collection(collection, out)
    if regularizer is not None:
        graph.add_to_collection("regularization_losses", regularizer(out.read_value()))
    return out
