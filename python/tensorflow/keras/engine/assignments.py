# SPDX-License-Identifier: MIT
"""Which call of a layer is in which stage of a pipeline: objects that models give and take. A nested model's calls may be in
several stages: its object holds those of the calls in it. Sequential models take lists of numbers too."""
from __future__ import annotations

from typing import Any

from tensorflow.keras.engine.calls import flat, stage_of


class _Assignment:
    """One call of a layer or model. node_index: which of its calls; None: of a Sequential model, where there is one."""
    is_nested_model = False

    def __init__(self, layer, node_index):
        self._layer, self._node_index = layer, node_index

    layer = property(lambda self: self._layer)
    node_index = property(lambda self: self._node_index)

    @property
    def node(self):
        return self._layer._inbound_nodes[self._node_index]

    @property
    def inbound_layers(self):
        layers = self.node.inbound_layers()
        return layers[0] if len(layers) == 1 else layers

    @property
    def _where(self):
        return "" if self._node_index is None else f" (node index {self._node_index})"


class _OfLayer(_Assignment):
    def __init__(self, layer, node_index, pipeline_stage):
        super().__init__(layer, node_index)
        self.pipeline_stage = pipeline_stage

    def __str__(self):
        return f"Layer: {self._layer.name}{self._where} is assigned to pipeline stage: {self.pipeline_stage}"

    def _stage(self):
        stage = self.pipeline_stage
        if stage is None:
            raise ValueError(f"The layer `{self._layer.name}` has no pipeline stage: not all layers of the model have been "
                             "assigned one.")
        return _number(stage)


class _OfModel(_Assignment):
    is_nested_model = True

    def __init__(self, nested_model, node_index, assignments):
        super().__init__(nested_model, node_index)
        self.pipeline_stage_assignments = of(nested_model) if assignments is None else list(assignments)

    nested_model = property(lambda self: self._layer)

    @property
    def pipeline_stage(self):
        """The stage of all that is in the model, None if there are several. Setting it assigns all of it."""
        found = {a.pipeline_stage for a in self.pipeline_stage_assignments}
        return found.pop() if len(found) == 1 else None

    @pipeline_stage.setter
    def pipeline_stage(self, value):
        for assignment in self.pipeline_stage_assignments:
            assignment.pipeline_stage = value

    def __str__(self):
        inside = "\n".join(f"  {line}" for a in self.pipeline_stage_assignments for line in str(a).split("\n"))
        return f"Nested model: {self._layer.name}{self._where} has its own pipeline stage assignments:\n{inside}"

    def _stage(self):
        return _stages(self._layer, self.pipeline_stage_assignments)


class ModelLayerPipelineStageAssignment(_OfLayer):
    """The stage of one call of a layer."""
    def __init__(self, layer: Any, node_index: int, pipeline_stage: int | None = None) -> None:
        super().__init__(layer, node_index, pipeline_stage)


class FunctionalLayerPipelineStageAssignment(ModelLayerPipelineStageAssignment):
    """The stage of one call of a layer of a functional model."""
    pass


class SequentialLayerPipelineStageAssignment(_OfLayer):
    """The stage of a layer of a Sequential."""
    def __init__(self, layer: Any, pipeline_stage: int | None = None) -> None:
        super().__init__(layer, None, pipeline_stage)


class NestedModelPipelineStageAssignment(_OfModel):
    """The stages of the layers of one call of a model within a model."""
    def __init__(self, nested_model: Any, node_index: int, pipeline_stage_assignments: list | None = None) -> None:
        super().__init__(nested_model, node_index, pipeline_stage_assignments)


class FunctionalNestedModelPipelineStageAssignment(NestedModelPipelineStageAssignment):
    """The stages of the layers of one call of a model within a functional model."""
    pass


class SequentialNestedModelPipelineStageAssignment(_OfModel):
    """The stages of the layers of a model within a Sequential."""
    def __init__(self, nested_model: Any, pipeline_stage_assignments: list | None = None) -> None:
        super().__init__(nested_model, None, pipeline_stage_assignments)


def is_nested_model(layer: Any) -> bool:
    """Whether a layer of a model is a model itself, whose calls have stages of their own."""
    return getattr(layer, "_is_model", False)


def nodes_of(model):
    """Calls of layers that compute something, in order. Those of a subclassed model are found by a trace."""
    return model._calls if "_calls" in model.__dict__ else model._traced().nodes


# ---- what a model has

def of(model, given=None):
    """given: what the model around says of this call: a stage or a list of them."""
    if model._is_sequential:
        found = [(layer, _stage_in(model, layer)) for layer in model.layers]
        return [_made(layer, _at(given, i, stage), SequentialLayerPipelineStageAssignment,
                      SequentialNestedModelPipelineStageAssignment) for i, (layer, stage) in enumerate(found)]
    kinds = (FunctionalLayerPipelineStageAssignment, FunctionalNestedModelPipelineStageAssignment) \
        if "_calls" in model.__dict__ else (ModelLayerPipelineStageAssignment, NestedModelPipelineStageAssignment)
    return [_made(n.layer, _at(given, i, stage_of(n)), *kinds, n.layer._inbound_nodes.index(n))
            for i, n in enumerate(nodes_of(model))]


def _at(given, i, own):
    return given[i] if isinstance(given, list) else own if given is None else given


def _made(layer, stage, of_layer, of_model, *index):
    return of_model(layer, *index, of(layer, stage)) if is_nested_model(layer) else of_layer(layer, *index, stage)


def _stage_in(model, layer):
    for node in getattr(model, "_calls", ()):
        if node.layer is layer and node.stage is not None:
            return node.stage
    return layer._stage


# ---- what a model gets

def apply(model, wanted):
    stages = _stages(model, wanted)
    numbers = sorted(set(flat(stages)))
    if numbers != list(range(len(numbers))):
        raise ValueError("Pipeline stages in the assignment need to be strictly increasing from 0 without gaps, not "
                         f"{numbers}.")
    if not model._is_sequential:
        for node, stage in zip(nodes_of(model), stages):
            node.stage = stage
        return
    for layer, stage in zip(model.layers, stages):
        layer._stage = stage
        for node in layer._inbound_nodes:
            node.stage = stage


def _stages(model, wanted):
    """A stage for each call in a model, lists of them for nested models."""
    return _of_sequential(model, wanted) if model._is_sequential else _of_calls(model, wanted)


def _number(stage):
    if not isinstance(stage, int) or isinstance(stage, bool):
        raise ValueError(f"All pipeline stage assignments must be integers, not {stage!r}.")
    if stage < 0:
        raise ValueError(f"A pipeline stage is a number from 0 on, not {stage}.")
    return stage


def _of_sequential(model, wanted):
    layers = model.layers
    if len(wanted) != len(layers):
        raise ValueError(f"The size of the provided pipeline stage assignment ({len(wanted)}) does not match the total "
                         f"number of layers in the model `{model.name}` (currently {len(layers)}).")
    stages, before = [], 0
    for layer, given in zip(layers, wanted):
        if isinstance(given, _Assignment) and given.layer is not layer:
            raise ValueError(f"The pipeline stage assignment has the layer `{given.layer.name}` where the model "
                             f"`{model.name}` has `{layer.name}`: give them in the order of the layers.")
        stage = given._stage() if isinstance(given, _Assignment) else _number(given)
        if flat(stage) and flat(stage)[0] < before:
            raise ValueError(f"Pipeline stages of a Sequential model must not go back: {flat(stages + [stage])}.")
        before = flat(stage)[-1] if flat(stage) else before
        stages.append(stage)
    return stages


def _of_calls(model, wanted):
    nodes = nodes_of(model)
    if len(wanted) != len(nodes):
        raise ValueError(f"The size of the provided pipeline stage assignment ({len(wanted)}) does not match the total "
                         f"number of invocations of layers in the model `{model.name}` (currently {len(nodes)}).")
    found = {}
    for given in wanted:
        if not isinstance(given, _Assignment) or given.node_index is None:
            raise ValueError(f"Expected an assignment object of get_pipeline_stage_assignment(), found {given!r}.")
        found[id(given.node)] = given._stage()
    for node in nodes:
        if id(node) not in found:
            raise ValueError(f"The pipeline stage assignment has no entry for call {node.layer._inbound_nodes.index(node)} of "
                             f"the layer `{node.layer.name}` of the model `{model.name}`.")
    return [found[id(node)] for node in nodes]


def reset(model):
    for layer in model._flatten_layers():
        layer._stage = None
        for node in layer._assigned_calls() if is_nested_model(layer) else ():
            node.stage = None


# ---- shown

def summary(model, line_length=None, print_fn=None):
    show = print_fn or print
    line_length = line_length or 89
    at = [int(line_length * p) for p in (0.45, 0.82, 1.0)]

    def row(*fields):
        line = ""
        for end, field in zip(at, fields):
            line = (line + str(field))[:end - 1].ljust(end)
        show(line)

    show(f'Model: "{model.name}"')
    show("_" * line_length)
    row("Layer (type) (node index)", "Input Layers", "Pipeline Stage")
    show("=" * line_length)
    for prefix, assignment in _rows(of(model)):
        layer, index = assignment.layer, assignment.node_index or 0
        inputs = ", ".join(n.name for n in layer._inbound_nodes[index].inbound_layers()) if layer._inbound_nodes else ""
        stage = "" if assignment.is_nested_model else assignment.pipeline_stage
        row(f"{prefix}{layer.name} ({type(layer).__name__}) ({index})", inputs, stage)
        show("_" * line_length)


def _rows(assignments, prefix=""):
    """Every assignment, and behind that of a nested model those of its layers."""
    for assignment in assignments:
        yield prefix, assignment
        if assignment.is_nested_model:
            yield from _rows(assignment.pipeline_stage_assignments, f"{prefix}{assignment.layer.name}/")
