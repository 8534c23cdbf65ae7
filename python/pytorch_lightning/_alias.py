# SPDX-License-Identifier: MIT
"""pytorch_lightning and its modules as other names of pi_ml's, the same objects; or the real one, where there is one."""
import importlib.machinery
import importlib.util
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


def real():
    """The spec of another pytorch_lightning on the path, or None."""
    for folder in sys.path:
        if os.path.abspath(os.path.join(folder or ".", "pytorch_lightning")) == _HERE:
            continue
        spec = importlib.machinery.PathFinder.find_spec("pytorch_lightning", [folder])
        if spec is not None and spec.origin and not os.path.exists(os.path.join(os.path.dirname(spec.origin), "_alias.py")):
            return spec
    return None


def take_its_place(spec):
    for name in [n for n in sys.modules if n.split(".")[0] == "pytorch_lightning"]:
        del sys.modules[name]
    module = importlib.util.module_from_spec(spec)
    sys.modules["pytorch_lightning"] = module
    spec.loader.exec_module(module)


def install():
    import pi_ml  # not where the real one takes its place
    from pi_ml.paths import Finder  # likewise
    sys.meta_path.insert(0, Finder("pytorch_lightning", every=True))  # before others, which would load modules twice
    sys.modules["pytorch_lightning"] = pi_ml
