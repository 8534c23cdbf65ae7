# SPDX-License-Identifier: MIT
"""LeNet."""
from __future__ import annotations

from ... import nn, tensor
from ...typed import TensorLike


class LeNet(nn.Layer):
    """Two convolutions and three linear layers, for 28 x 28 pixels."""
    def __init__(self, num_classes: int = 10) -> None:
        super().__init__()
        self.features = nn.Sequential(nn.Conv2D(1, 6, 3, padding=1), nn.ReLU(), nn.MaxPool2D(2, 2), nn.Conv2D(6, 16, 5),
                                      nn.ReLU(), nn.MaxPool2D(2, 2))
        self.fc = nn.Sequential(nn.Linear(400, 120), nn.Linear(120, 84), nn.Linear(84, num_classes))

    def forward(self, inputs: TensorLike) -> TensorLike:
        return self.fc(tensor.flatten(self.features(inputs), 1))
