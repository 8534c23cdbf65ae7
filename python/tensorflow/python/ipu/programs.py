# SPDX-License-Identifier: MIT
"""One program for an IPU, traced from a function: what ipu_compiler.compile makes. A loop at its top is the program's own
loop, so that infeeds and outfeeds are inputs and outputs of every round; its variables are kept on the device."""
import numpy as np
import popart

from tensorflow.framework import nest
from tensorflow.framework.errors import translated
from tensorflow.framework.execution import Executable, Settings
from tensorflow.framework.graphs import Graph, active, tracing
from tensorflow.framework.tensors import EagerTensor, Tensor, convert_to_tensor
from tensorflow.framework.variables import Variable
from tensorflow.python.ipu import system


class ProgramGraph(Graph):
    makes_variables = True

    def __init__(self, name="cluster"):
        super().__init__(name=name)
        self.rounds = None  # of the main loop
        self.infeeds, self.outfeeds = [], []  # (queue, tensors)
        self.arguments, self.states = [], []  # hidden variables
        self.training = None  # (optimizer, loss, accumulation, reduction) of a fused training
        self.returned_final = True
        self.schedule = None

    def train(self, optimizer, loss, accumulation):
        """The variables are trained by PopART's optimiser of the same rule."""
        if self.training is not None:
            raise RuntimeError("A program trains with one optimizer.")
        from tensorflow.compat.v1.graphs import trainable_variables
        self.training = (optimizer, loss, accumulation)
        self.retrain = {id(v) for v in trainable_variables()}

    def hidden(self, array, name):
        """A variable of the program alone."""
        default, scopes = _no_default()
        try:
            out = Variable(np.asarray(array), False, name=name)
        finally:
            _restore(default, scopes)
        out.initialized = True
        return out


def _no_default():
    from tensorflow.framework.graphs import current
    saved = current.default, current.scopes
    current.default, current.scopes = None, ()
    return saved


def _restore(default, scopes):
    from tensorflow.framework.graphs import current
    current.default, current.scopes = default, scopes


def program():
    """The program that is being traced at its top, or None."""
    graph = active()
    return graph if isinstance(graph, ProgramGraph) else None


def root_program():
    graph = active()
    while graph is not None and not isinstance(graph, ProgramGraph):
        graph = graph.outer
    return graph


class Compiled:
    """A traced program with what it needs to run."""

    def __init__(self, function, inputs, index):
        self.index, self.inputs = index, inputs
        graph = self.graph = ProgramGraph()
        with tracing(graph):
            given = []
            for t in inputs:
                if not t.shape.is_fully_defined():
                    raise ValueError(f"The input {t.name} of a compiled function has shape {t.shape}, which is not fully "
                                     "defined: programs for IPUs have fixed shapes.")
                variable = graph.hidden(np.zeros(t.shape.as_list(), t.dtype.as_numpy_dtype), "argument")
                graph.arguments.append(variable)
                given.append(graph.read(variable))
            self.result = function(*given)
        self.tensors = [graph.taken(t.read_value() if isinstance(t, Variable) else t)
                        for t in nest.flatten(self.result) if isinstance(t, (Tensor, Variable))] \
            if not _is_operation(self.result) else []
        self.executable = None

    def _finish(self):
        graph = self.graph
        for state, value in graph.states:
            graph.assign(state, value)
        outputs, returned = list(self.tensors), ["Final"] * len(self.tensors)
        for queue, tensors in graph.outfeeds:
            outputs += tensors
            returned += ["All" if queue.keeps_all else "Final"] * len(tensors)
        if graph.training is not None:
            graph.recorder.loss(graph.taken(graph.training[1]).number)
            graph.trained = graph.retrain
            for key in set(graph.variables) & graph.retrain:
                graph.recorder.train(graph.variables[key][1])
        if not outputs:
            outputs, returned = [graph.constant(np.float32(0))], ["Final"]
            self._nothing = True
        graph.finish(outputs)
        return returned

    _nothing = False

    def compile(self):
        if self.executable is not None:
            return self.executable
        graph, device = self.graph, system.device(self.index)
        returned = self._finish()
        ipus = self._ipus()
        size = 1 << (ipus - 1).bit_length()
        if device.ipus % size:
            raise ValueError(f"Current device has {device.ipus} IPUs attached, however the current model requires a multiple "
                             f"of {size} IPUs.")
        accumulation = graph.training[2] if graph.training else 1
        rounds = max(1, graph.rounds or 1)
        settings = Settings(rounds if graph.training is not None or accumulation == 1 else rounds, device.ipus // size,
                            accumulation, returned=returned, name="cluster", adapt=lambda o: self._adapt(o, ipus))
        if graph.training is not None:
            optimizer = graph.training[0]
            made = optimizer.fused(popart, optimizer.rate_now(), optimizer.clip_settings(popart) or [])
            if made is None:
                raise NotImplementedError(f"{type(optimizer).__name__} cannot accumulate gradients here: PopART has no such "
                                          "rule.")
            settings.optimizer = lambda names: made
        self.executable = Executable(graph, device, settings)
        return self.executable

    def _ipus(self):
        graph = self.graph
        if graph.mapping is not None:
            return max(graph.mapping) + 1
        return max((s for s in graph.shards), default=0) + 1

    def _adapt(self, options, ipus):
        graph = self.graph
        if ipus > 1:
            options.virtualGraphMode = popart.VirtualGraphMode.Manual
        if graph.mapping is not None and graph.pipelined:
            options.enablePipelining = True
            if graph.training is not None:
                options.autoRecomputation = popart.RecomputationType.Pipeline
        if graph.training is not None:
            options.accumulationAndReplicationReductionType = popart.ReductionType.Mean

    def run(self, arguments):
        """Values of the inputs -> values of the results; queues are read and filled."""
        executable = self.compile()
        graph = self.graph
        for variable, value in zip(graph.arguments, arguments):
            variable.set(value)
        for state, start in graph.__dict__.get("starts", ()):
            state.set(start)
        times = executable.settings.times
        fed = []
        for queue, tensors in graph.infeeds:
            fed += queue.next_arrays(times)
        with translated():
            results = executable(fed)
        if self._nothing:
            return []
        replicas = executable.settings.replicas
        count = len(self.tensors)
        at = count
        for queue, tensors in graph.outfeeds:
            queue.put([_arranged(r, queue.keeps_all, times, replicas, t.shape.as_list())
                       for r, t in zip(results[at:at + len(tensors)], tensors)])
            at += len(tensors)
        return [_of_last(r, replicas, t.shape.as_list()) for r, t in zip(results[:count], self.tensors)]


def _arranged(values, keeps_all, times, replicas, shape):
    """[rounds, (replicas,) shape], or of the last round alone."""
    if not keeps_all:
        return values.reshape(*([replicas] if replicas > 1 else []), *shape)
    return values.reshape(times // replicas, *([replicas] if replicas > 1 else []), *shape)


def _of_last(values, replicas, shape):
    return values[-1] if replicas > 1 else values.reshape(shape)


def _is_operation(value):
    from tensorflow.framework.operations import Operation
    return value is None or isinstance(value, Operation) or (
        isinstance(value, (list, tuple)) and all(v is None or isinstance(v, Operation) for v in value))


__all__ = ["Compiled", "ProgramGraph", "EagerTensor", "convert_to_tensor"]
