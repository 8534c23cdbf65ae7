# SPDX-License-Identifier: MIT
"""A variational autoencoder: "Auto-Encoding Variational Bayes", Kingma and Welling, 2013 (arXiv:1312.6114).

The encoder says where an image probably lies in a space of few dimensions: a mean and a variance each. The decoder draws the
image again from a point there. The loss is what the drawing lacks, and how far the encoder's answers are from a normal
distribution.
"""
import poptorch
import torch
from torch import nn

from garden.common.data import grey_images

TITLE = "VAE"
UNIT = "images"
QUALITY = "share of pixels that are drawn again"
TARGETS = 0


class VAE(nn.Module):
    def __init__(self, pixels, hidden, latent):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(pixels, hidden), nn.Tanh(), nn.Linear(hidden, 2 * latent))
        self.decoder = nn.Sequential(nn.Linear(latent, hidden), nn.Tanh(), nn.Linear(hidden, pixels))

    def forward(self, images, noise):
        x = images.flatten(1)
        mean, log_variance = self.encoder(x).chunk(2, 1)
        z = mean + noise * torch.exp(0.5 * log_variance)  # so that the gradient goes through the draw
        drawn = self.decoder(z)
        if not self.training:
            return torch.sigmoid(drawn)
        reconstruction = nn.functional.binary_cross_entropy_with_logits(drawn.float(), x.float(), reduction="sum")
        divergence = 0.5 * (mean ** 2 + log_variance.exp() - 1 - log_variance).float().sum()
        return poptorch.identity_loss((reconstruction + divergence) / len(images), "none")


class WithNoise(torch.utils.data.Dataset):
    """Images of 0 and 1, each with the numbers of its draw: new ones whenever it is read, the same on all machines."""

    def __init__(self, images, latent, half, seed):
        self._images, self._latent, self._type = images, latent, torch.half if half else torch.float
        self._random = torch.Generator().manual_seed(seed)

    def __len__(self):
        return len(self._images)

    def __getitem__(self, i):
        image, _ = self._images[i]
        return (image > 0.5).to(self._type), torch.randn(self._latent, generator=self._random).to(self._type)


def network(half, hidden, latent):
    return VAE(28 * 28, hidden, latent)


def data(folder, training, samples, latent, half=False):
    images = grey_images(folder, training, samples if training else max(1, samples // 4), mean=0, spread=1)
    return WithNoise(images, latent, half, seed=3 if training else 4)


def quality(drawn, row):
    return float(((drawn > 0.5) == (row[0].flatten(1) > 0.5)).float().mean())
