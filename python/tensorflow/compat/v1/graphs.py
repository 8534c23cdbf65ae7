# SPDX-License-Identifier: MIT
"""The default graph of TensorFlow 1: what is in it, and how its variables begin."""
from __future__ import annotations

from typing import Any, Callable

from tensorflow.framework.context import current
from tensorflow.framework.dtypes import as_dtype
from tensorflow.framework.graphs import Graph
from tensorflow.framework.late import LateTensor
from tensorflow.framework.operations import Operation
from tensorflow.framework.seeds import set_seed
from tensorflow.framework.shapes import TensorShape
from tensorflow.framework.tensors import Tensor, convert_to_tensor
from tensorflow.framework.typed import DTypeLike, ShapeLike, TensorLike


class GraphKeys:
    """The names of a graph's standard collections."""
    GLOBAL_VARIABLES, TRAINABLE_VARIABLES, LOCAL_VARIABLES = "variables", "trainable_variables", "local_variables"
    UPDATE_OPS, REGULARIZATION_LOSSES, LOSSES = "update_ops", "regularization_losses", "losses"


def disable_v2_behavior() -> None:
    """Operations go to a graph from here on."""
    current.default = get_default_graph()


disable_eager_execution = disable_v2_behavior


def enable_v2_behavior() -> None:
    """Operations run at once, as in TensorFlow 2. This is the default."""
    current.default = None


enable_eager_execution = enable_v2_behavior


def get_default_graph() -> Any:
    """The graph that operations go to; while they are computed at once, the one that they would go to."""
    if current.default is not None:
        return current.default
    if current.spare is None:
        current.spare = Graph(name="default")
    return current.spare


def reset_default_graph() -> None:
    """Replaces the default graph by an empty one."""
    current.spare = None
    if current.default is not None:
        current.default = Graph(name="default")


def placeholder(dtype: DTypeLike, shape: ShapeLike | None = None, name: str | None = None) -> LateTensor | Tensor:
    """A tensor that Session.run gets in feed_dict."""
    if current.default is None and current.graph is None:
        raise RuntimeError("tf.placeholder() is not compatible with eager execution. Call tf.disable_v2_behavior(), or use "
                           "`with tf.Graph().as_default()`.")
    if shape is None or TensorShape(shape).rank is None:
        if current.graph is not None:
            raise ValueError("tf.placeholder without a shape: programs need fixed ranks. Give a shape; dimensions may be None.")
        return LateTensor(current.default, as_dtype(dtype), name or "Placeholder")
    out = (current.graph or current.default).input(TensorShape(shape), dtype, name or "Placeholder")
    out.is_placeholder = True
    return out


def placeholder_with_default(input: TensorLike, shape: ShapeLike, name: str | None = None) -> Any:
    """A tensor that feed_dict may set."""
    value = convert_to_tensor(input)
    out = placeholder(value.dtype, shape, name)
    out.default = value
    return out


def get_collection(key: str, scope: str | None = None) -> list:
    """The members of a collection of the default graph, or those whose names begin with a scope."""
    return get_default_graph().get_collection(key, scope)


def add_to_collection(name: str, value: TensorLike) -> None:
    """Adds a member to a collection of the default graph."""
    get_default_graph().add_to_collection(name, value)


def global_variables(scope: str | None = None) -> list:
    """All variables that programs share."""
    return get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


def trainable_variables(scope: str | None = None) -> list:
    """The variables that optimisers change."""
    return get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)


def trained_without_list(graph):
    """What an optimiser trains if nobody says: variables of the collection, or in TensorFlow 2 those that a program reads."""
    if current.default is not None:
        return trainable_variables()
    return [v for v, *_ in graph.root.variables.values() if v.trainable]


def variables_initializer(var_list: Callable, name: str = "init") -> Operation:
    """Gives variables their first values when a session runs it."""
    graph = get_default_graph()

    def run():
        for variable in list(var_list() if callable(var_list) else var_list):
            variable.initializer()
    return Operation(graph, name, run=run)


def global_variables_initializer() -> Operation:
    """An operation that sets all global variables to their first values."""
    return variables_initializer(global_variables)


def local_variables(scope: str | None = None) -> list:
    """Those of metrics."""
    return get_collection(GraphKeys.LOCAL_VARIABLES, scope)


def local_variables_initializer() -> Operation:
    """An operation that sets all local variables, for instance those of metrics, to their first values."""
    return variables_initializer(local_variables)


def tables_initializer() -> Operation:
    """An operation that does nothing: there are no tables."""
    return variables_initializer(lambda: [])


def set_random_seed(seed: int) -> None:
    """Sets the seed of the graph's random operations."""
    set_seed(seed)
