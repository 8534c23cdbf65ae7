# SPDX-License-Identifier: MIT
"""The model of models.py as a module of torch, which files can name."""
import poptorch
import torch


class Squares(torch.nn.Module):

    def __init__(self, first):
        super().__init__()
        self.w = torch.nn.Parameter(torch.from_numpy(first))

    def forward(self, x):
        return poptorch.identity_loss(self.w * self.w * x, reduction="sum")
