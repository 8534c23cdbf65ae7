# SPDX-License-Identifier: MIT
"""Neighbours in a sequence."""
from __future__ import annotations

from typing import Iterator


def windows(elements: Iterator, size: int, shift: int, stride: int, drop_remainder: bool) -> Iterator[list]:
    """Lists of `size` elements, of which each begins `shift` elements after the one before."""
    waiting: list = []
    end, reach = False, (size - 1) * stride + 1
    while True:
        while len(waiting) < reach and not end:
            element = next(elements, elements)
            end = element is elements
            waiting += [] if end else [element]
        rows = waiting[:reach:stride]
        if not rows or drop_remainder and len(rows) < size:
            return
        yield rows
        for _ in range(shift - len(waiting)):  # what lies between two windows
            next(elements, None)
        del waiting[:shift]
