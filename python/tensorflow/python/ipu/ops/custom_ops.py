# SPDX-License-Identifier: MIT
"""Operations of the user's own: a shared library that builds a program with Poplar's interface (extern "C" Build, Build_grad,
custom_op_api_level = 5) or that computes on the host (Callback, Callback_grad), or an expression for every element."""
from __future__ import annotations

import os
from typing import Any, Callable, Sequence

from tensorflow import _core
from tensorflow.framework import dtypes
from tensorflow.framework.custom_gradients import custom_gradient
from tensorflow.framework.dispatch import apply
from tensorflow.framework.host_calls import host_call
from tensorflow.framework.shapes import TensorShape
from tensorflow.framework.tensors import Tensor, convert_to_tensor
from tensorflow.framework.typed import PathLike, TensorLike


def precompiled_user_op(inputs: TensorLike, library_path: PathLike, gp_path: PathLike = "", outs: Sequence | None = None,
                        name: str = "UserOp", op_name: str = "Build", separate_gradients: bool = False,
                        inputs_with_gradients: Sequence | None = None, attributes: dict | None = None,
                        gradient_attributes: Sequence | None = None) -> list:
    """outs: {"output_types": [...], "output_shapes": [...]}. gp_path: a file of codelets (.gp, or source) that the library's
    functions use; they may add others themselves."""
    if gp_path and not os.path.isfile(gp_path):
        raise ValueError(f"precompiled_user_op: the file of codelets {gp_path} is not there.")
    types, shapes = _declared("precompiled_user_op", library_path, outs)
    inputs = [convert_to_tensor(t) for t in inputs]
    wanted = range(len(inputs)) if inputs_with_gradients is None else inputs_with_gradients
    made = apply("UserOp", inputs, {
        "library": os.path.abspath(library_path), "function": op_name,
        "codelets": os.path.abspath(gp_path) if gp_path else "", "text": attributes or "",
        "gradientText": gradient_attributes or "", "types": [int(t.device_type) for t in types],
        "ranks": [s.rank for s in shapes], "shapes": [d for s in shapes for d in s.as_list()],
        "differentiable": [i for i in wanted if inputs[i].dtype.is_floating], "separate": bool(separate_gradients)},
        len(types), types, name)
    return list(made) if len(types) > 1 else [made]


def cpu_user_op(inputs: TensorLike, library_path: PathLike, outs: dict | None = None, name: str = "UserOp",
                op_name: str = "Callback", separate_gradients: bool = False, inputs_with_gradients: Sequence | None = None,
                attributes: str | None = None, gradient_attributes: str | None = None) -> list:
    """What a function of a shared library computes on the host, in the middle of a program. The gradient is the function
    <op_name>_grad, of the outputs' gradients, the inputs and the outputs, for all inputs with gradients at once."""
    if separate_gradients:
        raise NotImplementedError("cpu_user_op: separate_gradients is not there: one call gives the gradients of all inputs.")
    types, shapes = _declared("cpu_user_op", library_path, outs)
    library, inputs = os.path.abspath(library_path), [convert_to_tensor(t) for t in inputs]
    wanted = [i for i in (range(len(inputs)) if inputs_with_gradients is None else inputs_with_gradients)
              if inputs[i].dtype.is_floating]

    def call(function, given, results, text):
        address = _core.user_function(library, function)
        if not address:
            raise ValueError(f"cpu_user_op: the library {library} has no function {function}. It must be extern \"C\".")
        return host_call(lambda *where: _core.call_user_function(address, *where, text or "", name), given, results, name, True)

    @custom_gradient
    def computed(*given):
        made = call(op_name, given, list(zip(types, shapes)), attributes)

        def gradient(*dy):
            found = call(op_name + "_grad", [*dy, *given, *made], [(given[i].dtype, given[i].shape) for i in wanted],
                         gradient_attributes)
            return [found[wanted.index(i)] if i in wanted else None for i in range(len(given))]
        return made, gradient
    has_gradient = wanted and _core.user_function(library, op_name + "_grad")
    return list(computed(*inputs)) if has_gradient else call(op_name, inputs, list(zip(types, shapes)), attributes)


cpu_user_operation = cpu_user_op


def _declared(what, library_path, outs):
    """Types and shapes of the outputs."""
    if not os.path.isfile(library_path):
        raise ValueError(f"{what}: the library {library_path} is not there.")
    if not outs or not outs.get("output_types") or len(outs["output_types"]) != len(outs.get("output_shapes", ())):
        raise ValueError(f"{what}: outs must have as many output_types as output_shapes, and at least one.")
    shapes = [TensorShape(s) for s in outs["output_shapes"]]
    for shape in shapes:
        if not shape.is_fully_defined():
            raise ValueError(f"{what}: the output shape {shape} is not fully defined.")
    return [dtypes.as_dtype(t) for t in outs["output_types"]], shapes


def codelet_expression_op(vertex_expression: Callable, *args: Any) -> Tensor:
    """A function of tensors that is computed for every element; what is elementwise runs as one codelet anyway."""
    return vertex_expression(*[convert_to_tensor(t) for t in args])
