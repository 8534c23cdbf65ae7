# SPDX-License-Identifier: MIT
"""Execution strategies: which IPU, stage or phase a block of a model belongs to.

The capture makes a placer for every model and tells it of blocks as the program enters them:

    placer = options.execution_strategy.placer()
    ipu, stage, phase = placer.place("0", ipu_id=None)      # stage is None unless pipelined, phase unless phased

and checks at the end: placer.check(options, training), then ipusToReserve(placer.ipus, options).
"""
from __future__ import annotations

from typing import Any, Callable, Iterable, NamedTuple, Optional, Tuple

from poptorch.enums import AutoStage, ConnectionType, Liveness
from poptorch.errors import createPoptorchError, require
from poptorch.options.stages import Phase, Stage, phases_of, stages_of

__all__ = ["AutoStage", "Stage", "Phase", "PipelinedExecution", "ShardedExecution", "SerialPhasedExecution",
           "ParallelPhasedExecution", "Liveness"]
_MOST_IPUS = 64


class Placement(NamedTuple):
    """Where the operators of a block are."""
    ipu: int
    stage: "int | None"
    phase: "int | None"


class Placer:
    """Follows one model through its blocks, in the order of the program."""

    def __init__(self, strategy: "Strategy"):
        self._strategy = strategy
        self._stages: "dict[str, int]" = {}  # of blocks, for AutoStage.AutoIncrement
        self._switches = 0
        self._last: "Placement | None" = None
        self._unplaced = False
        self.ipus = 1  # per replica

    def beforeBlocks(self) -> None:
        """There are operators in front of the first block. They are on IPU 0, unless that is the first stage itself."""
        self._unplaced = True

    def place(self, block_id: str, ipu_id: "int | None" = None) -> Placement:
        """Where a block is that the program enters now; AssertionError for one that the strategy does not know."""
        if ipu_id is not None and ipu_id < 0:
            raise createPoptorchError(f"The block {block_id!r} is on IPU {ipu_id}. IPUs are numbered from 0.")
        place = self._strategy._place(str(block_id), ipu_id, self._stages)
        last = self._last
        if last is not None:
            if place.stage is not None and last.stage is not None and place.stage < last.stage:
                raise createPoptorchError(
                    f"The block {block_id!r} is in stage {place.stage}, but comes after stage {last.stage}. "
                    "Stages must ascend along the model.")
            self._switches += place.ipu != last.ipu
        elif self._unplaced and place.stage:
            self._switches += place.ipu != 0
        self._last = place
        self.ipus = max(self.ipus, place.ipu + 1)
        return place

    @property
    def pipelined(self) -> bool:
        """Whether the model runs as a pipeline: several IPUs, and a strategy that makes one."""
        return self._strategy.pipelines and self.ipus > 1

    def numStages(self, training: bool) -> int:
        """One more than changes of the IPU; in training also those of the backward pass."""
        stages = self._switches + 1
        return 2 * stages - 1 if training else stages

    def check(self, options: Any, training: bool) -> None:
        """The IPUs must be a number that can be had, and a pipeline must have enough batches to fill it."""
        ipusToReserve(self.ipus, options)
        if not self.pipelined:
            return
        stages = self.numStages(training)
        name, value = (("Training.gradientAccumulation", options.Training.gradient_accumulation) if training
                       else ("deviceIterations", options.device_iterations))
        if value < stages:
            forward = self.numStages(False)
            note = (f" Please note that a model with {forward} pipeline stages in PopTorch will have an additional "
                    f"{forward - 1} stages when training." if training
                    else f" The model is on one IPU after the other, {forward} times.")
            also = f" (an inferenceModel of it needs deviceIterations({forward}))" if training else ""
            raise createPoptorchError(
                f"poptorch.Options().{name} must be greater than or equal to the number of pipeline stages ({stages}) when "
                f"using poptorch.PipelinedExecution.{note} It is {value}, but each stage works on another batch. Use "
                f"{name}({stages}) or more{also}; a call takes that many batches.")


class Strategy:
    """What all strategies share. name: of the class; pipelines, phased: what it makes of a model."""
    pipelines = False
    phased = False
    _place: "Callable[[str, Optional[int], dict[str, int]], Placement]"

    def placer(self) -> Placer:
        """For one capture of a model."""
        return Placer(self)

    def place(self, blocks: Iterable[Tuple[str, Optional[int]]]) -> "list[Placement]":
        """Where blocks are: pairs (block id, ipu_id or None), in the order of the program."""
        placer = self.placer()
        return [placer.place(block, ipu) for block, ipu in blocks]

    def __repr__(self):
        return f"{type(self).__name__}()"


class _StagedExecution(Strategy):
    """Stages: one AutoStage, or stages, block ids and lists of block ids."""

    def __init__(self, *args: Any):
        self._auto = None
        self._stages = []
        if len(args) <= 1 and all(isinstance(arg, AutoStage) for arg in args):
            self._auto = args[0] if args else AutoStage.SameAsIpu
        else:
            self._stages = stages_of(args, type(self).__name__)
        self._index = {block: i for i, stage in enumerate(self._stages) for block in stage.blocks}

    def stage(self, block_id: "str | int") -> Stage:
        """The stage of a block, or with this number."""
        if isinstance(block_id, int):
            require(0 <= block_id < len(self._stages), f"There is no stage {block_id}: there are {len(self._stages)}.")
            return self._stages[block_id]
        return self._stages[self._stage_of(block_id)]

    def _stage_of(self, block):
        require(block in self._index, f"Unknown Block {block!r}: {type(self).__name__} has stages for "
                f"{', '.join(map(repr, self._index)) or 'no blocks'}. Add it, or use AutoStage.")
        return self._index[block]

    def _place(self, block, ipu_id, entered):
        if self._auto == AutoStage.SameAsIpu:
            ipu = ipu_id or 0
            return Placement(ipu, ipu if self.pipelines else None, None)
        if self._auto == AutoStage.AutoIncrement:
            number, chosen = entered.setdefault(block, len(entered)), None
        else:
            number = self._stage_of(block)
            chosen = self._stages[number].chosen_ipu
        ipu = chosen if chosen is not None else ipu_id if ipu_id is not None else number
        return Placement(ipu, number if self.pipelines else None, None)

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(map(repr, self._stages)) if self._auto is None else self._auto!s})"


class PipelinedExecution(_StagedExecution):
    """Stages work on different batches at the same time."""
    pipelines = True


class ShardedExecution(_StagedExecution):
    """One IPU works at a time."""


class _PhasedExecution(Strategy):
    """Phases: Phase, Stage, block ids or lists of them, each one phase."""
    phased = True
    stages = 1  # of PopART's ExecutionPhaseSettings

    def __init__(self, *phases: Any):
        require(phases and not any(isinstance(phase, AutoStage) for phase in phases),
                f"There is no AutoStage for PhasedExecution: {type(self).__name__} needs its phases.")
        self._phases = phases_of(phases, type(self).__name__)
        self._separate_backward = False
        self._index = {block: (p, s) for p, phase in enumerate(self._phases)
                       for s, stage in enumerate(phase.stages) for block in stage.blocks}

    @property
    def phases(self) -> int:
        """How many there are."""
        return len(self._phases)

    def phase(self, phase: int) -> Phase:
        """The phase with this number."""
        number = int(phase)
        require(0 <= number < len(self._phases), f"There is no phase {phase}: there are {len(self._phases)}.")
        return self._phases[number]

    def stage(self, block_id: str) -> Stage:
        """The stage of a block."""
        phase, stage = self._where(block_id)
        return self._phases[phase].stages[stage]

    def useSeparateBackwardPhase(self, use: bool = True) -> "_PhasedExecution":
        """The backward pass begins with a phase of its own, not within the last one of the forward pass."""
        self._separate_backward = bool(use)
        return self

    @property
    def separate_backward_phase(self) -> bool:
        return self._separate_backward

    def _where(self, block):
        require(block in self._index, f"Unknown Block {block!r}: {type(self).__name__} has phases for "
                f"{', '.join(map(repr, self._index))}.")
        return self._index[block]

    def _ipu(self, phase, stage):
        return stage

    def _check_ipu(self, phase, ipu):
        pass

    def _place(self, block, ipu_id, entered):
        phase, stage = self._where(block)
        chosen = self._phases[phase].stages[stage].chosen_ipu
        ipu = chosen if chosen is not None else ipu_id if ipu_id is not None else self._ipu(phase, stage)
        self._check_ipu(phase, ipu)
        return Placement(ipu, None, phase)

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(map(repr, self._phases))})"


class SerialPhasedExecution(_PhasedExecution):
    """Phases one after the other on the same IPUs; what waits lies off the chip."""

    def __init__(self, *phases: Any):
        super().__init__(*phases)
        self._liveness: "Liveness | None" = None

    def setTensorsLiveness(self, liveness: Liveness) -> "SerialPhasedExecution":
        """When tensors are on the chip."""
        if not isinstance(liveness, Liveness):
            raise TypeError(f"setTensorsLiveness takes a poptorch.Liveness, not {liveness!r}.")
        self._liveness = liveness
        return self

    @property
    def liveness(self) -> "Liveness | None":
        """What setTensorsLiveness said."""
        return self._liveness

    @property
    def off_chip(self) -> bool:
        """Whether tensors wait off the chip, which they do unless they are to be live always."""
        return self._liveness != Liveness.AlwaysLive


class ParallelPhasedExecution(_PhasedExecution):
    """Even phases on even IPUs, odd phases on odd ones: one computes while the other loads."""
    stages = 2

    def __init__(self, *phases: Any):
        super().__init__(*phases)
        self._off_chip = True

    def sendTensorsOffChipAfterFwd(self, off_chip: bool = True) -> "ParallelPhasedExecution":
        """Tensors leave the chip after the forward pass."""
        self._off_chip = bool(off_chip)
        return self

    @property
    def off_chip(self) -> bool:
        """Whether tensors wait off the chip."""
        return self._off_chip

    def _ipu(self, phase, stage):
        return 2 * stage + phase % 2

    def _check_ipu(self, phase, ipu):
        kind = "odd" if phase % 2 else "even"
        require(ipu % 2 == phase % 2, f"ParallelPhasedExecution: {kind} phases must run on {kind} IPUs, "
                f"but phase {phase} is on IPU {ipu}.")


def ipusToReserve(ipus: int, options: Any) -> int:
    """IPUs of all replicas: a power of two, unless that may be rounded up to, or the model is only compiled."""
    used = ipus * options.replication_factor
    reserved = 1 << (used - 1).bit_length()
    if reserved > _MOST_IPUS:
        raise createPoptorchError(f"Too many IPUs requested ({used}). Experiments that need more than {_MOST_IPUS} run in "
                                  f"several processes, which poprun starts. Here a replica has {ipus}, and there are "
                                  f"{options.replication_factor} replicas.")
    if options.connection_type == ConnectionType.Never:  # nothing is reserved
        return used
    if reserved != used and not options.auto_round_num_ipus:
        raise createPoptorchError(
            f"The model specifies the use of {used} IPUs, however PopTorch must reserve a minimum of {reserved} in order to "
            f"allow the model to run, because PopTorch must reserve a power of 2 or maximum of {_MOST_IPUS} IPUs per process. "
            "Please reconfigure your model to use a different number of IPUs or set poptorch.Options().autoRoundNumIPUs(True).")
    return reserved
