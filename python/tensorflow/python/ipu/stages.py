# SPDX-License-Identifier: MIT
"""Pipelines of Keras models: which stage every layer is in, and on which IPU every stage runs."""
import popart

from tensorflow.keras.engine.calls import flat
from tensorflow.ops.placement import OF_PIPELINES, Placement
from tensorflow.python.ipu import system
from tensorflow.python.ipu.ops.pipelining_ops import PipelineSchedule


class Pipeline:
    def __init__(self, count, mapping=None, schedule=PipelineSchedule.Grouped, placement=None):
        self.count = count
        self.mapping = list(range(count)) if mapping is None else list(mapping)
        if len(self.mapping) != count:
            raise ValueError(f"device_mapping has {len(self.mapping)} entries; the model has {count} pipeline stages.")
        self.schedule = PipelineSchedule(schedule)
        self.placement = placement or Placement({})

    @property
    def ipus(self):
        return max(self.mapping) + 1

    @property
    def overlaps(self):
        return self.schedule is not PipelineSchedule.Sequential

    def check(self, count):
        times = {PipelineSchedule.Grouped: 2 * self.count, PipelineSchedule.Interleaved: self.count}.get(self.schedule, 1)
        if count % times:
            raise ValueError(f"The pipeline's gradient accumulation count ({count}) must be divisible by {times}: "
                             f"{'twice ' if self.schedule is PipelineSchedule.Grouped else ''}the number of pipeline stages "
                             f"({self.count}) with PipelineSchedule.{self.schedule.name}.")

    def adapt(self, options, training):
        options.virtualGraphMode = popart.VirtualGraphMode.Manual
        if not self.overlaps:
            return
        options.enablePipelining = True
        if training and system.value("allow_recompute"):
            options.autoRecomputation = self.placement.recomputation


def of(model):
    """The pipeline of a model, or None."""
    assigned = sorted(stages_of(model))
    if not assigned:
        return None
    count = assigned[-1] + 1
    if assigned != list(range(count)):
        raise ValueError(f"Pipeline stages must be numbered from 0 without gaps, not {assigned}.")
    if count < 2:
        return None
    options = model._pipelining
    return Pipeline(count, options.get("device_mapping"), options.get("pipeline_schedule") or PipelineSchedule.Grouped,
                    Placement({k: v for k, v in options.items() if k in OF_PIPELINES}))


def stages_of(model):
    """All stage numbers that are assigned in a model."""
    found = {number for node in model._assigned_calls() for number in flat(node.stage)}
    for layer in model._flatten_layers():
        found |= {*flat(layer._stage), *getattr(layer, "_stages_called", ())}
        found |= {number for node in getattr(layer, "_calls", ()) for number in flat(node.stage)}
    return found
