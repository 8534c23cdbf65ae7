# SPDX-License-Identifier: MIT
"""What a step took, and where; what it would take on IPUs."""
import typing

Span = typing.Tuple[float, float, float]  # min, max, average; in seconds


class Spread(typing.NamedTuple):
    """Cycles that are like one kind of published measurements. kind: as in docs/timing.md; share: of the cycles; error: the
    mean error of the model there, None where no measurement is independent of it; rows: how many are."""
    kind: str
    share: float
    error: typing.Optional[float]
    rows: int


class ModelledStep(typing.NamedTuple):
    """One call on IPUs. seconds: at the chip's clock; micro_batches: of all replicas; cycles_by_kind: compute, rearrange
    (copies within tiles), exchange, globalExchange (between IPUs), host, sync and control, as PopVision counts them.
    spread: how sure they are, the largest part first; how_sure: the same in words."""
    cycles: int
    seconds: float
    micro_batches: int
    bytes_per_tile: int
    fullest_tile: int
    cycles_by_kind: typing.Dict[str, int]
    spread: typing.Tuple[Spread, ...]
    how_sure: str


def modelled(*told) -> ModelledStep:
    """The step that C++ tells of."""
    cycles, seconds, batches, tile, fullest, kinds, spread, how_sure = told
    return ModelledStep(cycles, seconds, batches, tile, fullest, kinds, tuple(Spread(*part) for part in spread), how_sure)


_KINDS = ("input", "input_complete", "output", "output_complete")


def _edges(times):
    """Of each micro-batch: inputs are asked for, the device has them, an output is asked for, the host has all."""
    steps = max((len(t) for kind in times.values() for t in kind), default=0)
    for i in range(steps):
        edges = [pick((t[i] for t in times[kind] if i < len(t)), default=None)
                 for kind, pick in zip(_KINDS, (min, max, min, max))]
        if None not in edges:
            yield edges


def span(times, first, last) -> Span:
    """From one edge to another. times: those of getPerfCounters."""
    found = [edges[last] - edges[first] for edges in _edges(times)]
    return (min(found), max(found), sum(found) / len(found)) if found else (0.0, 0.0, 0.0)
