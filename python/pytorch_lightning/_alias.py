# SPDX-License-Identifier: MIT
"""pytorch_lightning and its modules as other names of pi_ml's, the same objects; or the real one, where there is one."""
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))
# Modules that have another place in pi_ml.
_MOVED = {"core": "", "core.lightning": "module", "core.module": "module", "core.datamodule": "datamodule",
          "callbacks.callback": "callbacks.base", "callbacks.model_checkpoint": "callbacks.checkpoint",
          "loggers.logger": "loggers.base", "utilities.seed": "seeding", "utilities.rank_zero": "log",
          "utilities.model_summary": "summary", "plugins.training_type": "plugins", "plugins.training_type.ipu": "plugins"}


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


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Asked before others: those would load pi_ml's modules a second time."""

    def find_spec(self, name, path=None, target=None):
        package, _, inside = name.partition(".")
        if package != "pytorch_lightning" or not inside:
            return None
        ours = ".".join(filter(None, ("pi_ml", _MOVED.get(inside, inside))))
        try:
            if importlib.util.find_spec(ours) is None:
                return None
        except ModuleNotFoundError:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True, loader_state=ours)

    def create_module(self, spec):
        module = importlib.import_module(spec.loader_state)
        self._own = module.__spec__
        return module

    def exec_module(self, module):
        module.__spec__ = self._own  # it stays what it was


def install():
    import pi_ml  # not where the real one takes its place
    sys.meta_path.insert(0, _Finder())
    sys.modules["pytorch_lightning"] = pi_ml
