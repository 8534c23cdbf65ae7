# SPDX-License-Identifier: MIT
"""From a module and the arguments of a call to PopART's session: the steps of a compilation, in the order in which an
executor takes them."""
from typing import Any, Callable, NamedTuple

import popart_core
import torch
from popart_core import runtime

from poptorch import autocasting
from poptorch import poptorch_core as core
from poptorch._logging import logGraph, logger
from poptorch.base import compat
from poptorch.base.dtypes import device_type
from poptorch.base.hooks import checkGradientHooks
from poptorch.base.structure_of import structure_of
from poptorch.capture.blocks import check_closed
from poptorch.capture.capture import Capture
from poptorch.capture.tensors import IpuTensor
from poptorch.enums import OutputMode
from poptorch.errors import createPoptorchError, unsupported
from poptorch.module.weights import check_named_buffers, weights_of
from poptorch.optim.translate import untrained
from poptorch.options import batching
from poptorch.run.anchors import Anchors, return_type
from poptorch.run.inputs import Inputs, find_written
from poptorch.run.outputs import Outputs


class Captured(NamedTuple):
    """What forward() did. structure: puts tensors where it returns its own; metas: shape and type of each tensor that it
    returns, and of each input that it writes to; written: which inputs those are."""
    capture: Capture
    structure: Callable
    output_metas: list
    written: list
    written_metas: list


class Compiled(NamedTuple):
    """What a compilation gives, the same from call to call."""
    session: Any
    inputs: Inputs
    outputs: Outputs
    anchors: Anchors
    io: popart_core.AddressIo  # on torch's memory
    host_calls: runtime.HostCalls  # of poptorch.CPU
    counts_cycles: bool
    session_options: Any


def micro_batch_shapes(call, values, options, training):
    """The shapes of one micro-batch."""
    rows = [batching.checkBatch(options, tuple(v.shape), n, training) for n, v in zip(call.names, values)]
    return [(r, *v.shape[1:]) if v.dim() else () for r, v in zip(rows, values)]


def find_weights(model, options, training, optimizer):
    """All parameters and buffers; those that are to be left alone are not trained."""
    weights = weights_of(model, training, options._shareOfReplicas()[1])
    check_named_buffers(model, options.updatable_named_buffers)
    if training:
        checkGradientHooks(model, weights)
        held = set(untrained(optimizer, {id(w.tensor): w.name for w in weights}))
        for weight in weights:
            weight.trained &= weight.name not in held
    return weights


def capture_model(model, call, shapes, weights, options, training):
    """Runs forward() once. Libraries that ask whether they are compiled hear no at first, as in torch: what they choose, by
    values even, is what the model does there. If they then need values that only a run has, they are asked once more, and
    hear yes."""
    capture = _new_capture(model, weights, options, training)
    try:
        return _capture(capture, model, call, shapes, options)
    except Exception as problem:
        if not capture.asked_for_compiling:
            raise
        try:
            return _capture(_new_capture(model, weights, options, training, compiling=True), model, call, shapes, options)
        except Exception:
            raise problem from None


def _new_capture(model, weights, options, training, compiling=False):
    names = {id(m): n for n, m in torch.nn.Module.named_modules(model)} if options.module_namescope_enabled else {}
    capture = Capture(training, weights, names, compiling)
    capture.hidden_sources += tuple(options.source_location_excludes)
    capture.placer = options.execution_strategy.placer()
    if options.Precision.autocast_enabled:
        capture.autocast_policy = options.Precision.autocast_policy or autocasting.default
    return capture


def _capture(capture, model, call, shapes, options):
    """What forward() does, once."""
    def forward():
        tensors = [capture.input(shape, dtype) for dtype, shape in zip(call.dtypes, shapes)]
        args, kwargs = call.rebuild(tensors)
        result = model(*args, **kwargs)
        check_closed(capture)
        capture.check_shared()
        outputs = []
        structure = structure_of(result, outputs)
        if not outputs and not capture.training:
            outputs.append(torch.zeros(()))  # something must come back; nobody sees it
        written = find_written(tensors, call, options)
        changed = [tensors[i] for i in written]
        for tensor in (*outputs, *changed):
            capture.output(tensor)
        return structure, _metas(outputs), written, _metas(changed)

    before = _assigned(model)
    try:
        with torch.inference_mode(False):
            captured = Captured(capture, *capture.run(forward, model))
    except BaseException:
        capture.end()  # again, if it was broken off
        raise
    finally:
        _check_assigned(before, capture)
    logGraph("Graph of the model as captured", capture.recorder.listing)
    return captured


def _metas(tensors):
    return [(tuple(tensor.shape), tensor.dtype) for tensor in tensors]


def _assigned(model):
    return [(module, kind, dict(module.__dict__[kind])) for module in torch.nn.Module.modules(model)
            if not isinstance(module, torch.jit.ScriptModule) for kind in ("_parameters", "_buffers")]


def _check_assigned(before, capture):
    """Parameters and buffers may be written in place, but not replaced, unless by what they are."""
    wrong = None
    for module, kind, tensors in before:
        now = module.__dict__[kind]
        for name, tensor in tensors.items():
            if now.get(name) is not tensor:
                if not isinstance(module, compat.BatchNorm) and not _is_still(capture, now.get(name), tensor):
                    wrong = wrong or (kind[1:-1].capitalize(), name, name not in now)
                now[name] = tensor
    if wrong:
        kind, name, removed = wrong
        raise createPoptorchError(
            f"{kind} {name} is {'removed from' if removed else 'reassigned within'} the model when calling the forward "
            f"method. This is not supported. Consider using self.{name}.copy_(src) to copy data from a source tensor, where "
            "src is the name of the source tensor.")


def _is_still(capture, value, tensor):
    return isinstance(value, IpuTensor) and value.is_still(capture.wrap(tensor))


def check_captured(capture, placer, options, training):
    """Error for what the model has and a device cannot do."""
    _check_overlaps(capture, placer, options)
    placer.check(options, training)
    missing = capture.recorder.unsupported()
    if missing:
        raise unsupported(missing)
    for kind, line in capture.unsupported_types.items():
        raise createPoptorchError(f"Unsupported input type: the model makes tensors of type {kind}"
                                  + (f" (at {line[0]}:{line[1]})." if line else "."))


def _check_overlaps(capture, placer, options):
    name = capture.state.get("overlaps")
    if name is None:
        return
    capture.recorder.check_overlaps()
    if placer.pipelined:
        raise createPoptorchError(f"poptorch.{name}: Overlapped IO is not supported with poptorch.PipelinedExecution. If you "
                                  "are using only one IPU, please switch to poptorch.ShardedExecution. The transfers of a "
                                  "pipeline overlap anyway.")
    if options.TensorLocations.num_io_tiles is None:
        raise createPoptorchError(f"poptorch.{name}: No IO tiles allocated. You must allocate at least 32 IO tiles using "
                                  "poptorch.Options().TensorLocations.numIOTiles.")


def finish_options(session_options):
    """What every model of PopTorch has."""
    session_options.constantWeights = False
    session_options.enableLoadAndOffloadRNGState = True
    # An index out of range ends the run, as it does in torch; POPLAR_ENGINE_OPTIONS is stronger.
    if "debug.checkIndices" not in session_options.engineOptions:
        session_options.engineOptions["debug.checkIndices"] = "true"


def convert(capture, options, training, maximize, placer):
    """The recording as a model of PopART's."""
    converted = core.convert(capture.recorder, training, options.module_namescope_enabled, maximize,
                             options._memoryOfIpus(placer.ipus))
    for text in converted.warnings:
        logger.warning("%s", text)
    return converted


def data_flow(converted, captured, anchors, options, training):
    """(batches per step, how outputs come back, how others do). Inputs that are written to come back whole."""
    written = list(converted.outputs)[len(captured.output_metas):]
    returned = return_type(batching.outputMode(options, training), options.output_return_period)
    return (options.device_iterations, returned,
            {**anchors.types(), **{name: return_type(OutputMode.All, 1) for name in written}})


def host_calls(capture):
    """What the model asks of the host."""
    out = runtime.HostCalls()
    for call in capture.state.get("host calls", ()):
        inputs, outputs = ([(device_type(dtype), shape) for shape, dtype in forms] for forms in (call.inputs, call.results))
        out.add(call.handle, call, inputs, outputs)
    return out


def prepare(session, session_options, bar, load_from):
    """Compiles the session's program, or takes it from the cache or from an open file."""
    if load_from is not None:
        popart_core._load_executable(session, load_from)
    session.prepareDevice(False)
    if session_options.enableEngineCaching and load_from is None and not bar.moved:
        logger.info("The executable comes from the cache in %s", session_options.cachePath)


def tell_memory(session, device):
    """A warning if the tiles have less than the model needs."""
    told = runtime.memory_advice(session, device)
    if told:
        logger.warning("%s", told)


def step_io(session, inputs, outputs, anchors):
    """Names, types and whole shapes of all that goes in and comes out."""
    anchors.prepare(session, outputs.names)
    results = [(name, device_type(dtype), shape) for name, (shape, dtype) in
               (*zip(outputs.names, outputs.results + inputs.changes), *anchors.results.items())]
    return popart_core.AddressIo(inputs.forms(), results)
