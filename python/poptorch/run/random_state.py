# SPDX-License-Identifier: MIT
"""The random numbers of a model: its seed, then the state of its generators."""
from poptorch.errors import createPoptorchError
from poptorch.options.base import seed


def checked(state):
    """The state as a list."""
    if not isinstance(state, (list, tuple)) or not all(isinstance(n, int) for n in state) or not state:
        raise createPoptorchError("rng_state must be a list of int: the seed, then the state.")
    seed("rng_state: the seed", state[0])
    return list(state)


class RandomState:
    """Of an executor; kept: while it is on no device, what the next one gets."""

    def __init__(self, first_seed):
        self._first_seed = first_seed
        self.kept = None

    def load(self, session):
        """A program that was loaded gets the seed and the state that it is to have."""
        if self.kept is not None:
            self.set(session, self.kept)
        elif self._first_seed is not None:
            session.setRandomSeed(self._first_seed)

    @staticmethod
    def get(session):
        return [session.getRandomSeed(), *session.getRNGState()]

    @staticmethod
    def set(session, state):
        session.setRandomSeed(state[0])
        if len(state) > 1:
            session.setRNGState(state[1:])
