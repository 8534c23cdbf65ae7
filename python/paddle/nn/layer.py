# SPDX-License-Identifier: MIT
"""Layer: parameters and sub-layers by name; forward() writes operators into the current program."""
from __future__ import annotations

import collections
from typing import Any, Callable, Iterator

from .. import unique_name
from ..dtypes import to_type
from ..helper import LayerHelper, make_persistable
from ..variable import Parameter, Variable
from ..typed import DTypeLike, InitializerLike, ParamAttrLike, ShapeLike, TensorLike


class Layer:
    """The base of layers: parameters, buffers and layers within; write `forward`."""
    def __init__(self, name_scope: str | None = None, dtype: DTypeLike = "float32") -> None:
        self._full_name = unique_name.generate(name_scope or _snake(type(self).__name__))
        self._dtype = dtype
        self.training = True
        self._parameters: dict[str, Any] = collections.OrderedDict()
        self._sub_layers: dict[str, Layer] = collections.OrderedDict()
        self._buffers: dict[str, Any] = collections.OrderedDict()

    def full_name(self) -> Any:
        """Its name in the program."""
        return self._full_name

    # ---- parts

    def __setattr__(self, name, value):
        if "_parameters" not in self.__dict__ and isinstance(value, (Layer, Variable)):
            raise RuntimeError("super().__init__() must be called before parameters and layers are assigned.")
        for kind, store in ((Parameter, "_parameters"), (Layer, "_sub_layers")):
            if isinstance(value, kind):
                self.__dict__[store][name] = value
                return
        for store in ("_parameters", "_sub_layers", "_buffers"):
            if store in self.__dict__:
                self.__dict__[store].pop(name, None)
        object.__setattr__(self, name, value)

    def __getattr__(self, name):
        for store in ("_parameters", "_sub_layers", "_buffers"):
            if store in self.__dict__ and name in self.__dict__[store]:
                return self.__dict__[store][name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def create_parameter(self, shape: ShapeLike, attr: ParamAttrLike = None, dtype: DTypeLike | None = None,
                         is_bias: bool = False, default_initializer: InitializerLike = None) -> Parameter | None:
        """Makes a parameter; add_parameter or an attribute makes it the layer's."""
        helper = LayerHelper(self._full_name, self._full_name)
        return helper.create_parameter(attr, shape, dtype or self._dtype, is_bias, default_initializer)

    def add_parameter(self, name: str, parameter: Any) -> Any:
        """Makes a parameter the layer's, under a name."""
        self._parameters[name] = parameter
        return parameter

    def add_sublayer(self, name: str, sublayer: Any) -> Any:
        """Makes a layer part of this one, under a name."""
        self._sub_layers[name] = sublayer
        return sublayer

    def register_buffer(self, name: str, tensor: TensorLike, persistable: bool = True) -> None:
        """Makes a tensor part of the layer that is not trained."""
        self._buffers[name] = tensor

    def _statistic(self, value, shape, attr_name=None):
        """A persistable variable that is not trained, named like a parameter."""
        name = attr_name or unique_name.generate(f"{self._full_name}.w")
        return make_persistable(name, shape, to_type(self._dtype), value)

    def children(self) -> Any:
        """The layers right within it."""
        return iter(self._sub_layers.values())

    def named_sublayers(self, prefix: str = "", include_self: bool = False) -> Iterator:
        """All layers within it, with their names."""
        if include_self:
            yield prefix, self
        for name, layer in self._sub_layers.items():
            yield from layer.named_sublayers(f"{prefix}.{name}" if prefix else name, True)

    def sublayers(self, include_self: bool = False) -> list:
        """All layers within it."""
        return [layer for _, layer in self.named_sublayers(include_self=include_self)]

    def named_parameters(self, prefix: str = "", include_sublayers: bool = True) -> Iterator:
        """The parameters with their names."""
        for at, layer in [(prefix, self)] + (list(self.named_sublayers(prefix)) if include_sublayers else []):
            for name, parameter in layer._parameters.items():
                if parameter is not None:
                    yield (f"{at}.{name}" if at else name), parameter

    def parameters(self, include_sublayers: bool = True) -> list:
        """The parameters."""
        return [p for _, p in self.named_parameters(include_sublayers=include_sublayers)]

    def apply(self, fn: Callable) -> Layer:
        """Calls a function with it and with every layer within."""
        for layer in self.sublayers():
            fn(layer)
        fn(self)
        return self

    # ---- running

    def train(self) -> None:
        """Lets dropout and normalisations work as in training."""
        for layer in self.sublayers(include_self=True):
            layer.training = True

    def eval(self) -> None:
        """Lets dropout and normalisations work as in use."""
        for layer in self.sublayers(include_self=True):
            layer.training = False

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """What the layer computes."""
        raise NotImplementedError(f"{type(self).__name__} has no forward().")

    def __call__(self, *inputs: Any, **kwargs: Any) -> TensorLike:
        return self.forward(*inputs, **kwargs)

    def state_dict(self, destination: dict | None = None, include_sublayers: bool = True,
                   structured_name_prefix: str = "") -> Any:
        """Values of parameters and buffers, from the scope."""
        out = collections.OrderedDict() if destination is None else destination
        first = structured_name_prefix.rstrip(".")
        for at, layer in self.named_sublayers(first, include_self=True) if include_sublayers else [(first, self)]:
            for name, v in (*layer._parameters.items(), *layer._buffers.items()):
                if v is not None:
                    out[f"{at}.{name}" if at else name] = v.get_value()
        return out

    def set_state_dict(self, state_dict: dict, use_structured_name: bool = True) -> None:
        """Sets parameters and buffers from a dict by name."""
        for at, layer in self.named_sublayers(include_self=True):
            for name, v in (*layer._parameters.items(), *layer._buffers.items()):
                key = (f"{at}.{name}" if at else name) if use_structured_name else v.name
                if v is not None and key in state_dict:
                    v.set_value(state_dict[key])

    set_dict = load_dict = set_state_dict

    def __repr__(self):
        inner = ", ".join(f"{name}={layer!r}" for name, layer in self._sub_layers.items())
        return f"{type(self).__name__}({inner})"


def _snake(name):
    out = ""
    for i, c in enumerate(name):
        lower = i and (name[i - 1].islower() or (i + 1 < len(name) and name[i + 1].islower() and not name[i - 1].isdigit()))
        out += ("_" if c.isupper() and lower else "") + c.lower()
    return out
