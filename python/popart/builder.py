# SPDX-License-Identifier: MIT
"""The Builder as Python programs use it: scopes as context managers, opsets as attributes."""
from contextlib import contextmanager
from typing import Any, Iterable, Iterator, Union

import numpy as np
import popart_core as core
from popart.session import _model

_OPSETS = range(6, 18)


def _ids(names: Union[str, Iterable[str]]) -> "set[str]":
    return {names} if isinstance(names, str) else set(names)


class _Graphcore(core.AiGraphcoreOpset1):
    """Operators of ai.graphcore; collectives take the replicas of the Builder's scope."""

    def __init__(self, opset: core.AiGraphcoreOpset1, group: "core.CommGroup | None" = None) -> None:
        super().__init__(opset)
        self._group = group

    def replicatedallreduce(self, args: Any, collectiveOperator: Any = None, commGroup: Any = None, debugContext: Any = "") -> str:
        """ReplicatedAllReduce: the reduction of a tensor over replicas, on each of them."""
        return super().replicatedallreduce(args, collectiveOperator, commGroup or self._group, debugContext)

    def replicatedreducescatter(self, args: Any, collectiveOperator: Any = None, commGroup: Any = None,
                                debugContext: Any = "") -> str:
        """ReplicatedReduceScatter: the reduction of a tensor over replicas, of which each keeps its part."""
        return super().replicatedreducescatter(args, collectiveOperator, commGroup or self._group, debugContext)

    def init(self, shape: Any, data_type: Any, init_type: Any, batch_axis: Any = -1, debugContext: Any = "") -> str:
        """Init: a tensor of this shape and DataType, of zeros or undefined; init([2], FLOAT, Zero, "name") does too."""
        if not isinstance(batch_axis, int):
            batch_axis, debugContext = -1, batch_axis
        return super().init(shape, int(data_type), int(init_type), batch_axis, debugContext)

    def packedDataBlock(self, args: Any, maxSequenceLengths: Any, resultSize: int, callbackBatchSize: int,
                        callback: Any, debugName: Any = "") -> str:
        """Not there: always a popart_exception that says what to use instead."""
        raise core.popart_exception("aiGraphcore.packedDataBlock is not there: which of its inputs are lengths and offsets is "
                                    "not published. Take the sequences out of the pack by sequenceslice, call() the graph "
                                    "on them, and put the results back by sequenceslice.")


def _opset(version: int) -> property:
    """The attribute aiOnnxOpset<version>."""
    def get(self: "Builder") -> Any:
        return self._onnx(version)
    get.__annotations__["return"] = f"core.AiOnnxOpset{version}"
    return property(get, doc=f"The operators of ai.onnx, opset {version}: builder.aiOnnxOpset{version}.relu([x]).")


class Builder(core._BuilderCore):
    """Makes ONNX models from code: builder.aiOnnx.relu([x]) adds a node and gives the name of its output."""

    def __init__(self, modelProtoOrFilename: Any = None, opsets: "dict[str, int] | None" = None,
                 builderCore: Any = None) -> None:
        """A new model, or one to go on from: the bytes of an ONNX model or the name of a file.

        opsets are those to use: {"ai.onnx": 11, "ai.graphcore": 1}, and of other domains the version that
        customOp writes down. A loaded model goes on with its own."""
        if builderCore is not None:
            super().__init__(builderCore)
        elif modelProtoOrFilename is not None:
            super().__init__(_model(modelProtoOrFilename))
        else:
            super().__init__()
        self._versions = {"ai.onnx": core.defaultAiOnnxOpset, "ai.graphcore": core.defaultAiGraphcoreOpset}
        if opsets is not None:
            if not set(self._versions) <= set(opsets):
                raise RuntimeError("opsets must give both 'ai.onnx' and 'ai.graphcore'.")
            self._versions = dict(opsets)
            for domain in set(opsets) - {"ai.onnx", "ai.graphcore"}:
                self._useOpset(domain, opsets[domain])
        self._opset = self._onnxOpset() or None  # the one in use: the model's, or the first that is asked for
        self._outline: "dict[str, Any]" = {}
        self._group: "core.CommGroup | None" = None

    @property
    def _impl(self) -> "Builder":
        return self

    def __repr__(self) -> str:
        opset = f"opset {self._opset}" if self._opset else f"opset {self._versions['ai.onnx']} unless another is used first"
        return (f"<Builder: {len(self.getInputTensorIds())} inputs, {len(self.getTrainableTensorIds())} weights, "
                f"{len(self.getValueTensorIds())} other tensors, {len(self.getOutputTensorIds())} outputs; {opset}>")

    def _onnx(self, version: int) -> Any:
        if self._opset is not None and self._opset != version:
            raise RuntimeError(f"Invalid opset 'aiOnnxOpset{version}' selected. "
                               f"Opset for domain ai.onnx already defined as {self._opset}")
        if version not in _OPSETS:
            raise RuntimeError(f"There is no opset {version} of ai.onnx; use one of 6 to 17.")
        self._opset = version
        return getattr(self, f"_aiOnnxOpset{version}")()

    @property
    def aiOnnx(self) -> core.AiOnnxOpset10:
        """The operators of ai.onnx: those of the loaded model's opset, else of the Builder's (10 by default)."""
        return self._onnx(self._versions["ai.onnx"] if self._opset is None else self._opset)

    for _version in _OPSETS:
        vars()[f"aiOnnxOpset{_version}"] = _opset(_version)
    del _version

    @property
    def aiGraphcore(self) -> core.AiGraphcoreOpset1:
        """The operators of ai.graphcore."""
        return _Graphcore(self._aiGraphcoreOpset1(), self._group)

    @property
    def aiGraphcoreOpset1(self) -> core.AiGraphcoreOpset1:
        """The operators of ai.graphcore."""
        return self.aiGraphcore

    @property
    def aiOnnxMlOpset1(self) -> core.AiOnnxMlOpset1:
        """ai.onnx.ml, of which there are no operators."""
        return self._aiOnnxMlOpset1()

    def getVirtualGraph(self, nodeOutputNames: Any = None) -> int:
        """The virtual graph of the scope, or of the node that makes these tensors."""
        if nodeOutputNames is None:
            return super().getVirtualGraph()
        return super()._getVirtualGraph(_ids(nodeOutputNames))

    def createSubgraphBuilder(self) -> "Builder":
        """A Builder for the body of a call, loop, scan or branch."""
        child = Builder(builderCore=self)
        child._opset, child._versions = self._opset, self._versions
        return child

    def reshape_const(self, aiOnnx: Any, args: Any, shape: Any, debugContext: Any = "") -> str:
        """Reshape to a shape that is known now."""
        target = aiOnnx.constant(np.asarray(shape, dtype=np.int64), debugContext)
        return aiOnnx.reshape([args[0], target], debugContext)

    @contextmanager
    def _scope(self, attribute: str, value: Any) -> "Iterator[Builder]":
        before = self.getAttribute(attribute) if self.hasAttribute(attribute) else None
        self.setAttribute(attribute, value)
        try:
            yield self
        finally:
            self.clearAttribute(attribute)
            if before is not None:
                self.setAttribute(attribute, before)

    # Called with outputs these mark a node; with a number alone they open a scope.
    def virtualGraph(self, nodeOutputNames: Any, value: int = 0) -> Any:
        """with builder.virtualGraph(1): nodes of this scope; builder.virtualGraph(y, 1): the node that makes y."""
        if isinstance(nodeOutputNames, int):
            return self._scope("__ipu_number", nodeOutputNames)
        return self._virtualGraph(_ids(nodeOutputNames), value)

    def pipelineStage(self, nodeOutputNames: Any, value: int = 0) -> Any:
        """with builder.pipelineStage(1): nodes of this scope; builder.pipelineStage(y, 1): the node that makes y."""
        if isinstance(nodeOutputNames, int):
            return self._scope("__pipeline_stage", nodeOutputNames)
        return self._pipelineStage(_ids(nodeOutputNames), value)

    def executionPhase(self, nodeOutputNames: Any = 0, value: int = 0) -> Any:
        """with builder.executionPhase(1): nodes of this scope; builder.executionPhase(y, 1): the node that makes y."""
        if isinstance(nodeOutputNames, int):
            return self._scope("__execution_phase", nodeOutputNames)
        return self._executionPhase(_ids(nodeOutputNames), value)

    def recomputeOutput(self, nodeOutputNames: Any, value: "core.RecomputeType | None" = None) -> Any:
        """Whether the backward pass computes outputs again: of a node, or with a RecomputeType alone of a scope."""
        if isinstance(nodeOutputNames, core.RecomputeType):
            return self._scope("__recompute_output_in_backward_pass", int(nodeOutputNames))
        return self._recomputeOutput(_ids(nodeOutputNames), value or core.RecomputeType.Recompute)

    def recomputeOutputInBackwardPass(self, nodeOutputName: Any, value: "core.RecomputeType | None" = None) -> None:
        """Whether the backward pass computes a node's outputs again."""
        return self._recomputeOutput(_ids(nodeOutputName), value or core.RecomputeType.Recompute)

    def schedulePriority(self, value: float) -> Any:
        """with builder.schedulePriority(2.0): nodes of this scope run early."""
        return self._scope("__schedule_priority", float(value))

    def outputTensorLocation(self, nodeOutputNames: Any, value: "core.TensorLocation | None" = None) -> Any:
        """Where outputs lie: of a node, or with a TensorLocation alone of a scope."""
        if not isinstance(nodeOutputNames, core.TensorLocation):
            return self._outputTensorLocation(nodeOutputNames, value or core.TensorLocation())
        where = nodeOutputNames
        parts: "tuple[Any, ...]" = (where.storage, where.loadTileSet, where.storageTileSet, where.replicatedTensorSharding,
                 where.shardingDomain.type, where.shardingDomain.replicaGroupSize)
        return self._scope("__output_tensor_location", [int(part) for part in parts])

    @contextmanager
    def outlineAttributes(self, attributes: "dict[str, Any]") -> "Iterator[Builder]":
        """Only nodes with the same attributes are made one subgraph. Inner scopes add to outer ones."""
        outer = self._outline
        self._outline = {**outer, **attributes}
        try:
            flat = [str(part) for pair in sorted(self._outline.items()) for part in pair]
            with self._scope("__outline_attribute", flat):
                yield self
        finally:
            self._outline = outer

    @contextmanager
    def commGroup(self, type: Any = 0, groupSize: int = 0) -> "Iterator[Builder]":
        """The replicas that take part in a collective."""
        outer, self._group = self._group, core.CommGroup(core.CommGroupType(type), groupSize)
        try:
            yield self
        finally:
            self._group = outer

    @contextmanager
    def nameScope(self, name: str) -> "Iterator[Builder]":
        """with builder.nameScope("layer"): names of what is added begin with layer/."""
        self.pushNameScope(name)
        try:
            yield self
        finally:
            self.popNameScope()
