# SPDX-License-Identifier: MIT
"""pipeline: functions, one for each stage, that batches pass through one after the other."""
from __future__ import annotations

from typing import Any, Callable, Sequence

from tensorflow.framework import logs, nest
from tensorflow.framework.context import placed
from tensorflow.framework.dispatch import apply
from tensorflow.framework.operations import Operation
from tensorflow.framework.tensors import Tensor, convert_to_tensor
from tensorflow.framework.typed import TensorLike
from tensorflow.ops.marks import recomputation_checkpoint  # noqa: F401
from tensorflow.ops.placement import GradientAccumulationReductionMethod
from tensorflow.ops.placement import PipelineSchedule, RecomputationMode  # noqa: F401
from tensorflow.ops.placement import OF_PIPELINES as _OF_PIPELINES
from tensorflow.ops.placement import PIPELINES_WITHOUT_EFFECT as _WITHOUT_EFFECT
from tensorflow.ops.placement import Placement as _Placement
from tensorflow.python.ipu.ipu_infeed_queue import queue_of as _queue_of
from tensorflow.python.ipu.optimizers import _rule_of
from tensorflow.python.ipu.programs import program as _program

ALL_DEVICES = -1  # in a device_mapping: of a stage of several functions, one on each IPU


class PipelineStageOptions:
    """Options of Poplar for a stage: stages share those of IPUConfig, so that giving these is told to have no effect."""

    def __init__(self, convolution_options: Any = None, matmul_options: Any = None, slice_options: Any = None) -> None:
        self.convolution_options, self.matmul_options = convolution_options or {}, matmul_options or {}
        self.slice_options = slice_options or {}

    def __repr__(self):
        return f"PipelineStageOptions({self.convolution_options}, {self.matmul_options}, {self.slice_options})"


class OptimizerFunctionOutput:
    """What trains a pipeline: an optimiser and the loss; variables: those that it trains, all without it. The outfeed gets the
    gradients of what stages marked in the context, by tag, for every batch."""

    def __init__(self, opt: Any, loss: TensorLike | None, compute_gradients_args: Any = None,
                 compute_gradients_kwargs: Any = None, apply_gradients_args: Any = None,
                 apply_gradients_kwargs: dict | None = None, variables: Sequence | None = None, tape: Any = None,
                 gradient_capture_context: Any = None, captured_gradient_outfeed: Any = None) -> None:
        for value, what in ((compute_gradients_args, "compute_gradients_args"),
                            (compute_gradients_kwargs, "compute_gradients_kwargs"),
                            (apply_gradients_args, "apply_gradients_args"),
                            (apply_gradients_kwargs, "apply_gradients_kwargs")):
            if value:
                raise NotImplementedError(f"OptimizerFunctionOutput(..., {what}=...) is not there; docs/tensorflow.md lists "
                                          "what is.")
        if (gradient_capture_context is None) is not (captured_gradient_outfeed is None):
            raise ValueError("gradient_capture_context and captured_gradient_outfeed belong together: the outfeed gets the "
                             "gradients that the context captures.")
        self.opt, self.loss, self.variables = opt, loss, variables
        self.captures, self.captured = gradient_capture_context, captured_gradient_outfeed


def pipeline(computational_stages: Sequence, gradient_accumulation_count: int | None = None,
             gradient_accumulation_dtype: Any = None, repeat_count: int = 1, batch_serialization_iterations: int = 1,
             inputs: TensorLike | None = None, infeed_queue: Any = None, outfeed_queue: Any = None,
             optimizer_function: Callable | None = None, device_mapping: Sequence | None = None,
             pipeline_schedule: PipelineSchedule | None = None, recomputation_mode: Any = None,
             forward_propagation_stages_poplar_options: Any = None, backward_propagation_stages_poplar_options: Any = None,
             weight_update_poplar_options: Any = None, offload_weight_update_variables: Any = None,
             replicated_optimizer_state_sharding: bool = False, offload_activations: Any = None,
             offload_gradient_accumulation_buffers: Any = None, replicated_weight_sharding: Any = None,
             offload_weights: Any = None, continuous_weight_updates: bool = False, outfeed_loss: bool = False,
             accumulate_outfeed: bool = False, accumulate_outfeed_dtype: Any = None, outfeed_mask: Any = None,
             reduction_method: GradientAccumulationReductionMethod = GradientAccumulationReductionMethod.SUM,
             name: str | None = None, pipeline_depth: Any = None) -> Operation:
    """In a compiled function: count x repeat_count batches, the weights change after every `count` of them. A stage that is a
    list of functions is computed side by side: each gets what the stage gets, on an IPU of its own, and the next stage gets
    the results of all, one after the other."""
    graph = _program()
    if graph is None:
        raise RuntimeError("pipelining_ops.pipeline belongs into a function that ipu_compiler.compile compiles, outside of "
                           "its loops.")
    count = gradient_accumulation_count if gradient_accumulation_count is not None else pipeline_depth
    count = int(count or 1)
    stages = len(computational_stages)
    schedule = PipelineSchedule(pipeline_schedule if pipeline_schedule is not None else PipelineSchedule.Grouped)
    _check(stages, count, schedule, device_mapping, optimizer_function, outfeed_queue, outfeed_loss)
    for given, what in ((continuous_weight_updates, "continuous_weight_updates"),
                        (batch_serialization_iterations != 1, "batch_serialization_iterations")):
        if given:
            raise NotImplementedError(f"pipeline(..., {what}=...) is not there; docs/tensorflow.md lists what is.")
    own = locals()
    logs.without_effect(**{name: own[name] for name in _WITHOUT_EFFECT})
    graph.placement = _Placement({name: own[name] for name in _OF_PIPELINES} if optimizer_function is not None else {})
    if offload_weight_update_variables and optimizer_function is None:
        logs.info("offload_weight_update_variables will have no effect since this pipeline is in inference.")
    functions = _side_by_side(computational_stages, device_mapping)
    graph.mapping = [ipu for group in functions for _, ipu in group]
    graph.pipelined = schedule is not PipelineSchedule.Sequential
    graph.rounds = repeat_count if optimizer_function is not None else repeat_count * count
    values = [convert_to_tensor(t) for t in nest.flatten(inputs or [])]
    with placed(stage=0):
        elements = [] if infeed_queue is None else _queue_of(infeed_queue).dequeue_in(graph)
    kwargs = elements if isinstance(elements, dict) else {}
    values += [] if isinstance(elements, dict) else nest.flatten(elements)
    first = 0
    for group in functions:
        last = _stage([f for f, _ in group], first, values, kwargs)
        kwargs, first = {}, first + len(group)
        values = [] if last is None else [v for v in nest.flatten(last) if isinstance(v, Tensor)]
    with placed(stage=first - 1):
        return _end(graph, _unmasked(last, outfeed_mask), values, count, optimizer_function, outfeed_queue, outfeed_loss,
                    GradientAccumulationReductionMethod.parse(reduction_method), accumulate_outfeed)


def _side_by_side(stages, mapping):
    """[[(function, IPU)]] of every stage. PopART has one IPU for each of its stages, so that each function is one of them."""
    out = []
    for i, stage in enumerate(stages):
        functions = list(stage) if isinstance(stage, (list, tuple)) else [stage]
        ipus = i if mapping is None else mapping[i]
        if functions == [stage]:
            if not isinstance(ipus, int) or ipus < 0:
                raise ValueError(f"Stage {i} of the pipeline is one function; its entry of device_mapping is {ipus}.")
            ipus = [ipus]
        elif mapping is None or ipus == ALL_DEVICES:
            ipus = list(range(len(functions)))
        elif not isinstance(ipus, (list, tuple)) or len(ipus) != len(functions) or len(set(ipus)) != len(ipus):
            raise ValueError(f"Stage {i} of the pipeline has {len(functions)} functions, which are computed side by side: its "
                             f"entry of device_mapping must be ALL_DEVICES or as many different IPUs, not {ipus}.")
        out.append(list(zip(functions, ipus)))
    return out


def _stage(functions, first, values, kwargs):
    """What a stage makes."""
    made = []
    for i, function in enumerate(functions):
        with placed(stage=first + i):
            made.append(nest.map_structure(lambda t: _moved(t, values), function(*values, **kwargs)))
    if len(functions) == 1:
        return made[0]
    with placed(stage=first + len(functions) - 1):  # the next stage has them all from there
        return [apply("Identity", [t]) for one in made[:-1] for t in _tensors(one)] + _tensors(made[-1])


def _tensors(made):
    return [] if made is None else [t for t in nest.flatten(made) if isinstance(t, Tensor)]


def _moved(tensor, given):
    """What a stage hands through is of this stage all the same."""
    return apply("Identity", [tensor]) if any(tensor is t for t in given) else tensor


def _unmasked(outputs, mask):
    """What goes out of the last stage's outputs: those whose entry of the mask is False."""
    if mask is None:
        return outputs
    flat = nest.flatten(outputs)
    if len(flat) != len(mask):
        raise ValueError(f"outfeed_mask has {len(mask)} entries; the last computational stage has {len(flat)} outputs.")
    return [t for t, hidden in zip(flat, mask) if not hidden]


def _check(stages, count, schedule, mapping, optimizer_function, outfeed_queue, outfeed_loss):
    if stages < 2:
        raise ValueError("Pipeline requires at least two computational stages.")
    times = {PipelineSchedule.Grouped: 2 * stages, PipelineSchedule.Interleaved: stages}.get(schedule, 1)
    if count % times:
        raise ValueError(f"gradient_accumulation_count ({count}) must be divisible by {times}: "
                         f"{'twice ' if schedule is PipelineSchedule.Grouped else ''}the number of stages ({stages}) with "
                         f"PipelineSchedule.{schedule.name}.")
    if mapping is not None and len(mapping) != stages:
        raise ValueError(f"device_mapping has {len(mapping)} entries; there are {stages} computational stages.")
    if outfeed_loss and optimizer_function is None:
        raise ValueError("An optimizer_function must be provided when outfeed_loss is True.")
    if outfeed_loss and outfeed_queue is None:
        raise ValueError("An outfeed_queue must be provided when outfeed_loss is True.")


def _end(graph, last, values, count, optimizer_function, outfeed_queue, outfeed_loss, method, accumulate):
    result = Operation(graph, "pipeline")
    if accumulate and outfeed_queue is not None:
        outfeed_queue.accumulates(count)
    if optimizer_function is not None:
        wanted = optimizer_function(*values)
        if not isinstance(wanted, OptimizerFunctionOutput):
            raise TypeError("optimizer_function must return pipelining_ops.OptimizerFunctionOutput.")
        loss = wanted.loss
        graph.train(_rule_of(wanted.opt), loss, count, method, wanted.variables)
        if outfeed_queue is not None:
            outfeed_queue.enqueue(loss if outfeed_loss else last)
        if wanted.captures is not None:
            graph.capture_gradients(wanted.captured, wanted.captures.marked_by_tag(graph))
        return result
    if outfeed_queue is not None and values:
        outfeed_queue.enqueue(last)
    elif values and outfeed_queue is None:
        raise ValueError("The last computational stage has outputs, but there is no outfeed_queue for them.")
    return result
