# SPDX-License-Identifier: MIT
"""Packages of others with the name of one of ours: where such a one is installed, that is what programs import."""
import importlib.machinery
import importlib.util
import os
import sys
from typing import Any


def find(file: str, mark: str) -> Any:
    """The spec of another package of the name of ours, or None. file: our __file__; mark: a module that all copies of ours
    have."""
    ours = os.path.dirname(os.path.abspath(file))
    name = os.path.basename(ours)
    for folder in sys.path:
        if os.path.realpath(os.path.join(folder or ".", name)) == os.path.realpath(ours):
            continue
        spec = importlib.machinery.PathFinder.find_spec(name, [folder])
        if spec is not None and spec.origin and not os.path.exists(os.path.join(os.path.dirname(spec.origin), mark)):
            return spec
    return None


def take_its_place(spec: Any) -> None:
    """The other package is what its name means from here on."""
    for name in [n for n in sys.modules if n.split(".")[0] == spec.name]:
        del sys.modules[name]
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
