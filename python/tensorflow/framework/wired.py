# SPDX-License-Identifier: MIT
"""What a folder calls of one above it: `wired.name(...)`. tensorflow/_shown.py, which knows all folders, says where each is; it
is imported when it is first called."""
import importlib

places = {}  # name -> module:function


def __getattr__(name):
    if name not in places:
        raise AttributeError(f"tensorflow/_shown.py wires no {name}.")
    module, _, function = places[name].partition(":")
    return getattr(importlib.import_module(module), function)
