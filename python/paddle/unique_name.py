# SPDX-License-Identifier: MIT
"""Names of layers, parameters and results: fc_0, fc_0.w_0, fc_0.tmp_0. The names stand in files."""
import collections
import contextlib


class UniqueNameGenerator:
    """Counts names; prefix: in front of all."""

    def __init__(self, prefix=""):
        self.numbers: "collections.Counter[str]" = collections.Counter()
        self.prefix = prefix

    def __call__(self, key):
        number = self.numbers[key]
        self.numbers[key] += 1
        return f"{self.prefix}{key}_{number}"


_current = UniqueNameGenerator()


def generate(key):
    return _current(key)


def switch(new_generator=None):
    """Starts counting again, or goes on with a generator that switch() gave before; returns the one until now."""
    global _current
    before, _current = _current, new_generator or UniqueNameGenerator()
    return before


@contextlib.contextmanager
def guard(new_generator=None):
    """Names within count from 0; a text is put in front of them."""
    before = switch(UniqueNameGenerator(new_generator) if isinstance(new_generator, str) else new_generator)
    try:
        yield
    finally:
        switch(before)
