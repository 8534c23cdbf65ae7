# SPDX-License-Identifier: MIT
"""The random numbers of a model: its seed and the state of its generators."""
from .errors import createPoptorchError
from .errors_translate import entry
from .options_base import seed


class RandomState:
    """Of an executor."""

    @property
    @entry
    def rng_state(self):
        """The seed, then the state of the generators."""
        self._require_compiled()
        return self._get_rng_state()

    @rng_state.setter
    @entry
    def rng_state(self, state):
        if not isinstance(state, (list, tuple)) or not all(isinstance(n, int) for n in state) or not state:
            raise createPoptorchError("rng_state must be a list of int: the seed, then the state.")
        seed("rng_state: the seed", state[0])
        self._rng_state = list(state)
        if self._attached:
            self._set_rng_state(state)

    def _get_rng_state(self):
        if not self._attached:
            return self._rng_state
        return [self._executable.getRandomSeed(), *self._executable.getRNGState()]

    def _set_rng_state(self, state):
        self._executable.setRandomSeed(state[0])
        if len(state) > 1:
            self._executable.setRNGState(list(state[1:]))
