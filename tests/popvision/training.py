# SPDX-License-Identifier: MIT
"""A small training that leaves reports and a trace behind: training.py BATCH."""
import sys

import poptorch
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.features = torch.nn.Sequential(torch.nn.Conv2d(1, 4, 3), torch.nn.ReLU(), torch.nn.MaxPool2d(2))
        self.classifier = torch.nn.Linear(4 * 5 * 5, 10)
        self.loss = torch.nn.CrossEntropyLoss()

    def forward(self, images, labels=None):
        scores = self.classifier(self.features(images).flatten(1))
        return scores if labels is None else (scores, self.loss(scores, labels))


def main():
    torch.manual_seed(1)
    batch = int(sys.argv[1])
    data = torch.utils.data.TensorDataset(torch.randn(6 * batch, 1, 12, 12), torch.randint(0, 10, (6 * batch,)))
    options = poptorch.Options()
    options.deviceIterations(2)
    loader = poptorch.DataLoader(options, data, batch_size=batch)
    net = Net()
    model = poptorch.trainingModel(net, options, poptorch.optim.SGD(net.parameters(), lr=0.1))
    for images, labels in loader:
        model(images, labels)
    model.destroy()


if __name__ == "__main__":
    main()
