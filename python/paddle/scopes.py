# SPDX-License-Identifier: MIT
"""Scope: variables and their values, which are numpy arrays. Programs use them where they lie; what an IPU has learnt comes
back with weights_to_host()."""
from __future__ import annotations

import contextlib
import threading
from typing import Any, Iterator

import numpy as np

from .dtypes import to_type


class LoDTensor:
    """The value of a variable."""

    def __init__(self):
        self._array = None

    def set(self, array, place=None):
        """A new value; written into the memory of the old one if it is of the same shape and type."""
        array = np.asarray(array)
        if self._array is not None and self._array.shape == array.shape and self._array.dtype == array.dtype:
            self._array[...] = array
        else:
            self._array = np.array(array, order="C")

    def shape(self):
        return list(self._array.shape) if self._array is not None else [0]

    def _dtype(self):
        return to_type(self._require().dtype)

    def _is_initialized(self):
        return self._array is not None

    def numpy(self):
        return np.array(self._require())

    def _require(self):
        if self._array is None:
            raise RuntimeError("The variable has no value: run the startup program before.")
        return self._array

    def __array__(self, dtype=None, copy=None):
        array = self._require()
        return np.array(array, dtype=dtype or array.dtype)

    def __repr__(self):
        return f"LoDTensor({self._array!r})"


class _Entry:
    def __init__(self, name):
        self._name, self._tensor = name, LoDTensor()

    def name(self):
        return self._name

    def get_tensor(self):
        return self._tensor


class Scope:
    """Variables by name; a child sees those of its parent."""

    def __init__(self, parent: Any = None) -> None:
        self._parent = parent
        self._vars: dict[str, _Entry] = {}
        self._turn: Any = threading.RLock() if parent is None else parent._turn  # of programs on the CPU place

    def var(self, name: str) -> _Entry:
        """The variable, made if there is none."""
        found = self.find_var(name)
        if found is None:
            found = self._vars[name] = _Entry(name)
        return found

    def find_var(self, name: str) -> Any:
        """A variable's value by its name; None if there is none."""
        if name in self._vars:
            return self._vars[name]
        return self._parent.find_var(name) if self._parent is not None else None

    def new_scope(self) -> Scope:
        """A scope within this one."""
        return Scope(self)

    def drop_kids(self) -> None:
        """Children belong to those who made them."""

    def local_var_names(self) -> list:
        """Names of the variables of this scope."""
        return list(self._vars)

    def array(self, name: str) -> Any:
        """The values where they lie; None if there are none."""
        found = self.find_var(name)
        return found._tensor._array if found is not None else None


_global = Scope()


def global_scope() -> Scope:
    """The scope that executors use if none is named."""
    return _global


@contextlib.contextmanager
def scope_guard(scope: Any) -> Iterator:
    """Another scope is the global one within."""
    global _global
    if not isinstance(scope, Scope):
        raise TypeError(f"scope_guard needs a paddle.static.Scope, not {scope!r}.")
    before, _global = _global, scope
    try:
        yield
    finally:
        _global = before
