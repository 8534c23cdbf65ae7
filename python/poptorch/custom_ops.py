# SPDX-License-Identifier: MIT
"""Operators that the vendor's package brings as custom ones. Here they are torch's."""
import torch

from poptorch.errors import require


class FastGatherLastDim(torch.nn.Module):
    """Elements of the last axis by their indices there: torch.gather(data, -1, index)."""

    def forward(self, data: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        require(data.dim() == index.dim(), f"FastGatherLastDim: the data have {data.dim()} axes, the indices {index.dim()}.")
        return torch.gather(data, -1, index.long())
