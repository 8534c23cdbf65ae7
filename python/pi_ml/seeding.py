# SPDX-License-Identifier: MIT
"""One seed for Python, numpy, torch and the IPUs; and all generators' states, for checkpoints."""
from __future__ import annotations

import contextlib
import os
import random
from typing import Any, Dict, Iterator, Optional

import numpy
import torch

from pi_ml.log import log


def seed_everything(seed: Optional[int] = None, workers: bool = False) -> int:
    """Seeds all generators and returns the seed. Without one: PL_GLOBAL_SEED, else a number from the system."""
    found: Any = os.environ.get("PL_GLOBAL_SEED", int.from_bytes(os.urandom(4), "little")) if seed is None else seed
    try:
        seed = int(found)
    except (TypeError, ValueError):
        raise ValueError(f"seed_everything: {found!r} is not a whole number.") from None
    if not 0 <= seed < 2**32:
        raise ValueError(f"seed_everything: {seed} is not in bounds, 0 to {2**32 - 1}.")
    log.info("Global seed set to %d", seed)
    os.environ["PL_GLOBAL_SEED"] = str(seed)
    os.environ["PL_SEED_WORKERS"] = str(int(bool(workers)))
    random.seed(seed)
    numpy.random.seed(seed)
    torch.manual_seed(seed)
    return seed


def random_states() -> Dict[str, Any]:
    """The host's generators, as a checkpoint keeps them: in types that torch.load(weights_only=True) reads."""
    state: Any = numpy.random.get_state()
    kind, keys, *rest = state
    return {"python": random.getstate(), "numpy": (kind, keys.tolist(), *rest), "torch": torch.get_rng_state()}


def set_random_states(states: Any) -> None:
    random.setstate(states["python"])
    numpy.random.set_state(states["numpy"])
    torch.set_rng_state(states["torch"])


@contextlib.contextmanager
def isolate_rng() -> Iterator[None]:
    """What is drawn within changes no generator."""
    states = random_states()
    try:
        yield
    finally:
        set_random_states(states)


def seed_worker(worker: int) -> None:
    """Of a data loader's worker process, after seed_everything(workers=True): numpy and Python too, not torch alone."""
    seed = torch.initial_seed() % 2**32
    random.seed(seed + worker)
    numpy.random.seed((seed + worker) % 2**32)
