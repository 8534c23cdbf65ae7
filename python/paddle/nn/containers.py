# SPDX-License-Identifier: MIT
"""Layers that hold others."""
from __future__ import annotations

from typing import Any, Sequence

from .layer import Layer
from ..typed import TensorLike


class _Listed(Layer):
    def __getitem__(self, i):
        return list(self._sub_layers.values())[i]

    def __len__(self):
        return len(self._sub_layers)


class Sequential(_Listed):
    """One after the other."""

    def __init__(self, *layers: Any) -> None:
        super().__init__()
        for i, layer in enumerate(layers):
            name, layer = layer if isinstance(layer, (tuple, list)) else (str(i), layer)
            self.add_sublayer(name, layer)

    def forward(self, x: TensorLike) -> TensorLike:
        """Each layer takes what the one before gives."""
        for layer in self._sub_layers.values():
            x = layer(x)
        return x


class LayerList(_Listed):
    """A list of layers, whose parameters are the model's."""
    def __init__(self, sublayers: Any = None) -> None:
        super().__init__()
        self.extend(sublayers or [])

    def append(self, layer: Any) -> LayerList:
        """Adds a layer at the end."""
        self.add_sublayer(str(len(self)), layer)
        return self

    def extend(self, layers: Sequence) -> LayerList:
        """Adds several layers at the end."""
        for layer in layers:
            self.append(layer)
        return self

    def __iter__(self):
        return iter(self._sub_layers.values())


class LayerDict(Layer):
    """Layers by name, whose parameters are the model's."""

    def __init__(self, sublayers: Any = None) -> None:
        super().__init__()
        self.update(sublayers or {})

    def update(self, sublayers: Any) -> None:
        """Adds layers of a dict, or of pairs."""
        for name, layer in sublayers.items() if hasattr(sublayers, "items") else sublayers:
            self.add_sublayer(name, layer)

    def __getitem__(self, key):
        return self._sub_layers[key]

    def __setitem__(self, key, layer):
        self.add_sublayer(key, layer)

    def __delitem__(self, key):
        del self._sub_layers[key]

    def __contains__(self, key):
        return key in self._sub_layers

    def __iter__(self):
        return iter(self._sub_layers)

    def __len__(self):
        return len(self._sub_layers)

    def keys(self) -> Any:
        """The names."""
        return self._sub_layers.keys()

    def values(self) -> Any:
        """The layers."""
        return self._sub_layers.values()

    def items(self) -> Any:
        """Names and layers."""
        return self._sub_layers.items()

    def pop(self, key: str) -> Any:
        """Takes a layer out."""
        return self._sub_layers.pop(key)

    def clear(self) -> None:
        """Takes all layers out."""
        self._sub_layers.clear()


class ParameterList(Layer):
    """A list of parameters of the model."""
    def __init__(self, parameters: Sequence | None = None) -> None:
        super().__init__()
        for i, parameter in enumerate(parameters or []):
            self.add_parameter(str(i), parameter)

    def __getitem__(self, i):
        return list(self._parameters.values())[i]

    def __len__(self):
        return len(self._parameters)

    def __iter__(self):
        return iter(self._parameters.values())
