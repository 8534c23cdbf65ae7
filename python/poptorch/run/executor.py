# SPDX-License-Identifier: MIT
"""PoplarExecutor: a module on the IPU. The first call captures, compiles and loads it; every call runs a step.

What it has: its modules (the user's and a copy), weights, optimizer, random numbers, the attachment to a device and, once it
is compiled, inputs, outputs and anchors of a step. Names begin with an underscore: others are those of the user's module.
"""
import _thread
import contextlib
import copy
import datetime
import os
import sys
import threading
import time
import weakref
from typing import Any, Callable, Dict, List, Optional, Union

import popart
import popart_core
import torch
from popart_core import runtime

from poptorch import profiling
from poptorch._logging import logger, trace
from poptorch.base import notices, progress
from poptorch.base.current import current, nested_call
from poptorch.base.hooks import runPostCompileHooks, runPreCompileHooks
from poptorch.base.translate import entry, translated
from poptorch.enums import ConnectionType
from poptorch.errors import UsageError, createPoptorchError, require
from poptorch.module import replicas  # noqa: F401 (parameters get their method)
from poptorch.module.wrapping import Copies, plain_copy, unwrap_module, wrap_module
from poptorch.optim.state import DeviceOptimizer
from poptorch.optim.translate import check_optimizer, maximizes
from poptorch.options import Options
from poptorch.options.base import seed
from poptorch.options.popart import sessionOptions
from poptorch.run import compiling, latency, persistence
from poptorch.run.anchors import Anchors
from poptorch.run.arguments import Signature
from poptorch.run.attachment import Attachment
from poptorch.run.inputs import Inputs
from poptorch.run.outputs import Outputs
from poptorch.run.weights import DeviceWeights


class PoplarExecutor:
    """Made by trainingModel and inferenceModel."""

    def __init__(self, model: torch.nn.Module, options: Options, training: bool, optimizer: Optional[torch.optim.Optimizer],
                 wrap_again: Callable[..., "PoplarExecutor"]):
        """wrap_again(training, model, options, optimizer): makes the executor of a copy."""
        self._lock = threading.RLock()  # a call fills memory that belongs to the executor
        self._user_model = model
        self._modules = Copies(model)
        self._options = options.resolved(training)
        self._options.freeze()
        self._training = training
        self._signature = Signature(self._model.forward)
        self._optimizer = DeviceOptimizer(optimizer) if training else None
        self._weights = DeviceWeights()
        self._random = runtime.Random()
        if self._options.random_seed is not None:
            self._random.seed(self._options.random_seed)
        self._attachment = Attachment()
        self._compiled: Optional[compiling.Compiled] = None
        self._compile_time: Optional[datetime.timedelta] = None
        self._wrap_again = wrap_again
        self._reference = weakref.ref(self)  # there is one, whoever asks for it
        if training:
            wrap_module(model, self)
        self._trace()

    def _trace(self):
        """What takes time leaves marks in a trace, if there is one."""
        channel = profiling.Channel("poptorch.trainingModel" if self._training else "poptorch.inferenceModel")
        if channel.traced:
            channel.instrument(self, "_compile", "_run", "_send_weights", "copyWeightsToHost", "copyWeightsToDevice",
                               "setOptimizer", "attachToDevice", "detachFromDevice", "save", "loadExecutable")

    @property
    def _kind(self):
        return "training" if self._training else "inference"

    @property
    def _model(self):
        return self._modules.module

    @property
    def _executable(self):
        """The session; None if there is none."""
        return self._compiled.session if self._compiled is not None else None

    @property
    def _device(self):
        return self._attachment.device

    @property
    def _user_optimizer(self):
        return self._optimizer.optimizer if self._training else None

    # ---- compiling

    @entry
    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Compiles the model for inputs like these, without running it."""
        if self.isCompiled():
            logger.warning("Call to compile() ignored: the model is already compiled.")
            return
        self._compile(args, kwargs)

    def isCompiled(self) -> bool:
        """Whether the model was compiled or loaded."""
        return self._compiled is not None

    def isAttachedToDevice(self) -> bool:
        """Whether the model has its IPUs now."""
        return self._attachment.attached

    def _compile(self, args, kwargs, load_from=None):
        runPreCompileHooks()
        logger.info("Compiling the %s model %s", self._kind, type(self._user_model).__name__)
        start = time.perf_counter()
        bar = progress.Bar(self._options.show_compilation_progress_bar)
        try:
            with translated(), bar:
                self._make_session(args, kwargs, bar, load_from)
        except BaseException:
            self._drop_session()
            raise
        self._compile_time = datetime.timedelta(seconds=time.perf_counter() - start)
        logger.info("Compiled the %s model in %.3f s", self._kind, self._compile_time.total_seconds())
        runPostCompileHooks()

    def _make_session(self, args, kwargs, bar, load_from):
        options, training, optimizer = self._options, self._training, self._user_optimizer
        self._modules.follow()
        call = self._signature.compile(args, kwargs)
        values = call.prepared(call.tensors(args, kwargs))
        shapes = compiling.micro_batch_shapes(call, values, options, training)
        weights = compiling.find_weights(self._model, options, training, optimizer)
        captured = compiling.capture_model(self._model, call, shapes, weights, options, training)
        capture, placer = captured.capture, captured.capture.placer
        compiling.check_captured(capture, placer, options, training)
        session_options, patterns = sessionOptions(options, training, placer, optimizer)
        bar.attach(session_options)
        compiling.finish_options(session_options)
        converted = compiling.convert(capture, options, training, training and maximizes(optimizer), placer)
        device = self._attachment.acquire(options, placer.ipus)
        anchors = Anchors(options, training)
        flow = compiling.data_flow(converted, captured, anchors, options, training)
        self._weights.begin(capture.used_weights, converted.changed, self)
        last = (device, session_options, patterns, options.model_name or self._kind)
        if training:
            session = converted.training(*flow, self._optimizer.begin(options, capture.used_weights), *last)
        else:
            session = converted.inference(*flow, *last)
        self._weights.of(session, training)
        self._random.of(session)
        compiling.prepare(session, session_options, bar, load_from)
        persistence.export_proto(session)
        compiling.tell_memory(session, device)
        inputs = Inputs(call, list(converted.inputs), values, captured, options, training)
        outputs = Outputs(list(converted.outputs), captured, options, training)
        self._compiled = compiling.Compiled(session, inputs, outputs, anchors,
                                            compiling.step_io(session, inputs, outputs, anchors),
                                            compiling.host_calls(capture), options.log_cycle_count, session_options)
        self._weights.own(self, training)
        if training:
            wrap_module(self._user_model, self)  # again, after destroy()
            self._optimizer.attach(self)
        if options.connection_type == ConnectionType.Always:
            self._load()
        capture.write_plain_tensors()

    # ---- running

    @entry
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs one step; results in the structure that forward() returns."""
        if current() is not None:
            raise current().located(type(self._user_model).__name__, createPoptorchError(nested_call))
        if not self._attachment.attached:
            if self._compiled is None and os.environ.get("POPDIST_OFFLINE_MODE") == "1":
                self._compile(args, kwargs)  # poprun --offline-mode: as far as it goes, into the cache
            require(self._options.connection_type != ConnectionType.Never,
                    "Trying to run a model on an offline device (ConnectionType.Never): use model.compile(inputs) "
                    "instead of model(inputs)")
        if self._compiled is None:
            self._compile(args, kwargs)
        session, inputs, outputs, anchors, io, _, counts_cycles, _ = self._compiled
        weights, optimizer = self._weights, self._optimizer
        values = inputs.call.tensors(args, kwargs)
        given = list(values) if inputs.written else ()
        if given:
            inputs.check_shared(given, weights.used)
        values = inputs.whole(inputs.call.prepared(values))
        if not self._attachment.attached:
            self.attachToDevice()
        others = weights.others_trained()
        if weights.upload or (others and optimizer is None):
            self._send_weights()
        elif others:
            notices.of_other_training(self)
        if optimizer is not None and optimizer.unsent:
            optimizer.send(session)
        results = outputs.new()
        anchored = anchors.new() if anchors.results else ()
        changes = [torch.empty(shape, dtype=dtype) for shape, dtype in inputs.changes] if given else ()
        io.set([v.data_ptr() for v in values], [r.data_ptr() for r in (*results, *changes, *anchored)])
        try:
            self._run(session, io)
        except BaseException:  # Ctrl-C too
            if told := weights.loss():
                logger.warning("%s", told)
            raise
        if optimizer is not None:
            optimizer.count_call()
        if counts_cycles:
            logger.debug("Total number of IPU cycles: %d", session.getCycleCount())
        if changes:
            inputs.write_back(given, changes)
        return outputs.structured(results)

    def _run(self, session, io):
        self._weights.run(session, io, self._compiled.host_calls)

    # ---- weights

    def _send_weights(self):
        owner = self._weights.owner()
        with contextlib.nullcontext() if owner is None else owner._lock:  # all are of one step
            if owner is not None:
                owner.copyWeightsToHostIfNeeded()
            trace("Weights go to the device")
            self._weights.send()

    @entry
    def copyWeightsToHost(self) -> None:
        """The device's parameters and buffers become those of the module."""
        self._require_compiled()
        if not self._attachment.attached:
            if self._weights.newer_on_device:
                raise createPoptorchError("The weights cannot be fetched: the device is not attached.")
            return
        trace("Weights go to the host")
        self._weights.fetch()

    @entry
    def copyWeightsToHostIfNeeded(self) -> bool:
        """Whether the device had newer weights, which the host has now."""
        if not self._weights.newer_on_device:
            return False
        self.copyWeightsToHost()
        return True

    @entry
    def copyWeightsToDevice(self) -> None:
        """The module's parameters and buffers go to the device."""
        self._require_compiled()
        if self._attachment.attached:
            self._send_weights()
        else:
            self._weights.replaced()

    @entry
    def copyNamedBuffersToDevice(self) -> None:
        """The buffers that Options.updatableNamedBuffers names go to the device."""
        self._require_compiled()
        if not self._options.updatable_named_buffers:
            raise createPoptorchError("copyNamedBuffersToDevice: Options.updatableNamedBuffers names no buffers.")
        if not self._attachment.attached:
            self.attachToDevice()
        if self._weights.upload:
            self._send_weights()
            return
        self._executable.buffersFromHost()

    @entry
    def load_state_dict(self, state_dict: Dict[str, torch.Tensor], strict: bool = True) -> Any:
        """Loads the parameters into the wrapped model; they are copied to the IPU before the next call."""
        result = self._user_model.load_state_dict(state_dict, strict)
        if self.isCompiled():
            self.copyWeightsToDevice()
        return result

    # ---- the optimizer

    @entry
    def setOptimizer(self, optimizer: torch.optim.Optimizer) -> None:
        """New values for the optimiser, or another optimiser of the same kind, from the next call on."""
        if not self._training:
            raise createPoptorchError("setOptimizer: an inference model has no optimizer.")
        check_optimizer(optimizer)
        self._optimizer.take(optimizer, self if self.isCompiled() else None)

    @entry
    def _read_optimizer(self):
        """(state, parameters), by name; of a model without a device (None, None)."""
        if self._options.connection_type == ConnectionType.Never:
            return None, None
        if self._attachment.attached:
            self.copyWeightsToHostIfNeeded()
        return self._optimizer.read(self._executable, self._weights.used)

    @entry
    def _write_optimizer(self, state, parameters):
        if self._attachment.attached:
            self.copyWeightsToHostIfNeeded()
        if self._optimizer.write(self._executable, self._weights.used, state, parameters):
            self._weights.replaced()

    # ---- random numbers

    @property
    @entry
    def rng_state(self) -> List[int]:
        """The seed, then the state of the generators."""
        self._require_compiled()
        return self._get_rng_state()

    @rng_state.setter
    @entry
    def rng_state(self, state: List[int]) -> None:
        if not isinstance(state, (list, tuple)) or not all(isinstance(n, int) for n in state) or not state:
            raise createPoptorchError("rng_state must be a list of int: the seed, then the state.")
        self._random.set_state([seed("rng_state: the seed", state[0]), *state[1:]])

    def _get_rng_state(self):
        return self._random.state() or None

    # ---- devices

    def _load(self):
        """The program and everything it needs, onto the device."""
        session = self._executable
        session.loadEngineAndConnectStreams()
        self._random.loaded()
        self._compiled.host_calls.connect(session)
        self._attachment.attached = True
        self._weights.replaced()
        logger.debug("The model is attached to its device")

    @entry
    def attachToDevice(self) -> None:
        """Takes a device again, after detachFromDevice."""
        self._require_compiled()
        require(not self._attachment.attached, "Device is already attached")
        self._attachment.take()
        self._load()

    @entry
    def detachFromDevice(self) -> None:
        """Brings everything that must last to the host, and lets others have the device."""
        self._require_compiled()
        require(self._attachment.attached, "Device is not attached")
        self.copyWeightsToHostIfNeeded()
        self._random.leaving()
        self._attachment.leave()

    @entry
    def destroy(self) -> None:
        """Forgets the compiled model; the module is as it was, with its newest weights."""
        if self.isCompiled():
            if self._attachment.attached:
                self.copyWeightsToHostIfNeeded()
            if self._training:
                self._optimizer.detach(self, keep=True)
            self._weights.release(self)
            self._drop_session()
        if self._training:
            unwrap_module(self._user_model, self._reference)

    def __del__(self):
        """A module that was changed gets its newest weights. Python drops what is raised here, so Ctrl-C comes again."""
        if sys.is_finalizing() or "_reference" not in self.__dict__ or not (self._training or self._weights.owned):
            return
        try:
            self.destroy()
        except KeyboardInterrupt:
            self._drop_session()
            threading.Timer(0.01, _thread.interrupt_main).start()
        except Exception as problem:
            logger.warning("The weights of a model that is not used any more could not be fetched: %s", problem)

    def _drop_session(self):
        self._compiled = None
        self._attachment.drop()
        self._weights.drop()
        self._random.gone()

    def _require_compiled(self):
        require(self.isCompiled(), "Model has not been compiled or has been destroyed.")

    # ---- files

    @entry
    def compileAndExport(self, filename: Union[str, os.PathLike], *args: Any, export_model: bool = True,
                         **kwargs: Any) -> None:
        """Compiles the model and saves it."""
        self.compile(*args, **kwargs)
        self.save(filename, export_model=export_model)

    @entry
    def save(self, filename: Union[str, os.PathLike], export_model: bool = True, save_rng_state: bool = True) -> None:
        """Writes the compiled model to a file, or as model.poptorch into a folder."""
        self._require_compiled()
        self.copyWeightsToHostIfNeeded()
        model = optimizer = None
        if export_model:
            model, optimizer = plain_copy(self._user_model, self._user_optimizer, self._model)
            if getattr(self._user_optimizer, "attached", False):
                optimizer._pending = self._read_optimizer()
        inputs = self._compiled.inputs
        record = persistence.packed(training=self._training, inputs=inputs.call.rebuild(inputs.example),
                                    options=persistence.saved_options(self._options), model=model, optimizer=optimizer,
                                    rng_state=self._get_rng_state() if save_rng_state else None)
        persistence.write(filename, record, self._executable)

    @entry
    def loadExecutable(self, filename: Union[str, os.PathLike]) -> None:
        """Takes the compiled model of a file instead of compiling."""
        require(not self.isCompiled(), "The model is already compiled. Call destroy() first.")
        filename = os.fspath(filename)
        record = persistence.importPoptorchMetadataFromFile(filename)
        if record["training"] != self._training:
            kinds = ("an inference", "a training")
            raise createPoptorchError(f"{filename} holds {kinds[record['training']]} model, but this is "
                                      f"{kinds[self._training]} model.")
        with persistence.executable_in(filename) as file:
            self._random.set_state(record["rng_state"] or [])
            self._compile(*record["inputs"], load_from=file)

    # ---- what can be asked

    @property
    def model(self) -> torch.nn.Module:
        """The module that is compiled: like the user's, with its parameters and buffers, but in modes of its own."""
        return self._model

    @property
    def options(self) -> Options:
        """The options that the model was wrapped with."""
        return self._options

    @entry
    def getTensorNames(self) -> List[str]:
        """All tensors of the compiled model."""
        self._require_compiled()
        return sorted(self._executable.getAllTensorIds())

    @entry
    def _debugGetPopartIR(self) -> str:
        """The compiled model as PopART has it, in JSON."""
        self._require_compiled()
        return self._executable._serializeIr(popart.IrSerializationFormat.JSON)

    @entry
    def cycleCount(self) -> int:
        """Cycles of the last call."""
        if not self._options.log_cycle_count:
            raise createPoptorchError("Cycle count logging is disabled. Please set option logCycleCount to True to "
                                      "enable.")
        cycles = self._executable.getCycleCount() if self.isCompiled() else 0
        if not cycles:
            raise createPoptorchError("Please run the model at least once before obtaining cycle count.")
        return cycles

    def compilationTime(self) -> datetime.timedelta:
        """How long the compilation took."""
        if self._compile_time is None:
            raise UsageError("The model has not been compiled.")
        require(self._options.show_compilation_progress_bar,
                "The compilation time needs Options.showCompilationProgressBar(True).")
        return self._compile_time

    def getAnchoredTensor(self, short_name: str) -> torch.Tensor:
        """The tensor that Options.anchorTensor(short_name, ...) keeps, of the last call."""
        self._require_compiled()
        return self._compiled.anchors.get(short_name)

    @entry
    def getPerfCounters(self) -> Dict[str, List[List[float]]]:
        """Lists per tensor, one entry per micro-batch, in seconds: input, input_complete, output, output_complete."""
        self._require_compiled()
        names = {"input": self._compiled.inputs.names, "output": self._compiled.outputs.names}
        return {kind: times or [[] for _ in names[kind.partition("_")[0]]]  # of synthetic data there are no times
                for kind, times in self._compiled.io.times().items()}

    def getHostIpuLatency(self) -> latency.Span:
        """(min, max, average) from asking for inputs until the device has them."""
        return latency.span(self.getPerfCounters(), 0, 1)

    def getComputeLatency(self) -> latency.Span:
        """(min, max, average) from having the inputs until the first output."""
        return latency.span(self.getPerfCounters(), 1, 2)

    def getIpuHostLatency(self) -> latency.Span:
        """(min, max, average) from the first output until the host has all."""
        return latency.span(self.getPerfCounters(), 2, 3)

    def getLatency(self) -> latency.Span:
        """(min, max, average) from asking for inputs until the host has all outputs."""
        return latency.span(self.getPerfCounters(), 0, 3)

    @entry
    def modelledStep(self) -> latency.ModelledStep:
        """What one call would take on IPUs, by the machine model: a ModelledStep."""
        self._require_compiled()
        return latency.modelled(*popart_core.modelled_step(self._executable))

    def __getattr__(self, name):
        if name.startswith("__") or "_user_model" not in self.__dict__:
            raise AttributeError(name)
        return getattr(self._user_model, name)

    def __reduce_ex__(self, protocol):
        """A copy, or what a file gets, wraps the module again: with its newest weights, and not compiled."""
        optimizer = self._user_optimizer
        if getattr(optimizer, "attached", False):
            optimizer = copy.copy(optimizer)
            optimizer._pending = self._read_optimizer()
        self.copyWeightsToHostIfNeeded()
        return self._wrap_again, (self._training, self._user_model, self._options, optimizer)

    def __repr__(self):
        return f"PoplarExecutor({self._kind}, {self._user_model!r})"
