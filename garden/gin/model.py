# SPDX-License-Identifier: MIT
"""A graph isomorphism network: "How Powerful are Graph Neural Networks?", Xu et al., 2018 (arXiv:1810.00826).

A layer adds to each node the sum of its neighbours, and sends the result through a small perceptron. A graph is the sum of its
nodes, after each layer. Sums tell apart what means and maxima cannot. Graphs of a batch are padded to one size, with edges as
two lists of nodes, so that the program is the same for all.
"""
import os

import torch
from torch import nn

TITLE = "GIN"
UNIT = "graphs"
QUALITY = "accuracy"
TARGETS = 1


def perceptron(inputs, width):
    return nn.Sequential(nn.Linear(inputs, width), nn.LayerNorm(width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())


class GIN(nn.Module):
    def __init__(self, features, width, layers, classes):
        super().__init__()
        inputs = [features] + [width] * (layers - 1)
        self.updates = nn.ModuleList(perceptron(i, width) for i in inputs)
        self.epsilon = nn.Parameter(torch.zeros(layers))
        self.readouts = nn.ModuleList(nn.Linear(i, classes) for i in inputs + [width])

    def forward(self, nodes, there, sources, targets, labels=None):
        """nodes [b, n, f]; there [b, n, 1]: 1 for nodes, 0 for padding; edges [b, e], from and to n - 1 where padded."""
        b, n, _ = nodes.shape
        first = torch.arange(b, dtype=torch.int)[:, None] * n  # of each graph, in the list of all nodes
        sources, targets = (sources + first).flatten(), (targets + first).flatten()
        x, scores = nodes, self.readouts[0](nodes.sum(1))
        for i, update in enumerate(self.updates):
            flat = x.flatten(0, 1)
            sums = torch.zeros_like(flat).index_add(0, targets, flat.index_select(0, sources)).view_as(x)
            x = update((1 + self.epsilon[i]) * x + sums) * there
            scores = scores + self.readouts[i + 1](x.sum(1))
        if labels is None:
            return scores
        return nn.functional.cross_entropy(scores.float(), labels)


def network(half, features, width, layers, classes):
    return GIN(features, width, layers, classes)


class Graphs(torch.utils.data.Dataset):
    """Rows of one size. The last node is never one of a graph: edges that pad go there."""

    def __init__(self, graphs, nodes, edges, features):
        """graphs: (features of nodes, list of edges in both directions, label) each."""
        self._rows = []
        for x, pairs, label in graphs:
            if len(x) >= nodes or len(pairs) > edges or x.shape[1] != features:
                raise SystemExit(f"A graph has {len(x)} nodes of {x.shape[1]} features and {len(pairs)} edges; "
                                 f"the configuration has place for {nodes - 1}, {features} and {edges}.")
            rows, there = torch.zeros(nodes, features), torch.zeros(nodes, 1)
            rows[:len(x)], there[:len(x)] = x, 1
            list_of = torch.full((2, edges), nodes - 1, dtype=torch.int)
            list_of[:, :len(pairs)] = torch.tensor(pairs, dtype=torch.int).T
            self._rows.append((rows, there, list_of[0], list_of[1], torch.tensor(label)))

    def __len__(self):
        return len(self._rows)

    def __getitem__(self, i):
        return self._rows[i]


def _drawn(samples, seed):
    """One ring of nodes, or two of half the size: each node has two neighbours in both. Chords close triangles in a third."""
    random = torch.Generator().manual_seed(seed)
    for _ in range(samples):
        label, n = int(torch.randint(3, (), generator=random)), 2 * int(torch.randint(4, 9, (), generator=random))
        ring = lambda first, size: [(first + i, first + (i + 1) % size) for i in range(size)]
        pairs = ring(0, n) if label != 1 else ring(0, n // 2) + ring(n // 2, n - n // 2)
        if label == 1:
            pairs += [(i, n // 2) for i in range(n // 2)]  # a hub
        if label == 2:
            pairs += [(i, i + 2) for i in range(0, n - 2, 2)]
        order = torch.randperm(n, generator=random)
        pairs = [(int(order[i]), int(order[j])) for i, j in pairs]
        yield torch.ones(n, 1), pairs + [(j, i) for i, j in pairs], label


def _read(folder, features):
    """The text files of TU Dortmund's collection: NAME_A, NAME_graph_indicator, NAME_graph_labels, NAME_node_labels."""
    found = [f[:-len("_A.txt")] for f in os.listdir(folder) if f.endswith("_A.txt")]
    if len(found) != 1:
        raise SystemExit(f"There is no data set in {folder}: --data wants NAME_A.txt and the files beside it, of one NAME.")

    def numbers(part):
        file = os.path.join(folder, f"{found[0]}_{part}.txt")
        if not os.path.exists(file):
            raise SystemExit(f"There is no {found[0]}_{part}.txt in {folder}.")
        with open(file, encoding="ascii") as lines:
            return [[int(v) for v in line.split(",")] for line in lines if line.strip()]
    graph_of = [g for g, in numbers("graph_indicator")]
    labels = [c for c, in numbers("graph_labels")]
    kinds = [k for k, in numbers("node_labels")] if features > 1 else [0] * len(graph_of)
    if max(kinds) >= features or min(kinds) < 0:
        raise SystemExit(f"{found[0]} has nodes of kind {max(kinds)}; the configuration has {features} features.")
    members = {}
    for node, graph in enumerate(graph_of, start=1):
        members.setdefault(graph, []).append(node)
    place = {node: i for nodes in members.values() for i, node in enumerate(nodes)}
    pairs = {graph: [] for graph in members}
    for a, b in numbers("A"):
        pairs[graph_of[a - 1]].append((place[a], place[b]))
    classes = sorted(set(labels))
    for graph, nodes in sorted(members.items()):
        x = nn.functional.one_hot(torch.tensor([kinds[n - 1] for n in nodes]), features).float()
        yield x, pairs[graph], classes.index(labels[graph - 1])


def data(folder, training, samples, nodes, edges, features):
    if folder is None:
        graphs = list(_drawn(samples if training else max(1, samples // 4), 1 if training else 2))
        graphs = [(nn.functional.pad(x, (0, features - 1)), pairs, label) for x, pairs, label in graphs]
    else:
        graphs = [g for i, g in enumerate(_read(folder, features)) if (i % 10 != 9) == training]
    return Graphs(graphs, nodes, edges, features)


def quality(scores, row):
    return float((scores.argmax(1) == row[-1]).float().mean())
