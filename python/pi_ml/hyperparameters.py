# SPDX-License-Identifier: MIT
"""save_hyperparameters: the arguments of __init__, kept for loggers and checkpoints."""
from __future__ import annotations

import argparse
import copy
import inspect
import sys
from typing import Any, Iterable, Union


class AttributeDict(dict):
    """A dictionary whose keys are attributes too."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"There is no hyperparameter {name!r}; there are: {', '.join(self) or 'none'}.") from None

    def __setattr__(self, name, value):
        self[name] = value

    def __repr__(self):
        return "\n".join(f'"{name}": {value}' for name, value in sorted(self.items()))


class HyperparametersMixin:
    """hparams of a module or data module."""

    @property
    def hparams(self) -> Any:
        return self.__dict__.setdefault("_hparams", AttributeDict())

    @property
    def hparams_initial(self) -> Any:
        return copy.deepcopy(self.__dict__.get("_hparams_initial", AttributeDict()))

    def save_hyperparameters(self, *names: Any, ignore: Union[str, Iterable[str], None] = None, frame: Any = None,
                             logger: bool = True) -> None:
        """Keeps the arguments of the __init__ that calls this: all, the named ones, or all but `ignore`."""
        frame = frame or sys._getframe(1)
        if len(names) == 1 and isinstance(names[0], (dict, argparse.Namespace)):
            given = dict(names[0] if isinstance(names[0], dict) else vars(names[0]))
        else:
            given = _arguments_of(frame)
            unknown = [n for n in names if n not in given]
            if unknown:
                raise ValueError(f"save_hyperparameters: {', '.join(map(repr, unknown))} is no argument of __init__; those "
                                 f"are: {', '.join(given)}.")
            given = {n: v for n, v in given.items() if not names or n in names}
        left_out = {ignore} if isinstance(ignore, str) else set(ignore or ())
        self.hparams.update({n: v for n, v in given.items() if n not in left_out})
        self.__dict__["_hparams_logged"] = logger
        self.__dict__["_hparams_initial"] = _copied(self.hparams)


def _copied(values):
    try:
        return copy.deepcopy(values)
    except Exception:  # a data set with open files, a module with hooks: the reference will do
        return AttributeDict(values)


def _arguments_of(frame):
    """Of the constructor that runs in a frame, and of those it was called by through super().__init__()."""
    found: "dict[str, object]" = {}
    instance = frame.f_locals.get("self")
    while frame is not None and frame.f_code.co_name == "__init__" and frame.f_locals.get("self") is instance:
        names, star, stars, values = inspect.getargvalues(frame)
        for name in names[1:]:
            found.setdefault(name, values[name])
        if stars:
            for name, value in values[stars].items():
                found.setdefault(name, value)
        frame = frame.f_back
    return found
