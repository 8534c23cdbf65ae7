# SPDX-License-Identifier: MIT
"""The Builder as Python programs use it: scopes as context managers, opsets as attributes."""
from contextlib import contextmanager

from popart import popart_core as core


def _ids(names):
    return {names} if isinstance(names, str) else set(names)


class _Graphcore:
    """ai.graphcore, with bodies given as Builders."""

    def __init__(self, opset, group=None):
        self._opset = opset
        self._group = group  # of replicas, from the scope

    def call(self, args, num_outputs, callee, debugName=""):
        return self._opset.call(args, num_outputs, callee._impl, debugName)

    def replicatedallreduce(self, args, collectiveOperator=None, commGroup=None, debugContext=""):
        return self._opset.replicatedallreduce(args, collectiveOperator, commGroup or self._group, debugContext)

    def replicatedreducescatter(self, args, collectiveOperator=None, commGroup=None, debugContext=""):
        return self._opset.replicatedreducescatter(args, collectiveOperator, commGroup or self._group, debugContext)

    def __getattr__(self, name):
        return getattr(self._opset, name)


class _Onnx:
    """An opset of ai.onnx, with bodies given as Builders."""

    def __init__(self, opset):
        self._opset = opset

    def logical_if(self, args, num_outputs, else_branch, then_branch, name=""):
        return self._opset.logical_if(args, num_outputs, else_branch._impl, then_branch._impl, name)

    def loop(self, args, num_outputs, body, debugContext=""):
        return self._opset.loop(args, num_outputs, body._impl, debugContext)

    def scan(self, args, num_outputs, body, *rest, **named):
        return self._opset.scan(args, num_outputs, body._impl, *rest, **named)

    def __getattr__(self, name):
        return getattr(self._opset, name)


class Builder:
    def __init__(self, modelProtoOrFilename=None, opsets=None, builderCore=None):
        if builderCore is not None:
            self._impl = builderCore
        elif modelProtoOrFilename is not None:
            self._impl = core._BuilderCore.fromModel(modelProtoOrFilename)
        else:
            self._impl = core._BuilderCore()
        self._versions = {"ai.onnx": core.defaultAiOnnxOpset, "ai.graphcore": core.defaultAiGraphcoreOpset}
        if opsets is not None:
            if set(opsets) != set(self._versions):
                raise RuntimeError("opsets must give both 'ai.onnx' and 'ai.graphcore'.")
            self._versions = dict(opsets)
        self._opset = None  # the version of ai.onnx that was used first
        self._outline = {}
        self._group = None

    def __getattr__(self, name):
        if name.startswith("aiOnnxOpset"):
            return self._onnx(int(name[len("aiOnnxOpset"):]))
        return getattr(self._impl, name)

    def _onnx(self, version):
        if self._opset is not None and self._opset != version:
            raise RuntimeError(f"Invalid opset {version} used; this builder already uses opset {self._opset} of ai.onnx.")
        self._opset = version
        return _Onnx(getattr(self._impl, f"aiOnnxOpset{version}")())

    @property
    def aiOnnx(self):
        return self._onnx(self._versions["ai.onnx"] if self._opset is None else self._opset)

    @property
    def aiGraphcore(self):
        return _Graphcore(self._impl.aiGraphcoreOpset1(), self._group)

    @property
    def aiOnnxMlOpset1(self):
        return self._impl.aiOnnxMlOpset1()

    @property
    def aiGraphcoreOpset1(self):
        return self.aiGraphcore

    def createSubgraphBuilder(self):
        child = Builder(builderCore=self._impl.createSubgraphBuilder())
        child._opset, child._versions = self._opset, self._versions
        return child

    def reshape_const(self, aiOnnx, args, shape, debugContext=""):
        import numpy as np
        target = aiOnnx.constant(np.asarray(shape, dtype=np.int64), debugContext)
        return aiOnnx.reshape([args[0], target], debugContext)

    @contextmanager
    def _scope(self, attribute, value):
        before = self._impl.getAttribute(attribute) if self._impl.hasAttribute(attribute) else None
        self._impl.setAttribute(attribute, value)
        try:
            yield self
        finally:
            self._impl.clearAttribute(attribute)
            if before is not None:
                self._impl.setAttribute(attribute, before)

    # Called with outputs these mark a node; with a number alone they open a scope.
    def virtualGraph(self, nodeOutputNames, value=0):
        if isinstance(nodeOutputNames, int):
            return self._scope("__ipu_number", nodeOutputNames)
        return self._impl.virtualGraph(_ids(nodeOutputNames), value)

    def pipelineStage(self, nodeOutputNames, value=0):
        if isinstance(nodeOutputNames, int):
            return self._scope("__pipeline_stage", nodeOutputNames)
        return self._impl.pipelineStage(_ids(nodeOutputNames), value)

    def executionPhase(self, nodeOutputNames=0, value=0):
        if isinstance(nodeOutputNames, int):
            return self._scope("__execution_phase", nodeOutputNames)
        return self._impl.executionPhase(_ids(nodeOutputNames), value)

    def recomputeOutput(self, nodeOutputNames, value=None):
        if isinstance(nodeOutputNames, core.RecomputeType):
            return self._scope("__recompute_output_in_backward_pass", int(nodeOutputNames))
        return self._impl.recomputeOutput(_ids(nodeOutputNames), value or core.RecomputeType.Recompute)

    def recomputeOutputInBackwardPass(self, nodeOutputName, value=None):
        return self._impl.recomputeOutput(_ids(nodeOutputName), value or core.RecomputeType.Recompute)

    def schedulePriority(self, value):
        return self._scope("__schedule_priority", float(value))

    def outputTensorLocation(self, nodeOutputNames, value=None):
        if not isinstance(nodeOutputNames, core.TensorLocation):
            return self._impl.outputTensorLocation(nodeOutputNames, value or core.TensorLocation())
        where = nodeOutputNames
        parts = (where.storage, where.loadTileSet, where.storageTileSet, where.replicatedTensorSharding,
                 where.shardingDomain.type, where.shardingDomain.replicaGroupSize)
        return self._scope("__output_tensor_location", [int(part) for part in parts])

    @contextmanager
    def outlineAttributes(self, attributes):
        """Only nodes with the same attributes are made one subgraph. Inner scopes add to outer ones."""
        outer = self._outline
        self._outline = {**outer, **attributes}
        flat = [str(part) for pair in sorted(self._outline.items()) for part in pair]
        try:
            with self._scope("__outline_attribute", flat):
                yield self
        finally:
            self._outline = outer

    @contextmanager
    def commGroup(self, type=0, groupSize=0):
        """The replicas that take part in a collective."""
        outer, self._group = self._group, core.CommGroup(core.CommGroupType(type), groupSize)
        try:
            yield self
        finally:
            self._group = outer

    @contextmanager
    def nameScope(self, name):
        self._impl.pushNameScope(name)
        try:
            yield self
        finally:
            self._impl.popNameScope()
