# SPDX-License-Identifier: MIT
"""Other paths to what there is, by two rules: a package that mirrors another has its modules, and a module of TensorFlow's or
Keras' own insides (tensorflow.python.ops.math_ops) has the names that programs take from there, looked for in public
modules."""
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types

from tensorflow import _names
from tensorflow._insides import DEEPER, INSIDES

# package -> the one that it mirrors
MIRRORS = {"tensorflow.compat.v2": "tensorflow", "tensorflow.compat.v1.keras": "tensorflow.keras",
           "tensorflow.python.keras": "tensorflow.keras", "keras": "tensorflow.keras",
           "tensorflow.python.ipu.keras": "tensorflow.keras.ipu",  # of programs before Keras had its own ipu part
           "tensorflow.python.ipu.horovod": "tensorflow.python.ipu.distributed",
           **{f"tensorflow.python.ipu.{place}{kind}_optimizer": "tensorflow.python.ipu.optimizers"
              for place in ("", "optimizers.") for kind in ("cross_replica", "gradient_accumulation", "map_gradient",
                                                            "sharded")}}
# Names that the insides have for public ones.
RENAMED = {"ResourceVariable": "tensorflow:Variable", "VariableV1": "tensorflow:Variable", "print_v2": "tensorflow:print",
           "OptimizerV2": "tensorflow.keras.optimizers:Optimizer",
           "set_policy": "tensorflow.keras.mixed_precision:set_global_policy",
           **{f"Dataset{version}": "tensorflow.data:Dataset" for version in ("V1", "V2")},
           **{f"stateless_random_{kind}": f"tensorflow.random:stateless_{kind}" for kind in ("uniform", "normal")},
           **{f"{name}_v2": f"tensorflow:{name}" for name in ("where", "cond", "while_loop", "gather", "transpose")}}


class _Insides(types.ModuleType):
    """A module that has what others have."""
    __path__ = ()

    def __getattr__(self, name):
        if name in RENAMED:
            return _at(RENAMED[name])
        for path in () if name.startswith("__") else self.places:
            module = _at(path)
            if name in dir(module) and not _is_own(module, name):
                found = getattr(module, name)
                if not self.of_modules or isinstance(found, types.ModuleType):
                    return found
        if name.islower() and _places(f"{_mirrored(self.__name__)}.{name}") is not None:
            return importlib.import_module(f"{self.__name__}.{name}")
        raise _names.missing(self.__name__, name)


def _at(path):
    """A module, or what "module:name" is."""
    path, _, name = path.partition(":")
    module = importlib.import_module(path)
    return getattr(module, name) if name else module


def _is_own(module, name):
    """A module that another one uses itself, and does not show."""
    return isinstance(module.__dict__.get(name), types.ModuleType) and name not in getattr(module, "__lazy__", ())


def _mirrored(name):
    """The path that a path of a mirror stands for."""
    for package, target in MIRRORS.items():
        if name == package or name.startswith(package + "."):
            return target + name[len(package):]
    return name


def _places(name):
    """Where the names of a module of somebody's insides are; None if it is none. It is below a part or one of DEEPER."""
    for package, parts in INSIDES.items():
        part, *inside = name[len(package) + 1:].split(".") if name.startswith(package + ".") else ("",)
        above = ".".join([part, *inside[:-1]])
        if part in parts and (len(inside) <= 1 or above in DEEPER):
            return parts[part]
    return None


def _holds_modules(name):
    """A part, or a package below it: tensorflow.python.ops has a module variable_scope, not the function."""
    for package in ("tensorflow", "tensorflow.python"):
        below = name[len(package) + 1:] if name.startswith(package + ".") else ""
        if below in DEEPER or below in INSIDES[package]:
            return True
    return False


def _exists(name):
    try:
        return importlib.util.find_spec(name) is not None
    except (ModuleNotFoundError, ValueError):
        return False


class _Older(importlib.abc.Loader):
    """Of a module that older releases had: who imports it reads what there is instead."""

    def create_module(self, spec):
        raise ModuleNotFoundError(f"No module named '{spec.name}'.{_names.instead(spec.name.rpartition('.')[2])}")

    def exec_module(self, module):
        pass


def _older_module(name, path):
    known = _names.instead(name.rpartition(".")[2]) and importlib.machinery.PathFinder.find_spec(name, path) is None
    return importlib.machinery.ModuleSpec(name, _Older()) if known else None


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Asked before others: those would find a mirror's modules a second time."""

    def find_spec(self, name, path=None, target=None):
        if not name.startswith(("tensorflow.", "keras.")):
            return None
        real = _mirrored(name)
        if real != name and _exists(real):
            return importlib.machinery.ModuleSpec(name, self, is_package=True, loader_state=real)
        if _places(real) is None or real == name and importlib.machinery.PathFinder.find_spec(name, path) is not None:
            return _older_module(name, path)
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        if spec.loader_state is not None:
            module = importlib.import_module(spec.loader_state)
            self._own = module.__spec__
            return module
        module = _Insides(spec.name, f"Names that programs take from {spec.name}.")
        module.places, module.of_modules = _places(_mirrored(spec.name)), _holds_modules(_mirrored(spec.name))
        return module

    def exec_module(self, module):
        if not isinstance(module, _Insides):
            module.__spec__ = self._own  # it stays what it was


def install():
    if not any(isinstance(f, _Finder) for f in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
