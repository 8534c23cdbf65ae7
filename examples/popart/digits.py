# SPDX-License-Identifier: MIT
"""Digits to learn from, drawn with numpy: a 5 x 3 font, moved about in 12 x 12 pixels or more, with noise."""
import numpy as np

_FONT = ("111101101101111 010110010010111 111001111100111 111001111001111 101101111001001 "
         "111100111001111 111100111101111 111001010010010 111101111101111 111101111001111").split()
_SHAPES = np.array([[int(p) for p in shape] for shape in _FONT], np.float32).reshape(10, 5, 3)
SIDE = 12


def draw(count, seed, side=SIDE):
    """Images [count, 1, side, side] and labels [count]."""
    random = np.random.default_rng(seed)
    labels = random.integers(0, 10, count).astype(np.int32)
    images = random.uniform(0, 0.3, (count, 1, side, side)).astype(np.float32)
    dot = side // 6  # pixels of one of the font
    shapes = np.kron(_SHAPES, np.ones((1, dot, dot), np.float32))
    height, width = shapes.shape[1:]
    for image, label in zip(images, labels):
        y, x = random.integers(0, side - height + 1), random.integers(0, side - width + 1)
        image[0, y:y + height, x:x + width] += shapes[label] * random.uniform(0.5, 1)
    return images, labels
