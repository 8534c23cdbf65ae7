# SPDX-License-Identifier: MIT
"""Where the tensors of a training are kept and what is computed again: arguments of pipelines and of gradient accumulation, as
PopART's session options. ARGUMENTS has all of them, and is a table of docs/tensorflow-options.md."""
from __future__ import annotations

import enum

import popart

from tensorflow.framework import dtypes
from tensorflow.framework.typed import TensorLike


class RecomputationMode(enum.Enum):
    """What the backward pass of a pipeline computes again."""
    Auto, RecomputeThenBackpropagate, RecomputeAndBackpropagateInterleaved = "Auto", "RTB", "RBI"


class PipelineSchedule(enum.IntEnum):
    """How the stages of a pipeline take turns."""
    Grouped, Interleaved, Sequential = range(3)


class GradientAccumulationReductionMethod(enum.Enum):
    """How gradients of micro-batches become one."""
    SUM, MEAN, RUNNING_MEAN = "sum", "mean", "running_mean"

    @classmethod
    def parse(cls, value: TensorLike) -> GradientAccumulationReductionMethod:
        """The member of a name, or the member itself."""
        if isinstance(value, cls):
            return value
        for each in cls:
            if str(value).lower() == each.value:
                return each
        raise ValueError(f"Cannot parse {value!r} as one of 'sum', 'mean', 'running_mean'.")


class Argument:
    """words: what it does; off_chip, sharded: which of PopART's tensors it moves; accumulates, pipelines: who takes it."""

    def __init__(self, words, off_chip=None, sharded=None, accumulates=False, pipelines=True):
        self.words, self.off_chip, self.sharded = words, off_chip, sharded
        self.accumulates, self.pipelines = accumulates, pipelines


_WRITTEN_OUT = "; refused for optimisers that are written out"
ARGUMENTS = {
    "offload_weight_update_variables": Argument("optimiser state is in memory off the chip", off_chip="optimizerState",
                                                accumulates=True),
    "offload_gradient_accumulation_buffers": Argument("gradients are gathered in memory off the chip",
                                                      off_chip="accumulator"),
    "offload_activations": Argument("activations wait in memory off the chip until the backward pass; refused unless "
                                    "PipelineSchedule.Sequential", off_chip="activation"),
    "offload_weights": Argument("weights are in memory off the chip", off_chip="weight"),
    "replicated_optimizer_state_sharding": Argument("every replica keeps a part of the optimiser state" + _WRITTEN_OUT,
                                                    sharded="optimizerState", accumulates=True),
    "replicated_weight_sharding": Argument("every replica keeps a part of the weights" + _WRITTEN_OUT, sharded="weight"),
    "recomputation_mode": Argument("with allow_recompute: from a stage's inputs (RecomputeThenBackpropagate) or from values "
                                   "within it"),
    "gradient_accumulation_dtype": Argument("the type that gradients are gathered in"),
    "dtype": Argument("the same, of GradientAccumulationOptimizerV2", accumulates=True, pipelines=False),
}
OF_PIPELINES = [name for name, argument in ARGUMENTS.items() if argument.pipelines]
# of pipelines; framework/no_effect.py says why
PIPELINES_WITHOUT_EFFECT = ("forward_propagation_stages_poplar_options", "backward_propagation_stages_poplar_options",
                            "weight_update_poplar_options", "accumulate_outfeed_dtype")
OF_ACCUMULATION = [name for name, argument in ARGUMENTS.items() if argument.accumulates]


class Placement:
    """given: arguments by name, those of ARGUMENTS."""

    def __init__(self, given):
        self._given = {name: value for name, value in given.items() if value not in (None, False)}
        mode = self._given.get("recomputation_mode")
        if mode is not None and not isinstance(mode, RecomputationMode):
            raise TypeError(f"recomputation_mode must be a pipelining_ops.RecomputationMode, not {mode!r}.")

    def accumulator_type(self, variables):
        """popart's type that gradients are gathered in; UNDEFINED: their own."""
        asked = self._given.get("gradient_accumulation_dtype", self._given.get("dtype"))
        if asked is None:
            return popart.DataType.UNDEFINED
        kinds = {dtypes.as_dtype(asked(v) if callable(asked) and not isinstance(asked, (dtypes.DType, type)) else asked)
                 for v in variables}
        if len(kinds) != 1:
            raise NotImplementedError("Gradients of different variables cannot be gathered in different types here: "
                                      f"{sorted(k.name for k in kinds)} were asked for.")
        kind = kinds.pop()
        if kind not in (dtypes.float32, dtypes.float16):
            raise ValueError(f"Gradients are gathered in float32 or float16, not {kind.name}.")
        return kind.device_type

    def adapt(self, options, fused, minimum_bytes):
        """fused: whether the optimiser is PopART's; state of one that is written out cannot be shared out. Tensors of less than
        minimum_bytes stay where they are."""
        least = max(2, minimum_bytes // 4)
        for name, argument in ARGUMENTS.items():
            if argument.off_chip and self._given.get(name):
                self._settings(options, argument.off_chip, least).location.storage = popart.TensorStorage.OffChip
        for name, argument in ARGUMENTS.items():
            if argument.sharded and self._given.get(name):
                if not fused and options.enableReplicatedGraphs:
                    raise NotImplementedError(f"{name}: an optimiser whose update is written out (docs/tensorflow.md lists "
                                              "them) has all of its state on every replica. Use one of PopART's rules, such "
                                              "as SGD or Adam with a constant rate.")
                settings = self._settings(options, argument.sharded, least)
                settings.location.replicatedTensorSharding = popart.ReplicatedTensorSharding.On
        return options

    @staticmethod
    def _settings(options, what, least):
        out = getattr(options, f"{what}TensorLocationSettings")
        out.minElementsForOffChip = out.minElementsForReplicatedTensorSharding = least
        return out

    @property
    def recomputation(self):
        """Of a pipeline whose device allows it."""
        by_values = self._given.get("recomputation_mode") is RecomputationMode.RecomputeAndBackpropagateInterleaved
        return popart.RecomputationType.Standard if by_values else popart.RecomputationType.Pipeline

    @property
    def key(self):
        return tuple(sorted((name, str(value)) for name, value in self._given.items()))
