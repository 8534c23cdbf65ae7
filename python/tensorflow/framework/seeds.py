# SPDX-License-Identifier: MIT
"""tf.random.set_seed: numpy's generator for what is drawn at once, and the seed that devices begin with."""
import numpy as np

_state = {"generator": np.random.Generator(np.random.PCG64()), "seed": None}


def set_seed(seed):
    _state["seed"] = int(seed)
    _state["generator"] = np.random.Generator(np.random.PCG64(int(seed)))


def global_seed():
    return _state["seed"]


def generator(seed=None):
    """numpy's generator: the global one, or one of its own for a seed."""
    if seed is None:
        return _state["generator"]
    both = [int(seed), _state["seed"] or 0]
    return np.random.Generator(np.random.PCG64(both))
