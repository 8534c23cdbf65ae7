# SPDX-License-Identifier: MIT
"""CompiledProgram: a program with Paddle's own build options, which change nothing of its numbers."""
from __future__ import annotations

from typing import Any, Sequence

from .places import CPUPlace
from .program import Program


class BuildStrategy:
    """Options of Paddle's compiler for other devices; they have no effect here."""

    class ReduceStrategy:
        AllReduce, Reduce = 0, 1


class ExecutionStrategy:
    """Threads of Paddle's executor; no effect here."""


class CompiledProgram:
    """A program with settings for running it over several places."""
    def __init__(self, program_or_graph: Any, build_strategy: Any = None) -> None:
        if not isinstance(program_or_graph, Program):
            raise TypeError(f"The 'program_to_graph' passed to CompiledProgram must be Program, but received "
                            f"{type(program_or_graph)}.")
        self._program = program_or_graph

    def with_data_parallel(self, loss_name: str | None = None, build_strategy: Any = None, exec_strategy: Any = None,
                           share_vars_from: Any = None, places: Sequence | None = None) -> CompiledProgram:
        """The batch divided between places and the gradients averaged is the batch as a whole: one place computes it."""
        for place in places or ():
            if not isinstance(place, CPUPlace):
                raise ValueError(f"with_data_parallel: {place!r} is not a CPUPlace. On IPUs use replicas: "
                                 "IpuStrategy.set_options({'replicated_graph_count': n, 'enable_replicated_graphs': True}).")
        return self
