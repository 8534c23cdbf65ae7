# SPDX-License-Identifier: MIT
"""Where a real TensorFlow is installed beside this package, that one is imported instead."""
import importlib.machinery
import importlib.util
import os
import sys

_OURS = os.path.dirname(os.path.abspath(__file__))


def find():
    """The spec of another package called tensorflow that is not a copy of this one, or None."""
    elsewhere = [p for p in sys.path if os.path.abspath(os.path.join(p or ".", "tensorflow")) != _OURS]
    for folder in elsewhere:
        spec = importlib.machinery.PathFinder.find_spec("tensorflow", [folder])
        if spec is None or not spec.origin or os.path.exists(os.path.join(os.path.dirname(spec.origin), "_real.py")):
            continue
        return spec
    return None


def take_its_place(spec):
    """The module of that spec, under our name."""
    for name in [n for n in sys.modules if n == "tensorflow" or n.startswith("tensorflow.")]:
        del sys.modules[name]
    module = importlib.util.module_from_spec(spec)
    sys.modules["tensorflow"] = module
    spec.loader.exec_module(module)
    return module
