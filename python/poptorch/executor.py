# SPDX-License-Identifier: MIT
"""PoplarExecutor: a module on the IPU. The first call captures, compiles and loads it; every call runs a step."""
import _thread
import copy
import datetime
import gc
import os
import sys
import threading
import time
import weakref

import popart
import popart_core
import torch

from . import autocasting, batching, devices, profiling, progress
from . import poptorch_core as core
from ._current import current, nested_call
from ._logging import logGraph, logger, trace
from ._types import device_type, returned_type
from .anchors import Anchors, return_type
from .arguments import Signature
from .blocks import check_closed
from .capture import Capture
from .enums import ConnectionType
from .errors import createPoptorchError, require, unsupported
from .errors_translate import entry, failures, translated
from .hooks import checkGradientHooks, runPostCompileHooks, runPreCompileHooks
from .inputs import Inputs
from .latency import Latencies
from .optim_state import OptimizerState
from .optim_translate import Translator, checkStrategy, countStep, maximizes, untrained
from .options_popart import engineOptionsOfEnvironment, sessionOptions
from .persistence import Persistence
from .random_state import RandomState
from . import replicas as _replicas  # noqa: F401 (parameters get their method)
from .structure_of import structure_of
from .weights import OwnerOf, check_named_buffers, is_owned, set_owner, unwrap_tensors, weights_of, wrap_tensors
from .wrapping import check_optimizer, unwrap_module, wrap_module, wrapped_again


_empty_like = torch.empty_like


def _no_backward(*_, **__):
    raise createPoptorchError(
        "backward() cannot be called explicitly on outputs of a PopTorch model. If you're using a trainingModel, the backwards "
        "pass is performed automatically when invoking the model. If you're using an inferenceModel, you should use a "
        "trainingModel instead.")


class PoplarExecutor(Persistence, Latencies, Anchors, OptimizerState, RandomState, Inputs):
    """Made by trainingModel and inferenceModel."""

    def __init__(self, model, options, training, optimizer=None, user_model=None):
        self._lock = threading.RLock()  # a call fills memory that belongs to the executor
        self._user_model = user_model if user_model is not None else model
        self._model = model
        self._options = options.resolved(training)
        self._options.freeze()
        self._training = training
        self._optimizer = optimizer
        self._signature = Signature(model.forward)
        self._call = self._translator = self._capturing = None
        self._executable = None  # the session
        self._device = None
        self._weights, self._owned = [], []
        self._newer_on_device = False  # of training: the host's weights are old
        self._upload = True  # the device's weights are old
        self._uploaded_version = -1
        self.version = 0  # counts trainings of the weights, for wrappers that share them
        self._new_optimizer = False
        self._attached = False
        self._compile_time = None
        self._rng_state = None
        self._reference = weakref.ref(self)  # there is one, whoever asks for it
        if training:
            wrap_module(self._user_model, self)
        self._trace()

    def _trace(self):
        """What takes time leaves marks in a trace, if there is one."""
        channel = profiling.Channel("poptorch.trainingModel" if self._training else "poptorch.inferenceModel")
        if channel.traced:
            channel.instrument(self, "_compile", "_run", "_send_weights", "copyWeightsToHost", "copyWeightsToDevice",
                               "setOptimizer", "attachToDevice", "detachFromDevice", "save", "loadExecutable")

    # ---- compiling

    @entry
    def compile(self, *args, **kwargs):
        """Compiles the model for inputs like these, without running it."""
        if self.isCompiled():
            logger.warning("Call to compile() ignored: the model is already compiled.")
            return
        self._compile(args, kwargs)

    def isCompiled(self):
        return self._executable is not None

    def isAttachedToDevice(self):
        return self._attached

    def _compile(self, args, kwargs, load_from=None):
        runPreCompileHooks()
        kind = "training" if self._training else "inference"
        logger.info("Compiling the %s model %s", kind, type(self._user_model).__name__)
        start = time.perf_counter()
        bar = progress.Bar(self._options.show_compilation_progress_bar)
        try:
            with translated(), bar:
                self._make_session(args, kwargs, bar, load_from)
        except BaseException:
            if self._capturing is not None:
                self._capturing.end()
            self._drop_session()
            raise
        finally:
            self._capturing = None
        self._compile_time = datetime.timedelta(seconds=time.perf_counter() - start)
        logger.info("Compiled the %s model in %.3f s", kind, self._compile_time.total_seconds())
        runPostCompileHooks()

    def _make_session(self, args, kwargs, bar, load_from):
        self._follow_module()
        self._call = self._signature.compile(args, kwargs)
        values = self._example = self._call.prepared(self._call.tensors(args, kwargs))
        rows = [batching.checkBatch(self._options, tuple(v.shape), n, self._training)
                for n, v in zip(self._call.names, values)]
        shapes = [(r, *v.shape[1:]) if v.dim() else () for r, v in zip(rows, values)]
        self._weights = weights_of(self._model, self._training, self._options._shareOfReplicas()[1])
        check_named_buffers(self._model, self._options.updatable_named_buffers)
        if self._training:
            checkGradientHooks(self._model, self._weights)
            held = set(untrained(self._optimizer, {id(w.tensor): w.name for w in self._weights}))
            for weight in self._weights:
                weight.trained &= weight.name not in held
        placer = self._options.execution_strategy.placer()
        capture, structure = self._capture(shapes, placer)
        logGraph("Graph of the model as captured", capture.recorder.listing)
        self._check_overlaps(capture, placer)
        placer.check(self._options, self._training)
        missing = capture.recorder.unsupported()
        if missing:
            raise unsupported(missing)
        for kind, line in capture.unsupported_types.items():
            raise createPoptorchError(f"Unsupported input type: the model makes tensors of type {kind}"
                                      + (f" (at {line[0]}:{line[1]})." if line else "."))
        session_options, patterns = sessionOptions(self._options, self._training, placer, self._optimizer)
        bar.attach(session_options)
        self._finish_options(session_options)
        maximize = self._training and maximizes(self._optimizer)
        memory = self._options._memoryOfIpus(placer.ipus)
        converted = core.convert(capture.recorder, self._training, self._options.module_namescope_enabled, maximize,
                                 memory)
        for text in converted.warnings:
            logger.warning("%s", text)
        self._device = devices.acquire(self._options, placer.ipus)
        logger.debug("The model has a device of %d IPU(s), %d per replica", self._device.numIpus, placer.ipus)
        name = self._options.model_name or ("training" if self._training else "inference")
        self._inputs, self._outputs = list(converted.inputs), list(converted.outputs)
        flow = (self._options.device_iterations, self._returned(), {**self._anchors(), **self._written_anchors()})
        self._changed = set(converted.changed)
        self._used = capture.used_weights
        self._copies = [weight for weight in self._used if weight.is_copy]
        self._owner = OwnerOf(self._used, self)
        if self._training:
            self._translator = Translator(self._options, {id(w.tensor): w.name for w in self._used})
            optimizer = self._translator.translate(self._optimizer)
            session = converted.training(*flow, optimizer, self._device, session_options, patterns, name)
        else:
            session = converted.inference(*flow, self._device, session_options, patterns, name)
        self._session_options = session_options
        if load_from is not None:
            popart_core._load_executable(session, load_from)
        session.prepareDevice(False)
        if session_options.enableEngineCaching and load_from is None and not bar.moved:
            logger.info("The executable comes from the cache in %s", session_options.cachePath)
        self._executable = session
        self._export_proto()
        self._tell_memory()
        self._structure = structure
        self._prepare_steps(values, shapes, capture)
        self._host_calls = capture.state.get("host calls", [])
        self._own_weights()
        if self._training:
            self._strategy = self._options.Training.meanReductionStrategy(self._optimizer)
            self._attach_optimizer()
        if self._options.connection_type == ConnectionType.Always:
            self._load()
        capture.write_plain_tensors()

    def _capture(self, shapes, placer):
        names = {id(m): n for n, m in torch.nn.Module.named_modules(self._model)} \
            if self._options.module_namescope_enabled else {}
        capture = Capture(self._training, self._weights, names)
        capture.hidden_sources += tuple(self._options.source_location_excludes)
        capture.placer = placer
        precision = self._options.Precision
        if precision.autocast_enabled:
            capture.autocast_policy = precision.autocast_policy or autocasting.default
        before = self._assigned()

        def forward():
            tensors = [capture.input(shape, dtype) for dtype, shape in zip(self._call.dtypes, shapes)]
            args, kwargs = self._call.rebuild(tensors)
            result = self._model(*args, **kwargs)
            check_closed(capture)
            capture.check_shared()
            outputs = []
            structure = structure_of(result, outputs)
            if not outputs and not self._training:
                outputs.append(torch.zeros(()))  # something must come back; nobody sees it
            written = self._find_written(tensors)
            for tensor in (*outputs, *written):
                capture.output(tensor)
            self._output_metas, self._written_metas = ([(tuple(t.shape), t.dtype) for t in all_of]
                                                       for all_of in (outputs, written))
            return structure

        self._capturing = capture
        try:
            with torch.inference_mode(False):
                structure = capture.run(forward, self._model)
        finally:
            self._check_assigned(before)
        return capture, structure

    def _check_overlaps(self, capture, placer):
        name = capture.state.get("overlaps")
        if name is None:
            return
        capture.recorder.check_overlaps()
        if placer.pipelined:
            raise createPoptorchError(f"poptorch.{name}: Overlapped IO is not supported with poptorch.PipelinedExecution. If you "
                                      "are using only one IPU, please switch to poptorch.ShardedExecution. The transfers of a "
                                      "pipeline overlap anyway.")
        if self._options.TensorLocations.num_io_tiles is None:
            raise createPoptorchError(f"poptorch.{name}: No IO tiles allocated. You must allocate at least 32 IO tiles using "
                                      "poptorch.Options().TensorLocations.numIOTiles.")

    def _assigned(self):
        return [(module, kind, dict(module.__dict__[kind])) for module in torch.nn.Module.modules(self._model)
                if not isinstance(module, torch.jit.ScriptModule) for kind in ("_parameters", "_buffers")]

    def _check_assigned(self, before):
        """Parameters and buffers may be written in place, but not replaced."""
        wrong = None
        for module, kind, tensors in before:
            now = module.__dict__[kind]
            for name, tensor in tensors.items():
                if now.get(name) is not tensor:
                    if not isinstance(module, torch.nn.modules.batchnorm._BatchNorm):
                        wrong = wrong or (kind[1:-1].capitalize(), name, name not in now)
                    now[name] = tensor
        if wrong:
            kind, name, removed = wrong
            raise createPoptorchError(
                f"{kind} {name} is {'removed from' if removed else 'reassigned within'} the model when calling the forward "
                f"method. This is not supported. Consider using self.{name}.copy_(src) to copy data from a source tensor, where "
                "src is the name of the source tensor.")

    def _finish_options(self, options):
        options.constantWeights = False
        options.enableLoadAndOffloadRNGState = True
        # A model that is too large for the tiles still runs here, with a warning; the engine option says otherwise.
        # An index out of range ends the run, as it does in torch.
        given = engineOptionsOfEnvironment()
        for name in ("debug.allowOutOfMemory", "debug.checkIndices"):
            if name not in options.engineOptions and name not in given:
                options.engineOptions[name] = "true"

    def _returned(self):
        return return_type(batching.outputMode(self._options, self._training), self._options.output_return_period)

    # ---- running

    def _prepare_steps(self, values, shapes, capture):
        """What stays the same from call to call: names, types, whole shapes."""
        times = batching.outputMultiplier(self._options, self._training)
        self._spreads = self._options.input_group_size > 1
        self._results = [(batching.outputShape(shape, times), returned_type(dtype))
                         for shape, dtype in self._output_metas]
        # torch makes a tensor like another in half the time that it takes to read a shape. Nobody touches their memory.
        self._forms = [torch.empty(shape, dtype=dtype) for shape, dtype in self._results]
        inputs = [(name, device_type(value.dtype, narrow=False), tuple(value.shape))
                  for name, value in zip(self._inputs, self._prepare_inputs(list(values)))]
        self._prepare_anchors()
        outputs = [(name, device_type(dtype), shape) for name, (shape, dtype) in
                   (*zip(self._outputs, self._results + self._changes), *self._anchor_results.items())]
        self._step_io = popart_core.AddressIo(inputs, outputs)
        self._counts_cycles = self._options.log_cycle_count

    @entry
    def __call__(self, *args, **kwargs):
        """Runs one step; results in the structure that forward() returns."""
        if current() is not None:
            raise current().located(type(self._user_model).__name__, createPoptorchError(nested_call))
        if not self._attached:
            if self._executable is None and os.environ.get("POPDIST_OFFLINE_MODE") == "1":
                self._compile(args, kwargs)  # poprun --offline-mode: as far as it goes, into the cache
            require(self._options.connection_type != ConnectionType.Never,
                    "Trying to run a model on an offline device (ConnectionType.Never): use model.compile(inputs) "
                    "instead of model(inputs)")
        if self._executable is None:
            self._compile(args, kwargs)
        values = self._call.tensors(args, kwargs)
        given = list(values) if self._written else ()
        if given:
            self._check_shared(given)
        values = self._whole(self._call.prepared(values))
        if not self._attached:
            self.attachToDevice()
        if self._upload or (not self._training and self._shared_version() != self._uploaded_version):
            self._send_weights()
        if self._new_optimizer:
            self._send_optimizer()
        results = [_empty_like(form) for form in self._forms]
        anchored = self._new_anchors() if self._anchor_results else ()
        changes = [torch.empty(shape, dtype=dtype) for shape, dtype in self._changes] if self._written else ()
        self._step_io.set([v.data_ptr() for v in values], [r.data_ptr() for r in (*results, *changes, *anchored)])
        try:
            self._run()
        except BaseException:  # Ctrl-C too
            self._after_failure()
            raise
        if self._host_calls:
            self._raise_of_host()
        if self._training or self._changed:
            self._newer_on_device = True
            self.version += 1
        if self._training:
            countStep(self._optimizer)
            self._new_optimizer |= self._translator.begin()
        if self._counts_cycles:
            logger.debug("Total number of IPU cycles: %d", self._executable.getCycleCount())
        if changes:
            self._write_back(given, changes)
        for result in results:
            result.backward = _no_backward
        return self._structure(results)

    def _run(self):
        self._executable.run(self._step_io)

    def _after_failure(self):
        """A step ended in its midst: the host gets what the device has learnt, and the next step begins with that."""
        if not self._training or not self._attached:
            self._upload = self._upload or (self._attached and self._executable.needsWeights())
            return
        try:
            self._weights_to_host()
            self.version += 1
        except failures:
            if self._newer_on_device:
                logger.warning("The step was broken off within a weight update. The model goes on from the weights "
                               "that the host has: those of the last time that they were read.")
        self._newer_on_device = False
        self._upload = True

    def _raise_of_host(self):
        """What went wrong in a poptorch.CPU."""
        problems = [call.error for call in self._host_calls if call.error is not None]
        for call in self._host_calls:
            call.error = None
        if problems:
            raise problems[0]

    def _shared_version(self):
        """Of the training that has this model's weights, if there is one."""
        owner = self._owner.get()
        return owner.version if owner is not None else 0

    def _send_weights(self):
        owner = self._owner.get()
        if owner is not None and owner._newer_on_device:
            owner.copyWeightsToHost()
        trace("Weights go to the device")
        self._weights_from_host()
        self._uploaded_version = self._shared_version()
        self._upload = False

    # ---- weights

    def _own_weights(self):
        """Whoever reads weights that the device changes gets them from there; of inference, what forward() writes."""
        self._owned = self._used if self._training else [w for w in self._used if w.name in self._changed
                                                         and not is_owned(w)]
        set_owner(self._owned, self)
        wrap_tensors(self._owned)
        if self._training:
            wrap_module(self._user_model, self)  # again, after destroy()

    @entry
    def copyWeightsToHost(self):
        """The device's parameters and buffers become those of the module."""
        self._require_compiled()
        if not self._attached:
            if self._newer_on_device:
                raise createPoptorchError("The weights cannot be fetched: the device is not attached.")
            return
        trace("Weights go to the host")
        try:
            self._weights_to_host()
        finally:
            self._newer_on_device = False

    def _weights_from_host(self):
        for weight in self._copies:
            weight.read_host()
        self._executable.weightsFromHost()

    def _weights_to_host(self):
        self._executable.weightsToHost()
        for weight in self._copies:
            weight.write_host()

    @entry
    def copyWeightsToHostIfNeeded(self):
        """Whether the device had newer weights, which the host has now."""
        if not self._newer_on_device:
            return False
        self.copyWeightsToHost()
        return True

    @entry
    def copyWeightsToDevice(self):
        """The module's parameters and buffers go to the device."""
        self._require_compiled()
        self._newer_on_device = False
        if self._attached:
            self._weights_from_host()
            self.version += 1
        else:
            self._upload = True

    @entry
    def copyNamedBuffersToDevice(self):
        """The buffers that Options.updatableNamedBuffers names go to the device."""
        self._require_compiled()
        if not self._options.updatable_named_buffers:
            raise createPoptorchError("copyNamedBuffersToDevice: Options.updatableNamedBuffers names no buffers.")
        if not self._attached:
            self.attachToDevice()
        if self._upload:
            self._send_weights()
            return
        self._executable.buffersFromHost()

    @entry
    def load_state_dict(self, state_dict, strict=True):
        result = self._user_model.load_state_dict(state_dict, strict)
        if self.isCompiled():
            self.copyWeightsToDevice()
        return result

    @entry
    def setOptimizer(self, optimizer):
        """New values for the optimiser, or another optimiser of the same kind, from the next call on."""
        if not self._training:
            raise createPoptorchError("setOptimizer: an inference model has no optimizer.")
        check_optimizer(optimizer)
        if self.isCompiled():
            checkStrategy(self._options, self._strategy, optimizer)
            if optimizer is not self._optimizer:
                self._detach_optimizer(keep=False)
        self._optimizer = optimizer
        self._new_optimizer = True
        if self.isCompiled() and not self._has_attached(optimizer):
            self._attach_optimizer()

    def _send_optimizer(self):
        self._new_optimizer = False
        changed = self._translator.update(self._optimizer)
        if changed is not None:
            self._executable.updateOptimizerFromHost(changed)

    # ---- devices

    def _load(self):
        """The program and everything it needs, onto the device."""
        self._executable.loadEngineAndConnectStreams()
        if self._options.random_seed is not None and self._rng_state is None:
            self._executable.setRandomSeed(self._options.random_seed)
        elif self._rng_state is not None:
            self._set_rng_state(self._rng_state)
        for call in self._host_calls:
            for replica in range(self._options.replication_factor):
                popart_core.connect_host_function(self._executable, call.handle, call, replica)
        self._attached = True
        self._upload = True
        logger.debug("The model is attached to its device")

    @entry
    def attachToDevice(self):
        """Takes a device again, after detachFromDevice."""
        self._require_compiled()
        require(not self._attached, "Device is already attached")
        if not self._device.isAttached and not self._device.attach():
            self._wait_for_device()
        self._load()

    def _wait_for_device(self):
        waits = os.environ.get("POPTORCH_WAIT_FOR_IPU", "0") not in ("", "0")
        gc.collect()  # of models that nobody uses any more
        if not self._device.attach() and not waits:
            raise createPoptorchError(f"Failed to acquire {self._device.numIpus} IPU(s): the device is in use by "
                                      "another program or model.")
        self._device._attachWhenFree()

    @entry
    def detachFromDevice(self):
        """Brings everything that must last to the host, and lets others have the device."""
        self._require_compiled()
        require(self._attached, "Device is not attached")
        self.copyWeightsToHostIfNeeded()
        self._rng_state = self._get_rng_state()
        self._device.detach()
        self._attached = False
        logger.debug("The model is detached from its device")

    @entry
    def destroy(self):
        """Forgets the compiled model; the module is as it was, with its newest weights."""
        if self.isCompiled():
            if self._attached:
                self.copyWeightsToHostIfNeeded()
            if self._training:
                self._detach_optimizer(keep=True)
            unwrap_tensors(self._owned, self)
            self._drop_session()
        if self._training:
            unwrap_module(self._user_model, self._reference)

    def __del__(self):
        """A module that was changed gets its newest weights. Python drops what is raised here, so Ctrl-C comes again."""
        if sys.is_finalizing() or "_reference" not in self.__dict__ or not (self._training or self._owned):
            return
        try:
            self.destroy()
        except KeyboardInterrupt:
            self._drop_session()
            threading.Timer(0.01, _thread.interrupt_main).start()
        except Exception as problem:
            logger.warning("The weights of a model that is not used any more could not be fetched: %s", problem)

    def _drop_session(self):
        self._executable = None
        self._step_io = None
        if self._device is not None:
            try:
                if self._device.isAttached:
                    self._device.detach()
            except popart_core.popart_exception:
                pass
        self._device = None
        self._attached = self._newer_on_device = False
        self._upload = True

    def _require_compiled(self):
        require(self.isCompiled(), "Model has not been compiled or has been destroyed.")

    # ---- what can be asked

    @property
    def model(self):
        """The module that is compiled: like the user's, with its parameters and buffers, but in modes of its own."""
        return self._model

    @property
    def options(self):
        return self._options

    @entry
    def getTensorNames(self):
        """All tensors of the compiled model."""
        self._require_compiled()
        return sorted(self._executable.getAllTensorIds())

    @entry
    def _debugGetPopartIR(self):
        """The compiled model as PopART has it, in JSON."""
        self._require_compiled()
        return self._executable._serializeIr(popart.IrSerializationFormat.JSON)

    @entry
    def cycleCount(self):
        """Cycles of the last call."""
        if not self._options.log_cycle_count:
            raise createPoptorchError("Cycle count logging is disabled. Please set option logCycleCount to True to "
                                      "enable.")
        cycles = self._executable.getCycleCount() if self.isCompiled() else 0
        if not cycles:
            raise createPoptorchError("Please run the model at least once before obtaining cycle count.")
        return cycles

    def compilationTime(self):
        """How long the compilation took."""
        require(self._compile_time is not None, "The model has not been compiled.")
        require(self._options.show_compilation_progress_bar,
                "The compilation time needs Options.showCompilationProgressBar(True).")
        return self._compile_time

    def __getattr__(self, name):
        if name.startswith("__") or "_user_model" not in self.__dict__:
            raise AttributeError(name)
        return getattr(self._user_model, name)

    def __reduce_ex__(self, protocol):
        """A copy, or what a file gets, wraps the module anew: with its newest weights, and not compiled."""
        optimizer = self._optimizer
        if getattr(optimizer, "attached", False):
            optimizer = copy.copy(optimizer)
            optimizer._pending = self._read_optimizer()
        self.copyWeightsToHostIfNeeded()
        return wrapped_again, (self._training, self._user_model, self._options, optimizer)

    def __repr__(self):
        kind = "training" if self._training else "inference"
        return f"PoplarExecutor({kind}, {self._user_model!r})"
