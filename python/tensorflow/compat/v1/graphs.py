# SPDX-License-Identifier: MIT
"""The default graph of TensorFlow 1: what is in it, and how its variables begin."""
from tensorflow.framework.context import current
from tensorflow.framework.dtypes import as_dtype
from tensorflow.framework.graphs import Graph
from tensorflow.framework.late import LateTensor
from tensorflow.framework.operations import Operation
from tensorflow.framework.seeds import set_seed
from tensorflow.framework.shapes import TensorShape
from tensorflow.framework.tensors import convert_to_tensor


class GraphKeys:
    GLOBAL_VARIABLES, TRAINABLE_VARIABLES, LOCAL_VARIABLES = "variables", "trainable_variables", "local_variables"
    UPDATE_OPS, REGULARIZATION_LOSSES, LOSSES = "update_ops", "regularization_losses", "losses"


def disable_v2_behavior():
    """Operations go to a graph from here on."""
    if current.default is None:
        current.default = Graph(name="default")


disable_eager_execution = disable_v2_behavior


def enable_v2_behavior():
    current.default = None


enable_eager_execution = enable_v2_behavior


def get_default_graph():
    if current.default is None:
        disable_v2_behavior()
    return current.default


def reset_default_graph():
    if current.default is not None:
        current.default = Graph(name="default")


def placeholder(dtype, shape=None, name=None):
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


def placeholder_with_default(input, shape, name=None):
    value = convert_to_tensor(input)
    out = placeholder(value.dtype, shape, name)
    out.default = value
    return out


def get_collection(key, scope=None):
    return get_default_graph().get_collection(key, scope)


def add_to_collection(name, value):
    get_default_graph().add_to_collection(name, value)


def global_variables(scope=None):
    return get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


def trainable_variables(scope=None):
    return get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)


def variables_initializer(var_list, name="init"):
    """Gives variables their first values when a session runs it."""
    graph = get_default_graph()

    def run():
        for variable in list(var_list() if callable(var_list) else var_list):
            variable.initializer()
    return Operation(graph, name, run=run)


def global_variables_initializer():
    return variables_initializer(global_variables)


def local_variables(scope=None):
    """Those of metrics."""
    return get_collection(GraphKeys.LOCAL_VARIABLES, scope)


def local_variables_initializer():
    return variables_initializer(local_variables)


def tables_initializer():
    return variables_initializer(lambda: [])


def set_random_seed(seed):
    set_seed(seed)
