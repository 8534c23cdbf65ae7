# SPDX-License-Identifier: MIT
"""Where the tensors of a training are kept and what is computed again: arguments of pipelines and of gradient accumulation, as
PopART's session options. ARGUMENTS says what each does; a test walks it."""
import enum

import popart

from tensorflow.framework import dtypes


class RecomputationMode(enum.Enum):
    Auto, RecomputeThenBackpropagate, RecomputeAndBackpropagateInterleaved = "Auto", "RTB", "RBI"


ARGUMENTS = {
    "offload_weight_update_variables": "optimiser state is in memory beside the chip",
    "offload_gradient_accumulation_buffers": "gradients are gathered in memory beside the chip",
    "offload_activations": "activations wait in memory beside the chip until the backward pass; refused unless PipelineSchedule.Sequential",
    "offload_weights": "weights are in memory beside the chip",
    "replicated_optimizer_state_sharding": "every replica keeps a part of the optimiser state; refused for optimisers that are written out",
    "replicated_weight_sharding": "every replica keeps a part of the weights; refused for optimisers that are written out",
    "recomputation_mode": "with allow_recompute: from a stage's inputs (RecomputeThenBackpropagate) or from values within it",
    "gradient_accumulation_dtype": "the type that gradients are gathered in",
    "dtype": "the same, of GradientAccumulationOptimizerV2",
}
_LOCATIONS = {"offload_weight_update_variables": "optimizerState", "offload_gradient_accumulation_buffers": "accumulator",
              "offload_activations": "activation", "offload_weights": "weight"}
_SHARDED = {"replicated_optimizer_state_sharding": "optimizerState", "replicated_weight_sharding": "weight"}


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

    def adapt(self, options, fused=True):
        """fused: whether the optimiser is PopART's; state of one that is written out cannot be shared out."""
        for name, what in _LOCATIONS.items():
            if self._given.get(name):
                self._settings(options, what).location.storage = popart.TensorStorage.OffChip
        for name, what in _SHARDED.items():
            if self._given.get(name):
                if not fused and options.enableReplicatedGraphs:
                    raise NotImplementedError(f"{name}: an optimiser whose update is written out (docs/tensorflow.md lists "
                                              "them) has all of its state on every replica. Use one of PopART's rules, such "
                                              "as SGD or Adam with a constant rate.")
                settings = self._settings(options, what)
                settings.location.replicatedTensorSharding = popart.ReplicatedTensorSharding.On
        return options

    @staticmethod
    def _settings(options, what):
        from tensorflow.python.ipu import system
        out = getattr(options, f"{what}TensorLocationSettings")
        least = max(2, system.value("optimizations.minimum_remote_tensor_size") // 4)
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
