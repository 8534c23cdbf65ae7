# SPDX-License-Identifier: MIT
"""Which layer is in which stage of a pipeline: lists of ints for Sequential models, objects for others."""


class ModelLayerPipelineStageAssignment:
    """One call of a layer. node_index: which call."""

    def __init__(self, layer, node_index, pipeline_stage=None):
        self._layer, self._node_index, self._pipeline_stage = layer, node_index, pipeline_stage

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
    def pipeline_stage(self):
        return self._pipeline_stage

    @pipeline_stage.setter
    def pipeline_stage(self, value):
        self._pipeline_stage = value

    def __str__(self):
        return (f"Layer: {self._layer.name} (node index {self._node_index}) is assigned to pipeline stage: "
                f"{self._pipeline_stage}")


class FunctionalLayerPipelineStageAssignment(ModelLayerPipelineStageAssignment):
    pass


class SequentialLayerPipelineStageAssignment:
    def __init__(self, layer, pipeline_stage=None):
        self._layer, self.pipeline_stage = layer, pipeline_stage

    layer = property(lambda self: self._layer)

    def __str__(self):
        return f"Layer: {self._layer.name} is assigned to pipeline stage: {self.pipeline_stage}"


class NestedModelPipelineStageAssignment:
    def __init__(self, nested_model, node_index, pipeline_stage_assignments=None):
        self._model, self._node_index = nested_model, node_index
        self.pipeline_stage_assignments = pipeline_stage_assignments or []

    nested_model = property(lambda self: self._model)
    node_index = property(lambda self: self._node_index)


class FunctionalNestedModelPipelineStageAssignment(NestedModelPipelineStageAssignment):
    pass


class SequentialNestedModelPipelineStageAssignment(NestedModelPipelineStageAssignment):
    def __init__(self, nested_model, pipeline_stage_assignments=None):
        super().__init__(nested_model, 0, pipeline_stage_assignments)


def _nodes(model):
    """Calls of layers that compute something, in order."""
    from tensorflow.keras.layers.core import InputLayer
    nodes = getattr(model, "_nodes", None)
    if nodes is None:
        raise RuntimeError(f"The model `{model.name}` has no calls of layers to assign: build it first, or use "
                           "PipelineStage in call().")
    return [n for n in nodes if not isinstance(n.layer, InputLayer)]


def of(model):
    if _is_sequential(model):
        return [SequentialLayerPipelineStageAssignment(layer, _stage_of(model, layer)) for layer in model.layers]
    return [FunctionalLayerPipelineStageAssignment(n.layer, n.layer._inbound_nodes.index(n),
                                                   n.stage if n.stage is not None else n.layer._stage)
            for n in _nodes(model)]


def _is_sequential(model):
    from tensorflow.keras.engine.sequential import Sequential
    return isinstance(model, Sequential)


def _stage_of(model, layer):
    for node in getattr(model, "_nodes", ()):
        if node.layer is layer and node.stage is not None:
            return node.stage
    return layer._stage


def apply(model, wanted):
    if _is_sequential(model):
        _apply_list(model, wanted)
    else:
        _apply_objects(model, wanted)
    stages = sorted({s for s in _numbers(model)})
    if stages != list(range(len(stages))):
        raise ValueError(f"Pipeline stages in the assignment need to be strictly increasing from 0 without gaps, not "
                         f"{stages}.")


def _numbers(model):
    return [a.pipeline_stage for a in of(model) if a.pipeline_stage is not None]


def _apply_list(model, wanted):
    layers = model.layers
    numbers = [getattr(w, "pipeline_stage", w) for w in wanted]
    if len(numbers) != len(layers):
        raise ValueError(f"The size of the provided pipeline stage assignment ({len(numbers)}) does not match the total "
                         f"number of layers in the model `{model.name}` (currently {len(layers)}).")
    before = 0
    for number in numbers:
        if not isinstance(number, int) or isinstance(number, bool):
            raise ValueError(f"All pipeline stage assignments must be integers, not {number!r}.")
        if number < before:
            raise ValueError(f"Pipeline stages of a Sequential model must not go back: {numbers}.")
        before = number
    for layer, number in zip(layers, numbers):
        layer._stage = number
        for node in layer._inbound_nodes:
            node.stage = number


def _apply_objects(model, wanted):
    nodes = _nodes(model)
    if len(wanted) != len(nodes):
        raise ValueError(f"The size of the provided pipeline stage assignment ({len(wanted)}) does not match the total "
                         f"number of invocations of layers in the model `{model.name}` (currently {len(nodes)}).")
    for assignment in wanted:
        if not isinstance(assignment, ModelLayerPipelineStageAssignment):
            raise ValueError(f"Expected an assignment object of get_pipeline_stage_assignment(), found {assignment!r}.")
        if assignment.pipeline_stage is None:
            raise ValueError(f"The layer `{assignment.layer.name}` has no pipeline stage.")
        assignment.node.stage = assignment.pipeline_stage


def reset(model):
    for node in getattr(model, "_nodes", ()):
        node.stage = None
    for layer in model._flatten_layers():
        layer._stage = None


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
    for assignment in of(model):
        layer = assignment.layer
        index = getattr(assignment, "node_index", 0)
        inputs = ", ".join(n.name for n in layer._inbound_nodes[index].inbound_layers()) if layer._inbound_nodes else ""
        row(f"{layer.name} ({type(layer).__name__}) ({index})", inputs, assignment.pipeline_stage)
        show("_" * line_length)
