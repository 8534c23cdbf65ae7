# SPDX-License-Identifier: MIT
"""Whether a real Paddle is importable: then that one is `paddle`, and this package steps back."""
import importlib.machinery
import importlib.util
import os
import sys

_here = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))


def find():
    """The specification of another package `paddle` on the path, or None."""
    paths = [p for p in sys.path if os.path.realpath(p or ".") != _here]
    spec = importlib.machinery.PathFinder.find_spec("paddle", paths)
    if spec is None or spec.origin is None:
        return None
    # A copy of this package (a wheel of the SDK) is no other one.
    own = os.path.join(os.path.dirname(spec.origin), "_other.py")
    return None if os.path.exists(own) else spec


def take_over(spec):
    """Puts the other package in this one's place."""
    for name in [n for n in sys.modules if n == "paddle" or n.startswith("paddle.")]:
        del sys.modules[name]
    module = importlib.util.module_from_spec(spec)
    sys.modules["paddle"] = module
    spec.loader.exec_module(module)
