# SPDX-License-Identifier: MIT
"""Seeds: paddle.seed starts a row of numbers, and every step takes the next. A program's own random_seed comes first."""
from __future__ import annotations

import random
from paddle.typed import TensorLike

_state = random.Random()


def seed(value: TensorLike) -> None:
    """From here on random numbers are the same every time."""
    _state.seed(int(value))


def next_seed(program=None):
    fixed = getattr(program, "random_seed", 0)
    if fixed:
        count = program.__dict__.setdefault("_draws", 0)
        program._draws = count + 1
        return (fixed * 1000003 + count) & 0x7fffffffffffffff
    return _state.getrandbits(62)
