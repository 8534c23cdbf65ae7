# SPDX-License-Identifier: MIT
"""LeNet."""
from ... import nn, tensor


class LeNet(nn.Layer):
    """Two convolutions and three linear layers, for 28 x 28 pixels."""
    def __init__(self, num_classes=10):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2D(1, 6, 3, padding=1), nn.ReLU(), nn.MaxPool2D(2, 2), nn.Conv2D(6, 16, 5),
                                      nn.ReLU(), nn.MaxPool2D(2, 2))
        self.fc = nn.Sequential(nn.Linear(400, 120), nn.Linear(120, 84), nn.Linear(84, num_classes))

    def forward(self, inputs):
        return self.fc(tensor.flatten(self.features(inputs), 1))
