# SPDX-License-Identifier: MIT
"""One program for an IPU, traced from a function: what ipu_compiler.compile makes. A loop at its top is the program's own
loop, so that infeeds and outfeeds are inputs and outputs of every round; its variables are kept on the device."""
from __future__ import annotations

import weakref
from typing import Any, Callable

import numpy as np
import popart

from tensorflow.compat.v1.graphs import trained_without_list
from tensorflow.framework import nest
from tensorflow.framework.context import active, placed, tracing
from tensorflow.framework.errors import translated
from tensorflow.framework.execution import Executable, Settings, arranged
from tensorflow.framework.graphs import Graph
from tensorflow.framework.operations import Operation
from tensorflow.framework.rules import unused_optimizer, write_rule
from tensorflow.framework.tensors import Tensor
from tensorflow.framework.typed import TensorLike
from tensorflow.framework.variables import Variable
from tensorflow.ops import math_ops
from tensorflow.ops.placement import GradientAccumulationReductionMethod, Placement
from tensorflow.python.ipu import system


class ProgramGraph(Graph):
    makes_variables = True

    def __init__(self, name="cluster"):
        super().__init__(name=name)
        self.rounds = None  # of the main loop
        self.in_main = False  # its body is being traced
        self.infeeds, self.outfeeds = [], []  # (queue, tensors)
        self.captured_outfeed = None  # the same, of PopART's training: the queue gets the loss's gradients by these tensors
        self.inner_outfeeds = []
        self.arguments, self.states = [], []  # hidden variables
        self.loss_times = 1
        self.training = None  # (optimizer, loss, accumulation, reduction) of PopART's training
        self.placement = Placement({})  # of what it keeps
        self.returned_final = True
        self.schedule = None
        self.norm_replicas = system.value("norms.experimental.distributed_batch_norm_replica_group_size")

    def train(self, optimizer, loss, accumulation, method=GradientAccumulationReductionMethod.SUM, variables=None):
        """The variables are trained in PopART's training, by its optimiser of the same rule or by this one written out."""
        if self.training is not None:
            raise RuntimeError("A program trains with one optimizer.")
        loss = optimizer.to_minimize(loss)
        if method is GradientAccumulationReductionMethod.SUM:  # PopART takes the mean
            self.loss_times = accumulation
            loss = math_ops.multiply(loss, float(accumulation))
        self.training = (optimizer, loss, accumulation, method)
        self.retrain = {id(v) for v in (trained_without_list(self) if variables is None else variables)}

    def capture_gradients(self, queue, tensors):
        """Of every batch's loss by tensors, {tag: tensor}."""
        if not tensors:
            raise ValueError("captured_gradient_outfeed: nothing was marked in the gradient_capture_context. Call the stages, "
                             "which call capture_upstream_gradients, within it.")
        queue.enqueue(tensors)
        self.captured_outfeed = self.outfeeds.pop()

    def trained_variables(self):
        return [v for key, (v, *_) in self.variables.items() if key in self.retrain]

    def fused(self):
        """PopART's optimiser of the training's rule, or None."""
        optimizer = self.training[0]
        if not optimizer.rate_is_constant:
            return None
        accum = self.placement.accumulator_type(self.trained_variables())
        return optimizer.fused_here(popart, optimizer.rate_now(), accum)

    def hidden(self, array, name):
        """A variable of the program alone."""
        with placed(default=None, scopes=()):
            out = Variable(np.asarray(array), False, name=name)
        out.initialized = True
        return out


def program() -> Any:
    """The program that is being traced at its top, or None."""
    graph = active()
    return graph if isinstance(graph, ProgramGraph) else None


def root_program() -> Any:
    """The program that is being built, around all loops and conditions; or None."""
    graph = active()
    while graph is not None and not isinstance(graph, ProgramGraph):
        graph = graph.outer
    return graph


class Compiled:
    """A traced program with what it needs to run."""

    def __init__(self, function: Callable, inputs: TensorLike, index: int | None) -> None:
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

    _finished = None  # how outputs are returned, of a graph that is finished

    def _finish(self):
        if self._finished is None:
            self._finished = self._finish_graph()
        return self._finished

    def _finish_graph(self):
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
            trained = graph.trained_variables()
            for variable in trained:
                graph.recorder.train(graph.declare(variable))
            if graph.fused() is None:
                with tracing(graph):
                    write_rule(graph, graph.taken(graph.training[1]), graph.training[0], trained)
        if not outputs:
            outputs, returned = [graph.constant(np.float32(0))], ["Final"]
            self._nothing = True
        graph.finish(outputs)
        queue, tensors = graph.captured_outfeed or (None, [])
        for tensor in tensors:
            graph.recorder.gradient(tensor.number)
            graph.outputs.append(tensor)
            returned.append("All" if queue.keeps_all else "Final")
        return returned

    _nothing = False

    def compile(self, session: Any = None) -> Executable:
        """session: PopART's optimiser keeps its state in the program, so each session has one, and another one after it has
        initialised the variables again."""
        owner, begun = self.graph, 0
        if session is not None and self.graph.training is not None:
            owner, begun = session, tuple(v.begun for v in self.graph.trained_variables())
        known = self.__dict__.setdefault("_executables", weakref.WeakKeyDictionary())
        if owner not in known or known[owner][0] != begun:
            known[owner] = begun, self._compile()
        return known[owner][1]

    def _compile(self):
        graph, device = self.graph, system.device(self.index)
        returned = self._finish()
        ipus = self._ipus()
        size = 1 << (ipus - 1).bit_length()
        if device.ipus % size:
            raise ValueError(f"Current device has {device.ipus} IPUs attached, however the current model requires a multiple "
                             f"of {size} IPUs.")
        device.norm_replicas(device.ipus // size)
        graph.check_feeds(device.ipus // size)
        accumulation = graph.training[2] if graph.training else 1
        rounds = max(1, graph.rounds or 1)
        settings = Settings(rounds if graph.training is not None or accumulation == 1 else rounds, device.ipus // size,
                            accumulation, returned=returned, name="cluster", adapt=lambda o: self._adapt(o, ipus))
        if graph.training is not None:
            made = graph.fused() or unused_optimizer(graph.placement.accumulator_type(graph.trained_variables()))
            settings.optimizer = lambda names: made
        return Executable(graph, device, settings)

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
            if graph.training is not None and system.value("allow_recompute"):
                options.autoRecomputation = graph.placement.recomputation
        if graph.training is not None:
            options.accumulationAndReplicationReductionType = popart.ReductionType.Mean
            graph.placement.adapt(options, graph.fused() is not None,
                                  system.value("optimizations.minimum_remote_tensor_size"))
            if graph.training[3] is GradientAccumulationReductionMethod.RUNNING_MEAN:
                options.meanAccumulationAndReplicationReductionStrategy = popart.MeanReductionStrategy.Running

    def run(self, arguments: list, session: Any = None) -> list:
        """Values of the inputs -> values of the results; queues are read and filled."""
        executable = self.compile(session)
        graph = self.graph
        for variable, value in zip(graph.arguments, arguments):
            variable.set(value)
        for state, start in graph.__dict__.get("starts", ()):
            state.set(arguments[start] if isinstance(start, int) else start)
        times = executable.settings.times
        fed = []
        for queue, tensors in graph.infeeds:
            fed += queue.next_arrays(times)
        with translated():
            results = executable(fed)
        graph.put_inner()
        if self._nothing:
            return []
        replicas = executable.settings.replicas
        count = len(self.tensors)
        at = count
        for queue, tensors in graph.outfeeds:
            queue.put([arranged(r, queue.keeps_all, times, replicas, t.shape.as_list())
                       for r, t in zip(results[at:at + len(tensors)], tensors)])
            at += len(tensors)
        if graph.captured_outfeed:
            queue, tensors = graph.captured_outfeed
            queue.put([arranged(r, queue.keeps_all, times, replicas, t.shape.as_list()) / r.dtype.type(graph.loss_times)
                       for r, t in zip(results[at:], tensors)])
        return [_of_last(r, replicas, t.shape.as_list()) for r, t in zip(results[:count], self.tensors)]


def _of_last(values, replicas, shape):
    return values[-1] if replicas > 1 else values.reshape(shape)


def _is_operation(value):
    return value is None or isinstance(value, Operation) or (
        isinstance(value, (list, tuple)) and all(v is None or isinstance(v, Operation) for v in value))
