# SPDX-License-Identifier: MIT
"""One model on the replicas of several processes.

    poprun --num-replicas 4 --num-instances 2 python3 train.py

Every instance loads its own part of the data, runs its own replicas, and ends with the same weights. Start it with another
--num-instances: the line with the weights stays the same, bit by bit. It runs without poprun too, with one replica."""
import hashlib

import popdist
import popdist.poptorch
import poptorch
import torch

ROWS, EPOCHS = 256, 100


class Spirals(torch.utils.data.Dataset):
    """Points on two spirals, and which of them they are on."""

    def __init__(self, size):
        generator = torch.Generator().manual_seed(0)
        self.side = torch.arange(size) % 2
        turn = torch.rand(size, generator=generator) * 3 + 0.5
        angle = turn * 2 + self.side * torch.pi
        noise = torch.randn(size, 2, generator=generator) * 0.05
        self.points = torch.stack([turn * angle.cos(), turn * angle.sin()], 1) / 3.5 + noise

    def __len__(self):
        return len(self.side)

    def __getitem__(self, i):
        return self.points[i], self.side[i]


class Classifier(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(2, 32), torch.nn.Tanh(), torch.nn.Linear(32, 32), torch.nn.Tanh(),
                                          torch.nn.Linear(32, 2))
        self.loss = torch.nn.CrossEntropyLoss()

    def forward(self, points, side):
        return self.loss(self.layers(points), side)


def main():
    torch.manual_seed(1)  # else the instances take the first one's weights
    options = popdist.poptorch.Options() if popdist.isPopdistEnvSet() else poptorch.Options()
    loader = poptorch.DataLoader(options, Spirals(ROWS), batch_size=ROWS // popdist.getNumTotalReplicas())
    model = Classifier()
    trained = poptorch.trainingModel(model, options, poptorch.optim.Adam(model.parameters(), lr=0.01))
    for epoch in range(EPOCHS):
        for points, side in loader:
            loss = trained(points, side)
        if popdist.getInstanceIndex() == 0 and epoch % 20 == 19:
            print(f"epoch {epoch + 1}: loss {torch.as_tensor(loss).mean().item():.4f}", flush=True)
    trained.copyWeightsToHost()
    if popdist.getInstanceIndex() == 0:
        weights = b"".join(value.detach().numpy().tobytes() for value in model.state_dict().values())
        print(f"weights {hashlib.sha256(weights).hexdigest()[:16]}")


if __name__ == "__main__":
    main()
