# SPDX-License-Identifier: MIT
"""Executable: a finished graph as a session of PopART on a device. Inputs and results are numpy's arrays, by address."""
import os
import threading

import numpy as np
import popart
import popart_core
from popart import _locks
from popart_core import runtime

from . import dtypes
from .context import current, unless_called
from .errors import FailedPreconditionError, PermissionDeniedError, failures, translated
from .logs import info, warning

# numpy's types of the device's.
device_arrays = {popart.DataType.FLOAT: np.float32, popart.DataType.FLOAT16: np.float16, popart.DataType.INT32: np.int32,
                 popart.DataType.BOOL: np.bool_, popart.DataType.UINT8: np.uint8, popart.DataType.INT8: np.int8,
                 popart.DataType.INT16: np.int16, popart.DataType.UINT16: np.uint16, popart.DataType.UINT32: np.uint32}


class Settings:
    """How a graph is run: all of it in numbers of PopART."""

    def __init__(self, batches=1, replicas=1, accumulation=1, optimizer=None, returned="All", adapt=None, name="graph",
                 patterns=None, alone=False):
        self.batches, self.replicas, self.accumulation = batches, replicas, accumulation
        self.optimizer = optimizer  # a function of {id of a variable: its name here} that gives popart's
        self.returned = returned  # "All", "Final" or "Sum", or one for each output
        self.adapt = adapt  # changes the session options
        self.name = name
        self.alone = alone  # it has nothing to do with the replicas of other processes

    @property
    def times(self):
        """Micro-batches of one run."""
        return self.batches * self.replicas * self.accumulation


class Executable:
    def __init__(self, graph, device, settings=None, session=None):
        self.graph, self.device = graph, device
        self.settings = settings = settings or Settings()
        self.variables = [v for v, *_ in graph.variables.values()]
        self.names = {key: name for key, (_, _, _, name) in graph.variables.items()}
        self._sent = {}  # id of a variable -> the version on the device
        self._noting = threading.RLock()  # who has the newest values
        self._fetching = threading.RLock()  # one thread at a time
        with translated():
            self._synthetic = device.synthetic(graph.inputs)
            converted = self._convert()
            changed = set(converted.changed)
            self.outputs, self.inputs = list(converted.outputs), list(converted.inputs)
            self.session = self._make(converted)
            self._compile()
            _warn(runtime.memory_advice(self.session, self.device.info))
        self.changed = [v for v in self.variables if settings.optimizer and graph.trains(v) or
                        self.names[id(v)] in changed]
        self._weights = runtime.Weights(self.session, bool(self.changed))
        self.random, self.host_calls = runtime.Random(), runtime.HostCalls()
        self.random.of(self.session)
        for call in graph.host_calls:
            call.of(self)
        self._read_only = [v for v in self.variables if not any(v is c for c in self.changed)]
        self._prepare()
        self._loaded = False

    @property
    def _share(self):
        return None if self.settings.alone else self.device.share

    def _convert(self):
        return self.graph.recorder.convert([] if self._synthetic is None else self._synthetic)

    def _make(self, converted):
        s = self.settings
        options = self._options = popart.SessionOptions()
        options.constantWeights = False
        options.enableLoadAndOffloadRNGState = True
        options.groupNormStridedChannelGrouping = True  # where the operation does not say otherwise
        runtime.set_replicas(options, s.replicas)
        if s.accumulation > 1:
            options.enableGradientAccumulation = True
            options.accumulationFactor = s.accumulation
        if s.adapt is not None:
            s.adapt(options)
        self.device.adapt(options)
        if self._share is not None:
            self._share.adapt(options, s.replicas)
        self._draws = bool(options.dotChecks)
        returned = [s.returned] * len(self.outputs) if isinstance(s.returned, str) else s.returned
        if self.device.drops_results:  # and of the last batch, since something must come
            returned = ["Final"] * len(returned)
        self.returned = returned
        flow = {name: popart.AnchorReturnType(how) for name, how in zip(self.outputs, returned)}
        patterns = popart.Patterns(popart.PatternsLevel.Default)
        first, name = popart.AnchorReturnType("All"), self.device.report_name(s.name)
        self._optimizer = None if s.optimizer is None else s.optimizer(self.names)
        if self._optimizer is not None:
            return converted.training(s.batches, first, flow, self._optimizer, self.device.info, options, patterns, name)
        return converted.inference(s.batches, first, flow, self.device.info, options, patterns, name)

    def _compile(self):
        """Compiles the program, or takes it from the device's cache."""
        cache = self.device.cache()
        if cache is None:
            return self.session.prepareDevice(False)
        name = self._key() + ".poplar_exec"
        loaded = not self._draws and self._load(cache, name)  # graphs are drawn on the way
        if self._share is not None and not self._share.agreed(loaded):  # instances compile together
            if not self._share.agreed(not loaded):  # some of them have it: all begin again
                self.session = self._make(self._convert())
            loaded = False
        self.session.prepareDevice(False)
        if not loaded:
            self._keep(cache, name)

    def _load(self, cache, name):
        """Whether the session has the program of the cache. One that cannot be used is no more than a warning."""
        fd, why = cache.find(name)
        if fd >= 0:
            try:
                why = popart_core._take_cached(self.session, fd)
                if not why:
                    return True
            except failures as problem:
                why = str(problem)
            finally:
                os.close(fd)
        if why:
            warning(f"The cached executable {cache.path_of(name)} is not used: {why.rstrip('.')}. The program is compiled "
                    "again.")
        return False

    def _keep(self, cache, name):
        try:
            cache.store(name, self.session)
        except OSError as problem:
            if self.device.only_compiles:
                raise PermissionDeniedError(None, None, str(problem)) from problem
            return warning(f"The executable is not cached: {problem}")
        if self.device.only_compiles:
            info(f"A pre-compiled Poplar program has been saved to {cache.path_of(name)}")

    def _key(self):
        """64 bits of everything that the program depends on."""
        s = self.settings
        described = (self.graph.recorder.fingerprint(), s.batches, s.accumulation, s.name, self.returned,
                     self._synthetic is None)
        return runtime.key_of(repr(described), self._options, self.device.info, self._optimizer)

    def _prepare(self):
        times, s = self.settings.times, self.settings
        self._in_types = [(t.dtype, tuple(t.shape)) for t in self.graph.inputs]
        inputs = [(name, dtype.stored_type, _times(shape, times))
                  for name, (dtype, shape) in zip(self.inputs, self._in_types)]
        self.input_shapes = [shape for _, _, shape in inputs]
        self._results, outputs = [], []
        for name, how, tensor in zip(self.outputs, self.returned, self.graph.outputs):
            kind = tensor.dtype.device_type
            count = times if how == "All" else s.replicas
            shape = (count, *tensor.shape.as_list()) if count > 1 else tuple(tensor.shape.as_list())
            outputs.append((name, kind, shape))
            self._results.append((shape, device_arrays[kind], tensor.dtype))
        wanted = [s.returned] * len(self.outputs) if isinstance(s.returned, str) else s.returned
        self._dropped = [((times if how == "All" else s.replicas, *t.shape.as_list()), t.dtype)
                         for how, t in zip(wanted, self.graph.outputs)]
        self._make_io = lambda: popart_core.AddressIo(inputs, outputs)
        self._ios = threading.local()  # the addresses of a run are those of its thread

    @property
    def _io(self):
        if not hasattr(self._ios, "io"):
            self._ios.io = self._make_io()
        return self._ios.io

    # ---- running

    def __call__(self, arrays):
        """One run: arrays of input_shapes -> arrays, in front of their shape the micro-batches if there are several."""
        arrays = [] if self._synthetic is not None else [np.require(a, dtype.as_numpy_dtype, ("C", "A"))
                                                         for a, (dtype, _) in zip(arrays, self._in_types)]
        if self.device.only_compiles:
            return self._not_run()
        results = [np.empty(shape, kind) for shape, kind, _ in self._results]
        io = self._io
        io.set([a.ctypes.data for a in arrays], [r.ctypes.data for r in results])
        with self.device.turn:
            self._ready()
            try:
                with translated():
                    self._weights.run(self.session, io, self.host_calls)
            except BaseException:  # Ctrl-C too
                self._after_failure()
                raise
            self._note_changes()
        if self.device.drops_results:
            return [np.zeros(shape, dtype._numpy) for shape, dtype in self._dropped]
        return [r if r.dtype == dtype._numpy else r.astype(dtype._numpy)
                for r, (_, _, dtype) in zip(results, self._results)]

    def _after_failure(self):
        """A run ended in its midst: the device has what it had learnt until then, or must get its variables again."""
        if not self._weights.newer_on_host:
            return self._note_changes()
        _warn(self._weights.loss())
        for variable in self.changed:
            if variable.newest is self:
                variable.newest = None
        self._sent.clear()

    def _note_changes(self):
        """The device has the newest values of what a run changes."""
        with self._noting:
            for variable in self.changed:
                variable.version += 1
                variable.newest = self
                self._sent[id(variable)] = variable.version

    def _not_run(self):
        """On a device that is not there: zeros, so that everything gets compiled."""
        if self.device.never_runs:
            raise FailedPreconditionError(None, None, "Trying to run a program on a device that is configured with "
                                          "DeviceConnectionType.NEVER.")
        return [np.zeros(shape, dtype._numpy) for shape, _, dtype in self._results]

    def _ready(self):
        """The program is on the device, with everything it needs."""
        if self.device.loaded is not self or not self._loaded:
            self.device.load(self)
            self._loaded = True
            self._sent.clear()
            if self._synthetic is not None:  # inputs that are variables
                return self._send()
        sent = self._sent
        for variable in self.variables:
            if variable.newest is not None and variable.newest is not self:
                variable.fetch()
            if sent.get(id(variable), -1) != variable.version:
                return self._send()
        return None

    def _holding(self):
        """Nobody else reads or writes the memory of the variables."""
        return _locks.holding([] if current.called is not None else [variable.lock for variable in self.variables])

    def _send(self):
        sent = {id(v): v.version for v in self.variables}  # at least: other programs may change them meanwhile
        for variable in self.variables:
            variable.fetch()  # of this program too: all are written
        with self._holding():
            own = None if self.device.parameters is None else [v.memory.copy() for v in self.variables]
            for variable in self.variables if own is not None else ():
                variable.memory[...] = self.device.parameters(variable)
            try:
                with translated():
                    self._weights.send()
            finally:
                for variable, values in zip(self.variables, own or ()):
                    variable.memory[...] = values
        self._sent = sent

    def fetch(self):
        """The device's variables come to the host."""
        self.require_idle("read the variables that the program trains: give it their values as arguments")
        with unless_called(self._fetching):
            self._fetch()

    def require_idle(self, what):
        """Not within a function that this program calls: both would wait for each other."""
        if current.called == id(self.session):
            raise FailedPreconditionError(None, None, f"A function of the host that a program calls cannot {what}.")

    def _fetch(self):
        ours = [(v, v.version) for v in self.changed if v.newest is self]
        if not ours:
            return
        if self.device.parameters is not None:  # they stay on the device
            return self._fetched(ours)
        with self._holding():
            # All weights come, but of those that the program only reads the host may have newer values.
            kept = [(v, v.memory.copy()) for v in self._read_only]
            try:
                with translated():
                    self._weights.fetch()
            finally:
                for variable, values in kept:
                    variable.memory[...] = values
                self._fetched(ours)

    def _fetched(self, ours):
        """The host has these versions; another thread's run may have made newer ones meanwhile."""
        with self._noting:
            for variable, version in ours:
                if variable.version == version:
                    variable.newest = None

    def read(self, arrays):
        """{name of a tensor that the program keeps: an array for it}, for those that are no variables of the graph."""
        self.fetch()
        with translated():
            self.session.readWeights(popart.PyWeightsIO(arrays))

    def write(self, arrays):
        """The same the other way; everything is sent before the next run."""
        for variable in self.variables:
            variable.fetch()
        with translated():
            self.session.writeWeights(popart.PyWeightsIO(arrays))
        self._sent.clear()

    def update_optimizer(self, optimizer):
        with translated():
            self.session.updateOptimizerFromHost(optimizer)


def arranged(values, keeps_all, times, replicas, shape):
    """What a queue gets of an output: [rounds, (replicas,) shape], or that of the last round alone."""
    if not keeps_all:
        return values.reshape([*([replicas] if replicas > 1 else []), *shape])
    return values.reshape(times // replicas, *([replicas] if replicas > 1 else []), *shape)


def _warn(text):
    if text:
        warning("%s", text)


def _times(shape, times):
    """All micro-batches of a run, one after the other."""
    if times == 1:
        return shape
    return (times, *shape)


__all__ = ["Executable", "Settings", "failures", "dtypes"]
