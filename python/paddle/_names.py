# SPDX-License-Identifier: MIT
"""Names that are not there: an error that says so, and where the list is."""
from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
import typing as _typing

from popart import _spelling
if _typing.TYPE_CHECKING:  # of annotations
    from typing import Any


_STATIC = "There is no dynamic graph: build a static program after paddle.enable_static()."
# Names of Paddle that programs look for and that are not here -> what there is instead.
_INSTEAD = {
    "paddle.amp": "paddle.static.amp casts a program to float16, and IpuStrategy's option enable_fp16 computes in it.",
    "paddle.metric": "paddle.static.accuracy counts what a program gets right.",
    "paddle.profiler": "IPU programs are profiled by engine_options with autoReport.all.",
    "paddle.distributed.fleet": "Replicas of IpuStrategy's num_ipus train one program, in several processes with poprun.",
    **dict.fromkeys(("paddle.Model", "paddle.DataParallel", "paddle.no_grad", "paddle.grad", "paddle.jit.save",
                     "paddle.jit.load", "paddle.fluid.dygraph"), _STATIC)}


def refuse_unknown(module: Any) -> None:
    """Gives a module a __getattr__ that names what is missing."""
    space = sys.modules[module].__dict__

    def unknown(name):
        if name.startswith("__"):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        raise AttributeError(_refusal(f"{module}.{name}", space))

    space["__getattr__"] = unknown


def _refusal(name, there=()):
    hint = f" {_INSTEAD[name]}" if name in _INSTEAD else _spelling.hint(
        name.rpartition(".")[2], (n for n in there if not n.startswith("_")), name.rpartition(".")[0] + ".{}")
    return (f"{name} is not in this package, which has Paddle's static graphs for IPUs.{hint} docs/paddle.md lists what is "
            "there.")


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Asked last: an import of a module that is not here says what there is instead."""

    def find_spec(self, name, path=None, target=None):
        return importlib.machinery.ModuleSpec(name, self) if name in _INSTEAD else None

    def create_module(self, spec):
        raise ModuleNotFoundError(_refusal(spec.name))

    def exec_module(self, module):
        pass


def explain_imports() -> None:
    """From now on; Paddle is this package."""
    if not any(isinstance(f, _Finder) for f in sys.meta_path):
        sys.meta_path.append(_Finder())


def refuse_options(function: str, **given: Any) -> None:
    """Options that are not there: anything but None is an error."""
    for name, value in given.items():
        if value is not None:
            raise NotImplementedError(f"(Unimplemented) {function}({name}={value!r}).")
