# SPDX-License-Identifier: MIT
"""tf.autograph"""
from tensorflow import _names


class experimental:
    @staticmethod
    def do_not_convert(func=None):
        """A function whose loops and conditions stay Python's."""
        def decorate(f):
            f.__wrapped__ = f
            return f
        return decorate if func is None else decorate(func)


def set_verbosity(level, alsologtostdout=False):
    """Nothing is said in any case."""


_names.explain_missing(globals())
