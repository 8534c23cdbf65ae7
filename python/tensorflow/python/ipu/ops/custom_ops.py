# SPDX-License-Identifier: MIT
"""Operations of the user's own: a shared library that builds a program with Poplar's interface (extern "C" Build, Build_grad,
custom_op_api_level = 5), or an expression for every element."""
import os

from tensorflow.framework import dtypes
from tensorflow.framework.dispatch import apply
from tensorflow.framework.shapes import TensorShape
from tensorflow.framework.tensors import convert_to_tensor


def precompiled_user_op(inputs, library_path, gp_path="", outs=None, name="UserOp", op_name="Build",
                        separate_gradients=False, inputs_with_gradients=None, attributes=None, gradient_attributes=None):
    """outs: {"output_types": [...], "output_shapes": [...]}. gp_path: the library adds its codelets itself (it may be handed
    their file in `attributes`), so that it must stay empty."""
    if gp_path:
        raise NotImplementedError("precompiled_user_op: gp_path is not there. Let the library add its codelets "
                                  "(poplar::Graph::addCodelets).")
    if not os.path.isfile(library_path):
        raise ValueError(f"precompiled_user_op: the library {library_path} is not there.")
    if not outs or not outs.get("output_types") or len(outs["output_types"]) != len(outs.get("output_shapes", ())):
        raise ValueError("precompiled_user_op: outs must have as many output_types as output_shapes, and at least one.")
    inputs = [convert_to_tensor(t) for t in inputs]
    types = [dtypes.as_dtype(t) for t in outs["output_types"]]
    shapes = [TensorShape(s) for s in outs["output_shapes"]]
    for shape in shapes:
        if not shape.is_fully_defined():
            raise ValueError(f"precompiled_user_op: the output shape {shape} is not fully defined.")
    wanted = range(len(inputs)) if inputs_with_gradients is None else inputs_with_gradients
    made = apply("UserOp", inputs, {
        "library": os.path.abspath(library_path), "function": op_name, "text": attributes or "",
        "gradientText": gradient_attributes or "", "types": [int(t.device_type) for t in types],
        "ranks": [s.rank for s in shapes], "shapes": [d for s in shapes for d in s.as_list()],
        "differentiable": [i for i in wanted if inputs[i].dtype.is_floating], "separate": bool(separate_gradients)},
        len(types), types, name)
    return list(made) if len(types) > 1 else [made]


def cpu_user_op(*args, **kwargs):
    raise NotImplementedError("cpu_user_op is not there; docs/tensorflow.md lists what is. tf.py_function is not either: "
                              "compute on the host what the host is to compute.")


def codelet_expression_op(vertex_expression, *args):
    """A function of tensors that is computed for every element; what is elementwise runs as one codelet anyway."""
    return vertex_expression(*[convert_to_tensor(t) for t in args])
