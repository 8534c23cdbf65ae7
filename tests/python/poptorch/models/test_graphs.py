# SPDX-License-Identifier: MIT
"""Graphs of different sizes, of torch_geometric's loaders: batches are filled up to fixed numbers of nodes and edges, and masks
say what counts."""
import copy

import pytest
import torch

import poptorch

geometric = pytest.importorskip("torch_geometric", reason="torch_geometric is not installed")
GRAPHS, NODES, EDGES = 3, 16, 30


def data():
    generator = torch.Generator().manual_seed(5)
    made = []
    for nodes in (3, 5, 4, 2, 6, 3, 5, 4, 3):
        edges = torch.randint(0, nodes, (2, 2 * nodes - 1), generator=generator)
        made.append(geometric.data.Data(x=torch.rand(nodes, 4, generator=generator), edge_index=edges,
                                        y=torch.rand(1, generator=generator)))
    return made


def filled(rows):
    """A batch as tensors of fixed sizes. Nodes that were added belong to a graph that is not looked at, as do their edges."""
    batch = geometric.data.Batch.from_data_list(rows)
    nodes, edges = batch.num_nodes, batch.num_edges
    pad = torch.nn.functional.pad
    return {"x": pad(batch.x, (0, 0, 0, NODES - nodes)), "edges": pad(batch.edge_index, (0, EDGES - edges), value=NODES - 1),
            "graph": pad(batch.batch, (0, NODES - nodes), value=GRAPHS), "y": pad(batch.y, (0, GRAPHS - len(rows))),
            "counts": torch.arange(GRAPHS) < len(rows)}


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(3)
        self.first = geometric.nn.GCNConv(4, 8, add_self_loops=False)
        self.second = geometric.nn.SAGEConv(8, 8)
        self.last = torch.nn.Linear(8, 1)

    def forward(self, x, edges, graph, y, counts):
        h = self.second(self.first(x, edges).relu(), edges).relu()
        found = self.last(geometric.nn.global_mean_pool(h, graph, GRAPHS + 1))[:GRAPHS, 0]
        loss = ((found - y).pow(2) * counts).sum() / counts.sum()
        return found, poptorch.identity_loss(loss, "none") if poptorch.isRunningOnIpu() else loss


def by_rows():
    return torch.utils.data.BatchSampler(torch.utils.data.SequentialSampler(range(9)), GRAPHS, False)


def by_nodes():
    return geometric.loader.DynamicBatchSampler(data(), max_num=12, mode="node", num_steps=3)


@pytest.mark.parametrize("sampler", [by_rows, by_nodes])
def test_training_with_a_batch_sampler(sampler):
    ours, theirs = Model(), Model()
    loader = poptorch.DataLoader(poptorch.Options(), data(), batch_sampler=sampler(), collate_fn=filled)
    batches = [copy.deepcopy(batch) for batch in loader]
    assert len(batches) == 3 and all(batch["edges"].shape == (2, EDGES) for batch in batches)
    training = poptorch.trainingModel(ours, optimizer=torch.optim.SGD(ours.parameters(), lr=0.1))
    optimizer = torch.optim.SGD(theirs.parameters(), lr=0.1)
    for batch in batches:
        found, loss = training(**batch)
        wanted, expected = theirs(**batch)
        optimizer.zero_grad()
        expected.backward()
        optimizer.step()
        torch.testing.assert_close(found, wanted.detach(), rtol=1e-4, atol=1e-5)
    training.copyWeightsToHost()
    for (name, mine), (_, other) in zip(ours.state_dict().items(), theirs.state_dict().items()):
        torch.testing.assert_close(mine, other, rtol=1e-3, atol=1e-5, msg=lambda text, n=name: f"{n}: {text}")


def test_a_batch_as_an_input():
    """As torch_geometric's loader gives it, if all graphs have one size."""
    poptorch.registerGeometricCustomArgParsers()

    class Whole(torch.nn.Module):
        def __init__(self):
            super().__init__()
            torch.manual_seed(3)
            self.conv = geometric.nn.SAGEConv(4, 6)

        def forward(self, batch):
            return geometric.nn.global_add_pool(self.conv(batch.x, batch.edge_index), batch.batch, 2)

    model = Whole().eval()
    graphs = [graph for graph in data() if graph.num_nodes == 3][:2]
    (batch,) = geometric.loader.DataLoader(graphs, batch_size=2)
    with torch.no_grad():
        wanted = model(batch)
    torch.testing.assert_close(poptorch.inferenceModel(model)(batch), wanted, rtol=1e-4, atol=1e-5)
