# SPDX-License-Identifier: MIT
"""Digits to learn from, drawn with numpy: a 5 x 3 font, moved about in 12 x 12 pixels, with noise."""
import numpy as np

_FONT = ("111101101101111 010110010010111 111001111100111 111001111001111 101101111001001 "
         "111100111001111 111100111101111 111001010010010 111101111101111 111101111001111").split()
_SHAPES = np.array([[int(p) for p in shape] for shape in _FONT], np.float32).reshape(10, 5, 3)
SIDE = 12


def draw(count, seed):
    """Images [count, 1, 12, 12] and labels [count]."""
    random = np.random.default_rng(seed)
    labels = random.integers(0, 10, count).astype(np.int32)
    images = random.uniform(0, 0.3, (count, 1, SIDE, SIDE)).astype(np.float32)
    for image, label in zip(images, labels):
        shape = np.kron(_SHAPES[label], np.ones((2, 2), np.float32))
        y, x = random.integers(0, SIDE - 9), random.integers(0, SIDE - 5)
        image[0, y:y + 10, x:x + 6] += shape * random.uniform(0.5, 1)
    return images, labels
