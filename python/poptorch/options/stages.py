# SPDX-License-Identifier: MIT
"""Stage and Phase: blocks that belong together, and the IPUs they run on."""
from __future__ import annotations

from typing import Any, List, Sequence, Union

from poptorch.errors import require


def _block(block, where):
    require(isinstance(block, (str, int)) and not isinstance(block, bool),
            f"{where}: the id of a block is a str, not {type(block).__name__} ({block!r}).")
    return str(block)


class Stage:
    """Blocks that run one after the other on an IPU."""

    def __init__(self, *block_ids: str):
        require(block_ids, "A Stage needs at least one block.")
        self._blocks = [_block(block, "Stage") for block in block_ids]
        self._ipu: "int | None" = None

    @property
    def blocks(self) -> "list[str]":
        """Ids of its blocks, in order."""
        return self._blocks

    @property
    def chosen_ipu(self) -> "int | None":
        """What ipu() said."""
        return self._ipu

    def ipu(self, ipu: int) -> "Stage":
        """The IPU it runs on; without, that of its block, else its own number."""
        require(isinstance(ipu, int) and ipu >= 0, f"Stage.ipu takes a number from 0 on, not {ipu!r}.")
        self._ipu = ipu
        return self

    def __repr__(self):
        return f"Stage({', '.join(map(repr, self._blocks))})" + (f".ipu({self._ipu})" if self._ipu is not None else "")


class Phase:
    """Stages that run at the same time, or the blocks of a single stage."""

    def __init__(self, *stages_or_block_ids: Union[Stage, str]):
        require(stages_or_block_ids, "A Phase needs at least one stage or block.")
        stages = [isinstance(arg, Stage) for arg in stages_or_block_ids]
        require(all(stages) or not any(stages), "Phase takes stages or ids of blocks, not both.")
        ids: Any = stages_or_block_ids
        self._stages: List[Stage] = list(ids) if all(stages) else [Stage(*ids)]

    @property
    def stages(self) -> "list[Stage]":
        """The stages that run at the same time."""
        return self._stages

    def stage(self, index: int) -> Stage:
        """One of its stages."""
        require(0 <= index < len(self._stages), f"There is no stage {index} in this phase: it has {len(self._stages)}.")
        return self._stages[index]

    def ipus(self, *ipus: int) -> "Phase":
        """The IPUs of its stages, one each."""
        require(len(ipus) == len(self._stages), f"Phase.ipus: {len(ipus)} IPUs for {len(self._stages)} stages.")
        for stage, ipu in zip(self._stages, ipus):
            stage.ipu(ipu)
        return self

    def __repr__(self):
        return f"Phase({', '.join(map(repr, self._stages))})"


def _once(stages, where):
    seen = set()
    for stage in stages:
        for block in stage.blocks:
            require(block not in seen, f"{where}: the block {block!r} is associated with more than one stage.")
            seen.add(block)


def stages_of(args: Sequence[Any], where: str) -> "list[Stage]":
    """The stages that arguments stand for: a Stage, the id of a block, or a list of such ids."""
    stages = []
    for arg in args:
        if isinstance(arg, (list, tuple)):
            require(arg, f"{where}: a stage without blocks.")
            stages += list(arg) if all(isinstance(a, Stage) for a in arg) else [Stage(*arg)]
        else:
            stages.append(arg if isinstance(arg, Stage) else Stage(_block(arg, where)))
    _once(stages, where)
    return stages


def phases_of(args: Sequence[Any], where: str) -> "list[Phase]":
    """The phases that arguments stand for: a Phase, a Stage, the id of a block, or a list of stages or ids."""
    if len(args) == 1 and isinstance(args[0], (list, tuple)) and all(isinstance(a, Phase) for a in args[0]):
        args = args[0]
    phases = []
    for arg in args:
        if isinstance(arg, Phase):
            phases.append(arg)
        else:
            phases.append(Phase(*arg) if isinstance(arg, (list, tuple)) else Phase(arg))
    _once([stage for phase in phases for stage in phase.stages], where)
    return phases
