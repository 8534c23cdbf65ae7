# SPDX-License-Identifier: MIT
"""What a step took, and where."""
from .errors import require


def _of(pairs):
    times = [b - a for a, b in pairs]
    return (min(times), max(times), sum(times) / len(times)) if times else (0.0, 0.0, 0.0)


class Latencies:
    """Of the last call: when inputs were asked for and taken, when outputs were asked for and written."""

    def getPerfCounters(self):
        """Lists per tensor, one entry per micro-batch, in seconds: input, input_complete, output, output_complete."""
        require(self._executable is not None, "Model has not been compiled or has been destroyed.")
        return self._step_io.times()

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
