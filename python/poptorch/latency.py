# SPDX-License-Identifier: MIT
"""What a step took, and where; what it would take on IPUs."""
import typing

import popart_core
from popart import memory

from ._logging import logger
from .errors import require
from .errors_translate import entry


class ModelledStep(typing.NamedTuple):
    """One call on IPUs. seconds: at the chip's clock; micro_batches: of all replicas."""
    cycles: int
    seconds: float
    micro_batches: int
    bytes_per_tile: int
    fullest_tile: int


def _of(pairs):
    times = [b - a for a, b in pairs]
    return (min(times), max(times), sum(times) / len(times)) if times else (0.0, 0.0, 0.0)


class Latencies:
    """Of the last call: when inputs were asked for and taken, when outputs were asked for and written."""

    @entry
    def getPerfCounters(self):
        """Lists per tensor, one entry per micro-batch, in seconds: input, input_complete, output, output_complete."""
        require(self._executable is not None, "Model has not been compiled or has been destroyed.")
        tensors = {"input": self._inputs, "output": self._outputs}  # of synthetic data there are no times
        return {kind: times or [[] for _ in tensors[kind.partition("_")[0]]] for kind, times in self._step_io.times().items()}

    def _edges(self):
        times = self.getPerfCounters()
        steps = max((len(t) for kind in times.values() for t in kind), default=0)
        first = lambda kind, i, pick: pick((t[i] for t in times[kind] if i < len(t)), default=None)
        found = []
        for i in range(steps):
            edges = (first("input", i, min), first("input_complete", i, max), first("output", i, min),
                     first("output_complete", i, max))
            if None not in edges:
                found.append(edges)
        return found

    def getHostIpuLatency(self):
        """(min, max, average) from asking for inputs until the device has them."""
        return _of((e[0], e[1]) for e in self._edges())

    def getComputeLatency(self):
        """(min, max, average) from having the inputs until the first output."""
        return _of((e[1], e[2]) for e in self._edges())

    def getIpuHostLatency(self):
        """(min, max, average) from the first output until the host has all."""
        return _of((e[2], e[3]) for e in self._edges())

    def getLatency(self):
        """(min, max, average) from asking for inputs until the host has all outputs."""
        return _of((e[0], e[3]) for e in self._edges())

    @entry
    def modelledStep(self):
        """What one call would take on IPUs, by the machine model: a ModelledStep."""
        self._require_compiled()
        return ModelledStep(*popart_core.modelled_step(self._executable))

    def _tell_memory(self):
        told = memory.advice(self._executable, self._device)
        if told:
            logger.warning("%s", told)
