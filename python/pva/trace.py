# SPDX-License-Identifier: MIT
"""Traces of host programs (libpvti's, or any other in Chrome's trace-event format) as processes, threads and events."""
import json
from typing import Any


class TraceEvent:
    """A piece of work: label, channel, timestamp and duration in microseconds. duration is 0 for an instant."""

    def __init__(self, label: str, channel: str, timestamp: float, metadata: Any) -> None:
        self.label, self.channel, self.timestamp, self.metadata = label, channel, timestamp, metadata
        self.duration = 0.0
        self._children: "list[TraceEvent]" = []

    def children(self) -> "list[TraceEvent]":
        """What happened within it, in order."""
        return list(self._children)

    def __repr__(self) -> str:
        return f"<TraceEvent {self.label!r} on {self.channel!r}, {self.duration} us>"


class TraceThread:
    """tid, the name that libpvti.ThreadName gave it, and the events that lie in no other."""

    def __init__(self, tid: int) -> None:
        self.tid, self.name = tid, ""
        self.events: "list[TraceEvent]" = []
        self._open: "list[TraceEvent]" = []

    def _add(self, event: TraceEvent) -> None:
        (self._open[-1]._children if self._open else self.events).append(event)


class TraceGraph:
    """A line graph: name, and series by name, each a list of (timestamp, value)."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.series: "dict[str, list[tuple[float, float]]]" = {}


class TraceHeatmap:
    """name, bins as (from, to) in rising order, and columns: (timestamp, counts), a count for every bin."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._columns: "list[tuple[float, dict[Any, float]]]" = []

    @property
    def bins(self) -> "list[Any]":
        """From where to where each reaches."""
        return sorted({bin for _, counts in self._columns for bin in counts})

    @property
    def columns(self) -> "list[tuple[float, list[float]]]":
        """In the order of their times."""
        bins = self.bins
        return [(timestamp, [counts.get(bin, 0) for bin in bins]) for timestamp, counts in self._columns]


class TraceProcess:
    """pid, the name that libpvti.Client gave it, threads, line graphs and heat maps."""

    def __init__(self, pid: int) -> None:
        self.pid, self.name = pid, ""
        self._threads: "dict[int, TraceThread]" = {}
        self._graphs: "dict[str, TraceGraph]" = {}
        self._heatmaps: "dict[str, TraceHeatmap]" = {}

    @property
    def graphs(self) -> "list[TraceGraph]":
        """In the order in which they came."""
        return list(self._graphs.values())

    @property
    def heatmaps(self) -> "list[TraceHeatmap]":
        """In the order in which they came."""
        return list(self._heatmaps.values())

    @property
    def threads(self) -> "list[TraceThread]":
        """In the order of their ids."""
        return [self._threads[tid] for tid in sorted(self._threads)]

    def thread(self, tid: int) -> TraceThread:
        """The one with this id; KeyError if there is none."""
        return self._threads[tid]


class Trace:
    """processes, and from them everything else."""

    def __init__(self) -> None:
        self._processes: "dict[int, TraceProcess]" = {}

    @property
    def processes(self) -> "list[TraceProcess]":
        """In the order of their ids."""
        return [self._processes[pid] for pid in sorted(self._processes)]

    def process(self, pid: int) -> TraceProcess:
        """The one with this id; KeyError if there is none."""
        return self._processes[pid]

    def _count(self, process: TraceProcess, entry: "dict[str, Any]") -> None:
        name, values, time = entry.get("name", ""), entry.get("args", {}), entry["ts"]
        if entry.get("cat") != "heatmap":
            graph = process._graphs.setdefault(name, TraceGraph(name))
            for series, value in values.items():
                graph.series.setdefault(series, []).append((time, value))
            return
        counts = {tuple(float(edge) for edge in bin[1:-1].split(", ")): count for bin, count in values.items()}
        process._heatmaps.setdefault(name, TraceHeatmap(name))._columns.append((time, counts))

    def _take(self, entry: "dict[str, Any]") -> None:
        phase = entry.get("ph")
        if phase not in ("B", "E", "X", "i", "I", "C", "M"):
            return
        process = self._processes.setdefault(entry["pid"], TraceProcess(entry["pid"]))
        if phase == "C":
            self._count(process, entry)
            return
        if phase == "M" and entry.get("name") == "process_name":
            process.name = entry.get("args", {}).get("name", "")
        if phase == "M" and entry.get("name") != "thread_name":
            return
        thread = process._threads.setdefault(entry["tid"], TraceThread(entry["tid"]))
        if phase == "M":
            thread.name = entry.get("args", {}).get("name", "")
            return
        if phase == "E":
            if thread._open:
                event = thread._open.pop()
                event.duration = entry["ts"] - event.timestamp
                event.metadata = entry.get("args", {}).get("metadata", event.metadata)
            return
        metadata = entry.get("args", {}).get("metadata")
        event = TraceEvent(entry.get("name", ""), entry.get("cat", ""), entry["ts"], metadata)
        event.duration = entry.get("dur", 0.0)
        thread._add(event)
        if phase == "B":
            thread._open.append(event)


def _entries(text: str, path: str) -> "list[dict[str, Any]]":
    """The list of events; of a file that ends in the middle, as many as there are."""
    try:
        found = json.loads(text)
        return found["traceEvents"] if isinstance(found, dict) else found
    except (ValueError, KeyError):
        pass
    entries = []
    for line in text.lstrip().removeprefix("[").splitlines():
        try:
            entries.append(json.loads(line.strip().rstrip(",").removeprefix(",").removeprefix("[")))
        except ValueError:
            continue
    if not entries:
        raise ValueError(f"\"{path}\" is not a trace. Give a file that a program with PVTI_OPTIONS wrote.")
    return [entry for entry in entries if isinstance(entry, dict)]


def openTrace(path: str) -> Trace:
    """Reads the trace of a host program."""
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    if text.startswith("SQLite format 3"):
        raise ValueError(f"\"{path}\" is a database: a .pvti file of the vendor's tools, whose tables are not published. "
                         "Record it again with the libpvti of this SDK.")
    trace = Trace()
    for entry in _entries(text, path):
        trace._take(entry)
    return trace
