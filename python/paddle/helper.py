# SPDX-License-Identifier: MIT
"""LayerHelper: what layers need to write operators, parameters and their initialisation."""
from __future__ import annotations

from typing import Any

from . import current, initializers, modes, unique_name
from .dtypes import to_type
from .param_attr import ParamAttr
from .variable import Variable
from .typed import ActivationLike, AxisLike, DTypeLike, InitializerLike, ParamAttrLike, ShapeLike, TensorLike


class LayerHelper:
    """Names of parameters and results begin with the layer's own name."""

    def __init__(self, layer_type: str, name: str | None = None, **kwargs: Any) -> None:
        modes.require_static(f"paddle: {layer_type}")
        self.layer_type, self.kwargs = layer_type, {"name": name, **kwargs}
        self.name = name if name is not None else unique_name.generate(layer_type)

    @property
    def block(self) -> Any:
        """The block that operators are added to now."""
        return current.default_main_program().current_block()

    @property
    def main_program(self) -> Any:
        """The program that operators are added to now."""
        return current.default_main_program()

    @property
    def startup_program(self) -> Any:
        """The program that gives parameters their first values."""
        return current.default_startup_program()

    def append_op(self, *args: Any, **kwargs: Any) -> Any:
        """An operator as it is written in programs: type, inputs, outputs, attrs."""
        return self.block.append_op(*args, **kwargs)

    def create_variable_for_type_inference(self, dtype: DTypeLike | None = None, stop_gradient: bool = False) -> TensorLike:
        """A new variable for an output of an operator."""
        return self.block.create_var(unique_name.generate(f"{self.name}.tmp"), dtype=dtype, stop_gradient=stop_gradient)

    def create_parameter(self, attr: ParamAttrLike, shape: ShapeLike, dtype: DTypeLike, is_bias: bool = False,
                         default_initializer: InitializerLike = None, stop_gradient: bool = False) -> Any:
        """None if attr is False."""
        attr = ParamAttr._to_attr(attr)
        if attr is False:
            return None
        name = attr.name or unique_name.generate(f"{self.name}.{'b' if is_bias else 'w'}")
        initializer = attr.initializer or initializers.default(is_bias) or default_initializer or _default(is_bias)
        return make_parameter(name, shape, to_type(dtype), attr, initializer, stop_gradient)

    def append(self, op_type: str, inputs: TensorLike, attrs: dict | None = None, slot: str = "Out", more: tuple = (),
               stop_gradient: bool | None = None) -> TensorLike:
        """The result of an operator; with `more` slots a tuple of results."""
        check_variables(self.layer_type, inputs)
        outs = [self.create_variable_for_type_inference() for _ in range(1 + len(more))]
        for out in outs:
            out.stop_gradient = _untrained(self.block, inputs) if stop_gradient is None else stop_gradient
        self.block.append_op(op_type, inputs, dict(zip((slot, *more), outs)), attrs)
        return outs[0] if not more else tuple(outs)

    def append_many(self, op_type: str, inputs: TensorLike, attrs: dict, count: int, slot: str = "Out") -> list:
        """Adds an operator with several outputs."""
        outs = [self.create_variable_for_type_inference() for _ in range(count)]
        self.block.append_op(op_type, inputs, {slot: outs}, attrs)
        for out in outs:
            out.stop_gradient = _untrained(self.block, inputs)
        return outs

    def append_activation(self, x: TensorLike, act: ActivationLike) -> TensorLike:
        """The activation of a variable, by name; the variable itself without one."""
        if act is None:
            return x
        attrs = dict(act) if isinstance(act, dict) else {"type": act}
        return self.append(attrs.pop("type"), {"X": x}, attrs)

    def append_bias(self, x: TensorLike, bias: TensorLike | None, axis: AxisLike = 1) -> TensorLike:
        """A variable plus its bias."""
        return x if bias is None else self.append("elementwise_add", {"X": x, "Y": bias}, {"axis": axis})


def check_variables(what, inputs):
    for slot, given in inputs.items():
        for v in given if isinstance(given, (list, tuple)) else [given]:
            if v is not None and not isinstance(v, Variable):
                raise TypeError(f"The type of '{slot}' in {what} must be Variable, but received {type(v)}. Make one with "
                                "paddle.static.data, paddle.full or paddle.assign.")


def _untrained(block, inputs):
    """Results of what is not trained are not trained."""
    for given in inputs.values():
        for v in given if isinstance(given, (list, tuple)) else [given]:
            if v is not None and not v.stop_gradient:
                return False
    return True


def _default(is_bias):
    return initializers.Constant(0.0) if is_bias else initializers.XavierUniform()


def make_parameter(name, shape, dtype, attr, initializer, stop_gradient=False):
    """In the main program; its initialisation in the startup program."""
    shape = [int(d) for d in shape]
    main, startup = current.default_main_program(), current.default_startup_program()
    if main.global_block().has_var(name):
        return _shared(main.global_block().var(name), shape, dtype)
    kwargs = {"trainable": attr.trainable and not stop_gradient, "regularizer": attr.regularizer,
              "optimize_attr": {"learning_rate": attr.learning_rate}, "need_clip": attr.need_clip}
    start = startup.global_block().create_parameter(name, shape, dtype, **kwargs)
    initializer(start, startup.global_block())
    return main.global_block().create_parameter(name, shape, dtype, initializer=initializer, **kwargs)


def _shared(param, shape, dtype):
    if list(param.shape) != shape or param.dtype != dtype:
        raise ValueError(f"The parameter {param.name!r} is there already, with shape {list(param.shape)}; it cannot also "
                         f"have shape {shape}.")
    return param


def make_persistable(name, shape, dtype, value, stop_gradient=True):
    """A variable of both programs that is filled with a number at the start."""
    startup = current.default_startup_program().global_block()
    start = startup.create_var(name, shape, dtype, persistable=True, stop_gradient=stop_gradient)
    initializers.Constant(value)(start, startup)
    return current.default_main_program().global_block().create_var(name, shape, dtype, persistable=True,
                                                                   stop_gradient=stop_gradient)
