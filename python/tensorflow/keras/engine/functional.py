# SPDX-License-Identifier: MIT
"""Functional: a model of calls of layers between inputs and outputs. Model(inputs, outputs) makes one."""
from __future__ import annotations

from typing import Any

from tensorflow.framework import nest
from tensorflow.framework.context import current
from tensorflow.framework.typed import TensorLike
from tensorflow.framework.tensors import Tensor
from tensorflow.keras.engine import calls
from tensorflow.keras.engine.base_layer import registry
from tensorflow.keras.engine.nodes import KerasTensor
from tensorflow.keras.engine.training import Model
from tensorflow.ops import array_ops, math_ops


@registry.add("Model")
class Functional(Model):
    """A model of layers between given inputs and outputs."""
    _is_functional = True

    def __init__(self, inputs: TensorLike | None = None, outputs: Any = None, name: str | None = None, trainable: bool = True,
                 **kwargs: Any) -> None:
        super().__init__(name=name or None, **kwargs)
        self._set_up(inputs, outputs)
        self._trainable = trainable  # its own: layers stay as they are

    def _set_up(self, inputs, outputs):
        self._structure_in, self._structure_out = inputs, outputs
        self.inputs, self.outputs = nest.flatten(inputs), nest.flatten(outputs)
        for t in (*self.inputs, *self.outputs):
            if not isinstance(t, KerasTensor):
                raise ValueError(f"Output tensors of a Functional model must be the output of a TensorFlow `Layer` (thus "
                                 f"holding past layer metadata). Found: {t!r}")
        self._nodes = calls.in_order(self.inputs, self.outputs)
        self._calls = calls.computed(self._nodes, self.inputs)
        self._watched, self._calls_to_watch = [], []
        layers = []
        for node in self._nodes:
            if not any(node.layer is layer for layer in layers):
                layers.append(node.layer)
        self._all_layers = layers
        self.__dict__["_layers_inside"] = list(layers)
        self.built = True
        self.input_names = [t._keras_history[0].name for t in self.inputs]
        self.output_names = [t._keras_history[0].name for t in self.outputs]

    def call(self, inputs: TensorLike, training: bool | None = None, mask: TensorLike | None = None) -> Tensor | list:
        inside, given = calls.taken(self), self._matched(inputs)
        values = {id(t): v for t, v in zip(self.inputs, given)}
        calls.run(self._calls, values, inside)
        if self._watched:
            calls.run(self._calls_to_watch, values)
        for t, then in self._watched:
            then(values[id(t)])
        return nest.map_structure(lambda t: values[id(t)], self._structure_out)

    # ---- losses and metrics of tensors between inputs and outputs

    def add_loss(self, losses: TensorLike, **kwargs: Any) -> None:
        for loss in nest.flatten(losses):
            if isinstance(loss, KerasTensor) and current.graph is None:
                self._watch(loss, self.add_loss)
            else:
                super().add_loss(loss, **kwargs)

    def add_metric(self, value: TensorLike, name: str | None = None, **kwargs: Any) -> None:
        if isinstance(value, KerasTensor) and current.graph is None:
            if name is None:
                raise ValueError("Please provide a name for your metric like `self.add_metric(tensor, "
                                 "name='mean_activation')`.")
            self._watch(value, lambda v: self.add_metric(v, name, **kwargs))
        else:
            super().add_metric(value, name, **kwargs)

    def _watch(self, tensor, then):
        """Every call computes this tensor as well, and hands it to a function."""
        self._watched.append((tensor, then))
        known = {id(n) for n in self._calls}
        nodes = calls.computed(calls.in_order(self.inputs, [*self.outputs, *[t for t, _ in self._watched]]), self.inputs)
        self._calls_to_watch = [n for n in nodes if id(n) not in known]
        for layer in (n.layer for n in self._calls_to_watch):
            if not any(layer is own for own in self._layers_inside):
                self._layers_inside.append(layer)

    def _matched(self, inputs):
        if isinstance(inputs, dict) and not isinstance(self._structure_in, dict):
            missing = [n for n in self.input_names if n not in inputs]
            if missing:
                raise ValueError(f"Missing data for input \"{missing[0]}\". You passed a data dictionary with keys "
                                 f"{sorted(inputs)}. Expected the following keys: {self.input_names}")
            flat = [inputs[n] for n in self.input_names]
        else:
            flat = nest.flatten(inputs)
        if len(flat) != len(self.inputs):
            raise ValueError(f"Layer {self.name} expects {len(self.inputs)} input(s), but it received {len(flat)} input "
                             "tensors.")
        out = []
        for t, v in zip(self.inputs, flat):
            v = v if v.dtype is t.dtype else _in_type(v, t.dtype)
            if v.shape.rank == t.shape.rank - 1 and t.shape[-1] == 1:
                v = array_ops.expand_dims(v, -1)
            elif v.shape.rank == t.shape.rank + 1 and v.shape[-1] == 1:
                v = array_ops.squeeze(v, [-1])
            if not t.shape[1:].is_compatible_with(v.shape[1:]):
                raise ValueError(f'Input 0 is incompatible with layer {self.name}: expected shape={t.shape}, found '
                                 f"shape={v.shape}")
            out.append(v)
        return out

    @property
    def input(self) -> Tensor:
        """The inputs it was made with."""
        return self._structure_in

    @property
    def output(self) -> Tensor:
        """The outputs it was made with."""
        return self._structure_out

    @property
    def layers(self) -> list:
        """All layers, those nearer to the inputs first."""
        return list(self._all_layers)

    def compute_mask(self, inputs: TensorLike, mask: TensorLike | None = None) -> None:
        return None

    # ---- configuration

    def get_config(self) -> dict:
        out: dict[str, Any] = {"name": self.name, "layers": []}
        for layer in self._all_layers:
            nodes = [n for n in layer._inbound_nodes if any(n is own for own in self._nodes)]
            own: Any = registry.serialize(layer)  # not a name alone
            out["layers"].append({"name": layer.name, **own,
                                  "inbound_nodes": [] if not nodes or not nodes[0].inputs else
                                  [self._described(n) for n in nodes]})
        for what, tensors in (("input_layers", self.inputs), ("output_layers", self.outputs)):
            out[what] = [self._place(t) for t in tensors]
        return out

    def _place(self, tensor):
        """[layer, which of its calls in this model, which of its results]"""
        layer, index, at = tensor._keras_history
        own = [n for n in layer._inbound_nodes if any(n is o for o in self._nodes)]
        return [layer.name, own.index(layer._inbound_nodes[index]), at]

    def _described(self, node):
        def put(v):
            return {"__tensor__": self._place(v)} if isinstance(v, KerasTensor) else v
        args, kwargs = nest.map_structure(put, node.args), nest.map_structure(put, node.kwargs)
        return {"args": list(args), "kwargs": kwargs}

    @classmethod
    def from_config(cls, config: dict, custom_objects: dict | None = None) -> Functional:
        made, waiting = {}, []
        tensors: dict[tuple, Any] = {}  # by layer, call and output
        for each in config["layers"]:
            layer = registry.deserialize(each, custom_objects)
            made[each["name"]] = layer
            if not each["inbound_nodes"]:
                tensors[(each["name"], 0, 0)] = layer.output
            waiting += [(each["name"], i, node) for i, node in enumerate(each["inbound_nodes"])]
        while waiting:
            left = []
            for name, i, node in waiting:
                try:
                    args, kwargs = _restored(node["args"], tensors), _restored(node["kwargs"], tensors)
                except KeyError:
                    left.append((name, i, node))
                    continue
                for at, t in enumerate(nest.flatten(made[name](*args, **kwargs))):
                    tensors[(name, i, at)] = t
            if len(left) == len(waiting):
                raise ValueError("The configuration's layers need each other in a circle.")
            waiting = left
        ins, outs = ([tensors[tuple(p)] for p in config[what]] for what in ("input_layers", "output_layers"))
        return cls(ins[0] if len(ins) == 1 else ins, outs[0] if len(outs) == 1 else outs, name=config.get("name"))


Model._functional_class = Functional


def _restored(value, tensors):
    if isinstance(value, dict) and "__tensor__" in value:
        return tensors[tuple(value["__tensor__"])]
    if isinstance(value, dict):
        return {k: _restored(v, tensors) for k, v in value.items()}
    if isinstance(value, list):
        return [_restored(v, tensors) for v in value]
    return value


def _in_type(value, dtype):
    """Data in the type of the input that gets it, with its mask."""
    out = math_ops.cast(value, dtype)
    if getattr(value, "_keras_mask", None) is not None:
        out._keras_mask = value._keras_mask
    return out
