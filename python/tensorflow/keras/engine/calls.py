# SPDX-License-Identifier: MIT
"""Calls of layers between inputs and outputs: their order, and running them with the stages of a pipeline.

A stage is a number; of a nested model's call it may be a list, with a stage for each call in that model, in order.
"""
from tensorflow.framework import nest
from tensorflow.framework.context import eagerly, placed
from tensorflow.keras import backend
from tensorflow.keras.engine.input_layer import Input
from tensorflow.keras.engine.nodes import KerasTensor


def in_order(inputs, outputs):
    """Nodes, each behind those that it needs; inputs first."""
    done, order, given = set(), [], {id(t) for t in inputs}
    for start in (*inputs, *outputs):
        stack = [(start, False)]
        while stack:
            tensor, expanded = stack.pop()
            node = tensor.node
            if id(node) in done:
                continue
            if expanded:
                done.add(id(node))
                order.append(node)
                continue
            stack.append((tensor, True))
            if id(tensor) in given:
                continue
            if not node.inputs:
                raise ValueError(f"Graph disconnected: cannot obtain value for tensor {tensor!r} at layer "
                                 f"\"{node.layer.name}\". It is not among the inputs of the model.")
            stack.extend((t, False) for t in reversed(node.inputs))
    return order


def computed(nodes, inputs):
    """Those that are run when the inputs are there."""
    given = {id(t) for t in inputs}
    return [n for n in nodes if not any(id(t) in given for t in nest.flatten(n.outputs))]


def run(nodes, values, inside=None):
    """values: by the id of a KerasTensor. inside: stages that the model around gives this call; else they are the nodes'."""
    stage = None  # a layer without one is in that of the layer before it
    for i, node in enumerate(nodes):
        own = inside[i] if isinstance(inside, list) else inside if inside is not None else stage_of(node)
        stage = last(own) if own is not None else stage
        where = {name: value for name, value in (("stage", stage), ("shard", node.shard)) if value is not None}
        backend.call.inside = None if own is None else (node.layer, own)
        with placed(**where):
            made = node.run(values)
        backend.call.inside = None
        for t, v in zip(nest.flatten(node.outputs), nest.flatten(made)):
            values[id(t)] = v
    return values


def taken(model):
    """The stages that the call around has for this call of a model."""
    given, backend.call.inside = backend.call.inside, None
    return given[1] if given is not None and given[0] is model else None


def stage_of(node):
    return node.stage if node.stage is not None else node.layer._stage


def last(stage):
    return flat(stage)[-1]


def flat(stage):
    """All numbers of a stage that may be a list."""
    return [n for each in stage for n in flat(each)] if isinstance(stage, list) else [] if stage is None else [stage]


class Traced:
    """The calls that a subclassed model's call() makes, found by calling it with symbolic tensors."""

    def __init__(self, model, training=None):
        specs = model.__dict__.get("_called_with")
        if specs is None:
            raise RuntimeError(f"The model `{model.name}` has no calls of layers to assign yet: build it first, with "
                               "model.build(input_shape) or by calling it.")
        with eagerly(), _outside_of_stages():
            given = nest.map_structure(lambda t: Input(batch_shape=tuple(t.shape), dtype=t.dtype), specs)
            made = model.call(*given, **({"training": training} if model._parameters[0] else {}))
        self.inputs, self.outputs = nest.flatten(given), made
        for t in nest.flatten(made):
            if not isinstance(t, KerasTensor):
                raise RuntimeError(f"call() of the model `{model.name}` returned {t!r} for symbolic tensors. Pipeline stages "
                                   "are given to calls of layers and operations on tensors that call() returns.")
        self.nodes = computed(in_order(self.inputs, nest.flatten(made)), self.inputs)

    def require_same(self, other, model):
        """Stages were given to the calls of one mode; they are those of another if it makes the same calls."""
        own, wanted = ([(type(n.layer).__name__, n.layer if type(n.layer).__name__ != "OperationLayer" else n.layer._op)
                        for n in traced.nodes] for traced in (self, other))
        if own != wanted:
            raise RuntimeError(f"call() of the model `{model.name}` makes other calls in training than elsewhere, so that its "
                               "pipeline stages cannot be assigned: use keras.ipu.PipelineStage in call() instead.")

    def run(self, args, inside=None):
        values = {id(t): v for t, v in zip(self.inputs, nest.flatten(args))}
        run(self.nodes, values, inside)
        return nest.map_structure(lambda t: values[id(t)], self.outputs)


class _outside_of_stages:
    """A trace does not begin in a stage that is open around it, nor in a mode of training."""

    def __enter__(self):
        self._before = backend.call.stage, backend.call.training
        backend.call.stage = backend.call.training = None

    def __exit__(self, *_):
        backend.call.stage, backend.call.training = self._before
