# SPDX-License-Identifier: MIT
"""Layers around a layer: TimeDistributed (every step by itself), Bidirectional (a sequence from both ends)."""
from __future__ import annotations

from typing import Any

from tensorflow.framework import nest
from tensorflow.framework.typed import TensorLike
from tensorflow.framework.tensors import Tensor
from tensorflow.keras.engine.base_layer import Layer, registry
from tensorflow.ops import array_ops, math_ops

__all__ = ["Wrapper", "TimeDistributed", "Bidirectional"]


class Wrapper(Layer):
    """The base of layers around another layer."""
    def __init__(self, layer: Any, **kwargs: Any) -> None:
        if not isinstance(layer, Layer):
            raise ValueError(f"Please initialize `{type(self).__name__}` layer with a `Layer` instance. You passed: {layer}")
        super().__init__(**kwargs)
        self.layer = layer

    def get_config(self) -> dict:
        return {**super().get_config(), "layer": registry.serialize(self.layer)}

    @classmethod
    def from_config(cls, config: dict, custom_objects: dict | None = None) -> Any:
        config = dict(config)
        return cls(registry.deserialize(config.pop("layer"), custom_objects), **config)


class TimeDistributed(Wrapper):
    """The layer on every step of [batch, time, ...]: time becomes part of the batch."""

    def __init__(self, layer: Any, **kwargs: Any) -> None:
        super().__init__(layer, **kwargs)
        self.supports_masking = True

    def call(self, inputs: TensorLike, training: bool | None = None, mask: TensorLike | None = None) -> Tensor:
        if inputs.shape.rank < 3:
            raise ValueError("`TimeDistributed` Layer should be passed an `input_shape` with at least 3 dimensions, "
                             f"received: {inputs.shape}")
        rows = array_ops.reshape(inputs, [-1, *inputs.shape[2:]])
        arguments = {"training": training} if self.layer._parameters[0] else {}
        made = self.layer(rows, **arguments)
        front = array_ops.dims(inputs)[:2]
        return nest.map_structure(lambda t: array_ops.reshape(t, [*front, *t.shape[1:]]), made)


_MERGES = {"sum": math_ops.add, "mul": math_ops.multiply}


class Bidirectional(Wrapper):
    """merge_mode: "concat", "sum", "mul", "ave", or None: both."""

    def __init__(self, layer: Any, merge_mode: str = "concat", weights: TensorLike | None = None, backward_layer: Any = None,
                 **kwargs: Any) -> None:
        if merge_mode not in ("sum", "mul", "ave", "concat", None):
            raise ValueError("Invalid merge mode. Merge mode should be one of {\"sum\", \"mul\", \"ave\", \"concat\", None}")
        if "_forward" in kwargs:
            kwargs.pop("_forward")
        super().__init__(layer, **kwargs)
        self.__dict__["_layers_inside"] = []  # copies are, not the layer
        self.forward_layer = self._copy(layer, {"name": "forward_" + layer.name})
        if backward_layer is None:
            changed = {"go_backwards": not layer.go_backwards, "name": "backward_" + layer.name}
            self.backward_layer = self._copy(layer, changed)
        else:
            if backward_layer.go_backwards == layer.go_backwards:
                raise ValueError("Forward layer and backward layer should have different `go_backwards` value.")
            self.backward_layer = backward_layer
        for name in ("stateful", "return_sequences", "return_state"):
            if getattr(self.backward_layer, name) != getattr(layer, name):
                raise ValueError(f"Forward layer and backward layer are expected to have the same value for attribute {name}")
        self.merge_mode, self._given_backward = merge_mode, backward_layer is not None
        self.return_sequences, self.return_state = layer.return_sequences, layer.return_state
        self.supports_masking = True
        self._initial_weights = weights

    @staticmethod
    def _copy(layer, changes):
        return type(layer).from_config({**layer.get_config(), **changes})

    def __call__(self, inputs: TensorLike, initial_state: TensorLike | None = None, *args: Any, **kwargs: Any) -> Any:
        if isinstance(inputs, (list, tuple)) and initial_state is None and len(inputs) > 1:
            inputs, initial_state = inputs[0], list(inputs[1:])
        if initial_state is not None:
            kwargs["initial_state"] = list(initial_state)
        return super().__call__(inputs, *args, **kwargs)

    def call(self, inputs: TensorLike, training: bool | None = None, mask: TensorLike | None = None,
             initial_state: TensorLike | None = None) -> Any:
        states = [{}, {}]
        if initial_state is not None:
            half = len(initial_state) // 2
            if len(initial_state) % 2:
                raise ValueError("When passing `initial_state` to a Bidirectional RNN, the state should be a list containing "
                                 "the states of the underlying RNNs.")
            states = [{"initial_state": initial_state[:half]}, {"initial_state": initial_state[half:]}]
        made = [layer(inputs, training=training, **({} if mask is None else {"mask": mask}), **own)
                for layer, own in zip((self.forward_layer, self.backward_layer), states)]
        last = []
        if self.return_state:
            last = [*made[0][1:], *made[1][1:]]
            made = [made[0][0], made[1][0]]
        forward, backward = made
        if self.return_sequences:
            backward = array_ops.reverse(backward, [0 if getattr(self.forward_layer, "time_major", False) else 1])
        out = self._merged(forward, backward)
        if not last:
            return out
        return [*out, *last] if isinstance(out, list) else [out, *last]

    def _merged(self, a, b):
        if self.merge_mode == "concat":
            return array_ops.concat([a, b], -1)
        if self.merge_mode == "ave":
            return math_ops.multiply(math_ops.add(a, b), 0.5)
        return [a, b] if self.merge_mode is None else _MERGES[self.merge_mode](a, b)

    def compute_mask(self, inputs: TensorLike, mask: TensorLike | None = None) -> Any:
        mask = nest.flatten(mask)[0] if self.return_sequences and mask is not None else None
        first = [mask, mask] if self.merge_mode is None else [mask]
        if self.return_state:
            return first + [None] * 2 * len(self.forward_layer._sizes)
        return first if self.merge_mode is None else mask

    def reset_states(self) -> None:
        """Sets the states of both directions to zero."""
        self.forward_layer.reset_states()
        self.backward_layer.reset_states()

    def get_config(self) -> dict:
        out = {**super().get_config(), "merge_mode": self.merge_mode}
        if self._given_backward:
            out["backward_layer"] = registry.serialize(self.backward_layer)
        return out

    @classmethod
    def from_config(cls, config: dict, custom_objects: dict | None = None) -> Any:
        config = dict(config)
        if config.get("backward_layer") is not None:
            config["backward_layer"] = registry.deserialize(config["backward_layer"], custom_objects)
        return super().from_config(config, custom_objects)
