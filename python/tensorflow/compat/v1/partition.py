# SPDX-License-Identifier: MIT
"""Which device runs which part of a graph: what is placed on an IPU is one program there, and what the host computes before and
after it are others. A gradient is computed in one program with everything that it goes through."""


class Part:
    """A program: its device (None: the host), what it gives, what it assigns and what other programs give it."""

    def __init__(self, device, outputs, updates, fed):
        self.device, self.outputs, self.updates, self.fed = device, outputs, updates, fed
        self.inputs = None  # all that it is fed, once somebody asked


def parts(graph, outputs, updates, fed):
    """The programs in the order in which they run. Tensors are numbers; `updates`: (variable, tensor)."""
    if not graph.ipus:
        return [Part(None, list(outputs), list(updates), set(fed))]
    return _Partition(graph, outputs, updates, fed).made()


class _Partition:
    def __init__(self, graph, outputs, updates, fed):
        self._outputs, self._updates, self._fed = outputs, updates, set(fed)
        self._edges = graph.recorder.edges()
        self._maker = {t: i for i, (_, outs, *_) in enumerate(self._edges) for t in outs if t not in self._fed}
        self._ipus = graph.ipus
        self._groups = {}  # node -> (level, device)
        self._inside = {}  # group -> nodes that a gradient of it goes through
        for node in self._needed([*outputs, *[t for _, t in updates]]):
            self._place(node)

    def _needed(self, tensors, among=None):
        """The nodes that make these tensors, in order."""
        found, open_ = set(), list(tensors)
        while open_:
            node = self._maker.get(open_.pop())
            if node is not None and node not in found and (among is None or node in among):
                found.add(node)
                open_ += self._edges[node][0]
        return sorted(found)

    def _device(self, node):
        inputs, made, of, _ = self._edges[node]
        device = self._ipus.get(made[0])
        if device is None and of:  # where what it is the gradient of is computed
            maker = self._maker.get(inputs[0])
            return None if maker is None else self._groups[maker][1]
        return device

    def _place(self, node):
        """Levels of the host are even, those of IPUs are odd."""
        inputs, _, of, by = self._edges[node]
        device = self._device(node)
        level = max((self._groups[self._maker[t]][0] for t in inputs if t in self._maker), default=0)
        level += level % 2 != (device is not None)
        self._groups[node] = (level, device)
        if of:
            self._inside.setdefault((level, device), set()).update(self._between(inputs[of:of + by], inputs[:of]))

    def _between(self, by, of):
        """The nodes on the way from `by` to `of`."""
        reached, way = set(by), set()
        for node in self._needed(of):
            inputs, made, *_ = self._edges[node]
            if reached.intersection(inputs):
                way.add(node)
                reached.update(made)
        return way

    def made(self):
        wanted = {group: [] for group in set(self._groups.values())}
        wanted.setdefault((0, None), [])  # of what no node makes
        for tensor in self._outputs:
            self._want(wanted, tensor)
        out = []
        for group in sorted(wanted, key=lambda g: (g[0], -1 if g[1] is None else g[1]), reverse=True):
            updates = [(v, t) for v, t in self._updates if self._group(t) == group]
            if not wanted[group] and not updates:
                continue
            fed = self._from_others(group, [*wanted[group], *[t for _, t in updates]])
            for tensor in sorted(fed):
                self._want(wanted, tensor)
            out.append(Part(group[1], wanted[group], updates, fed | self._fed))
        return out[::-1]

    def _group(self, tensor):
        return self._groups[self._maker[tensor]] if tensor in self._maker else (0, None)

    def _want(self, wanted, tensor):
        if tensor not in wanted[self._group(tensor)]:
            wanted[self._group(tensor)].append(tensor)

    def _from_others(self, group, tensors):
        own = {n for n, g in self._groups.items() if g == group} | self._inside.get(group, set())
        inputs = {t for n in self._needed(tensors, own) for t in self._edges[n][0]}
        return {t for t in inputs | set(tensors) if t in self._maker and self._maker[t] not in own}
