# SPDX-License-Identifier: MIT
"""tf.flags: options of the command line. FLAGS.name reads them when it is first asked."""
from __future__ import annotations

import argparse
import sys
from typing import Any

from tensorflow import _names


class _Flags:
    """The values of options: FLAGS.name, read from the command line when first asked for."""

    def __init__(self):
        self.__dict__.update(_parser=argparse.ArgumentParser(allow_abbrev=False), _values=None, _own={})

    def _define(self, name, default, text, **kwargs):
        self._parser.add_argument(f"--{name}", default=default, help=text, dest=name, **kwargs)
        self.__dict__["_values"] = None

    def __call__(self, argv, known_only=False):
        """Reads a command line; what is left of it."""
        values, rest = self._parser.parse_known_args(argv[1:])
        unknown = [word for word in rest if word.startswith("--")]
        if unknown and not known_only:
            self._parser.error(f"Unknown command line flag {unknown[0]}")
        self.__dict__["_values"] = values
        return [*argv[:1], *rest]

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if self._values is None:
            self(sys.argv, True)
        if name in self._own:
            return self._own[name]
        if not hasattr(self._values, name):
            raise AttributeError(f"There is no flag --{name}.")
        return getattr(self._values, name)

    def __setattr__(self, name, value):
        self._own[name] = value


FLAGS = _Flags()


def _boolean(text):
    if text.lower() not in ("true", "false", "1", "0", "t", "f", "yes", "no"):
        raise argparse.ArgumentTypeError(f"{text!r} is neither true nor false")
    return text.lower() in ("true", "1", "t", "yes")


def DEFINE_string(name: str, default: Any, help: str, **_: Any) -> None:
    """A command-line option --NAME TEXT."""
    FLAGS._define(name, default, help)


def _number(kind, low, high):
    def read(text):
        value = kind(text)
        if low is not None and value < low or high is not None and value > high:
            raise argparse.ArgumentTypeError(f"{text} is not from {low} to {high}")
        return value
    read.__name__ = kind.__name__
    return read


def DEFINE_integer(name: str, default: Any, help: str, lower_bound: Any = None, upper_bound: Any = None, **_: Any) -> None:
    """A command-line option --NAME INTEGER; one out of bounds ends the program with a message."""
    FLAGS._define(name, default, help, type=_number(int, lower_bound, upper_bound))


def DEFINE_float(name: str, default: Any, help: str, lower_bound: Any = None, upper_bound: Any = None, **_: Any) -> None:
    """A command-line option --NAME NUMBER; one out of bounds ends the program with a message."""
    FLAGS._define(name, default, help, type=_number(float, lower_bound, upper_bound))


def DEFINE_boolean(name: str, default: Any, help: str, **_: Any) -> None:
    """A command-line option --NAME or --NAME=true, and --noNAME."""
    FLAGS._define(name, default, help, type=_boolean, nargs="?", const=True)
    FLAGS._parser.add_argument(f"--no{name}", dest=name, action="store_false", default=default, help=argparse.SUPPRESS)


def DEFINE_enum(name: str, default: Any, enum_values: Any, help: str, **_: Any) -> None:
    """A command-line option --NAME VALUE with a list of values."""
    FLAGS._define(name, default, help, choices=list(enum_values))


def DEFINE_list(name: str, default: Any, help: str, **_: Any) -> None:
    """A command-line option --NAME A,B,C, a list of texts."""
    default = default.split(",") if isinstance(default, str) else default
    FLAGS._define(name, default, help, type=lambda text: text.split(","))


DEFINE_bool = DEFINE_boolean
_names.explain_missing(globals())
